"""Which few raters, or items, the answer depends on.

A set is found by influence and verified by a refit. Its size is an upper bound: the smallest set
that changes the answer may be smaller, and only trying all sets would find it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from analysis.errors import RankingError, Undefined
from analysis.ranking.bradley_terry import bradley_terry, existing_fit, influences
from analysis.ranking.pairs import Pairs, count
from analysis.scales.clustered import Within, clustered_comparison
from analysis.scales.codes import compact, distinct, in_use, renumber
from analysis.typing import Codes, Flags, Values

MOST_REFITS = 40
# Fewer refits where each takes long.
MOST_ROWS_REFITTED = 20_000_000
# Pairs whose difference influence would remove first, of which the best set is taken.
MOST_PAIRS_TRIED = 3


@dataclass(frozen=True)
class Removal:
    """Units without which the answer changes; a refit without them has shown it.

    `changes` is `first`: `b` is first instead of `a`; or `difference`: `a` and `b` are no longer
    told apart. `units` is `raters` or `items`, `of` their number, `share` that of the judgements.
    """

    units: str
    changes: str
    a: str
    b: str
    removed: tuple[str, ...]
    of: int
    share: float


@dataclass(frozen=True)
class Influence:
    """The difference of the first two systems, and sets whose removal changes the answer.

    `without[units]` has that difference without each unit, approximated. `searched` names what was
    looked for, as (units, changes); `removals` has what was found.
    """

    first: str
    second: str
    difference: float
    without: dict[str, dict[str, float]]
    searched: tuple[tuple[str, str], ...]
    removals: tuple[Removal, ...]


class Model(Protocol):
    """A model that the answer is read off, to be fitted again without some of its rows."""

    @property
    def systems(self) -> tuple[str, ...]: ...
    @property
    def units(self) -> Mapping[str, tuple[Codes, Sequence[str]]]:
        """Code of the rater and of the item in each row, and their names."""

    def estimates(self, kept: Flags) -> Values:
        """Fit these rows; higher is better, NaN where a system has no row."""

    def lower_bounds(self, kept: Flags) -> Values:
        """Lower ends of all differences by the report's rule, shape (systems, systems)."""

    def influences(self, codes: Codes) -> Values:
        """How far each unit moves the estimates, shape (units, systems)."""


@dataclass(frozen=True, eq=False)
class ComparedPairs:
    """Bradley–Terry of comparisons."""

    pairs: Pairs
    alpha: float
    generality: str

    @property
    def systems(self) -> tuple[str, ...]:
        return self.pairs.systems

    @property
    def units(self) -> Mapping[str, tuple[Codes, Sequence[str]]]:
        pairs = self.pairs
        return {"raters": (pairs.rater, pairs.raters), "items": (pairs.item, pairs.items)}

    def estimates(self, kept: Flags) -> Values:
        part = self._part(kept)
        return existing_fit(part.systems, count(part))[0].ability

    def lower_bounds(self, kept: Flags) -> Values:
        found = bradley_terry(self._part(kept), alpha=self.alpha, generality=self.generality)
        return _as_matrix(self.systems, [(each.a, each.b, each.low) for each in found.pairs])

    def influences(self, codes: Codes) -> Values:
        found, _ = existing_fit(self.systems, count(self.pairs))
        return influences(self.pairs, found, codes)

    def _part(self, kept: Flags) -> Pairs:
        arrays = ("first", "second", "outcome", "screen", "rater", "item")
        return replace(self.pairs, **{name: getattr(self.pairs, name)[kept] for name in arrays})


@dataclass(frozen=True, eq=False)
class ComparedValues:
    """Least squares on system and rater, arrays of shape (judgements,); higher values are better.

    `blocks` are parts of a rater's judgements with a level of their own.
    """

    values: Values
    system: Codes
    systems: tuple[str, ...]
    rater: Codes
    raters: tuple[str, ...]
    item: Codes
    items: tuple[str, ...]
    blocks: Codes
    alpha: float
    generality: str

    @property
    def units(self) -> Mapping[str, tuple[Codes, Sequence[str]]]:
        return {"raters": (self.rater, self.raters), "items": (self.item, self.items)}

    def estimates(self, kept: Flags) -> Values:
        present, systems = renumber(self.system[kept])
        blocks = compact(self.blocks[kept])
        estimates = np.full(len(self.systems), np.nan)
        estimates[present] = Within.of(self._centred[kept], systems, blocks).coefficients
        return estimates

    def lower_bounds(self, kept: Flags) -> Values:
        found = clustered_comparison(
            self.values[kept],
            self.system[kept],
            self.systems,
            self.rater[kept],
            self.item[kept],
            alpha=self.alpha,
            generality=self.generality,
            blocks=self.blocks[kept],
        )
        return _as_matrix(self.systems, [(each.a, each.b, each.low) for each in found.contrasts])

    def influences(self, codes: Codes) -> Values:
        blocks = compact(self.blocks)
        return Within.of(self._centred, self.system, blocks).influences(codes)

    @cached_property
    def _centred(self) -> Values:
        centred: Values = self.values - self.values.mean()
        return centred


