"""Draw the order in which a rater sees a batch; it is stored with the assignment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankme.actions.rows.check_pages import checks_of_batch, in_an_order_that_keeps_apart
from rankme.designs.document_order import document_of_trials
from rankme.designs.order import draw_order
from rankme.models import Assignment, Participant, Trial
from rankme.protocols.definition import Definition
from rankme.protocols.documents import place_of

# The pages of a batch: each trial with its number of outputs, and whether it is a check.
PAGES = """(
    SELECT jsonb_agg(jsonb_build_array(
        trial.id,
        COALESCE(jsonb_array_length(checked.shown -> 'outputs'),
            (SELECT count(*) FROM rankme_trialoutput WHERE trial_id = trial.id)),
        checked.id IS NOT NULL
    ) ORDER BY trial.position)
    FROM rankme_trial trial LEFT JOIN rankme_checktrial checked ON checked.trial_id = trial.id
    WHERE trial.batch_id = {batch}
)"""


def draw_presentation(
    participant: Participant,
    batch_id: int,
    definition: Definition,
    pages: Sequence[tuple[int, int, bool]],
) -> list[list[Any]]:
    """Draw the order in which this rater sees the batch; stored with the assignment.

    Parameters
    ----------
    pages : of the batch, as `PAGES` reads them
    """
    seed = np.random.SeedSequence(
        [participant.campaign.seed, participant.pk, batch_id]
    ).generate_state(1, dtype=np.uint64)[0]
    order = draw_order(
        [outputs for _trial, outputs, _is_check in pages],
        int(seed),
        shuffle_trials=definition.design.shuffle_trials,
        documents=_documents_of(batch_id) if definition.has_documents else (),
    )
    presentation = [[pages[index][0], list(places)] for index, places in order]
    if definition.design.shuffle_trials and any(is_check for *_page, is_check in pages):
        return in_an_order_that_keeps_apart(presentation, checks_of_batch(batch_id), int(seed))
    return presentation


def option_seed(assignment: Assignment, trial: int) -> list[int]:
    """The seed of the order of shuffled choices, for this rater and trial."""
    return [assignment.campaign.seed or 0, assignment.participant_id, trial]


def _documents_of(batch_id: int) -> list[int]:
    """The number of each trial's document, in the order of the plan."""
    trials = Trial.objects.filter(batch_id=batch_id).order_by("position")
    segments = [place_of(factors)[1] for factors in trials.values_list("item__factors", flat=True)]
    return document_of_trials(segments)
