"""Whole sittings in a few statements, as the actions would store them screen by screen.

They are for cohorts of dozens of raters, where the claim is about the report. Every answer is read
as the actions read it; `test_cohorts.py` compares the rows of both ways.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models.functions import Now

from rankme.actions.rows.bulk_insert import copy_rows, new_ids
from rankme.actions.sitting.assignments import lease_end
from rankme.actions.sitting.judgements import judgements_in
from rankme.actions.sitting.participation import complete_participation
from rankme.actions.sitting.presentations import draw_presentation
from rankme.models import (
    Assignment,
    Campaign,
    Judgement,
    Output,
    Participant,
    Slot,
    Submission,
    Trial,
)
from rankme.protocols.exchange.payload_hashes import canonical, chained
from rankme.protocols.exchange.sent_screen import SentScreen
from rankme.queries.definitions import definition_of_sitting, frozen_definition
from rankme.queries.trial_material import material_of
from tests.campaigns import make_raters
from tests.sittings import pages_of

SUBMISSION = ("id", "key", "assignment_id", "version", "trial_id", "screen", "revision", "late")
SUBMISSION += ("surplus", "payload", "payload_sha256", "chain_sha256", "flags")
JUDGEMENT = ("submission_id", "criterion_id", "output_id", "position", "value", "text", "time_ms")
JUDGEMENT += ("cannot_judge",)


def finished_at_once(campaign: Campaign, names: Sequence[str]) -> list[Assignment]:
    """Raters with these names, who agreed, each with a finished sitting: of the first free slots,
    in the order in which they are claimed. Their answers are still to be stored."""
    slots = campaign.slots.free().order_by("copy", "batch_id")[: len(names)]
    raters = make_raters(campaign, names)
    sittings = Assignment.objects.bulk_create(
        _finished(campaign, slot, rater) for slot, rater in zip(slots, raters, strict=True)
    )
    done = [sitting.slot_id for sitting in sittings]
    Slot.objects.filter(pk__in=done).update(state=Slot.State.DONE)
    for rater in raters:
        complete_participation(rater)
    return sittings


def _finished(campaign: Campaign, slot: Slot, rater: Participant) -> Assignment:
    definition = frozen_definition(campaign).definition
    return Assignment(
        campaign=campaign,
        batch_id=slot.batch_id,
        slot=slot,
        participant=rater,
        version=campaign.version,
        presentation=draw_presentation(rater, slot.batch_id, definition, pages_of(slot.batch_id)),
        leased_until=lease_end(definition),
        state=Assignment.State.COMPLETED,
        ended_at=Now(),
    )


@dataclass(frozen=True)
class Sent:
    """A screen on its way into the record, with the id of its submission."""

    id: int
    assignment: Assignment
    screen: SentScreen

    @property
    def shown(self) -> tuple[int, list[int]]:
        """Its trial, and the order of the trial's outputs."""
        trial, order = self.assignment.presentation[self.screen.trial]
        return trial, order


def store_at_once(sent: Mapping[Assignment, Sequence[Mapping[str, Any]]]) -> None:
    """Store the answers to the last screens of sittings; none of them may be stored already."""
    screens = [(sitting, each) for sitting, payloads in sent.items() for each in payloads]
    ids = new_ids(Submission._meta.db_table, len(screens))
    rows = [
        Sent(number, sitting, SentScreen.read(payload))
        for number, (sitting, payload) in zip(ids, screens, strict=True)
    ]
    for model, columns, found in (
        (Submission, SUBMISSION, list(_submissions(rows))),
        (Judgement, JUDGEMENT, list(_judgements(rows))),
    ):
        copy_rows(model._meta.db_table, (dict(zip(columns, row, strict=True)) for row in found))


def _submissions(rows: Sequence[Sent]) -> Iterator[tuple[Any, ...]]:
    stored = Submission.objects.filter(assignment__in={row.assignment for row in rows})
    chains = dict(stored.order_by("pk").values_list("assignment_id", "chain_sha256"))
    for row in rows:
        sitting, sent = row.assignment, row.screen
        digest = hashlib.sha256(canonical(sent.document)).hexdigest()
        chains[sitting.pk] = chain = chained(chains.get(sitting.pk, ""), digest)
        place = (sitting.pk, sitting.version, row.shown[0], sent.screen, 1, False, False)
        yield (row.id, sent.key, *place, sent.document, digest, chain, [])


def _judgements(rows: Sequence[Sent]) -> Iterator[tuple[Any, ...]]:
    trials = (
        Trial.objects.select_related("item", "as_check")
        .annotate(output_ids=ArrayAgg("places__output_id", order_by="places__position"))
        .in_bulk({row.shown[0] for row in rows})
    )
    texts = _texts(rows, [output for trial in trials.values() for output in trial.output_ids])
    columns = attrgetter(*JUDGEMENT)
    for row in rows:
        number, order = row.shown
        material = material_of(trials[number])
        assert not material.is_check, "answers to checks are read by the actions alone"
        frozen = definition_of_sitting(row.assignment)
        outputs = [trials[number].output_ids[place] for place in order]
        readings = material.read(
            frozen.definition,
            row.screen.screen,
            row.screen.answers,
            texts=[texts[output] for output in outputs] if texts else [],
        )
        yield from map(columns, judgements_in(Submission(pk=row.id), readings, frozen, outputs))


def _texts(rows: Sequence[Sent], outputs: Sequence[int | None]) -> dict[int, str]:
    """The outputs by their ids, where an instrument reads them."""
    frozen = definition_of_sitting(rows[0].assignment)
    if not any(each.tool.reads_outputs for each in frozen.definition.criteria):
        return {}
    return dict(Output.objects.filter(pk__in=outputs).values_list("pk", "text"))
