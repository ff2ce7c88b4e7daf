"""Compare two raters at a time, or raters with a judge or metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import scipy

from analysis.errors import Undefined
from analysis.reliability.coefficients import Coefficient, defined
from analysis.reliability.two_raters import (
    AgreementLimits,
    agreement_limits,
    cohen_kappa,
    confusion,
)
from analysis.typing import Codes, Values

from .values import MOST_RATERS, GivenValues, Scale

MOST_LEVELS = 15
MOST_POINTS = 1_000
LEAST_SHARED = 3


@dataclass(frozen=True)
class Other:
    """Scores that raters are compared with; only a judge's are on the raters' scale."""

    name: str
    scores: Values
    is_judge: bool


@dataclass(frozen=True, eq=False)
class Pair:
    """The values of two raters, or of a rater and a judge, on the outputs that both have.

    `units` are places in `GivenValues.units`. With `in_ranks` both are the shares of these outputs
    with a lower value: their scales have nothing in common.
    """

    first: str
    second: str
    units: Codes
    items: Codes
    values: tuple[Values, Values]
    scale: Scale
    in_ranks: bool

    @property
    def same(self) -> float:
        """The share of outputs to which both gave the same value."""
        return float(np.mean(self.values[0] == self.values[1]))

    @cached_property
    def levels(self) -> list[float]:
        """The values of a confusion table; empty where limits of agreement say more."""
        given: list[float] = np.unique(np.concatenate(self.values)).tolist()
        points = self.scale.labels
        if not self.scale.is_ordered:
            return given
        return list(points) if all(value in points for value in given) else []

    @cached_property
    def limits(self) -> AgreementLimits | str:
        """Limits of agreement, or why there are none."""
        try:
            return agreement_limits(*self.values, self.items)
        except Undefined as reason:
            return str(reason)

    @cached_property
    def counts(self) -> Values:
        """The confusion table: rows are the first's values."""
        first, second = (np.searchsorted(self.levels, row) for row in self.values)
        return confusion(first, second, len(self.levels))

    @cached_property
    def kappa(self) -> Coefficient:
        """Cohen's κ, weighted where the values are ordered, or why there is none."""
        return defined("κ", lambda: cohen_kappa(self.counts, weighted=self.scale.is_ordered))


def pairs_of(given: GivenValues, labels: Mapping[int, str], other: Other | None) -> list[Pair]:
    """The pairs with three outputs in common, those that disagree most first.

    Only the `MOST_RATERS` raters with the most values are compared with each other.

    Parameters
    ----------
    labels : of the raters, by id
    other : compares each rater with these scores instead
    """
    rows = {labels[rater]: given.of(rater) for rater in given.raters[:MOST_RATERS]}
    if other is None:
        both = combinations(sorted(rows), 2)
        found = [_pair(given, a, b, rows[a], rows[b], in_ranks=False) for a, b in both]
    else:
        in_ranks = not other.is_judge or given.scale.kind == "relative"
        found = [
            _pair(given, name, other.name, row, other.scores, in_ranks=in_ranks)
            for name, row in sorted(rows.items())
        ]
    return sorted((pair for pair in found if len(pair.units) >= LEAST_SHARED), key=_distance)


def _pair(
    given: GivenValues, name: str, other: str, first: Values, second: Values, *, in_ranks: bool
) -> Pair:
    units = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
    values = [row[units] for row in (first, second)]
    if in_ranks and len(units):
        values = [(scipy.stats.rankdata(row) - 1) / max(len(row) - 1, 1) for row in values]
    scale = Scale("scale", {}) if in_ranks else given.scale
    both = (values[0], values[1])
    return Pair(name, other, units, given.items[units], both, scale, in_ranks)


def _distance(pair: Pair) -> float:
    if not pair.scale.is_ordered:
        return pair.same
    return -float(np.mean((pair.values[0] - pair.values[1]) ** 2))
