"""The rows of an archive: sittings, trials and submissions as if its raters had used the site."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.actions.material.material_rows import copy_items, copy_systems
from rankme.actions.rows.bulk_insert import (
    ROWS_WORTH_MEASURING,
    TABLES_THAT_GROW,
    analyze,
    copy_rows,
    new_ids,
)
from rankme.actions.rows.versions import write_version
from rankme.actions.sitting.participation import keyed_label
from rankme.errors import RefusedAction
from rankme.importing import JudgementMaterial, JudgementPreview, JudgementRow
from rankme.models import Campaign, CampaignVersion, RaterExclusion
from rankme.protocols.exchange.payload_hashes import canonical, chained

from .archive_definitions import criterion_name

PANEL = "archive"
LONGEST_LABEL = 20
# 64 bits: an archive may have many thousand raters, and no two may share a label.
LABEL_DIGITS = 16
SCREENS_PER_BEAT = 2_000
SITTING_TABLES = ("batch", "participant", "assignment")
Screen = list[JudgementRow]


@dataclass
class Sitting:
    """All screens of one rater: a batch, its one slot and its one assignment."""

    rater: str
    label: str
    batch: int
    participant: int
    assignment: int
    begun_at: str
    ended_at: str
    presentation: list[list[Any]] = field(default_factory=list)
    is_excluded: bool = False


@dataclass
class Archive:
    """The target of an archive's rows, and the ids by which they refer to each other."""

    campaign: Campaign
    material: JudgementMaterial
    now: str
    items: dict[str, int]
    outputs: dict[tuple[str, str], int]
    criteria: dict[str, int]
    trials: Sequence[int]
    sittings: dict[str, Sitting]
    heartbeat: Callable[[float], None]

    def screens(self, since: float, upto: float) -> Iterator[tuple[int, Sitting, Screen]]:
        """The screens in the order of the file: number, whose they are, and their rows."""
        grouped = groupby(self.material.judgements(), attrgetter("screen_number"))
        for number, rows in grouped:
            if number % SCREENS_PER_BEAT == 0:
                self.heartbeat(since + (upto - since) * number / len(self.trials))
            screen = list(rows)
            yield number, self.sittings[screen[0].rater], screen


def fill_archive(
    campaign: Campaign,
    material: JudgementMaterial,
    *,
    by: User | None,
    keep_rater_names: bool,
    heartbeat: Callable[[float], None] = lambda share: None,
) -> None:
    """Write an archive's record and close it; its rows are made once and never change."""
    archive = _archive(campaign, material, heartbeat)
    write_version(campaign, change=CampaignVersion.Change.LAUNCH, by=by)
    archive.sittings = _sittings(archive, keep_rater_names=keep_rater_names)
    _copy_people(archive)
    _copy_trials(archive)
    _copy_submissions(archive)
    _exclude(archive, by or campaign.owner)
    if material.preview.n_judgements >= ROWS_WORTH_MEASURING:
        analyze(*TABLES_THAT_GROW)
    campaign.state = Campaign.State.CLOSED
    campaign.launched_at = campaign.closed_at = timezone.now()
    campaign.save(update_fields=["state", "launched_at", "closed_at"])
    note(
        campaign, by, gettext_noop("judgements imported"), judgements=material.preview.n_judgements
    )


def _archive(
    campaign: Campaign, material: JudgementMaterial, heartbeat: Callable[[float], None]
) -> Archive:
    preview = material.preview
    items = copy_items(campaign, material.items(), preview.n_items)
    keys = [item.key for item in material.items()]
    systems = copy_systems(campaign, list(preview.systems))
    return Archive(
        campaign,
        material,
        now=timezone.now().isoformat(),
        items=dict(zip(keys, items, strict=True)),
        outputs=_copy_outputs(material, items, systems),
        criteria=_criteria(campaign, preview),
        trials=new_ids("rankme_trial", preview.n_screens),
        sittings={},
        heartbeat=heartbeat,
    )


def _copy_outputs(
    material: JudgementMaterial, items: Sequence[int], systems: Sequence[int]
) -> dict[tuple[str, str], int]:
    rows = list(material.outputs())
    ids = new_ids("rankme_output", len(rows))
    copy_rows(
        "rankme_output",
        (
            {
                "id": pk,
                "item_id": items[row.item_position],
                "system_id": systems[row.system_position],
                "text": row.text,
            }
            for pk, row in zip(ids, rows, strict=True)
        ),
    )
    return {(row.item_key, row.system): pk for pk, row in zip(ids, rows, strict=True)}


