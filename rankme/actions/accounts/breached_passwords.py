"""Passwords that are known from leaks, by a list that the operator keeps on this machine."""

from __future__ import annotations

import hashlib
import logging
from bisect import bisect_left
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

log = logging.getLogger(__name__)

HASH_LENGTH = 40
LONGEST_LINE = 64  # a hash, a colon and a count
BEHIND_ALL = b"~"


class BreachedPasswordsValidator:
    """Refuses passwords of the list, whose path is `BREACHED_PASSWORDS`; without one, none."""

    def validate(self, password: str, user: object = None) -> None:
        path = settings.BREACHED_PASSWORDS
        try:
            is_known = bool(path) and is_listed(password, Path(path))
        except OSError as error:  # a lost list keeps nobody from leaving an old password
            log.error("A password was not looked up in BREACHED_PASSWORDS: %s", error)
            return
        if is_known:
            raise ValidationError(self.get_help_text(), code="password_breached")

    def get_help_text(self) -> str:
        return _("Your password can’t be one that is known from a data breach.")


def is_listed(password: str, path: Path) -> bool:
    """Look a password's SHA-1 up in a sorted file of lines `HASH` or `HASH:COUNT`.

    The published list has more than 10^9 lines, so it is searched where it is: about 40 short
    reads. Nothing of the password leaves this machine.
    """
    wanted = hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper().encode()
    with path.open("rb") as file:
        places = range(path.stat().st_size)
        place = bisect_left(places, wanted, key=lambda place: hash_from(file, place))
        return hash_from(file, place) == wanted


def hash_from(file: BinaryIO, place: int) -> bytes:
    """Return the hash of the first line that begins here or later; after the last, `BEHIND_ALL`."""
    file.seek(max(place - 1, 0))
    if place:
        file.readline(LONGEST_LINE)  # the rest of the line before
    return file.readline(LONGEST_LINE)[:HASH_LENGTH].upper() or BEHIND_ALL
