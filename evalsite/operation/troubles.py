"""What is wrong with this installation, in words, for `doctor` and the operator's page."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import Error, connection
from django.utils import timezone
from django.utils.timesince import timesince

from rankme.actions.operators import is_late, last_backup

from . import readiness
from .readiness import Trouble

MOST_SECONDS_APART = 5


def troubles() -> Iterator[Trouble]:
    found = [trouble for check in readiness.CHECKS if (trouble := check())]
    yield from dict.fromkeys(found)  # one cause may fail two checks
    if readiness.database() not in found:
        yield from (trouble for check in (clock, backup) if (trouble := check()))


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
