"""Items only: nothing is judged yet, each rater writes or answers something for each item."""

from __future__ import annotations

import numpy as np

from analysis.translatable import gettext_noop as _
from rankme.designs.design import Design, trials_per_batch
from rankme.designs.growth import Growth
from rankme.designs.plan import NO_SYSTEM, DesignRequest, Layout, even_batch_sizes


def draw_items_only(request: DesignRequest) -> Layout:
    """Distribute the items over raters in random order, as text elicitation needs it."""
    items = np.random.default_rng([request.seed, request.n_items]).permutation(request.n_items)
    at_most = int(request.options["trials_per_batch"]) or request.n_items
    nothing = np.full((request.n_items, 1), NO_SYSTEM, dtype=np.int64)
    return Layout(items.astype(np.int64), nothing, even_batch_sizes(request.n_items, at_most))


def _growth_problems(growth: Growth) -> list[str]:
    if not growth.new_systems:
        return []
    return ["This design shows no outputs, so there is nothing to add for new systems."]


DESIGN = Design(
    title=_("Items without outputs"),
    help=_("Raters write or answer something about each item, for example to collect texts."),
    draw=draw_items_only,
    check_growth=_growth_problems,
    options=(trials_per_batch(20, _("Maximum number of screens per batch. 0: all items.")),),
    needs_outputs=False,
)
