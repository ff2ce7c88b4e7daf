"""What more raters or more items would give: the width of the intervals of differences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from analysis.inference import Units, critical_t, difference_variances
from analysis.ranking.bradley_terry import existing_fit, sandwich
from analysis.ranking.pairs import Pairs, count
from analysis.reliability.generalisability import ITEMS, RATERS, Generalisability, planned_size
from analysis.scales.codes import distinct


@dataclass(frozen=True)
class Size:
    """Half the width of the simultaneous intervals with so many raters and items.

    Of values also how reliable the order of the systems is (Eρ²), and their means (Φ).
    """

    raters: int
    items: int
    half_width: float | None
    relative: float | None = None
    absolute: float | None = None


@dataclass(frozen=True)
class MoreUnits:
    """Widths of other campaigns in which every rater judges every item.

    `now` has as many raters and items as this campaign (of comparisons: their effective numbers,
    which are less where loads are unequal); `twice_raters` and `twice_items` twice as
    many of one. `unit` is that of the differences.
    """

    now: Size
    twice_raters: Size
    twice_items: Size
    sizes: tuple[Size, ...]
    unit: str


@dataclass(frozen=True)
class Spread:
    """Variances of a difference of two systems: of one rater, one item, and one cell of both."""

    rater: float
    item: float
    cell: float


def more_units_of_values(
    found: Generalisability, raters: int, items: int, *, unit: str, alpha: float = 0.05
) -> MoreUnits:
    """Predict widths from the variances of a G-study.

    Parameters
    ----------
    found : the G-study
    raters, items : of the campaign
    unit : of the values
    alpha : 1 − confidence of all differences together

    Source
    ------
    Brennan (2001); see `analysis.reliability.generalisability`.
    """
    variance = {share.source: share.variance for share in found.shares}

    def size(raters: int, items: int) -> Size:
        planned = planned_size(variance, raters, items, found.systems, alpha=alpha)
        return Size(raters, items, planned.half_width, planned.relative, planned.absolute)

    grid = tuple(size(each.raters, each.items) for each in found.sizes)
    return MoreUnits(
        size(raters, items), size(2 * raters, items), size(raters, 2 * items), grid, unit
    )


def more_units_of_pairs(
    pairs: Pairs, *, alpha: float = 0.05, sizes: Iterable[tuple[int, int]] | None = None
) -> MoreUnits:
    """Predict widths of Bradley–Terry's differences.

    The covariances clustered by rater, by item, and by both say how much of a difference's
    variance falls with the number of each. Screens show as many systems as now.

    Parameters
    ----------
    pairs : comparisons
    alpha : 1 − confidence of all differences together
    sizes : (raters, items) to plan for; by default a grid

    Raises
    ------
    RankingError : systems that cannot be ranked
    Undefined : too few raters or items

    Source
    ------
    Moments after Cameron, Gelbach & Miller (2011), as in the D-studies of Brennan (2001).
    """
    units = Units.of(pairs.rater, pairs.item)
    units.require()
    spread = spread_of(pairs)
    systems = len(pairs.systems)
    comparisons = systems * (systems - 1) // 2

    def size(raters: int, items: int) -> Size:
        variance = spread.rater / raters + spread.item / items + spread.cell / (raters * items)
        width = critical_t(alpha, comparisons, min(raters, items) - 1) * np.sqrt(variance)
        return Size(raters, items, float(width))

    raters, items = max(round(units.raters.effective), 2), max(round(units.items.effective), 2)
    grid = ((r, i) for r in RATERS for i in ITEMS) if sizes is None else sizes
    return MoreUnits(
        size(raters, items),
        size(2 * raters, items),
        size(raters, 2 * items),
        tuple(size(*each) for each in grid),
        "log-odds",
    )


def spread_of(pairs: Pairs) -> Spread:
    """Divide the mean variance of all differences among raters, items, and their cells.

    Parameters
    ----------
    pairs : comparisons

    Raises
    ------
    RankingError : systems that cannot be ranked
    """
    found, _ = existing_fit(pairs.systems, count(pairs))
    upper = np.triu_indices(len(pairs.systems), 1)
    _, by_rater, by_item, by_cell = (
        float(difference_variances(each)[upper].mean()) for each in sandwich(pairs, found)
    )
    units = Units.of(pairs.rater, pairs.item)
    cells = distinct(pairs.rater.astype(np.int64) * len(pairs.items) + pairs.item)
    return Spread(
        max(by_rater - by_cell, 0.0) * units.raters.effective,
        max(by_item - by_cell, 0.0) * units.items.effective,
        by_cell * cells,
    )
