"""Balanced random k of n: some systems per screen, every pair of them equally often together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from analysis.translatable import gettext_noop as _
from rankme.designs.catching_up import Tally, catch_up
from rankme.designs.design import MOST_TRIALS, TOO_MANY_TRIALS, Design, Option, trials_per_batch
from rankme.designs.growth import Growth, after_one_another
from rankme.designs.linking import linked
from rankme.designs.plan import (
    NO_SYSTEM,
    Coverage,
    DesignRequest,
    Indexes,
    Layout,
    even_batch_sizes,
)

POOL_SIZE = 2_000
MOST_SWEEPS = 20
MOST_SCREENS_TO_IMPROVE = 5_000
SYSTEMS_COUNT_MORE = 10_000


def draw_random_blocks(request: DesignRequest) -> Layout:
    """Give each item its screens of k systems, as the E2E challenge showed 5 of 21.

    Most items are served by cyclic development (Bose, 1939): a base row of screens is shifted
    through all n systems, which shows every system equally often, and every pair as often as its
    difference occurs in the base rows; these are chosen so that all differences occur equally
    often. What is left over, or all where outputs are missing, is filled greedily and then
    improved by exchanges.
    """
    rng = np.random.default_rng([request.seed, request.n_items, request.n_systems])
    width = min(int(request.options["outputs_per_screen"]), request.n_systems)
    n_screens = int(request.options["screens_per_item"])
    order = _comparable_items(request, width, rng)
    # Where outputs are missing, the items that have them must make up for those that lack them.
    n_developed = len(order) - len(order) % request.n_systems if request.is_complete else 0
    developed = _develop(request.n_systems, width, n_screens, n_developed, rng)
    screens = _Screens(request.coverage[order], developed, rng).completed()
    dropped = request.n_items - len(order)
    return _lay_out(order, screens, request, _notes(request, width, dropped))


def _comparable_items(request: DesignRequest, width: int, rng: np.random.Generator) -> Indexes:
    """The items that have at least two outputs, in random order."""
    shuffled: Indexes = rng.permutation(request.n_items)
    comparable: Indexes = shuffled[request.coverage[shuffled].sum(axis=1) >= min(2, width)]
    return comparable


def _develop(
    n_systems: int, width: int, n_screens: int, n_items: int, rng: np.random.Generator
) -> Indexes:
    """Shape (items, screens, width): base rows shifted through all systems, then relabelled."""
    rows = _choose_base_rows(n_systems, width, n_screens, n_items // n_systems, rng)
    shifts = rng.random((len(rows), n_systems)).argsort(axis=1)
    shifted = (rows[:, None] + shifts[:, :, None, None]) % n_systems
    relabelled: Indexes = rng.permutation(n_systems)[shifted]
    return relabelled.reshape(n_items, n_screens, width)


def _choose_base_rows(
    n_systems: int, width: int, n_screens: int, n_rows: int, rng: np.random.Generator
) -> Indexes:
    """Shape (rows, screens, width): rows whose differences together are as even as possible."""
    pool = _deal_rows(n_systems, width, n_screens, rng)
    differences = _count_differences(pool, n_systems)
    sizes = np.full(n_systems // 2, n_systems)
    if n_systems % 2 == 0:
        sizes[-1] //= 2
    # The sum of squared pair counts, which is least where they are equal, is
    # sum(sizes * (counts + added)²) = constant + own + 2 * differences @ (sizes * counts).
    own = (sizes * differences**2).sum(axis=1)
    counts = np.zeros(n_systems // 2, dtype=np.int64)
    chosen = np.empty(n_rows, dtype=np.int64)

    def best() -> int:
        scores = own + 2 * differences @ (sizes * counts)
        return int(rng.choice(np.flatnonzero(scores == scores.min())))

    for row in range(n_rows):
        chosen[row] = best()
        counts += differences[chosen[row]]
    for row in range(min(n_rows, MOST_SCREENS_TO_IMPROVE)):
        counts -= differences[chosen[row]]
        chosen[row] = best()
        counts += differences[chosen[row]]
    return pool[chosen]


def _deal_rows(n_systems: int, width: int, n_screens: int, rng: np.random.Generator) -> Indexes:
    """Shape (pool, screens, width): no system twice in a row before each was there once."""
    times_used = np.zeros((POOL_SIZE, n_systems))
    screens = []
    for _screen in range(n_screens):
        dealt = (times_used + rng.random(times_used.shape)).argsort(axis=1)[:, :width]
        np.put_along_axis(times_used, dealt, np.take_along_axis(times_used, dealt, 1) + 1, 1)
        screens.append(dealt)
    return np.stack(screens, axis=1)


def _count_differences(rows: Indexes, n_systems: int) -> Indexes:
    """Shape (rows, n // 2): how often each cyclic difference occurs within the row's screens.

    Shifted through n systems a difference of exactly n / 2 meets each of its n / 2 pairs twice.
    """
    left, right = np.triu_indices(rows.shape[2], k=1)
    apart = (rows[:, :, left] - rows[:, :, right]) % n_systems
    apart = np.minimum(apart, n_systems - apart).reshape(len(rows), -1)
    counts = np.zeros((len(rows), n_systems // 2), dtype=np.int64)
    for difference in range(1, n_systems // 2 + 1):
        twice = 2 if 2 * difference == n_systems else 1
        counts[:, difference - 1] = twice * np.count_nonzero(apart == difference, axis=1)
    return counts


class _Screens(Tally):
    """Developed screens, to which the rest is added one by one against the counts so far."""

    def __init__(self, coverage: Coverage, developed: Indexes, rng: np.random.Generator) -> None:
        self.n_developed, n_screens, width = developed.shape
        items = np.repeat(np.arange(self.n_developed), n_screens)
        super().__init__(coverage, width, rng, items, developed.reshape(-1, width))
        self.screens = np.full((len(coverage), n_screens, width), NO_SYSTEM, dtype=np.int64)
        self.screens[: self.n_developed] = developed

    def completed(self) -> Indexes:
        n_items, n_screens = self.screens.shape[:2]
        for screen in range(n_screens):
            for item in range(self.n_developed, n_items):
                self.screens[item, screen] = self.fill(item)
        if n_items * n_screens <= MOST_SCREENS_TO_IMPROVE:
            self._improve(range(n_items))
        elif (n_items - self.n_developed) * n_screens <= MOST_SCREENS_TO_IMPROVE:
            self._improve(range(self.n_developed, n_items))
        return self.screens

    def _improve(self, items: Sequence[int]) -> None:
        """Change single systems while that brings the counts nearer to each other."""
        n_screens = self.screens.shape[1]
        for _sweep in range(MOST_SWEEPS):
            changed = False
            for item in items:
                for screen in range(n_screens):
                    changed |= self._exchange(item, screen)
                for first, second in combinations(range(n_screens), 2):
                    changed |= self._swap(item, first, second)
            if not changed:
                return

    def _exchange(self, item: int, screen: int) -> bool:
        """Replace one system of the screen by the best other one, if that helps."""
        shown = self.screens[item, screen]
        inside = shown[shown != NO_SYSTEM]
        may_come = self.coverage[item].copy()
        may_come[inside] = False
        outside = np.flatnonzero(may_come)
        if len(outside) == 0:
            return False
        gain = self._gains(item, inside, outside)
        place, comer = np.unravel_index(gain.argmax(), gain.shape)
        if gain[place, comer] <= 0:
            return False
        self.count(shown, item, -1)
        shown[place] = outside[comer]
        self.count(shown, item, +1)
        return True

    def _swap(self, item: int, first: int, second: int) -> bool:
        """Let two screens of the item swap a system each, if that evens out the pairs."""
        here, there = self.screens[item, first], self.screens[item, second]
        leaving = here[(here != NO_SYSTEM) & ~np.isin(here, there)]
        coming = there[(there != NO_SYSTEM) & ~np.isin(there, here)]
        if len(leaving) == 0 or len(coming) == 0:
            return False
        across = self.per_pair[np.ix_(leaving, coming)]
        old = self._pairs_within(leaving)[:, None] + self._pairs_within(coming)[None, :]
        new = across.sum(axis=1)[:, None] + across.sum(axis=0)[None, :] - 2 * across
        gain = old - new - (len(leaving) + len(coming) - 2)
        out, into = np.unravel_index(gain.argmax(), gain.shape)
        if gain[out, into] <= 0:
            return False
        for screen in (here, there):
            self.count(screen, item, -1)
        here[here == leaving[out]], there[there == coming[into]] = coming[into], leaving[out]
        for screen in (here, there):
            self.count(screen, item, +1)
        return True

    def _pairs_within(self, systems: Indexes) -> Indexes:
        """Shape (systems,): how often each is shown together with the others of these."""
        within: Indexes = self.per_pair[np.ix_(systems, systems)].sum(axis=1)
        return within

    def _gains(self, item: int, inside: Indexes, outside: Indexes) -> Indexes:
        """Shape (inside, outside): by how much the exchange lowers the sum of squared counts."""
        per_item, per_system = self.times_shown[item], self.per_system
        with_inside = self.per_pair[np.ix_(outside, inside)]
        leaving = self._pairs_within(inside)
        coming = with_inside.sum(axis=1)[None, :] - with_inside.T
        pairs = leaving[:, None] - coming - (len(inside) - 1)
        systems = per_system[inside][:, None] - per_system[outside][None, :] - 1
        items = per_item[inside][:, None] - per_item[outside][None, :] - 1
        gains: Indexes = pairs + systems * SYSTEMS_COUNT_MORE + np.minimum(items, 0) * 10**9
        return gains


def _lay_out(
    order: Indexes, screens: Indexes, request: DesignRequest, notes: tuple[str, ...]
) -> Layout:
    """First every item's first screen, then every item's second: no batch has an item twice."""
    n_items, n_screens, width = screens.shape
    items = np.tile(order, n_screens)
    systems = screens.transpose(1, 0, 2).reshape(-1, width)
    at_most = min(int(request.options["trials_per_batch"]) or n_items, n_items)
    return Layout(items, systems, even_batch_sizes(len(items), at_most), notes)


def _notes(request: DesignRequest, width: int, dropped: int) -> tuple[str, ...]:
    notes = []
    if width < int(request.options["outputs_per_screen"]):
        notes.append(f"There are only {width} systems: every screen shows all of them.")
    if dropped:
        notes.append(f"{dropped} items have too few outputs to compare and are left out.")
    if not request.is_complete:
        notes.append(
            "Some outputs are missing, so the balance is only as even as the others allow."
        )
    return tuple(notes)


def _problems(request: DesignRequest) -> list[str]:
    """Why these screens cannot be filled."""
    problems = []
    if int(request.options["screens_per_item"]) * request.n_items > MOST_TRIALS:
        problems.append(TOO_MANY_TRIALS)
    fewest = min(2, int(request.options["outputs_per_screen"]), request.n_systems)
    if (request.coverage.sum(axis=1) < fewest).all():
        problems.append("No item has two outputs to compare.")
    return problems


def _growth_problems(growth: Growth) -> list[str]:
    """List problems of a growth: new items need own screens, new systems screens on old items."""
    if growth.new_items:
        return _problems(growth.for_new_items)
    coverage = growth.request.coverage
    has_new = coverage[:, growth.old_systems :].any(axis=1)
    can_compare = coverage.sum(axis=1) >= min(2, _width(growth.request))
    if not (has_new & can_compare).any():
        return ["The new systems have no outputs to compare with others."]
    return []


def grow_random_blocks(growth: Growth) -> Layout:
    """Add screens for the new items, then for the new systems next to existing ones."""
    if not growth.new_items:
        return _catch_up(growth)
    added = growth.on_new_items(draw_random_blocks(growth.for_new_items))
    if not growth.new_systems:
        return added
    return after_one_another(added, _catch_up(growth.with_added(added)))


def _catch_up(growth: Growth) -> Layout:
    """Show new systems next to earlier ones, or in batches with earlier ones."""
    width = _width(growth.request)
    if width > 1:
        return catch_up(growth, width)
    return linked(growth, lambda with_room: catch_up(with_room, width))


def _width(request: DesignRequest) -> int:
    return min(int(request.options["outputs_per_screen"]), request.n_systems)


DESIGN = Design(
    title=_("Balanced random selection"),
    help=_(
        "A few systems per screen; every system and every pair of systems appears equally often."
    ),
    check=_problems,
    draw=draw_random_blocks,
    check_growth=_growth_problems,
    grow=grow_random_blocks,
    options=(
        Option(
            "outputs_per_screen",
            int,
            5,
            title=_("Outputs per screen"),
            minimum=1,
            maximum=50,
            help=_("Outputs shown on one screen."),
        ),
        Option(
            "screens_per_item",
            int,
            1,
            title=_("Screens per item"),
            minimum=1,
            maximum=1_000,
            help=_("Screens per item, each with other systems where possible."),
        ),
        trials_per_batch(
            20, _("Maximum number of screens per batch. 0: all items."), maximum=10_000
        ),
    ),
)
