"""Folders that last as long as their process; those of processes that were killed are swept."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path


def new_folder(kind: str = "scratch", inside: str | None = None) -> Path:
    """Make a folder that the caller deletes, after those of processes that no longer exist.

    An upload may have two gigabytes, and a process that is killed deletes nothing.
    """
    parent, prefix = inside or tempfile.gettempdir(), f"rankme-{kind}-"
    for left in Path(parent).glob(f"{prefix}*"):
        found = re.fullmatch(rf"{prefix}(\d+)-\w+", left.name)
        if found and not _exists(int(found[1])):
            shutil.rmtree(left, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{prefix}{os.getpid()}-", dir=parent))


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # of another account
    return True
