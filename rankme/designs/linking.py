"""Screens of earlier systems in the batches of systems that join later, so that raters see both.

Without them, a difference between an earlier and a later system could as well be one between the
raters of the earlier and of the later batches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from rankme.designs.growth import Growth
from rankme.designs.plan import Indexes, Layout

# Items that are tried for a screen whose item the batch already has.
MOST_TRIES = 20


def linked(growth: Growth, draw: Callable[[Growth], Layout]) -> Layout:
    """Draw batches of new systems with room for screens of earlier ones, then add these.

    Of all screens of a batch, `growth.mixed_percent` show an earlier system. Earlier systems take
    turns, and so do the items of each.

    Parameters
    ----------
    draw : draws the new outputs, one on each screen
    """
    share, request = growth.mixed_percent / 100, growth.request
    at_most = int(request.options["trials_per_batch"])
    if not share:
        return draw(growth)
    room = {"trials_per_batch": max(1, int(at_most * (1 - share)))} if at_most else {}
    added = draw(replace(growth, request=replace(request, options={**request.options, **room})))
    deal = _Deal(growth, np.random.default_rng([request.seed, growth.mixed_percent]))
    batches = [
        _mixed(items, systems, deal, share, at_most)
        for items, systems in zip(
            np.split(added.items, np.cumsum(added.batch_sizes)[:-1]),
            np.split(added.systems[:, 0], np.cumsum(added.batch_sizes)[:-1]),
            strict=True,
        )
    ]
    note = (
        f"About {growth.mixed_percent} % of the screens in the new batches show outputs of earlier "
        "systems, so that the same raters judge both."
    )
    return Layout(
        np.concatenate([items for items, _ in batches]),
        np.concatenate([systems for _, systems in batches])[:, None],
        np.array([len(items) for items, _ in batches], dtype=np.int64),
        (note,),
    )


def _mixed(
    items: Indexes, systems: Indexes, deal: _Deal, share: float, at_most: int
) -> tuple[Indexes, Indexes]:
    """Add screens at random places of one batch; earlier systems on new items are counted."""
    has = int(np.count_nonzero(systems < deal.old_systems))
    least = 1 if not at_most or len(items) < at_most else 0
    wanted = max(least, round((len(items) - has) * share / (1 - share))) - has
    more = deal.screens(wanted, items, systems)
    order = deal.rng.permutation(len(items) + len(more))
    both = np.concatenate([items, more[:, 0]]), np.concatenate([systems, more[:, 1]])
    return both[0][order], both[1][order]


class _Deal:
    """The outputs of earlier systems on earlier items, dealt so that all come equally often."""

    def __init__(self, growth: Growth, rng: np.random.Generator) -> None:
        self.rng, self.old_systems = rng, growth.old_systems
        shown = growth.request.coverage[: growth.old_items, : growth.old_systems]
        self._decks = [rng.permutation(np.flatnonzero(column)) for column in shown.T]
        self._turns = [s for s in rng.permutation(growth.old_systems) if len(self._decks[s])]
        self._dealt = np.zeros(growth.old_systems, dtype=np.int64)
        self._next = 0

    def screens(self, wanted: int, items: Indexes, systems: Indexes) -> Indexes:
        """Deal that many different outputs, shape (outputs, 2), on new items of the batch if any.

        Parameters
        ----------
        items, systems : of the batch so far
        """
        seen, used = set(items.tolist()), set(zip(items.tolist(), systems.tolist(), strict=True))
        wanted = min(max(wanted, 0), sum(len(self._decks[s]) for s in self._turns))
        dealt: list[tuple[int, int]] = []
        misses = 0
        while len(dealt) < wanted and misses <= MOST_TRIES:
            system = int(self._turns[self._next % len(self._turns)])
            self._next += 1
            item = self._draw(system, seen)
            misses = misses + 1 if (item, system) in used else 0
            if not misses:
                dealt.append((item, system))
                used.add((item, system))
                seen.add(item)
        return np.array(dealt, dtype=np.int64).reshape(-1, 2)

    def _draw(self, system: int, seen: set[int]) -> int:
        """The system's next item, or one of those after it that the batch does not have yet."""
        deck, at = self._decks[system], int(self._dealt[system])
        upcoming = [int(deck[(at + ahead) % len(deck)]) for ahead in range(MOST_TRIES)]
        fresh = next((k for k, item in enumerate(upcoming) if item not in seen), 0)
        first, later = at % len(deck), (at + fresh) % len(deck)
        deck[[first, later]] = deck[[later, first]]
        self._dealt[system] += 1
        return int(deck[first])
