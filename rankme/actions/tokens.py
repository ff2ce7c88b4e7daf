"""Keys for scripts: given for a password, kept only as a hash, and guarded against guessing."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib.auth import authenticate
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac

from rankme.errors import RankmeError
from rankme.models import AuditEvent

from .audit import note

MOST_REFUSALS = 20
WINDOW = timedelta(minutes=10)
REFUSED = "token refused"


class WrongPassword(RankmeError):
    """The name and the password do not belong together."""


class TooManyAttempts(RankmeError):
    """Too many wrong passwords lately; `seconds` says how long to wait at most."""

    seconds = int(WINDOW.total_seconds())


def obtain_token(username: str, password: str, *, address: str) -> str:
    """A new key for this person; the one before it ends. The database has only its hash."""
    user = with_password(username, password, address=address)
    if user is None:
        raise WrongPassword("The name and the password do not belong together.")
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        _tokens().filter(user=user).delete()
        _tokens().create(user=user, key=stored_key(secret))
        note(None, user, "token given")
    return secret


def revoke_token(user: Any) -> None:
    """End a person's key; without one nothing happens."""
    if _tokens().filter(user=user).delete()[0]:
        note(None, user, "token revoked")


def stored_key(secret: str) -> str:
    """What the database keeps of a key: 160 bits of its hash fill the column."""
    return hashlib.sha256(secret.encode()).hexdigest()[:40]


def _tokens() -> Any:
    return apps.get_model("authtoken", "Token").objects


@transaction.atomic
def with_password(username: str, password: str, *, address: str, request: Any = None) -> Any:
    """The user, or None; every refusal is counted, by the name and by the address."""
    marks = {"name": username[:150], "address": _mark(address)}
    with connection.cursor() as cursor:
        # One guess at a time for a name and an address: fifty at once are not one.
        for mark in sorted(marks.values()):
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('token'), hashtext(%s))", [mark])
    lately = AuditEvent.objects.filter(verb=REFUSED, happened_at__gt=Now() - WINDOW)
    for name, mark in marks.items():
        if lately.filter(detail__contains={name: mark}).count() >= MOST_REFUSALS:
            raise TooManyAttempts("Too many wrong passwords: wait ten minutes.")
    user = authenticate(request, username=username, password=password)
    if user is None:
        note(None, None, REFUSED, **marks)
    return user


def _mark(address: str) -> str:
    return salted_hmac("rankme.address", address).hexdigest()[:16]
