"""Complete: every output of every item is judged, one per screen or side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analysis.translatable import gettext_noop as _
from rankme.designs.design import Design, Option, trials_per_batch
from rankme.designs.growth import SYSTEMS_APART, Growth
from rankme.designs.linking import linked
from rankme.designs.plan import (
    NO_SYSTEM,
    Coverage,
    DesignRequest,
    Indexes,
    Layout,
    even_batch_sizes,
)


def draw_complete(request: DesignRequest) -> Layout:
    """Show all outputs of each item on as few screens as hold `outputs_per_screen` of them.

    With one output per screen the systems rotate from item to item, so that a batch that does
    not hold everything still has each system equally often and its items far apart.
    """
    rng = np.random.default_rng([request.seed, request.n_items, request.n_systems])
    width = int(request.options["outputs_per_screen"]) or request.n_systems
    width = min(width, request.n_systems)
    order = rng.permutation(request.n_items)
    screens = _cut_into_screens(_rows_of_systems(request, width, rng), width)
    screens = np.where(_exists(request, order, screens), screens, NO_SYSTEM)
    n_screens = screens.shape[0]
    items = np.tile(order, n_screens)
    systems = screens.reshape(-1, width)
    kept = (systems != NO_SYSTEM).any(axis=1)
    at_most = int(request.options["trials_per_batch"]) or int(kept.sum())
    sizes = even_batch_sizes(int(kept.sum()), at_most)
    return Layout(items[kept], systems[kept], sizes, _notes(request))


def _rows_of_systems(request: DesignRequest, width: int, rng: np.random.Generator) -> Indexes:
    """Shape (items, systems): the order in which an item's systems come to its screens."""
    if width > 1:
        return rng.random((request.n_items, request.n_systems)).argsort(axis=1)
    rotation = np.arange(request.n_items)[:, None] + np.arange(request.n_systems)
    rows: Indexes = rng.permutation(request.n_systems)[rotation % request.n_systems]
    return rows


def _cut_into_screens(rows: Indexes, width: int) -> Indexes:
    """Shape (screens, items, width), the last screen filled up with `NO_SYSTEM`."""
    n_items, n_systems = rows.shape
    n_screens = -(-n_systems // width)
    padded = np.full((n_items, n_screens * width), NO_SYSTEM, dtype=np.int64)
    padded[:, :n_systems] = rows
    return padded.reshape(n_items, n_screens, width).transpose(1, 0, 2)


def _exists(request: DesignRequest, order: Indexes, screens: Indexes) -> Coverage:
    shown = screens != NO_SYSTEM
    exists: Coverage = shown & request.coverage[order[None, :, None], screens]
    return exists


def _notes(request: DesignRequest) -> tuple[str, ...]:
    missing = int(np.count_nonzero(~request.coverage))
    return (f"{missing} outputs are missing and are not shown.",) if missing else ()


def _growth_problems(growth: Growth) -> list[str]:
    is_alone = growth.request.options["outputs_per_screen"] == 1 or growth.request.n_systems == 1
    return [] if is_alone or not growth.new_systems else [SYSTEMS_APART]


def grow_complete(growth: Growth) -> Layout:
    """Show every new output, in batches that earlier systems link with the plan so far."""
    if not growth.new_systems:
        return growth.on_new_items(draw_complete(growth.for_new_items))
    return linked(growth, _draw_new_outputs)


def _draw_new_outputs(growth: Growth) -> Layout:
    unseen = growth.request.coverage.copy()
    unseen[: growth.old_items, : growth.old_systems] = False
    drawn = draw_complete(replace(growth.request, coverage=unseen))
    apart = "Raters judge the outputs of the new systems in batches without those of the others."
    return replace(drawn, notes=(apart,))


DESIGN = Design(
    title=_("Every output"),
    help=_("All outputs of all items are judged."),
    draw=draw_complete,
    check_growth=_growth_problems,
    grow=grow_complete,
    options=(
        Option(
            "outputs_per_screen",
            int,
            1,
            title=_("Outputs per screen"),
            minimum=0,
            maximum=1_000,
            help=_("Outputs shown on one screen. 0: all outputs of the item."),
        ),
        trials_per_batch(
            0,
            _("Maximum number of screens per batch. 0: all, so that each rater judges everything."),
        ),
    ),
)
