"""How often a rater prefers one system to another, with an interval for raters and items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.inference import LEAST_UNITS
from analysis.typing import Codes, Values

from .rater_tests import Comparisons, pair_codes

# The group of each comparison on one side, and its wins; shape (comparisons,).
Side = tuple[Codes, NDArray[np.float32]]


@dataclass(frozen=True)
class Preference:
    """The probability that a rater prefers `a` to `b` on an item; a tie counts half.

    `b` is empty where `a` is compared with all others. The interval is that of this pair alone, at
    1 − alpha; it and `error` are None where raters or items are too few.
    """

    a: str
    b: str
    share: float
    error: float | None
    df: float
    low: float | None
    high: float | None
    comparisons: int


def preferences(
    found: Comparisons,
    labels: Sequence[str],
    *,
    alpha: float = 0.05,
    generality: str = "both",
) -> tuple[Preference, ...]:
    """Estimate the probability of being preferred, for every pair that was compared.

    Cliff's δ is 2p − 1. The interval takes the variances of raters and of items, clustered and
    added (which is never too small), and their scarcer effective number less one as degrees of
    freedom. It is Clopper and Pearson's for as many judgements as would have that variance, so that
    it also holds near 0 and 1, where all agree.

    Parameters
    ----------
    found : comparisons by the same rater on the same item
    labels : names of the systems
    alpha : 1 − confidence of each interval alone
    generality : what the intervals are about: new `raters`, new `items` or `both`

    Returns
    -------
    tuple of Preference : in the order of the systems

    Source
    ------
    Grissom (1994); Korn & Graubard (1998).
    """
    names = list(combinations(labels, 2))
    groups = pair_codes(found, len(labels))
    sides = [(groups, _wins(found))]
    return _preferences(names, sides, (found.rater, found.item), (alpha, generality))


def preferences_to_rest(
    found: Comparisons,
    labels: Sequence[str],
    *,
    alpha: float = 0.05,
    generality: str = "both",
) -> tuple[Preference, ...]:
    """Estimate the probability that a system is preferred to another one it was compared with.

    Parameters
    ----------
    found : comparisons by the same rater on the same item
    labels : names of the systems
    alpha : 1 − confidence of each interval alone
    generality : what the intervals are about: new `raters`, new `items` or `both`

    Returns
    -------
    tuple of Preference : in the order of the systems, with an empty `b`

    Source
    ------
    As `preferences`.
    """
    names = [(name, "") for name in labels]
    wins = _wins(found)
    sides = [(found.first, wins), (found.second, 1 - wins)]
    return _preferences(names, sides, (found.rater, found.item), (alpha, generality))


def _wins(found: Comparisons) -> NDArray[np.float32]:
    """1, 1/2 or 0 for each comparison: there are twice as many as judgements."""
    return ((1 + np.sign(found.difference)) / 2).astype(np.float32)


def _preferences(
    names: Sequence[tuple[str, str]],
    sides: Sequence[Side],
    units: tuple[Codes, Codes],
    settings: tuple[float, str],
) -> tuple[Preference, ...]:
    """Average the wins of each group; `units` are the raters and items of each comparison.

    The sides of all comparisons are looked at one after the other: there are millions of them.
    """
    alpha, generality = settings
    count = len(names)
    sizes = np.sum([np.bincount(groups, minlength=count) for groups, _ in sides], axis=0)
    won = np.sum([np.bincount(groups, wins, minlength=count) for groups, wins in sides], axis=0)
    share = won / np.maximum(sizes, 1)
    sampled = {"raters": units[:1], "items": units[1:], "both": units}[generality]
    ways = [_clustered(sides, codes, share) for codes in sampled]
    number = np.min([effective for _, effective in ways], axis=0)
    df = np.maximum(number - 1, 1)
    variance = np.sum([each for each, _ in ways], axis=0) * (1 + 1 / df)
    low, high = _interval(share, variance, number, sizes, alpha)
    # Where all say the same, even ties, the variance is that of as many coins as there are units.
    error = np.sqrt(np.where(variance > 1e-12, variance, 0.25 / np.maximum(number, 1)))
    enough = np.rint(number) >= LEAST_UNITS
    return tuple(
        Preference(
            a=names[k][0],
            b=names[k][1],
            share=float(share[k]),
            error=float(error[k]) if enough[k] else None,
            df=float(df[k]),
            low=float(low[k]) if enough[k] else None,
            high=float(high[k]) if enough[k] else None,
            comparisons=int(sizes[k]),
        )
        for k in np.flatnonzero(sizes).tolist()
    )


def _clustered(sides: Sequence[Side], units: Codes, share: Values) -> tuple[Values, Values]:
    """Variance of each group's mean, clustered by unit, and Kish's effective number of units."""
    width, count = int(units.max()) + 1, len(share)
    all_cells: Iterator[Codes] = (groups.astype(np.int64) * width + units for groups, _ in sides)
    if count * width <= len(sides) * len(units):  # all that could be there take less than a sort
        keys = np.arange(count * width)
    else:
        keys, places = np.unique(np.concatenate(list(all_cells)), return_inverse=True)
        all_cells = iter(np.split(places, len(sides)))
    sums, sizes = np.zeros(len(keys)), np.zeros(len(keys))
    for (groups, wins), cells in zip(sides, all_cells, strict=True):
        residuals = share[groups]
        np.subtract(wins, residuals, out=residuals)
        np.add.at(sums, cells, residuals)
        sizes += np.bincount(cells, minlength=len(keys))
    group_of = keys // width
    number = np.bincount(group_of, sizes > 0, minlength=count)
    total = np.bincount(group_of, sizes, minlength=count)
    correction = number / np.maximum(number - 1, 1) / np.maximum(total, 1) ** 2
    variance = np.bincount(group_of, sums**2, minlength=count) * correction
    squares = np.bincount(group_of, sizes**2, minlength=count)
    return variance, total**2 / np.maximum(squares, 1)


def _interval(
    share: Values, variance: Values, units: Values, sizes: NDArray[np.int64], alpha: float
) -> tuple[Values, Values]:
    """Clopper and Pearson's interval for the effective number of judgements.

    The variance has been enlarged by 1/df, because that of a few skewed shares is too small too
    often (`benchmarks/pair_effects.py`). Where all agree, each unit counts as one judgement.
    """
    df = np.maximum(units - 1, 1)
    spread = share * (1 - share)
    effective = np.minimum(spread / np.maximum(variance, 1e-300), sizes)
    narrowing = (scipy.special.ndtri(alpha / 2) / scipy.special.stdtrit(df, alpha / 2)) ** 2
    number = np.where(variance > 1e-12, effective * narrowing, units)
    hits = number * share
    low = scipy.special.betaincinv(np.maximum(hits, 1e-9), number - hits + 1, alpha / 2)
    high = scipy.special.betaincinv(hits + 1, np.maximum(number - hits, 1e-9), 1 - alpha / 2)
    return np.where(share > 0, low, 0.0), np.where(share < 1, high, 1.0)
