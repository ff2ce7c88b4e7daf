"""What an operator does to the site as a whole, as events of the site's audit trail."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.models import AuditEvent, SiteProcess

BACKUP_MADE = gettext_noop("backup made")
STORAGE_NAMED = gettext_noop("storage named")
BACKUP_EVERY = timedelta(hours=26)
# One that was not seen for a minute is gone, or is cut off; for a day it is still listed.
SEEN_WITHIN = timedelta(seconds=90)
LISTED_FOR = timedelta(days=1)
PROCESS_SEEN = """
    INSERT INTO rankme_siteprocess
        (host, kind, number, release, clock_seconds, started_at, seen_at)
    VALUES (%(host)s, %(kind)s, %(number)s, %(release)s,
        extract(epoch FROM %(clock)s - clock_timestamp()), now(), now())
    ON CONFLICT (host, kind, number) DO UPDATE SET
        release = excluded.release, clock_seconds = excluded.clock_seconds,
        started_at = CASE WHEN %(is_new)s THEN now() ELSE rankme_siteprocess.started_at END,
        seen_at = now()
"""
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


def note_process(host: str, kind: str, number: int, release: str, *, is_new: bool) -> None:
    """Note that this process runs; a new one may have the number of one that has ended."""
    with connection.cursor() as cursor:
        cursor.execute(
            PROCESS_SEEN,
            {
                "host": host[:255],
                "kind": kind,
                "number": number,
                "release": release[:40],
                "clock": timezone.now(),
                "is_new": is_new,
            },
        )


def forget_processes() -> None:
    """Delete what ended long ago."""
    SiteProcess.objects.filter(seen_at__lt=Now() - LISTED_FOR).delete()


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
