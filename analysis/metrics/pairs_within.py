"""Pairs of systems within items: what segment-level agreement is counted in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.typing import Flags, Values


@dataclass(frozen=True, eq=False)
class PairsWithin:
    """Every two outputs of a group (an item), shape (pairs,).

    `group` numbers the groups that have pairs; `sizes` is how many each has. `people` and `metric`
    are differences, first − second.
    """

    group: NDArray[np.intp]
    sizes: Values
    people: Values
    metric: Values

    @classmethod
    def of(cls, people: Values, metric: Values) -> PairsWithin:
        """Pair up the systems of each item that have both scores.

        Parameters
        ----------
        people, metric : shape (systems, items), NaN where missing
        """
        known = ~(np.isnan(people) | np.isnan(metric))
        first, second = np.triu_indices(len(people), 1)
        both = known[first] & known[second]
        pair, item = np.nonzero(both)
        sizes = np.bincount(item)
        number = np.cumsum(sizes > 0) - 1
        a, b = first[pair], second[pair]
        return cls(
            number[item],
            sizes[sizes > 0].astype(np.float64),
            people[a, item] - people[b, item],
            metric[a, item] - metric[b, item],
        )

    def means(self, values: NDArray[Any]) -> Values:
        """The mean of a value of the pairs by group."""
        return np.bincount(self.group, values, minlength=len(self.sizes)) / self.sizes

    def right(self, epsilon: float) -> Flags:
        """Which pairs a metric has right: the same order, or both tied (|difference| ≤ ε)."""
        tied = np.abs(self.metric) <= epsilon
        right: Flags = np.where(tied, 0.0, np.sign(self.metric)) == np.sign(self.people)
        return right
