"""Keys for scripts. Each is given for a password, kept as a hash, and ends with that password.

The end is a trigger of the database, so it holds for every way in which a password can change.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime
from typing import Any

from django.apps import apps
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_noop

from rankme.actions.audit import note

from .passwords import WrongPassword, check_password, note_login

# How a key begins that may only read. It is part of what is hashed: without it, the rest opens
# nothing.
READS_ONLY = "read-"


def obtain_key(username: str, password: str, *, address: str, reads_only: bool = False) -> str:
    """Create a new key for this person and end the previous one."""
    user = check_password(username, password, address=address)
    if user is None:
        raise WrongPassword("Wrong name or password.")
    note_login(user, address=address)
    secret = READS_ONLY * reads_only + secrets.token_urlsafe(32)
    with transaction.atomic():
        _keys().filter(user=user).delete()
        _keys().create(user=user, key=stored_key(secret))
        note(None, user, gettext_noop("token given"))
    return secret


def revoke_key(user: User) -> None:
    """End a person's key. Without one nothing happens."""
    if _keys().filter(user=user).delete()[0]:
        note(None, user, gettext_noop("token revoked"))


def key_made_at(user: User) -> datetime | None:
    """Return when a person's key was made, or None."""
    made: datetime | None = _keys().filter(user=user).values_list("created", flat=True).first()
    return made


def stored_key(secret: str) -> str:
    """Hash a key for the database, which has room for 160 bits."""
    return hashlib.sha256(secret.encode()).hexdigest()[:40]


def _keys() -> Any:
    return apps.get_model("authtoken", "Token").objects
