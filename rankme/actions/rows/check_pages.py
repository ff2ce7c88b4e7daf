"""Store pages of checks: separate trials, with their texts and expected answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankme.checks.drawing import CheckedBatch, DrawnCheck, distance_of
from rankme.designs.check_places import keep_apart
from rankme.models import Campaign, CheckTrial

from .bulk_insert import copy_rows, new_ids


@dataclass(frozen=True)
class Page:
    """A check in its batch; `source` is the trial that it is compared with."""

    drawn: DrawnCheck
    batch: int
    position: int
    source: int | None


def positions_of_trials(checked: CheckedBatch, n_trials: int) -> list[int]:
    """Return the positions of a batch's trials among all of its pages."""
    return [place for place, page in enumerate(checked.order) if page < n_trials]


def pages_of(checked: CheckedBatch, batch: int, trials: Sequence[int]) -> list[Page]:
    """The checks of one batch, whose trials have these ids."""
    place = {page: number for number, page in enumerate(checked.order)}
    return [
        Page(
            drawn,
            batch,
            place[len(trials) + number],
            None if drawn.source is None else trials[drawn.source],
        )
        for number, drawn in enumerate(checked.checks)
    ]


def store(campaign: Campaign, pages: Sequence[Page]) -> None:
    ids = new_ids("rankme_trial", len(pages))
    copy_rows(
        "rankme_trial",
        (
            {
                "id": ids[number],
                "batch_id": page.batch,
                "position": page.position,
                "item_id": page.drawn.item,
            }
            for number, page in enumerate(pages)
        ),
    )
    copy_rows(
        "rankme_checktrial",
        (
            {
                "campaign_id": campaign.pk,
                "trial_id": ids[number],
                "source_id": page.source,
                "name": page.drawn.check.name,
                "kind": page.drawn.check.kind,
                "criterion": page.drawn.check.criterion,
                "shown": page.drawn.shown,
                "expected": page.drawn.expected,
            }
            for number, page in enumerate(pages)
        ),
    )


def checks_of_batch(batch: int) -> dict[int, CheckTrial]:
    """The checks of a batch by their trials."""
    found = CheckTrial.objects.filter(trial__batch_id=batch).order_by("trial_id")
    return {check.trial_id: check for check in found}


def in_an_order_that_keeps_apart(
    presentation: list[list[Any]], checks: dict[int, CheckTrial], seed: int
) -> list[list[Any]]:
    """The same pages, with those that are compared far enough apart; unchanged without any."""
    distances = [
        distance_of(check.kind, check.expected["apart"], check.source_id, check.trial_id)
        for check in checks.values()
        if check.source_id is not None
    ]
    if not distances:
        return presentation
    pages = {page[0]: page for page in presentation}
    rng = np.random.default_rng([seed, len(distances)])
    return [pages[trial] for trial in keep_apart(list(pages), distances, rng)]
