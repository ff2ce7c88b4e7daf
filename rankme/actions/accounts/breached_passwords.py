"""Passwords that are known from leaks, by a list that the operator keeps on this machine."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

log = logging.getLogger(__name__)

HASH_LENGTH = 40
LONGEST_LINE = 64  # a hash, a colon and a count


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
        low, high = 0, path.stat().st_size
        # The line that may be it begins in [low, high).
        while low < high:
            middle = (low + high) // 2
            begin, line = line_from(file, middle)
            if not line or begin >= high:
                high = middle
            elif line[:HASH_LENGTH].upper() < wanted:
                low = begin + len(line)
            elif line[:HASH_LENGTH].upper() == wanted:
                return True
            else:
                high = middle
    return False


def line_from(file: BinaryIO, place: int) -> tuple[int, bytes]:
    """Return the first line that begins at a place or after it, and where it begins."""
    if place:
        file.seek(place - 1)
        file.readline(LONGEST_LINE)  # the rest of the line before
    else:
        file.seek(0)
    begin = file.tell()
    return begin, file.readline(LONGEST_LINE)
