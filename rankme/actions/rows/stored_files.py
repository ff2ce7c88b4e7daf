"""Files in the storage that Django calls `default_storage`: a folder, or a bucket.

Nothing here or elsewhere asks for a file's path on a disk, because in a bucket it has none.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from django.utils.translation import gettext as _

from rankme.errors import RefusedAction
from rankme.scratch import new_folder

ORPHANED_AFTER = timedelta(days=1)


def delete_files(names: Iterable[str]) -> None:
    for name in names:
        default_storage.delete(name)


def delete_folders(folder: str, beginning: str) -> None:
    """Delete what is in a folder of the storage under names that begin so."""
    try:
        folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return
    delete_files(f"{folder}/{name}" for name in files if name.startswith(beginning))
    for name in folders:
        if name.startswith(beginning):
            delete_folders(f"{folder}/{name}", "")
            default_storage.delete(f"{folder}/{name}")


@contextmanager
def deleted_on_failure() -> Iterator[list[str]]:
    """A list of stored files, which are deleted again if the rows about them are not stored."""
    stored: list[str] = []
    try:
        yield stored
    except BaseException:
        delete_files(stored)
        raise


@contextmanager
def local_copies(stored: Mapping[str, str]) -> Iterator[dict[str, Path]]:
    """Files as the readers need them, which go to and fro in archives: by the same names.

    Raises
    ------
    RefusedAction : a file is no longer there
    """
    missing = [label for label, name in stored.items() if not default_storage.exists(name)]
    if missing:
        raise RefusedAction(
            _("The uploaded files are no longer there (%(files)s). Upload them again.")
            % {"files": ", ".join(missing)}
        )
    folder = new_folder()
    try:
        paths = {}
        for number, (label, name) in enumerate(stored.items()):
            paths[label] = folder / str(number)
            with default_storage.open(name) as source, paths[label].open("wb") as copy:
                shutil.copyfileobj(source, copy)
        yield paths
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(folder: str, needed: Iterable[str]) -> int:
    """Delete unused files from a folder of the storage; return their number.

    A process that dies between storing a file and writing its row, or between the end of an upload
    and the deletion of its files, leaves them there. Recent ones may be of an upload that is just
    being written. Their age is by the storage's clock, which has dated them.
    """
    try:
        _folders, files = default_storage.listdir(folder)
    except FileNotFoundError:
        return 0
    if not files:
        return 0
    youngest = _now_in_the_storage(folder) - ORPHANED_AFTER
    places = {f"{folder}/{name}" for name in files} - set(needed)
    old = [place for place in places if _dated(place) < youngest]
    delete_files(old)
    return len(old)


def _now_in_the_storage(folder: str) -> datetime:
    place = default_storage.save(f"{folder}/{secrets.token_hex(12)}", ContentFile(b"."))
    try:
        return _dated(place)
    finally:
        default_storage.delete(place)


def _dated(place: str) -> datetime:
    """Return when the file was stored; one that has just been deleted counts as recent."""
    try:
        return default_storage.get_modified_time(place)
    except FileNotFoundError:
        return timezone.now()
