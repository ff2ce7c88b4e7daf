"""What an operator does to the site as a whole, as events of the site's audit trail."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.models import AuditEvent

BACKUP_MADE = gettext_noop("backup made")
STORAGE_NAMED = gettext_noop("storage named")
BACKUP_EVERY = timedelta(hours=26)
MARKS = "marks"
LOCK = "SELECT pg_advisory_xact_lock(hashtext('rankme_storage'))"


def record_backup() -> None:
    """Record that database and files were copied just now."""
    note(None, None, BACKUP_MADE)


def last_backup() -> datetime | None:
    """Return when the last backup was recorded."""
    event = _newest(BACKUP_MADE)
    return event.happened_at if event else None


def is_late(made: datetime | None) -> bool:
    """Whether the next backup should have been made, or none ever was."""
    return made is None or timezone.now() - made >= BACKUP_EVERY


def name_storage(*, again: bool = False) -> None:
    """Mark the storage as this database's own, unless one is marked already or `again` says so."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK)
        if again or _newest(STORAGE_NAMED) is None:
            mark = secrets.token_hex(16)
            default_storage.save(f"{MARKS}/{mark}", ContentFile(b"storage\n"))
            note(None, None, STORAGE_NAMED, mark=mark)


def is_the_named_storage() -> bool:
    """Whether this process sees the storage that was marked; true before any is marked."""
    event = _newest(STORAGE_NAMED)
    return event is None or default_storage.exists(f"{MARKS}/{event.detail['mark']}")


def _newest(verb: str) -> AuditEvent | None:
    return AuditEvent.objects.filter(campaign=None, verb=verb).order_by("-number").first()
