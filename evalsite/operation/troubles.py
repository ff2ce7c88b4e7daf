"""What is wrong with this installation, in words, for `doctor` and the operator's page."""

from __future__ import annotations

from collections.abc import Iterator

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import Error, connection
from django.utils import timezone
from django.utils.timesince import timesince

from rankme.actions.accounts.second_factors import FACTORS
from rankme.actions.operators import is_late, last_backup

from . import readiness
from .readiness import Trouble

MOST_SECONDS_APART = 5


def troubles() -> Iterator[Trouble]:
    found = [trouble for check in readiness.CHECKS if (trouble := check())]
    yield from dict.fromkeys(found)  # one cause may fail two checks
    if readiness.database() not in found:
        yield from (trouble for check in AFTER_THE_DATABASE if (trouble := check()))


def clock() -> Trouble | None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            apart = abs((timezone.now() - cursor.fetchone()[0]).total_seconds())
    except Error:
        return None  # the database's own trouble
    if apart <= MOST_SECONDS_APART:
        return None
    return Trouble(
        f"The clocks of this machine and of the database are {apart:.0f} seconds apart.",
        "Run a time service (chrony, systemd-timesyncd) on both.",
    )


def backup() -> Trouble | None:
    made = last_backup()
    if not is_late(made):
        return None
    last = f"The last recorded backup is {timesince(made)} old." if made else None
    return Trouble(
        last or "No backup has been recorded.",
        "Make one every night, and end it with “manage.py doctor --backup-made” "
        "(“Backup” in docs/deployment.md).",
    )


def second_factors() -> Trouble | None:
    have = Authenticator.objects.filter(type__in=FACTORS, user__is_active=True)
    if not settings.SECOND_FACTOR_REQUIRED or have.exists():
        return None
    return Trouble(
        "This site requires a second factor, and no account has one.",
        "Log in and add one under “Second factor”. Until then anybody with a password can do that.",
    )


def mail() -> Trouble | None:
    """Mail that is asked for and not set up, that nobody would take, or that is for nobody."""
    if not settings.EMAIL_HOST:
        if not settings.ADMINS:
            return None
        return Trouble(
            "ADMINS has addresses, but no mail is sent to them.",
            "Set EMAIL_HOST, or leave ADMINS empty.",
        )
    if settings.SERVER_EMAIL.endswith("@localhost"):
        return Trouble(
            f"Mails come from {settings.SERVER_EMAIL}, which other servers refuse.",
            "Set SERVER_EMAIL to an address of your own.",
        )
    if get_user_model().objects.filter(is_active=True).exclude(email="").exists():
        return None
    return Trouble(
        "Mail is set up, but no account has a mail address, so it replaces no forgotten password.",
        "Name one for each account: “manage.py organiser NAME --mail ADDRESS”.",
    )


AFTER_THE_DATABASE = (clock, backup, second_factors, mail)
