"""What has to be true before raters come: each check says what is wrong, and what helps."""

from __future__ import annotations

import logging
import secrets
import shutil
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NoAnswer
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader

from rankme.actions.operators import is_the_named_storage, name_storage
from rankme.database_errors import BUCKET_TROUBLE

Result = TypeVar("Result")
log = logging.getLogger(__name__)

FREE_DISK_AT_LEAST = 0.05
SECONDS_FOR_THE_STORAGE = 3
FOLDER = "probes"


@dataclass(frozen=True)
class Trouble:
    what: str
    remedy: str


def database() -> Trouble | None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT to_regclass('django_migrations')")
            is_empty = cursor.fetchone()[0] is None
            if not is_empty:
                cursor.execute("SELECT app, name FROM django_migrations")
            missing = _migrations() - set(() if is_empty else cursor.fetchall())
    except Error:  # of any kind; `InterfaceError` is not a `DatabaseError`
        return Trouble(
            "The database does not answer.", "Start PostgreSQL, and check DATABASE_URL and its log."
        )
    if not missing:
        return None
    what = "is empty" if is_empty else f"lacks {len(missing)} migrations of this release"
    return Trouble(
        f"The database {what}.",
        "Run `manage.py migrate` with DATABASE_OWNER_URL. If the database should not be empty, "
        "check the name in DATABASE_URL.",
    )


@cache
def _migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).graph.leaf_nodes())


def static_files() -> Trouble | None:
    if not isinstance(staticfiles_storage, ManifestFilesMixin) or staticfiles_storage.hashed_files:
        return None
    return Trouble(
        "The static files are missing: every page would fail.",
        "Run `manage.py collectstatic` with the same STATIC_FOLDER, and start the site again.",
    )


def disk() -> Trouble | None:
    if not isinstance(default_storage, FileSystemStorage):
        return None
    folder = Path(settings.DATA_FOLDER)
    usage = shutil.disk_usage(next(each for each in (folder, *folder.parents) if each.exists()))
    if usage.free / usage.total >= FREE_DISK_AT_LEAST:
        return None
    return Trouble("The disk is nearly full.", f"Make room on the disk of {folder}.")


def storage() -> Trouble | None:
    """Write, read and delete a file, in a thread of its own: a bucket that hangs does not wait."""
    if tries and not tries[-1].done():
        return _unanswered()  # the last one still hangs
    tries[:] = [_thread.submit(_try_storage)]
    try:
        return tries[0].result(SECONDS_FOR_THE_STORAGE)
    except NoAnswer:
        return _unanswered()


_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="storage")
tries: list[Future[Trouble | None]] = []


def _unanswered() -> Trouble:
    return Trouble(
        "The storage of files does not answer.",
        "Check STORAGE_BUCKET, STORAGE_ENDPOINT, the keys and the network; without a bucket, the "
        "rights of the data folder.",
    )


def _try_storage() -> Trouble | None:
    content = secrets.token_bytes(16)
    try:
        name = default_storage.save(f"{FOLDER}/{content.hex()}", ContentFile(content))
        with default_storage.open(name) as file:
            same = file.read() == content
        default_storage.delete(name)
    except (OSError, *BUCKET_TROUBLE):
        return _unanswered()
    return None if same else _unanswered()


def shared_storage() -> Trouble | None:
    try:
        if is_the_named_storage():
            return None
    except Error:
        return None  # the database's own trouble
    except (OSError, *BUCKET_TROUBLE):
        return _unanswered()
    return Trouble(
        "This is not the storage that the rest of the site uses: files of others are not there.",
        "Give all hosts the same bucket, or mount the same folder as DATA_FOLDER. After a restore "
        "or a move of the files: `manage.py doctor --this-storage`.",
    )


def name_new_storage() -> None:
    """Mark the storage of a new site. What hinders that now is what `/readyz/` reports."""
    try:
        name_storage()
    except (Error, OSError, *BUCKET_TROUBLE) as trouble:
        log.warning("The storage has no mark yet: %s", trouble)


def before_the_fork(check: Callable[[], Result]) -> Result:
    """Call a check in a thread that ends, so that no child inherits its connections."""

    def called() -> Result:
        try:
            return check()
        finally:
            connection.close()

    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(called).result()


CHECKS: tuple[Callable[[], Trouble | None], ...] = (
    database, static_files, disk, storage, shared_storage,
)  # fmt: skip


def first_trouble() -> Trouble | None:
    return next((trouble for check in CHECKS if (trouble := check())), None)
