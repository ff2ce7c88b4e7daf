"""Keep compiled functions on disk where there is a place for them, also without a home folder."""

from __future__ import annotations

import os
import stat
import tempfile
from functools import partial
from pathlib import Path

import numba


def _probe() -> None:
    """Serve as the function for which Numba looks for a place."""


def _has_place() -> bool:
    """Say whether Numba can keep what it compiles: next to the code, at home, or as configured."""
    try:
        numba.njit(cache=True)(_probe)
    except RuntimeError:
        return False
    return True


def own_temporary_folder() -> Path:
    """Return this account's folder for compiled code below the system's temporary one.

    Numba unpickles what it finds there, so a folder that another account could have filled is not
    used; a new one takes its place.
    """
    folder = Path(tempfile.gettempdir()) / f"rankme-compiled-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    is_private = stat.S_ISDIR(found.st_mode) and not found.st_mode & 0o077
    if is_private and found.st_uid == os.geteuid():
        return folder
    return Path(tempfile.mkdtemp(prefix="rankme-compiled-"))


# Where the code is read-only and the account has no home, as in a container, Numba would refuse to
# compile at all.
if not _has_place():
    numba.config.CACHE_DIR = str(own_temporary_folder())  # type: ignore[attr-defined]

# A division by zero gives infinity, as in NumPy: a check of each would keep a processor from making
# several at once.
compiled = partial(numba.njit, nogil=True, cache=True, error_model="numpy")
