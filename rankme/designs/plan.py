"""Requests to designs and their answers: batches of trials on integer indexes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

import numpy as np
import numpy.typing as npt

Indexes = npt.NDArray[np.int64]
Coverage = npt.NDArray[np.bool_]
OptionValue = int | bool | str

NO_SYSTEM = -1


class DesignError(ValueError):
    """The design cannot be drawn; `problems` says, for the organiser, each reason why."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(" ".join(self.problems))


@dataclass(frozen=True)
class DesignRequest:
    """The items, systems and rules of a plan to draw.

    Attributes
    ----------
    coverage : shape (items, systems), true where the system has an output for the item
    strata : shape (items,), the items' kinds (furniture, people); spread evenly over groups
    item_names, system_names : for a plan that names them
    """

    n_items: int
    n_systems: int
    options: Mapping[str, OptionValue]
    raters_per_trial: int
    seed: int
    coverage: Coverage
    strata: Indexes
    item_names: Sequence[str] = ()
    system_names: Sequence[str] = ()

    @property
    def is_complete(self) -> bool:
        return bool(self.coverage.all())


@dataclass(frozen=True)
class Layout:
    """The result of a design: trials in batch order.

    Attributes
    ----------
    items : shape (trials,)
    systems : shape (trials, outputs on the widest screen), `NO_SYSTEM` where a screen has fewer
    batch_sizes : shape (batches,), trials in each batch
    notes : what could not be divided evenly, in sentences for the organiser
    """

    items: Indexes
    systems: Indexes
    batch_sizes: Indexes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class DrawnTrial:
    """One item with the systems whose outputs are shown side by side."""

    item: int
    systems: tuple[int, ...]


@dataclass(frozen=True)
class DrawnBatch:
    """One sitting: the trials that one participant is given."""

    trials: tuple[DrawnTrial, ...]


@dataclass(frozen=True)
class Spread:
    """How evenly something was distributed."""

    min: int
    max: int
    mean: float


@dataclass(frozen=True)
class Balance:
    """The balance that a plan reached, counted in judged outputs over all of its raters.

    A pair of systems is counted once for every screen that shows both; `per_pair` is None where
    no screen shows two. `per_output` covers the outputs that exist.
    """

    batches: int
    trials: int
    judgements: int
    trials_per_batch: Spread
    per_system: Spread
    per_item: Spread
    per_output: Spread
    per_pair: Spread | None
    system_counts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class DrawnPlan:
    """Batches of trials, each for `raters_per_trial` participants.

    The trials are stored in arrays, as in `Layout`; `batches` makes objects of them.
    """

    design: str
    options: Mapping[str, OptionValue]
    seed: int
    raters_per_trial: int
    items: Indexes
    systems: Indexes
    batch_sizes: Indexes
    balance: Balance
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def batches(self) -> list[DrawnBatch]:
        rows: list[list[int]] = self.systems.tolist()
        shown = (tuple(each for each in row if each != NO_SYSTEM) for row in rows)
        trials = map(DrawnTrial, self.items.tolist(), shown)
        return [DrawnBatch(tuple(islice(trials, size))) for size in self.batch_sizes.tolist()]


def even_batch_sizes(n_trials: int, at_most: int) -> Indexes:
    """Cut the trials into as few batches as hold `at_most` each, whose sizes differ by one."""
    n_batches = -(-n_trials // at_most)
    sizes = np.full(n_batches, n_trials // n_batches, dtype=np.int64)
    sizes[: n_trials % n_batches] += 1
    return sizes


def measure_balance(layout: Layout, request: DesignRequest) -> Balance:
    """Count what each system, item, output and pair of systems is given."""
    cells = _count_cells(layout, request)
    pairs = _count_pairs(layout, request.n_systems)
    raters = request.raters_per_trial
    per_system = cells.sum(axis=0)
    # Without any output a screen is still something that its item is given.
    per_item = cells.sum(axis=1) if cells.any() else np.bincount(layout.items)
    return Balance(
        batches=len(layout.batch_sizes),
        trials=len(layout.items),
        judgements=int(per_item.sum()) * raters,
        trials_per_batch=_spread(layout.batch_sizes),
        per_system=_spread(per_system * raters),
        per_item=_spread(per_item * raters),
        per_output=_spread(cells[request.coverage] * raters),
        per_pair=_spread(pairs * raters) if pairs.any() else None,
        system_counts=tuple((per_system * raters).tolist()),
    )


def _count_cells(layout: Layout, request: DesignRequest) -> Indexes:
    shown = layout.systems != NO_SYSTEM
    cells = (layout.items[:, None] * request.n_systems + layout.systems)[shown]
    size = request.n_items * request.n_systems
    return np.bincount(cells, minlength=size).reshape(request.n_items, request.n_systems)


def _count_pairs(layout: Layout, n_systems: int) -> Indexes:
    """Shape (pairs of systems,): the screens that show both."""
    counts = count_pairs(layout.systems, n_systems)
    first, second = np.triu_indices(n_systems, k=1)
    return counts[first, second]


def count_pairs(screens: Indexes, n_systems: int) -> Indexes:
    """Shape (systems, systems), symmetric: the number of screens that show both."""
    counts = np.zeros((n_systems, n_systems), dtype=np.int64)
    for left in range(screens.shape[1]):
        for right in range(left + 1, screens.shape[1]):
            both = (screens[:, left] != NO_SYSTEM) & (screens[:, right] != NO_SYSTEM)
            cells = screens[both, left] * n_systems + screens[both, right]
            counts += np.bincount(cells, minlength=n_systems**2).reshape(n_systems, n_systems)
    symmetric: Indexes = counts + counts.T
    return symmetric


def _spread(counts: Indexes) -> Spread:
    if not counts.size:
        return Spread(0, 0, 0.0)
    return Spread(int(counts.min()), int(counts.max()), round(float(counts.mean()), 4))
