"""Adding trials to a plan that raters already work on: only new batches, from the stored seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankme.designs.plan import NO_SYSTEM, DesignRequest, Indexes, Layout

# Percent of the screens in the batches of new systems that show earlier ones.
MIXED_PERCENT = 25
MOST_MIXED = 75
SYSTEMS_APART = (
    "The screens of this design show several outputs side by side. A new system would never be "
    "next to those that were judged already: create a new campaign for it."
)


@dataclass(frozen=True)
class Growth:
    """A plan and what has come to its material since.

    Attributes
    ----------
    request : for all the material, old and new, with a seed of this extension's own
    items, systems, batch_sizes : the plan so far, as in `Layout`
    old_items, old_systems : how many of the first items and systems the plan covers
    mixed_percent : of the screens in batches of new systems show earlier ones (`linking.py`)
    """

    request: DesignRequest
    items: Indexes
    systems: Indexes
    batch_sizes: Indexes
    old_items: int
    old_systems: int
    mixed_percent: int = MIXED_PERCENT

    @property
    def new_items(self) -> int:
        return self.request.n_items - self.old_items

    @property
    def new_systems(self) -> int:
        return self.request.n_systems - self.old_systems

    @property
    def for_new_items(self) -> DesignRequest:
        """Request the new items with all systems."""
        first = self.old_items
        return replace(
            self.request,
            n_items=self.new_items,
            coverage=self.request.coverage[first:],
            strata=self.request.strata[first:],
        )

    def with_added(self, added: Layout) -> Growth:
        """The same growth where a first part of it is in the plan."""
        plan = joined(self, added)
        return replace(self, items=plan.items, systems=plan.systems, batch_sizes=plan.batch_sizes)

    def on_new_items(self, layout: Layout) -> Layout:
        """A layout of `for_new_items` with the items' own indexes."""
        return replace(layout, items=layout.items + self.old_items)


def nothing_new(growth: Growth) -> Layout:
    width = growth.systems.shape[1] if growth.systems.ndim == 2 else 1
    none = np.empty(0, dtype=np.int64)
    return Layout(none, np.empty((0, width), dtype=np.int64), none)


def no_growth(growth: Growth) -> Sequence[str]:
    """For a design that does not say how its plans grow."""
    return ("A plan of this design cannot be extended by items or systems.",)


def joined(growth: Growth, added: Layout) -> Layout:
    """The whole plan after an extension."""
    return after_one_another(Layout(growth.items, growth.systems, growth.batch_sizes), added)


def after_one_another(first: Layout, second: Layout) -> Layout:
    width = max(first.systems.shape[1], second.systems.shape[1])
    return Layout(
        np.concatenate([first.items, second.items]),
        np.concatenate([_widened(first.systems, width), _widened(second.systems, width)]),
        np.concatenate([first.batch_sizes, second.batch_sizes]),
        (*first.notes, *second.notes),
    )


def _widened(systems: Indexes, width: int) -> Indexes:
    wider = np.full((len(systems), width), NO_SYSTEM, dtype=np.int64)
    wider[:, : systems.shape[1]] = systems
    return wider
