"""Draw the order in which a rater sees a batch; it is stored with the assignment."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.db.models import Count

from rankme.actions.rows.check_pages import checks_of_batch, in_an_order_that_keeps_apart
from rankme.designs.document_order import document_of_trials
from rankme.designs.order import draw_order
from rankme.models import Assignment, Participant, Trial, TrialOutput
from rankme.protocols.definition import Definition
from rankme.protocols.documents import place_of


def draw_presentation(
    participant: Participant, batch_id: int, definition: Definition
) -> list[list[Any]]:
    """Draw the order in which this rater sees the batch; stored with the assignment."""
    sizes = dict(
        Trial.objects.filter(batch_id=batch_id)
        .order_by("position")
        .values_list("id")
        .annotate(outputs=Count("places"))
    )
    checks = checks_of_batch(batch_id)
    sizes |= {trial: len(check.shown["outputs"]) for trial, check in checks.items()}
    trials = list(sizes)
    seed = np.random.SeedSequence(
        [participant.campaign.seed, participant.pk, batch_id]
    ).generate_state(1, dtype=np.uint64)[0]
    order = draw_order(
        list(sizes.values()),
        int(seed),
        shuffle_trials=definition.design.shuffle_trials,
        documents=_documents_of(batch_id) if definition.has_documents else (),
    )
    presentation = [[trials[index], list(places)] for index, places in order]
    if definition.design.shuffle_trials:
        return in_an_order_that_keeps_apart(presentation, checks, int(seed))
    return presentation


def option_seed(assignment: Assignment, trial: int) -> list[int]:
    """The seed of the order of shuffled choices, for this rater and trial."""
    return [assignment.campaign.seed or 0, assignment.participant_id, trial]


def _documents_of(batch_id: int) -> list[int]:
    """The number of each trial's document, in the order of the plan."""
    trials = Trial.objects.filter(batch_id=batch_id).order_by("position")
    segments = [place_of(factors)[1] for factors in trials.values_list("item__factors", flat=True)]
    return document_of_trials(segments)


def outputs_in_order(presentation: list[list[Any]]) -> dict[int, list[int]]:
    """The output ids of each trial in the order that this presentation shows them."""
    rows = TrialOutput.objects.filter(trial_id__in=[trial for trial, _ in presentation])
    planned: dict[int, dict[int, int]] = {}
    for trial, position, output in rows.values_list("trial_id", "position", "output_id"):
        planned.setdefault(trial, {})[position] = output
    return {trial: [planned[trial][place] for place in places] for trial, places in presentation}
