"""Agreement of raters: the coefficient that every method returns, Kendall's W and Fleiss' κ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.scales.codes import are_countable, compact, in_use, renumber
from analysis.typing import Codes, Values


@dataclass(frozen=True)
class Coefficient:
    """A coefficient with its interval; where it is undefined `value` is None and `reason` says why.

    `units` counts what it was computed from (outputs, or groups of screens).
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    units: int = 0
    reason: str = ""


def defined(name: str, compute: Callable[[], Coefficient]) -> Coefficient:
    """Compute a coefficient, or say why it is undefined.

    Parameters
    ----------
    name : of the coefficient
    compute : may raise `Undefined`, whose words become the reason
    """
    try:
        return compute()
    except Undefined as why:
        return Coefficient(name, None, reason=str(why))


def first_of_each(units: Codes, raters: Codes) -> Codes:
    """Return the index of the first judgement of every (unit, rater).

    Parameters
    ----------
    units, raters : shape (judgements,)
    """
    key = units.astype(np.int64) * (int(raters.max()) + 1) + raters
    if not are_countable(key):
        return np.sort(np.unique(key, return_index=True)[1])
    rows = np.arange(len(key), dtype=np.int32)
    first = np.empty(int(key.max()) + 1, dtype=np.int32)
    first[key[::-1]] = rows[::-1]  # the last one stays
    return np.flatnonzero(first[key] == rows)


def label_counts(rows: Codes, labels: Codes) -> Any:
    """Count each label in each row: a sparse matrix of shape (rows, labels).

    Parameters
    ----------
    rows, labels : shape (judgements,), codes
    """
    return scipy.sparse.coo_matrix((np.ones(len(rows)), (rows, labels))).tocsr()


def kendall_w(values: ArrayLike, screens: Codes, items: Codes, systems: Codes) -> Coefficient:
    """Mean of Kendall's W over the groups of screens that show the same outputs.

    Groups need two screens of the same item and systems; a group in which every screen ties all
    outputs is left out.

    Parameters
    ----------
    values : shape (judgements,), of any unit: only their order within a screen counts
    screens, items, systems : shape (judgements,), codes; one screen is one rater's ranking

    Returns
    -------
    Coefficient : W from 0 to 1, without an interval; `units` counts the groups of screens

    Raises
    ------
    Undefined : no two screens show the same outputs of one item

    Source
    ------
    Kendall & Babington Smith (1939), with the correction for ties.
    """
    values = np.asarray(values, dtype=np.float64)
    ranks, ties = ranks_within(values, screens)
    group_of_screen, sizes = _screen_groups(screens, items, systems)
    groups = group_of_screen[screens]
    count = len(sizes)
    members = np.bincount(group_of_screen[in_use(screens)], minlength=count).astype(np.float64)
    cells = groups.astype(np.int64) * (int(systems.max()) + 1) + systems
    used, place = renumber(cells)
    group_of_cell = used // (int(systems.max()) + 1)
    middle = members * (sizes + 1) / 2
    deviations = (np.bincount(place, ranks) - middle[group_of_cell]) ** 2
    spread = np.bincount(group_of_cell, deviations, minlength=count)
    tied = np.bincount(groups, ties, minlength=count)
    largest = members**2 * (sizes**3 - sizes) - members * tied
    usable = (members > 1) & (sizes > 1) & (largest > 0)
    if not usable.any():
        raise Undefined("No two screens show the same outputs of one item.")
    w = 12 * spread[usable] / largest[usable]
    return Coefficient("Kendall W, mean over screens", float(w.mean()), units=int(usable.sum()))


def ranks_within(values: Values, screens: Codes) -> tuple[Values, Values]:
    """Compute mid-ranks of the values within their screen, and each row's share of Σ(t³ − t).

    Parameters
    ----------
    values : shape (judgements,)
    screens : shape (judgements,), the screen of each value

    Returns
    -------
    Two arrays of shape (judgements,); ranks begin at 1 with the lowest value.
    """
    order = np.lexsort([values, screens])
    ordered_screens, ordered = screens[order], values[order]
    new_run = np.ones(len(values), dtype=bool)
    new_run[1:] = (np.diff(ordered_screens) != 0) | (np.diff(ordered) != 0)
    run = np.cumsum(new_run) - 1
    run_sizes = np.bincount(run)
    new_screen = np.ones(len(values), dtype=bool)
    new_screen[1:] = np.diff(ordered_screens) != 0
    screen_start = np.maximum.accumulate(np.where(new_screen, np.arange(len(values)), 0))
    run_start = np.nonzero(new_run)[0]
    ranks, ties = np.empty(len(values)), np.empty(len(values))
    ranks[order] = run_start[run] - screen_start + (run_sizes[run] + 1) / 2
    ties[order] = run_sizes[run].astype(np.float64) ** 2 - 1  # (t³ − t)/t for each of t rows
    return ranks, ties


def _screen_groups(screens: Codes, items: Codes, systems: Codes) -> tuple[Codes, Values]:
    """Group screens by their item and set of systems, through a sum of random 64-bit keys."""
    rng = np.random.default_rng(0)  # any keys do: they only have to be distinct
    system_keys = rng.integers(2**62, size=int(systems.max()) + 1, dtype=np.uint64)
    item_keys = rng.integers(2**62, size=int(items.max()) + 1, dtype=np.uint64)
    keys = np.zeros(int(screens.max()) + 1, dtype=np.uint64)
    np.add.at(keys, screens, system_keys[systems])
    item_of_screen = np.zeros(len(keys), dtype=np.intp)
    item_of_screen[screens] = items
    groups = np.unique(keys * np.uint64(3) + item_keys[item_of_screen], return_inverse=True)[1]
    screen_sizes = np.bincount(screens, minlength=len(keys))
    sizes = np.zeros(int(groups.max()) + 1)
    sizes[groups] = screen_sizes
    return groups, sizes


def fleiss_kappa(labels: Codes, units: Codes, raters: Codes) -> Coefficient:
    """Fleiss' κ for categories, over the units that have the most common number of raters.

    Parameters
    ----------
    labels : shape (judgements,), code of the category that the rater chose
    units, raters : shape (judgements,), codes of the judged output and the rater; a rater's second
        judgement of a unit is left out

    Returns
    -------
    Coefficient : κ without an interval, from −1 to 1; `units` counts the units that were used

    Raises
    ------
    Undefined : no unit has two raters, or all raters chose the same category throughout

    Source
    ------
    Fleiss (1971).
    """
    first = first_of_each(units, raters)
    labels, units = labels[first], units[first]
    sizes = np.bincount(units)
    common = np.bincount(sizes[sizes > 1]) if np.any(sizes > 1) else None
    if common is None:
        raise Undefined("No output was judged by two raters.")
    size = int(common.argmax())
    chosen = sizes[units] == size
    counts = label_counts(compact(units[chosen]), labels[chosen]).toarray()
    agreement = np.mean((np.sum(counts**2, axis=1) - size) / (size * (size - 1)))
    shares = counts.sum(axis=0) / counts.sum()
    chance = float(np.sum(shares**2))
    if chance >= 1:
        raise Undefined("All raters chose one category throughout, so chance alone agrees.")
    kappa = float((agreement - chance) / (1 - chance))
    return Coefficient(f"Fleiss κ ({size} raters an output)", kappa, units=len(counts))