def _criteria(campaign: Campaign, preview: JudgementPreview) -> dict[str, int]:
    """The ids of the criteria under the names that the file uses."""
    known = dict(campaign.criteria.values_list("name", "id"))
    named = {found.name: criterion_name(found.name) for found in preview.criteria}
    unknown = sorted(name for name, written in named.items() if written not in known)
    if unknown:
        raise RefusedAction(_("The campaign file has no criterion %s.") % ", ".join(unknown))
    return {name: known[written] for name, written in named.items()}


def _sittings(archive: Archive, *, keep_rater_names: bool) -> dict[str, Sitting]:
    """Go through the screens once, to see whose they are and when they were made."""
    first: dict[str, str] = {}
    last: dict[str, str] = {}
    shown: dict[str, list[list[Any]]] = {}
    excluded: set[str] = set()
    for number, rows in groupby(archive.material.judgements(), attrgetter("screen_number")):
        screen = list(rows)
        rater = screen[0].rater
        places = sorted({row.position for row in screen})
        shown.setdefault(rater, []).append([archive.trials[number], places])
        begun, ended = _times(screen, archive.now)
        first[rater] = min(first.get(rater, begun), begun)
        last[rater] = max(last.get(rater, ended), ended)
        if any(row.excluded for row in screen):
            excluded.add(rater)
    ids = zip(*(new_ids(f"rankme_{table}", len(shown)) for table in SITTING_TABLES), strict=True)
    labels = _labels(archive.campaign, list(shown), keep_rater_names=keep_rater_names)
    return {
        rater: Sitting(
            rater,
            labels[rater],
            batch=batch,
            participant=participant,
            assignment=assignment,
            begun_at=first[rater],
            ended_at=last[rater],
            presentation=presentation,
            is_excluded=rater in excluded,
        )
        for (rater, presentation), (batch, participant, assignment) in zip(
            shown.items(), ids, strict=True
        )
    }


def _times(screen: Screen, otherwise: str) -> tuple[str, str]:
    """Return when the screen was begun and sent; now, if the file has no times."""
    ended = _in_utc(screen[0].submitted_at) if screen[0].submitted_at else otherwise
    begun = _in_utc(screen[0].started_at) if screen[0].started_at else ended
    return begun, ended


def _in_utc(written: str) -> str:
    moment = datetime.fromisoformat(written)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()


def _labels(campaign: Campaign, raters: list[str], *, keep_rater_names: bool) -> dict[str, str]:
    """The label of each rater; a name may be an e-mail address or a panel's id.

    Where names are kept, keyed labels replace those that are too long for a label, and those that
    no address can hold: a slash or mere dots would lead to another page.
    """
    keyed = {rater: keyed_label(campaign, PANEL, rater, digits=LABEL_DIGITS) for rater in raters}
    if not keep_rater_names:
        return keyed
    fit = {rater for rater in raters if "/" not in rater and rater.strip(".")}
    kept = {rater for rater in fit if len(rater) <= LONGEST_LABEL} - set(keyed.values())
    return {rater: rater if rater in kept else keyed[rater] for rater in raters}


def _copy_people(archive: Archive) -> None:
    campaign, sittings = archive.campaign, list(archive.sittings.values())
    slots = new_ids("rankme_slot", len(sittings))
    copy_rows(
        "rankme_batch",
        (
            {"id": sitting.batch, "campaign_id": campaign.pk, "number": number}
            for number, sitting in enumerate(sittings)
        ),
    )
    copy_rows(
        "rankme_slot",
        (
            {
                "id": slot,
                "campaign_id": campaign.pk,
                "batch_id": sitting.batch,
                "copy": 0,
                "state": "done",
            }
            for slot, sitting in zip(slots, sittings, strict=True)
        ),
    )
    copy_rows("rankme_participant", (_participant(campaign, sitting) for sitting in sittings))
    copy_rows(
        "rankme_assignment",
        (
            _assignment(campaign, sitting, slot)
            for slot, sitting in zip(slots, sittings, strict=True)
        ),
    )


