"""Sealing: each system that is judged becomes a code, and the seal commits to who has which.

The codes alone say nothing: they are drawn with a secret salt, systems are stored in their order,
and no name or hash of a file goes into a campaign.
"""

from __future__ import annotations

import hashlib
import random
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.actions.campaign.campaigns import ready_to_launch
from rankme.actions.material.material_rows import copy_systems
from rankme.actions.rows.bulk_insert import copy_rows
from rankme.actions.rows.stored_files import local_copies
from rankme.errors import RefusedAction
from rankme.importing import ImportRefused
from rankme.importing.system_outputs import Outputs, read_system_outputs
from rankme.models import SharedTask, SystemCode, SystemUpload, TaskEvent, Team, Track, UploadCheck
from rankme.protocols.exchange.payload_hashes import canonical
from rankme.queries.shared_task.system_names import database_now

from .tasks import has_other_references, refuse_other_sources

SEALED = gettext_noop("systems sealed")
# More would keep a web server busy for minutes.
MOST_OUTPUTS = 200_000
REFERENCE = "reference"
Role, State = SystemUpload.Role, UploadCheck.State
Texts = Mapping[int | None, Sequence[str]]


@dataclass(frozen=True)
class Choice:
    """What hosts decide about a seal.

    Parameters
    ----------
    late : ids of late uploads that are let in; all others stay out
    with_reference : ids of tracks in which people judge the reference as a system
    """

    late: Collection[int] = ()
    with_reference: Collection[int] = ()


@dataclass
class Field:
    """The systems of a track: those that people judge, and those over the limit.

    `has_other_references` says that the references have changed since the task opened.
    """

    track: Track
    judged: list[SystemUpload] = field(default_factory=list)
    left_out: list[SystemUpload] = field(default_factory=list)
    has_reference: bool = False
    has_other_references: bool = False

    @property
    def size(self) -> int:
        return len(self.judged) + self.has_reference


NOTHING_ELSE = Choice()


def seal(task: SharedTask, choice: Choice = NOTHING_ELSE, *, by: User) -> SharedTask:
    """Give each judged system a code, and put its outputs into the track's campaign under it.

    A task that is sealed already stays as it is.

    Raises
    ------
    RefusedAction : the task is not closed, checks are under way, or a track cannot be judged
    """
    task = SharedTask.objects.get(pk=task.pk)
    if task.sealed_at is not None:
        return task
    refuse_before_the_close(task)
    fields = fields_of(task, choice)
    _refuse_too_much(fields)
    # Before the locks, because it takes long.
    texts = [_texts_of(each) for each in fields]
    with transaction.atomic():
        task = SharedTask.objects.select_for_update(no_key=True).get(pk=task.pk)
        if task.sealed_at is not None:
            return task
        if _chosen(fields_of(task, choice)) != _chosen(fields):
            raise RefusedAction(_("What counts has changed meanwhile. Seal the task again."))
        salt = secrets.token_hex(32)
        for each, found in zip(fields, texts, strict=True):
            _fill_campaign(each, _draw_codes(task, each, salt), found)
        digest = commitment(salt, mapping_of(task))
        SharedTask.objects.filter(pk=task.pk).update(
            sealed_at=Now(), seal_salt=salt, seal_sha256=digest
        )
        _write_events(task, fields, digest, by)
        task.refresh_from_db()
    return task


def refuse_before_the_close(task: SharedTask) -> None:
    """Uploads that began in time may still arrive within the grace; the database's clock counts."""
    end = task.closes_at + timedelta(seconds=task.grace_seconds)
    if database_now() <= end:
        raise RefusedAction(
            _("Uploads may arrive until %(end)s (UTC). Seal the task after that.")
            % {"end": f"{end:%Y-%m-%d %H:%M:%S}"}
        )