def influence(model: Model) -> Influence:
    """Look for few raters, and few items, without which the answer would be another.

    Units are sorted by their first-order influence on a difference of two systems, and left out
    from the most influential one on until a refit shows the change. Units of the set without which
    it still shows are put back. At most half of the units are left out. For the first place, the
    rival is the system for which influence predicts the smallest set.

    Parameters
    ----------
    model : of the answer

    Raises
    ------
    Undefined, RankingError : the model has no estimate

    Source
    ------
    Broderick, Giordano & Meager (2023), "approximate maximum influence perturbation"; for the
    first place of arenas, Huang et al. (2025).
    """
    rows = len(next(iter(model.units.values()))[0])
    everything = np.ones(rows, dtype=bool)
    estimates = model.estimates(everything)
    order = np.argsort(-estimates, kind="stable")
    first, second = int(order[0]), int(order[1])
    try:
        bounds = model.lower_bounds(everything)
    except Undefined:  # nothing is claimed that could be lost
        bounds = np.full((len(estimates), len(estimates)), -np.inf)
    apart = [(int(a), int(b)) for a, b in np.argwhere(bounds > 0)]
    without, searched, removals = {}, [], []
    for units, (codes, labels) in model.units.items():
        moved = model.influences(codes)
        difference = estimates[first] - estimates[second]
        without[units] = {
            labels[k]: float(difference - moved[k, first] + moved[k, second])
            for k in in_use(codes).tolist()
        }
        search = _Search(model, units, codes, moved)
        rivals = [(first, int(rival)) for rival in order[1:]]
        found = search.smallest("first", rivals, estimates[:, None] - estimates[None, :])
        searched.append((units, "first"))
        removals += found
        if apart:
            searched.append((units, "difference"))
            removals += search.smallest("difference", apart, bounds)
    names = model.systems
    return Influence(
        names[first],
        names[second],
        float(estimates[first] - estimates[second]),
        without,
        tuple(searched),
        tuple(removals),
    )


def _as_matrix(systems: Sequence[str], rows: Sequence[tuple[str, str, float]]) -> Values:
    """Lower ends by system; those of pairs that were compared the other way round are −∞."""
    place = {name: number for number, name in enumerate(systems)}
    matrix = np.full((len(systems), len(systems)), -np.inf)
    for a, b, low in rows:
        matrix[place[a], place[b]] = low
    return matrix


@dataclass(frozen=True, eq=False)
class _Search:
    model: Model
    units: str
    codes: Codes
    moved: Values  # shape (units, systems)

    def smallest(
        self, changes: str, pairs: Sequence[tuple[int, int]], gaps: Values
    ) -> list[Removal]:
        """Return the smallest verified set of those that influence predicts to be smallest.

        `gaps[a, b]` is what units have to remove from the difference of a and b.
        """
        predicted = sorted((self._predicted(a, b, gaps[a, b]), gaps[a, b], a, b) for a, b in pairs)
        found = []
        tried = 1 if changes == "first" else MOST_PAIRS_TRIED
        for size, _, a, b in predicted[:tried]:
            removed, successor = self._verified(changes, a, b, size)
            if removed:
                found.append(
                    self._removal(changes, a, b if successor is None else successor, removed)
                )
        return sorted(found, key=lambda each: len(each.removed))[:1]

    def _order(self, a: int, b: int) -> tuple[Codes, Values]:
        """Units from the one whose removal lowers the difference most, and by how much."""
        change = self.moved[:, b] - self.moved[:, a]
        order = np.argsort(change, kind="stable")
        return order, change[order]

    def _predicted(self, a: int, b: int, gap: float) -> int:
        _, change = self._order(a, b)
        return int(np.searchsorted(-np.cumsum(np.minimum(change, 0)), gap, side="right")) + 1

    def _verified(self, changes: str, a: int, b: int, size: int) -> tuple[list[int], int | None]:
        """Return units whose removal a refit shows to change the answer, and who is first then."""
        order, change = self._order(a, b)
        most = min(distinct(self.codes) // 2, int(np.sum(change < 0)))
        left = int(np.clip(MOST_ROWS_REFITTED // len(self.codes), 5, MOST_REFITS))
        successors: dict[tuple[int, ...], int | None] = {}

        def holds(removed: Sequence[int]) -> bool:
            nonlocal left
            left -= 1
            is_changed, successor = self._refitted(changes, a, b, removed)
            successors[tuple(removed)] = successor
            return is_changed

        taken = _first_that_holds(
            min(size, most), most, lambda number: left > 0 and holds(order[:number].tolist())
        )
        if not taken:
            return [], None
        removed = order[:taken].tolist()
        for unit in reversed(order[:taken].tolist()):
            rest = [each for each in removed if each != unit]
            if rest and left > 0 and holds(rest):
                removed = rest
        return removed, successors[tuple(removed)]

    def _refitted(
        self, changes: str, a: int, b: int, removed: Sequence[int]
    ) -> tuple[bool, int | None]:
        kept = ~np.isin(self.codes, removed)
        try:
            if changes == "difference":
                return not self.model.lower_bounds(kept)[a, b] > 0, None
            estimates = self.model.estimates(kept)
        except (Undefined, RankingError):
            return False, None
        if np.isnan(estimates).any():  # a system is gone, not worse
            return False, None
        first = int(np.argmax(estimates))
        return first != a and estimates[first] > estimates[a], first

    def _removal(self, changes: str, a: int, b: int, removed: Sequence[int]) -> Removal:
        names, (_, labels) = self.model.systems, self.model.units[self.units]
        return Removal(
            self.units,
            changes,
            names[a],
            names[b],
            tuple(sorted(labels[unit] for unit in removed)),
            distinct(self.codes),
            float(np.isin(self.codes, removed).mean()),
        )


def _first_that_holds(size: int, most: int, holds: Callable[[int], bool]) -> int:
    """Look for a small number that holds, from a predicted one on; 0 if none is found."""
    if most < 1:
        return 0
    size = max(size, 1)
    if holds(size):
        while size > 1 and holds(size - 1):
            size -= 1
        return size
    while size < most:
        size = min(size + max(1, size // 4), most)
        if holds(size):
            return size
    return 0
