"""Screens for new systems next to those that a plan of random blocks has shown already."""

from __future__ import annotations

import numpy as np

from rankme.designs.growth import Growth, nothing_new
from rankme.designs.plan import NO_SYSTEM, Indexes, Layout, count_pairs


def catch_up(growth: Growth, width: int) -> Layout:
    """Add screens until each new system was shown as often as the old ones were on average.

    Every screen has the new system that was shown least. Its other places go to the systems that
    this item, then all screens, have shown least, so that the pairs come out as even as they can.
    Only items that the plan had before get more screens: on new items, all systems are alike.
    """
    request = growth.request
    rng = np.random.default_rng([request.seed, request.n_items, request.n_systems])
    tally = _Tally(growth, width, rng)
    goal = max(1, round(float(tally.per_system[: growth.old_systems].mean())))
    fresh = np.arange(growth.old_systems, request.n_systems)
    order = rng.permutation(growth.old_items).tolist()
    items: list[int] = []
    rows: list[Indexes] = []
    is_growing = True
    while is_growing:
        is_growing = False
        for item in order:
            wanting = fresh[request.coverage[item, fresh] & (tally.per_system[fresh] < goal)]
            if len(wanting) and _can_be_filled(request.coverage[item], width):
                rows.append(tally.fill(item, int(wanting[tally.per_system[wanting].argmin()])))
                items.append(item)
                is_growing = True
    at_most = int(request.options["trials_per_batch"]) or request.n_items
    note = (
        f"Each new system is shown about {goal} times, as often as the others were so far, and "
        "next to them; so the others are shown more often than before."
    )
    if not rows:
        return nothing_new(growth)
    return Layout(np.array(items), np.stack(rows), _sizes(items, at_most), (note,))


def _can_be_filled(covered: np.ndarray, width: int) -> bool:
    """Whether the item has something to compare; screens of one output compare nothing."""
    return int(covered.sum()) >= min(2, width)


def _sizes(items: list[int], at_most: int) -> Indexes:
    """Cut into batches of `at_most` screens, and before an item that the batch already has."""
    sizes = [0]
    seen: set[int] = set()
    for item in items:
        if sizes[-1] == at_most or item in seen:
            sizes.append(0)
            seen = set()
        sizes[-1] += 1
        seen.add(item)
    return np.array(sizes, dtype=np.int64)


class _Tally:
    """Count what a plan has shown so far, while screens are added to it."""

    def __init__(self, growth: Growth, width: int, rng: np.random.Generator) -> None:
        self.coverage = growth.request.coverage
        self.width = width
        self.rng = rng
        shown = growth.systems != NO_SYSTEM
        items = np.repeat(growth.items, shown.sum(axis=1))
        self.times_shown = np.zeros(self.coverage.shape, dtype=np.int64)
        np.add.at(self.times_shown, (items, growth.systems[shown]), 1)
        self.per_system = self.times_shown.sum(axis=0)
        self.per_pair = count_pairs(growth.systems, growth.request.n_systems)

    def fill(self, item: int, first: int) -> Indexes:
        """Count and return a screen of this item that shows `first`."""
        covered = self.coverage[item]
        row = np.full(self.width, NO_SYSTEM, dtype=np.int64)
        score = np.where(covered, self.times_shown[item] * 1e9, np.inf)
        score = score + self.per_system * (self.width - 1) + self.rng.random(len(covered))
        system = first
        for place in range(min(self.width, int(covered.sum()))):
            row[place] = system
            score = score + self.per_pair[system]
            score[system] = np.inf
            system = int(score.argmin())
        shown = row[row != NO_SYSTEM]
        self.per_system[shown] += 1
        self.times_shown[item, shown] += 1
        self.per_pair[np.ix_(shown, shown)] += 1
        self.per_pair[shown, shown] = 0
        return row