def fields_of(task: SharedTask, choice: Choice = NOTHING_ELSE) -> list[Field]:
    """What would be sealed now, by track; development tracks are never judged."""
    _refuse_while_checking(task)
    tracks = task.tracks.filter(is_development=False).select_related("campaign")
    if not tracks:
        raise RefusedAction(_("The task has no track that people judge. Add one."))
    return [_field(task, track, choice) for track in tracks]


def _refuse_while_checking(task: SharedTask) -> None:
    uploads = _counting(task)
    waiting = uploads.filter(check_job=None) | uploads.filter(
        check_job__state__in=[State.QUEUED, State.WORKING]
    )
    if waiting.exists():
        raise RefusedAction(_("Some uploads are still being checked. Seal the task after that."))


def _counting(task: SharedTask) -> QuerySet[SystemUpload]:
    """Uploads that a team has said count, whatever their check found."""
    uploads = SystemUpload.objects.filter(track__task=task, withdrawn_at=None)
    return uploads.exclude(role=Role.NONE).exclude(team__kind=Team.Kind.REHEARSAL)


def _field(task: SharedTask, track: Track, choice: Choice) -> Field:
    valid = (
        _counting(task)
        .filter(track=track, check_job__is_valid=True, team__state=Team.State.APPROVED)
        .select_related("team", "system")
    )
    of_teams = valid.filter(team__kind=Team.Kind.TEAM, role=Role.PRIMARY)
    entered = [each for each in of_teams if not each.is_late or each.pk in choice.late]
    entered.sort(key=lambda each: (not _is_preregistered(task, each), each.received_at, each.pk))
    most = task.most_judged or len(entered)
    # Hosts may judge several baselines; of each, the last upload counts.
    baselines = {each.system_id: each for each in valid.filter(team__kind=Team.Kind.HOSTS)}
    found = Field(track, [*entered[:most], *baselines.values()], entered[most:])
    found.has_reference = track.pk in choice.with_reference
    refuse_other_sources(track)
    found.has_other_references = has_other_references(track)
    if not entered:
        raise RefusedAction(
            _("The track “%(track)s” has no valid primary upload of a team that takes part.")
            % {"track": track.name}
        )
    return found


def _is_preregistered(task: SharedTask, upload: SystemUpload) -> bool:
    until = task.preregister_until
    return until is not None and upload.system.registered_at <= until


def _refuse_too_much(fields: Sequence[Field]) -> None:
    outputs = sum(each.size * each.track.campaign.items.count() for each in fields)
    if outputs > MOST_OUTPUTS:
        raise RefusedAction(
            _(
                "The task has %(outputs)s outputs, and %(most)s can be sealed at once. Judge fewer "
                "systems, or fewer items."
            )
            % {"outputs": f"{outputs:,}", "most": f"{MOST_OUTPUTS:,}"}
        )


def _chosen(fields: Sequence[Field]) -> list[tuple[int, list[int], bool]]:
    return [
        (each.track.pk, [upload.pk for upload in each.judged], each.has_reference)
        for each in fields
    ]


def _texts_of(found: Field) -> Texts:
    """Read the files again, as their check did; the texts are in the order of the items."""
    items = list(found.track.campaign.items.values_list("key", "reference"))
    texts: dict[int | None, Sequence[str]] = {}
    if not items:
        raise RefusedAction(
            _("The campaign of the track “%(track)s” has no items.") % {"track": found.track.name}
        )
    keys = [key for key, _reference in items]
    for upload in found.judged:
        texts[upload.pk] = _texts_of_upload(upload, keys)
    if found.has_reference:
        texts[None] = [reference for _key, reference in items]
        if "" in texts[None]:
            raise RefusedAction(
                _("In the track “%(track)s”, item %(item)s has no reference to be judged.")
                % {"track": found.track.name, "item": keys[texts[None].index("")]}
            )
    return texts


