"""Screens for new systems next to those that a plan of random blocks has shown already."""

from __future__ import annotations

import numpy as np

from rankme.designs.growth import Growth, nothing_new
from rankme.designs.plan import NO_SYSTEM, Coverage, Indexes, Layout, count_pairs


def catch_up(growth: Growth, width: int) -> Layout:
    """Add screens until each new system was shown as often as the old ones were on average.

    Every screen has the new system that was shown least. Its other places go to the systems that
    this item, then all screens, have shown least, so that the pairs come out as even as they can.
    Only items that the plan had before get more screens: on new items, all systems are alike.
    """
    request = growth.request
    rng = np.random.default_rng([request.seed, request.n_items, request.n_systems])
    tally = Tally(request.coverage, width, rng, growth.items, growth.systems)
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
            # Screens of one output compare nothing.
            if len(wanting) and int(request.coverage[item].sum()) >= min(2, width):
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


class Tally:
    """Count what screens have shown so far, while others are added to them."""

    def __init__(
        self,
        coverage: Coverage,
        width: int,
        rng: np.random.Generator,
        items: Indexes,
        screens: Indexes,
    ) -> None:
        self.coverage = coverage
        self.width = width
        self.rng = rng
        shown = screens != NO_SYSTEM
        self.times_shown = np.zeros(coverage.shape, dtype=np.int64)
        np.add.at(self.times_shown, (np.repeat(items, shown.sum(axis=1)), screens[shown]), 1)
        self.per_system = self.times_shown.sum(axis=0)
        self.per_pair = count_pairs(screens, coverage.shape[1])

    def fill(self, item: int, first: int | None = None) -> Indexes:
        """Count and return a screen of this item, which shows `first` if that is given.

        Pick first what this item has shown least, then what all screens have shown least.
        """
        covered = self.coverage[item]
        row = np.full(self.width, NO_SYSTEM, dtype=np.int64)
        score = np.where(covered, self.times_shown[item] * 1e9, np.inf)
        # The mean pair count grows (width - 1) / (n - 1) times as fast as that of the system:
        # the factor gives a missing judgement of either kind the same weight.
        score = score + self.per_system * (self.width - 1) + self.rng.random(len(covered))
        system = int(score.argmin()) if first is None else first
        for place in range(min(self.width, int(covered.sum()))):
            row[place] = system
            score = score + self.per_pair[system]
            score[system] = np.inf
            system = int(score.argmin())
        self.count(row, item, +1)
        return row

    def count(self, screen: Indexes, item: int, step: int) -> None:
        shown = screen[screen != NO_SYSTEM]
        self.per_system[shown] += step
        self.times_shown[item, shown] += step
        self.per_pair[np.ix_(shown, shown)] += step
        self.per_pair[shown, shown] = 0
