"""Folders for uploads on their way in; those of processes that were killed are swept."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

PREFIX = "rankme-scratch-"
NAME = re.compile(rf"{PREFIX}(\d+)-\w+")


def new_folder() -> Path:
    """Make a folder that the caller deletes, after those of processes that no longer exist.

    An upload may have two gigabytes, and a process that is killed deletes nothing.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        found = NAME.fullmatch(left.name)
        if found and not _exists(int(found[1])):
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # of another account
    return True
