"""From screens to comparisons: every two systems that a rater saw side by side."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.errors import RankingError, TableError
from analysis.table import Column, JudgementTable
from analysis.typing import Codes

WIN, TIE, LOSS = 0, 1, 2


@dataclass(frozen=True, eq=False)
class Pairs:
    """Comparisons of two systems, each array of shape (pairs,), in the order of the table.

    `first` and `second` number `systems`; `outcome` is WIN where the first had the higher value,
    TIE where both had the same, LOSS otherwise. `screen`, `rater` and `item` number the screens,
    raters and items that the comparisons come from. All are in few bytes: there are millions.
    """

    systems: tuple[str, ...]
    first: Codes
    second: Codes
    outcome: NDArray[np.int8]
    screen: Codes
    rater: Codes
    item: Codes
    raters: tuple[str, ...]
    items: tuple[str, ...]
    lower_is_better: bool = False

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def tallies(self) -> NDArray[np.int64]:
        """Wins, ties and losses of i against j for i < j, shape (systems, systems, 3)."""
        shape = (len(self.systems), len(self.systems), 3)
        return np.bincount(cells(self), minlength=int(np.prod(shape))).reshape(shape)


@dataclass(frozen=True, eq=False)
class Counts:
    """Wins and ties of each two systems, arrays of shape (systems, systems).

    `wins[i, j]` counts how often i beat j; `ties` is symmetric with a zero diagonal.
    """

    wins: NDArray[np.float64]
    ties: NDArray[np.float64]

    @property
    def met(self) -> NDArray[np.float64]:
        """Count the comparisons of each two systems."""
        return self.wins + self.wins.T + self.ties


def pairs_from_table(
    table: JudgementTable, *, lower_is_better: bool = False, item_groups: Column | None = None
) -> Pairs:
    """Make every comparison of two systems that a rater saw on one screen.

    A value above the other wins; equal values tie. A screen is what one rater gave for one item
    together.

    Parameters
    ----------
    table : judgements of one criterion
    lower_is_better : whether the lower value wins, as with ranks
    item_groups : what each judgement's item belongs to, such as its document, where that takes the
        item's place in resampling and in clustered errors; shape (judgements,)

    Returns
    -------
    Pairs : one comparison per pair of systems and screen, with its rater and item; arrays of shape
        (comparisons,)

    Raises
    ------
    TableError : the table has several criteria

    Source
    ------
    Pairs from rankings as in Sakaguchi, Post & Van Durme (2014).
    """
    if len(table.criterion.labels) > 1:
        names = ", ".join(table.criterion.labels)
        raise TableError([f"Pairs need one criterion, but the table has {names}: choose one."])
    first, second = compared_rows(table)
    units = table.item if item_groups is None else item_groups
    values = table.value[first], table.value[second]
    ahead, behind = reversed(values) if lower_is_better else values
    return Pairs(
        systems=table.system.labels,
        first=_small(table.system)[first],
        second=_small(table.system)[second],
        outcome=np.int8(TIE) + (ahead < behind) - (ahead > behind),
        screen=table.screens[first],
        rater=_small(table.rater)[first],
        item=_small(units)[first],
        raters=table.rater.labels,
        items=units.labels,
        lower_is_better=lower_is_better,
    )


def _small(column: Column) -> Codes:
    """Return the codes in 16 bits, or in as many more as its labels need."""
    return column.codes.astype(np.promote_types(np.int16, np.min_scalar_type(-len(column.labels))))


def compared_rows(table: JudgementTable) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the row numbers of both sides of every comparison that `pairs_from_table` makes.

    Parameters
    ----------
    table : judgements of one criterion
    """
    return _rows_side_by_side(table.screens)


def count(pairs: Pairs) -> Counts:
    """Sum the comparisons of each two systems.

    Parameters
    ----------
    pairs : from `pairs_from_table`
    """
    of_each = pairs.tallies.astype(np.float64)
    wins, ties = of_each[:, :, WIN] + of_each[:, :, LOSS].T, of_each[:, :, TIE]
    return Counts(wins, ties + ties.T)


def cells(pairs: Pairs) -> NDArray[np.int64]:
    """Place each comparison in a flat count array of shape (systems, systems, 3).

    Parameters
    ----------
    pairs : from `pairs_from_table`
    """
    swapped = pairs.first > pairs.second
    place = np.minimum(pairs.first, pairs.second).astype(np.int64)
    place *= len(pairs.systems)
    place += np.maximum(pairs.first, pairs.second)
    place *= 3
    place += np.where(swapped, WIN + LOSS - pairs.outcome, pairs.outcome)
    return place


def require_comparable(systems: tuple[str, ...], counts: Counts) -> None:
    """Refuse what no method can rank.

    Parameters
    ----------
    systems : their names
    counts : wins and ties of each two systems

    Raises
    ------
    RankingError : there is one system, or groups were never compared with each other
    """
    if len(systems) < 2:
        raise RankingError("A ranking needs at least two systems.")
    groups = list(_groups(counts.met > 0))
    if len(groups) > 1:
        named = "; ".join(", ".join(systems[place] for place in group) for group in groups)
        raise RankingError(f"These groups of systems were never compared with each other: {named}.")


def unmet(systems: tuple[str, ...], counts: Counts) -> tuple[tuple[str, str], ...]:
    """List the pairs of systems that no rater saw side by side.

    Parameters
    ----------
    systems : their names
    counts : wins and ties of each two systems
    """
    rows, columns = np.nonzero(np.triu(counts.met == 0, k=1))
    return tuple((systems[i], systems[j]) for i, j in zip(rows, columns, strict=True))


def _rows_side_by_side(screens: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Row numbers of every two rows of one screen; screens stay in their order of appearance."""
    number = len(screens)
    first_row = np.empty(int(screens.max(initial=-1)) + 1, dtype=np.int32)
    first_row[screens[::-1]] = np.arange(number, dtype=np.int32)[::-1]  # the last one stays
    screen = first_row[screens]
    rows = np.argsort(screen, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(screen))[screen[rows]]
    place = np.arange(number)
    later = ends - 1 - place  # rows of the same screen
    total = int(later.sum())
    # 32 bits as long as they hold the numbers: there are several times more pairs than rows
    whole = np.promote_types(np.int32, np.min_scalar_type(-total))
    back = (np.cumsum(later) - later - place - 1).astype(whole)
    return np.repeat(rows, later), rows[np.arange(total, dtype=whole) - np.repeat(back, later)]


def _groups(linked: NDArray[np.bool_]) -> Iterator[list[int]]:
    """Connected components of a symmetric relation, each in ascending order."""
    number, group = scipy.sparse.csgraph.connected_components(linked, directed=False)
    for which in range(number):
        yield np.flatnonzero(group == which).tolist()
