"""Pairs of systems within items: the unit of segment-level agreement."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.typing import Flags, Values


@dataclass(frozen=True, eq=False)
class PairsWithin:
    """Every two outputs of a group (an item), shape (pairs,).

    `group` numbers the groups that have pairs; `sizes` is how many each has, and `items` the place
    of its item. `people` and `metric` are differences, first − second.
    """

    group: NDArray[np.intp]
    sizes: Values
    items: NDArray[np.intp]
    people: Values
    metric: Values

    @classmethod
    def of(cls, people: Values, metric: Values) -> PairsWithin:
        """Pair up the systems of each item that have both scores.

        Parameters
        ----------
        people, metric : shape (systems, items), NaN where missing
        """
        return PairsWithPeople(people).of(metric)

    def shares(self, chosen: Flags) -> Values:
        """Return the share of the chosen pairs by group."""
        return np.bincount(self.group, chosen, minlength=len(self.sizes)) / self.sizes

    def right(self, epsilon: float) -> Flags:
        """Flag the pairs that a metric has right: same order, or both tied (|difference| ≤ ε)."""
        tied = np.abs(self.metric) <= epsilon
        right: Flags = np.where(tied, 0.0, np.sign(self.metric)) == np.sign(self.people)
        return right

    def of_items(self, chosen: Flags) -> PairsWithin:
        """Return the pairs of some items; `chosen` has shape (items,)."""
        groups = chosen[self.items]
        pairs = np.flatnonzero(groups[self.group])
        number = np.cumsum(groups) - 1
        return PairsWithin(
            number[self.group[pairs]],
            self.sizes[groups],
            self.items[groups],
            self.people[pairs],
            self.metric[pairs],
        )


class PairsWithPeople:
    """Pairs up people's scores with one metric after another.

    Metrics that lack the same outputs as the one before have the same pairs, which are then found
    only once.
    """

    def __init__(self, people: Values) -> None:
        self.people = people
        self._known: Flags | None = None
        self._first = self._second = np.empty(0, dtype=np.intp)
        self._pairs = PairsWithin(
            np.empty(0, np.intp), np.empty(0), np.empty(0, np.intp), np.empty(0), np.empty(0)
        )

    def of(self, metric: Values) -> PairsWithin:
        """Return the pairs with a metric, shape (systems, items), NaN where missing."""
        known = ~(np.isnan(self.people) | np.isnan(metric))
        if self._known is None or not np.array_equal(known, self._known):
            self._find(known)
        return replace(self._pairs, metric=self._differences(metric))

    def _find(self, known: Flags) -> None:
        first, second = np.triu_indices(len(known), 1)
        pair, item = np.nonzero(known[first] & known[second])
        sizes = np.bincount(item)
        number = np.cumsum(sizes > 0) - 1
        width = known.shape[1]
        self._known = known
        self._first, self._second = first[pair] * width + item, second[pair] * width + item
        self._pairs = PairsWithin(
            number[item],
            sizes[sizes > 0].astype(np.float64),
            np.flatnonzero(sizes),
            self._differences(self.people),
            np.empty(0),
        )

    def _differences(self, values: Values) -> Values:
        flat = values.ravel()
        differences: Values = flat[self._first] - flat[self._second]
        return differences