def _texts_of_upload(upload: SystemUpload, keys: Sequence[str]) -> list[str]:
    with local_copies({upload.file_name: upload.stored}) as paths:
        path = paths[upload.file_name]
        if hashlib.sha256(path.read_bytes()).hexdigest() != upload.sha256:
            raise RefusedAction(
                _("The stored file of upload %(upload)s is not the one that was sent.")
                % {"upload": f"{upload.team.name} {upload.number}"}
            )
        try:
            return read_system_outputs(Outputs(path, upload.file_name), keys)
        except ImportRefused as refused:
            raise RefusedAction(
                _("Upload %(upload)s cannot be read: %(problem)s")
                % {"upload": f"{upload.team.name} {upload.number}", "problem": refused}
            ) from refused


def _draw_codes(task: SharedTask, found: Field, salt: str) -> dict[int | None, str]:
    """Codes by upload, from the task's seed and the salt: with the salt, anybody draws them again.

    The seed alone would tell who knows it the order of the uploads.
    """
    uploads: list[int | None] = [*sorted(each.pk for each in found.judged)]
    uploads += [None] if found.has_reference else []
    seed = hashlib.sha256(f"{salt}:{task.seed}:{found.track.campaign.code}".encode()).digest()
    random.Random(int.from_bytes(seed)).shuffle(uploads)
    digits = max(2, len(str(len(uploads))))
    return {pk: f"S{number:0{digits}}" for number, pk in enumerate(uploads, start=1)}


def _fill_campaign(found: Field, codes: Mapping[int | None, str], texts: Texts) -> None:
    track = found.track
    campaign = ready_to_launch(track.campaign)
    refuse_other_sources(track)  # again, now that no import can end meanwhile
    if campaign.systems.exists():
        raise RefusedAction(
            _(
                "The campaign of the track “%(track)s” has systems already. Upload its items alone "
                "again, which takes the systems out, then seal the task."
            )
            % {"track": track.name}
        )
    drawn = sorted(codes.items(), key=lambda each: each[1])
    SystemCode.objects.bulk_create(
        SystemCode(track=track, code=code, upload_id=pk) for pk, code in drawn
    )
    items = list(campaign.items.values_list("pk", flat=True))
    systems = copy_systems(campaign, [code for _pk, code in drawn])

    def rows() -> Iterator[dict[str, object]]:
        for system, (pk, _code) in zip(systems, drawn, strict=True):
            for item, text in zip(items, texts[pk], strict=True):
                yield {"item_id": item, "system_id": system, "text": text}

    copy_rows("rankme_output", rows())


def mapping_of(task: SharedTask) -> dict[str, dict[str, object]]:
    """Who has which code, by the campaign's code: what the seal commits to.

    It has only what the database never lets change. A team knows its file's hash by its receipt.
    """
    found: dict[str, dict[str, object]] = {}
    codes = SystemCode.objects.filter(track__task=task).select_related("track__campaign", "upload")
    for row in codes:
        upload = row.upload
        found.setdefault(row.track.campaign.code, {})[row.code] = (
            REFERENCE
            if upload is None
            else {"team": upload.team_id, "number": upload.number, "sha256": upload.sha256}
        )
    return found


def commitment(salt: str, mapping: Mapping[str, Mapping[str, object]]) -> str:
    """The SHA-256 of the salt and of the mapping as canonical JSON."""
    return hashlib.sha256(salt.encode() + canonical(mapping)).hexdigest()


def _write_events(task: SharedTask, fields: Sequence[Field], digest: str, by: User) -> None:
    for found in fields:
        note(found.track.campaign, by, SEALED, commitment=digest, systems=found.size)
    TaskEvent.objects.create(
        task=task,
        actor=by,
        verb=SEALED,
        detail={
            "commitment": digest,
            "judged": {found.track.name: found.size for found in fields},
            "over_the_limit": {
                found.track.name: [f"{each.team.name} {each.number}" for each in found.left_out]
                for found in fields
            },
            "other_references": [each.track.name for each in fields if each.has_other_references],
        },
    )