def _participant(campaign: Campaign, sitting: Sitting) -> dict[str, object]:
    return {
        "id": sitting.participant,
        "campaign_id": campaign.pk,
        "panel": PANEL,
        "external_id": sitting.label,
        "session_id": "",
        "label": sitting.label,
        "state": "working",
        "language": "",
        "entry_answers": {},
        "version": campaign.version,
        "completion_code": "",
        "comment": "",
        "arrived_at": sitting.begun_at,
    }


def _assignment(campaign: Campaign, sitting: Sitting, slot: int) -> dict[str, object]:
    return {
        "id": sitting.assignment,
        "campaign_id": campaign.pk,
        "batch_id": sitting.batch,
        "slot_id": slot,
        "participant_id": sitting.participant,
        "version": campaign.version,
        "state": "completed",
        "counts": True,
        "presentation": sitting.presentation,
        "leased_until": sitting.ended_at,
        "claimed_at": sitting.begun_at,
        "ended_at": sitting.ended_at,
    }


def _copy_trials(archive: Archive) -> None:
    copy_rows("rankme_trial", _trials(archive))
    copy_rows(
        "rankme_trialoutput",
        (
            # A screen has a row for each criterion; an output is on it once.
            {"trial_id": archive.trials[number], "position": position, "output_id": output}
            for number, _sitting, screen in archive.screens(0.5, 0.6)
            for position, output in {
                row.position: archive.outputs[row.item_key, row.system] for row in screen
            }.items()
        ),
    )


def _trials(archive: Archive) -> Iterator[dict[str, object]]:
    positions: Counter[int] = Counter()
    for number, sitting, screen in archive.screens(0.4, 0.5):
        yield {
            "id": archive.trials[number],
            "batch_id": sitting.batch,
            "position": positions[sitting.batch],
            "item_id": archive.items[screen[0].item_key],
        }
        positions[sitting.batch] += 1


def _copy_submissions(archive: Archive) -> None:
    submissions = new_ids("rankme_submission", len(archive.trials))
    copy_rows("rankme_submission", _submissions(archive, submissions))
    copy_rows(
        "rankme_judgement",
        (
            {
                "submission_id": submissions[number],
                "criterion_id": archive.criteria[row.criterion],
                "output_id": archive.outputs[row.item_key, row.system],
                "position": row.position,
                "value": row.value,
                "text": row.label,
                "time_ms": row.time_ms,
            }
            for number, _sitting, screen in archive.screens(0.7, 0.9)
            for row in screen
        ),
    )  # fmt: skip


def _submissions(archive: Archive, ids: Sequence[int]) -> Iterator[dict[str, object]]:
    chains: dict[int, str] = {}
    for number, sitting, screen in archive.screens(0.6, 0.7):
        payload = _payload(screen)
        digest = hashlib.sha256(canonical(payload)).hexdigest()
        before = chains.get(sitting.assignment, "")
        chains[sitting.assignment] = chained(before, digest)
        yield {
            "id": ids[number],
            "key": uuid5(NAMESPACE_URL, f"{archive.campaign.code}/{number}"),
            "assignment_id": sitting.assignment,
            "version": archive.campaign.version,
            "trial_id": archive.trials[number],
            "screen": 0,
            "revision": 1,
            "late": any(row.late for row in screen),
            "surplus": False,
            "payload": payload,
            "payload_sha256": digest,
            "chain_sha256": chains[sitting.assignment],
            "flags": [],
            "received_at": _times(screen, archive.now)[1],
        }


def _payload(screen: Screen) -> dict[str, Any]:
    """Build the payload of a screen. It repeats the judgements, so that the hash protects them."""
    payload: dict[str, Any] = {
        "imported": screen[0].screen,
        "judgements": [
            [criterion_name(row.criterion), row.position, row.value, row.label, row.time_ms]
            for row in screen
        ],
    }
    if screen[0].started_at:
        payload["started_at"] = screen[0].started_at
    if any(row.factors for row in screen):
        payload["factors"] = [row.factors for row in screen]
    return payload


def _exclude(archive: Archive, by: User) -> None:
    RaterExclusion.objects.bulk_create(
        RaterExclusion(
            campaign=archive.campaign,
            participant_id=sitting.participant,
            reason=_("Marked as excluded in the imported file."),
            decided_by=by,
        )
        for sitting in archive.sittings.values()
        if sitting.is_excluded
    )
