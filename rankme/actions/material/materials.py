"""Uploads: stored for a worker to check, previewed, then imported or discarded."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from django.contrib.auth.models import User
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions import jobs
from rankme.actions.audit import note
from rankme.actions.rows.stored_files import delete_files, local_copies, sweep
from rankme.errors import RefusedAction
from rankme.importing import LIMITS, Reading
from rankme.importing.sources import Progress
from rankme.importing.tabular.upload_tables import TablePreview, is_said_by_names
from rankme.importing.uploads import is_correctable
from rankme.models import Campaign, MaterialImport, MediaFile, Track
from rankme.protocols.definition import Definition, MaterialSpec
from rankme.protocols.files import stored_definition

from .media import FOLDER as MEDIA_FOLDER

Kind, Phase, State = MaterialImport.Kind, MaterialImport.Phase, MaterialImport.State
FOLDER = "imports"
KEPT_FOR_CORRECTION = timedelta(days=7)
CORRECTABLE = (Phase.PREVIEWED, Phase.COLUMNS)

Upload: TypeAlias = "UploadedFile[Any] | Path"


def start_import(
    campaign: Campaign,
    files: Iterable[Upload] | Mapping[str, Upload],
    *,
    kind: str = Kind.OUTPUTS,
    format: str = "",
    options: Mapping[str, Any] | None = None,
    by: User,
) -> MaterialImport:
    """Store the files and queue their check. An older upload that still waits is dropped.

    Raises
    ------
    RefusedAction : the campaign takes no material (now), or the files are too large
    """
    uploads = list(files.values() if isinstance(files, Mapping) else files)
    adds = kind == Kind.OUTPUTS and not (campaign.is_draft or campaign.is_archive)
    _refuse_if_closed(campaign, kind, adds=adds)
    labels = _checked_labels(uploads)
    stored = _store(uploads)
    told: dict[str, Any] = {}
    if kind != Kind.SCORES:
        told["reading"] = remembered_columns(stored_definition(campaign.definition))
    if adds:
        told["adds"] = True
    try:
        return _queue(
            campaign,
            stored,
            labels,
            kind=kind,
            format=format,
            options=told | dict(options or {}),
            by=by,
        )
    except BaseException:
        delete_files(stored.values())
        raise


def adds_to_launched(row: MaterialImport) -> bool:
    """Whether the upload was made after the launch, for new items and systems."""
    return bool(row.options.get("adds"))


def remembered_columns(definition: Definition) -> dict[str, Any]:
    material = definition.material
    return material.model_dump(mode="json") if material else {}


def with_columns(definition: Definition, tables: Iterable[TablePreview]) -> Definition:
    """The definition with what the columns were, if their names do not say it already."""
    told = [table.columns for table in tables if not is_said_by_names(table)]
    material = MaterialSpec.model_validate({"tables": told}) if told else None
    return definition.model_copy(update={"material": material})


def take_import(row: MaterialImport, *, by: User) -> None:
    """Let a worker import the previewed upload, which replaces a draft's material."""
    with transaction.atomic():
        row = _locked(row)
        if row.phase != Phase.PREVIEWED or row.state != State.DONE:
            raise RefusedAction(_("Only an upload that has passed its check can be imported."))
        _refuse_if_closed(row.campaign, row.kind, adds=adds_to_launched(row))
        _refuse_second_import(row)
        jobs.enqueue_again(row, phase=Phase.TAKE)
        note(row.campaign, by, gettext_noop("upload imported"), files=list(row.labels.values()))


def read_again(row: MaterialImport, reading: Reading, *, by: User) -> None:
    """Check an upload once more, with its columns, encoding or sheet as the organiser says."""
    with transaction.atomic():
        row = _locked(row)
        if row.phase not in CORRECTABLE or not row.is_over:
            raise RefusedAction(_("Only an upload that waits for your decision can be changed."))
        _refuse_if_closed(row.campaign, row.kind, adds=adds_to_launched(row))
        options = {**row.options, "reading": reading.as_document()}
        format = "" if is_correctable(row.kind, row.format) else row.format
        fresh: dict[str, Any] = {"problems": [], "preview": {}, "format": format}
        jobs.enqueue_again(row, phase=Phase.CHECK, options=options, **fresh)
        note(row.campaign, by, gettext_noop("columns corrected"), files=list(row.labels.values()))


def drop_import(row: MaterialImport, *, by: User) -> None:
    """Discard an upload that was not imported, with its files; a check under way is stopped."""
    with transaction.atomic():
        row = _locked(row)
        if row.phase in (Phase.TAKE, Phase.TAKEN):
            raise RefusedAction(
                _("This upload has already been imported and can no longer be discarded.")
            )
        jobs.cancel(row)
        MaterialImport.objects.filter(pk=row.pk).update(phase=Phase.DROPPED)
        note(row.campaign, by, gettext_noop("upload discarded"), files=list(row.labels.values()))
        transaction.on_commit(partial(delete_files, row.files.values()))


def _refuse_if_closed(campaign: Campaign, kind: str, *, adds: bool) -> None:
    if kind == Kind.SCORES:
        _refuse_without_outputs(campaign)
        return
    if (kind == Kind.JUDGEMENTS) != campaign.is_archive:
        raise RefusedAction(_("Upload judgements to an archive, and outputs to a campaign."))
    if not campaign.is_draft and campaign.is_archive:
        raise RefusedAction(
            _("The judgements of this archive are imported. To replace them, create a new archive.")
        )
    if campaign.launches.filter(state__in=[State.QUEUED, State.WORKING]).exists():
        raise RefusedAction(_("This campaign is being launched: its material is frozen."))
    if campaign.is_draft and Track.objects.filter(campaign=campaign, task__sealed_at__isnull=False):
        raise RefusedAction(
            _("The shared task of this campaign is sealed: its codes stand for these outputs.")
        )
    if not campaign.is_draft and not adds:
        raise RefusedAction(
            _(
                "This campaign has been launched, so its material can no longer be replaced. "
                "Upload again to add new items or new systems."
            )
        )


