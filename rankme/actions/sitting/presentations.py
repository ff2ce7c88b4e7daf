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

HOLDING_OUT = 3  # tells this draw from others with the same seed
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


def draw_held_out(
    participant: Participant,
    batch_id: int,
    definition: Definition,
    pages: Sequence[tuple[int, int, bool]],
) -> list[int]:
    """Draw the trials whose suggested marks this rater is not shown; stored with the assignment.

    Checks are drawn as other pages are, because they must not be told apart; but a page that is
    compared with another one of its batch has suggestions if that one has.

    Parameters
    ----------
    pages : of the batch, as `PAGES` reads them
    """
    share = definition.design.unassisted_share
    if not share:
        return []
    rng = np.random.default_rng([participant.campaign.seed, participant.pk, batch_id, HOLDING_OUT])
    # As equal in all batches as whole numbers are; the share of each page is exact.
    number = int(share * len(pages) + rng.random())
    trials = [trial for trial, _outputs, _is_check in pages]
    held_out = set(rng.choice(trials, number, replace=False).tolist())
    if any(is_check for *_page, is_check in pages):
        for trial, check in checks_of_batch(batch_id).items():
            if check.source_id is not None:
                (held_out.add if check.source_id in held_out else held_out.discard)(trial)
    return sorted(held_out)


def option_seed(assignment: Assignment, trial: int) -> list[int]:
    """The seed of the order of shuffled choices, for this rater and trial."""
    return [assignment.campaign.seed or 0, assignment.participant_id, trial]


def _documents_of(batch_id: int) -> list[int]:
    """The number of each trial's document, in the order of the plan."""
    trials = Trial.objects.filter(batch_id=batch_id).order_by("position")
    segments = [place_of(factors)[1] for factors in trials.values_list("item__factors", flat=True)]
    return document_of_trials(segments)
