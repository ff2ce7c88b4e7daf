"""Files with outputs: begun, stored, and what the team says counts."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import PurePath
from typing import Any
from uuid import UUID

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions import jobs
from rankme.actions.rows.stored_files import deleted_on_failure, sweep
from rankme.errors import RefusedAction
from rankme.models import (
    SystemUpload,
    Team,
    TeamMember,
    TeamSystem,
    Track,
    UploadCheck,
    UploadTicket,
)

from .events import note
from .rules import rules_as_refusals
from .tasks import fix_sources

FOLDER = "tasks"
LARGEST_FILE = 64 * 1024**2
MOST_TICKETS = 1_000
Role = SystemUpload.Role


def begin_upload(team: Team, track: Track, *, by: TeamMember) -> UploadTicket:
    """Note by the database's clock that an upload begins: it may then end after the close."""
    if track.task_id != team.task_id:
        raise RefusedAction(_("This track belongs to another task. Reload the page."))
    if team.tickets.filter(track=track, upload=None).count() >= MOST_TICKETS:
        raise RefusedAction(_("Your team has begun many uploads without ending them."))
    return team.tickets.create(track=track)


def take_upload(
    track: Track,
    system: TeamSystem,
    file: File[Any],
    *,
    name: str,
    ticket: UUID | None = None,
    by: TeamMember,
) -> SystemUpload:
    """Store a file and queue its check; the database says whether it is in time.

    The file is stored before the row, so a row never lacks its file; the time is that of the row.

    Raises
    ------
    RefusedAction : too late, too many, too large, or nothing in it
    """
    _refuse_size(file)
    fix_sources(track)
    sha256 = _sha256(file)
    begun = by.team.tickets.filter(key=ticket, track=track).first() if ticket else None
    with deleted_on_failure() as stored:
        file.seek(0)
        stored.append(default_storage.save(f"{FOLDER}/{secrets.token_hex(12)}", file))
        with transaction.atomic():
            with rules_as_refusals():
                upload = SystemUpload.objects.create(
                    team=by.team,
                    track=track,
                    system=system,
                    member=by,
                    ticket=begun,
                    file_name=plain_name(name),
                    stored=stored[0],
                    size=file.size or 0,
                    sha256=sha256,
                )
            jobs.enqueue(UploadCheck.objects.create(upload=upload))
            detail = {"upload": upload.pk, "sha256": sha256}
            note(by.team.task, gettext_noop("outputs uploaded"), by=by, **detail)
    upload.refresh_from_db()
    return upload


def plain_name(name: str) -> str:
    """The last part of a file's name, without what cannot be stored or printed."""
    last = PurePath(name.replace("\\", "/")).name
    found = "".join(sign for sign in last if sign.isprintable())[-200:]
    return found if found.strip(". ") else "outputs"


def _refuse_size(file: File[Any]) -> None:
    if not file.size:
        raise RefusedAction(_("The file is empty. Choose the file with your outputs."))
    if file.size > LARGEST_FILE:
        largest = LARGEST_FILE // 1024**2
        raise RefusedAction(
            _("The file is larger than %(largest)s MB. Send the outputs alone.")
            % {"largest": largest}
        )


def _sha256(file: File[Any]) -> str:
    digest = hashlib.sha256()
    file.seek(0)
    for chunk in file.chunks():
        digest.update(chunk)
    return digest.hexdigest()


def sweep_files() -> int:
    """Delete stored files of uploads whose process died before their row; return their number."""
    return sweep(FOLDER, SystemUpload.objects.values_list("stored", flat=True).iterator())


@transaction.atomic
def choose_role(upload: SystemUpload, role: str, *, by: TeamMember) -> SystemUpload:
    """Say what an upload counts as. A new primary takes the place of the one before."""
    _lock(upload, by)
    if role not in Role.values:
        raise RefusedAction(_("There is no such role. Reload the page and choose again."))
    check = UploadCheck.objects.filter(upload=upload).first()
    if role != Role.NONE and check is not None and check.is_valid is False:
        raise RefusedAction(_("This upload has problems, so it cannot count. Upload another one."))
    upload.refresh_from_db()
    if upload.withdrawn_at is not None:
        raise RefusedAction(_("This upload was withdrawn, and stays so."))
    with rules_as_refusals():
        if role == Role.PRIMARY:
            others = upload.team.uploads.filter(track=upload.track_id, withdrawn_at=None)
            others.filter(role=Role.PRIMARY).exclude(pk=upload.pk).update(role=Role.NONE)
        SystemUpload.objects.filter(pk=upload.pk).update(role=role)
    note(upload.team.task, gettext_noop("role chosen"), by=by, upload=upload.pk, role=role)
    upload.refresh_from_db()
    return upload


@transaction.atomic
def withdraw_upload(upload: SystemUpload, *, by: TeamMember) -> SystemUpload:
    """Withdraw an upload for good; the row and the file stay.

    Once raters judge it, it is judged and listed, but not ranked.
    """
    _lock(upload, by)
    with rules_as_refusals():
        changed = SystemUpload.objects.filter(pk=upload.pk, withdrawn_at=None)
        if not changed.update(withdrawn_at=Now()):
            raise RefusedAction(_("This upload was withdrawn, and stays so."))
    note(upload.team.task, gettext_noop("upload withdrawn"), by=by, upload=upload.pk)
    upload.refresh_from_db()
    return upload


def _lock(upload: SystemUpload, by: TeamMember) -> None:
    if by.team_id != upload.team_id:
        raise RefusedAction(_("This upload is of another team."))
    Team.objects.select_for_update(no_key=True).get(pk=upload.team_id)


def receipt(upload: SystemUpload) -> dict[str, Any]:
    """What a team keeps as evidence: number, hash, time, and what counts now."""
    counts = upload.team.uploads.filter(track=upload.track_id, withdrawn_at=None)
    rows = counts.exclude(role=Role.NONE).order_by("number")
    return {
        "task": upload.track.task.title,
        "track": upload.track.name,
        "team": upload.team.name,
        "system": upload.system.name,
        "number": upload.number,
        "file": upload.file_name,
        "size": upload.size,
        "sha256": upload.sha256,
        "received_at": upload.received_at.isoformat(),
        "in_grace": upload.in_grace,
        "is_late": upload.is_late,
        "role": upload.role,
        "withdrawn_at": upload.withdrawn_at.isoformat() if upload.withdrawn_at else None,
        "counts_now": [{"number": row.number, "role": row.role} for row in rows],
    }
