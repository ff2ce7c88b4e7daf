"""Checking passwords, with limits on wrong ones, for the pages and the API."""

from __future__ import annotations

from datetime import timedelta
from typing import TypeAlias

from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop

from rankme.actions import rate_limits
from rankme.actions.audit import note
from rankme.actions.rate_limits import Limit
from rankme.errors import RankmeError
from rankme.models import AuditEvent

# Wrong passwords. The first limit is for one name from one address, so nobody can lock out
# somebody who is elsewhere. The other two slow down guessing from many addresses, and of many
# names; they don't apply where this name has logged in from this address before.
OF_A_NAME_FROM_AN_ADDRESS = Limit("password", most=20, again_every=timedelta(seconds=30))
OF_A_NAME = Limit("password of a name", most=200, again_every=timedelta(seconds=30))
FROM_AN_ADDRESS = Limit("password from an address", most=100, again_every=timedelta(seconds=30))
REMEMBERED = timedelta(days=30)

# Hashing a longer one takes a stranger's request as long as twenty pages.
LONGEST_PASSWORD = 4096

LOGGED_IN = gettext_noop("logged in")
REFUSED = gettext_noop("login refused")
LOGGED_OUT = gettext_noop("logged out")
CHANGED = gettext_noop("password changed")


class WrongPassword(RankmeError):
    """This name and this password don't belong together."""


class TooManyAttempts(RankmeError):
    """Too many wrong passwords lately. `seconds` says when to try again."""

    seconds = int(OF_A_NAME_FROM_AN_ADDRESS.again_every.total_seconds())


def check_password(
    username: str, password: str, *, address: str, request: HttpRequest | None = None
) -> User | None:
    """Return the user, or None if the password is wrong, which is recorded.

    Raises
    ------
    TooManyAttempts
        There were too many wrong passwords before, so this one was not looked at.
    """
    name, mark = username[:150], _mark(address)
    limits = _limits(name, mark)
    taken = [limit for limit in limits if rate_limits.take(*limit)]
    if len(taken) < len(limits):
        _give_back(taken)
        raise TooManyAttempts("Too many wrong passwords. Wait a minute and try again.")
    is_long = len(password) > LONGEST_PASSWORD
    user = None if is_long else authenticate(request, username=username, password=password)
    if user is None:
        note(None, None, REFUSED, name=name, address=mark)
        return None
    _give_back(taken)  # only wrong passwords count
    return user


def note_login(user: User, *, address: str) -> None:
    """Note that somebody came in, after all that was asked for; the address is then known."""
    note(None, user, LOGGED_IN, address=_mark(address))


# A limit, and whose it is.
Taken: TypeAlias = tuple[rate_limits.Limit, *tuple[str, ...]]


def _limits(name: str, mark: str) -> list[Taken]:
    limits: list[Taken] = [(OF_A_NAME_FROM_AN_ADDRESS, name, mark)]
    if not _is_known(name, mark):
        limits += [(OF_A_NAME, name), (FROM_AN_ADDRESS, mark)]
    return limits


def _is_known(name: str, mark: str) -> bool:
    return AuditEvent.objects.filter(
        verb=LOGGED_IN,
        actor__username=name,
        detail__address=mark,
        happened_at__gt=Now() - REMEMBERED,
    ).exists()


def _give_back(taken: list[Taken]) -> None:
    for limit in taken:
        rate_limits.give_back(*limit)


def _mark(address: str) -> str:
    return salted_hmac("rankme.address", address, algorithm="sha256").hexdigest()[:16]