def _refuse_without_outputs(campaign: Campaign) -> None:
    """Scores may come at any time, but they are about systems that are there."""
    if not campaign.systems.exists():
        raise RefusedAction(_("Upload the outputs first: scores are about them."))


def _refuse_second_import(row: MaterialImport) -> None:
    others = row.campaign.material_imports.filter(state__in=[State.QUEUED, State.WORKING])
    if others.exists():
        raise RefusedAction(_("Another import for this campaign is still running."))


def _checked_labels(uploads: list[Upload]) -> list[str]:
    """The organiser's names of the files; they name systems, so none may appear twice."""
    names = [Path(upload.name or "").name for upload in uploads]
    sizes = [_size(upload) for upload in uploads]
    if not uploads:
        raise RefusedAction(_("Choose at least one file."))
    if len(uploads) > LIMITS.files:
        raise RefusedAction(
            _("You can upload at most %(files)s files at a time.") % {"files": LIMITS.files}
        )
    if max(sizes) > LIMITS.file_bytes or sum(sizes) > LIMITS.total_bytes:
        largest = {"each": LIMITS.file_bytes // 2**20, "all": LIMITS.total_bytes // 2**20}
        raise RefusedAction(
            _("A file may have at most %(each)s MB, all files together %(all)s MB.") % largest
        )
    if len(set(names)) < len(names):
        raise RefusedAction(
            _(
                "Two files have the same name. Systems are named "
                "after their files, so rename one of them."
            )
        )
    return names


def _size(upload: Upload) -> int:
    return upload.stat().st_size if isinstance(upload, Path) else upload.size or 0


def _store(uploads: list[Upload]) -> dict[str, str]:
    """Keep the files under names of our own: no part of a stranger's name reaches the disk."""
    stored: dict[str, str] = {}
    try:
        for number, upload in enumerate(uploads):
            name = f"{FOLDER}/{secrets.token_hex(12)}"
            if isinstance(upload, Path):
                with upload.open("rb") as opened:
                    stored[str(number)] = default_storage.save(name, File(opened))
            else:
                stored[str(number)] = default_storage.save(name, upload)
    except BaseException:
        delete_files(stored.values())
        raise
    return stored


@transaction.atomic
def _queue(
    campaign: Campaign,
    stored: dict[str, str],
    labels: list[str],
    *,
    kind: str,
    format: str,
    options: dict[str, Any],
    by: User,
) -> MaterialImport:
    for older in campaign.material_imports.filter(_waits_for_a_decision()):
        drop_import(older, by=by)
    try:
        with transaction.atomic():
            row = MaterialImport.objects.create(
                campaign=campaign,
                kind=kind,
                files=stored,
                labels=dict(zip(stored, labels, strict=True)),
                format=format,
                options=options,
                requested_by=by,
            )
    except IntegrityError as error:
        raise RefusedAction(_("Another import for this campaign is still running.")) from error
    note(campaign, by, gettext_noop("files uploaded"), files=labels)
    jobs.enqueue(row)
    return row


def _locked(row: MaterialImport) -> MaterialImport:
    found = MaterialImport.objects.select_for_update(of=("self",)).select_related("campaign")
    return found.get(pk=row.pk)


def _waits_for_a_decision() -> Q:
    """Uploads that were checked, well or not, and whose files are still there."""
    previewed = Q(phase=Phase.PREVIEWED, state=State.DONE)
    recent = Now() - KEPT_FOR_CORRECTION
    return previewed | Q(phase=Phase.COLUMNS, state=State.FAILED, finished_at__gt=recent)


def sweep_uploads() -> int:
    """Delete the stored files that no upload and no campaign needs any more; returns how many."""
    needed = MaterialImport.objects.filter(
        Q(state__in=[State.QUEUED, State.WORKING]) | _waits_for_a_decision()
    )
    uploads = [name for files in needed.values_list("files", flat=True) for name in files.values()]
    media = MediaFile.objects.values_list("stored", flat=True)
    return sweep(FOLDER, uploads) + sweep(MEDIA_FOLDER, media.iterator())


def lock_for_import(row: MaterialImport) -> Campaign:
    """The campaign, locked against a launch; what only refers to it does not have to wait."""
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=row.campaign_id)
    _refuse_if_closed(campaign, row.kind, adds=adds_to_launched(row))
    return campaign


def end_import(row: MaterialImport) -> None:
    """End the job in the transaction that stored its rows; then its files are of no more use."""
    jobs.finish(row, phase=Phase.TAKEN)
    transaction.on_commit(partial(delete_files, row.files.values()))


def files_of(row: MaterialImport) -> AbstractContextManager[dict[str, Path]]:
    """The stored files, for as long as they are read, by the names that the organiser gave them."""
    return local_copies({row.labels[role]: name for role, name in row.files.items()})


def progress_of(row: MaterialImport, *, upto: float = 1.0) -> Progress:
    """A reader's progress through the files becomes the job's heartbeat."""

    def report(done: int, total: int) -> None:
        share = done / max(total, 1)
        jobs.heartbeat(row, progress=share * upto, step=_("Reading and checking the files"))

    return report
