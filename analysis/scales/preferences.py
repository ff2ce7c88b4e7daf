"""How often a rater prefers one system to another, with an interval for raters and items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.typing import Codes, Values

from .rater_tests import Comparisons, pair_codes

# Fewer raters or items cannot show how others differ from them.
LEAST_UNITS = 3


@dataclass(frozen=True)
class Preference:
    """The probability that a rater prefers `a` to `b` on an item; a tie counts half.

    `b` is empty where `a` is compared with all others. The interval is that of this pair alone, at
    1 − alpha; it is None where raters or items are too few.
    """

    a: str
    b: str
    share: float
    low: float | None
    high: float | None
    comparisons: int


def preferences(
    found: Comparisons, labels: Sequence[str], *, alpha: float = 0.05
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

    Returns
    -------
    tuple of Preference : in the order of the systems

    Source
    ------
    Grissom (1994); Korn & Graubard (1998).
    """
    pairs = len(labels) * (len(labels) - 1) // 2
    first, second = np.triu_indices(len(labels), 1)
    groups, wins = pair_codes(found, len(labels)), _wins(found)
    shares = _Shares.of(groups, wins, found.rater, found.item, count=pairs, alpha=alpha)
    return tuple(shares.named(k, labels[first[k]], labels[second[k]]) for k in shares.known)


def preferences_to_rest(
    found: Comparisons, labels: Sequence[str], *, alpha: float = 0.05
) -> tuple[Preference, ...]:
    """Estimate the probability that a system is preferred to another one it was compared with.

    Parameters
    ----------
    found : comparisons by the same rater on the same item
    labels : names of the systems
    alpha : 1 − confidence of each interval alone

    Returns
    -------
    tuple of Preference : in the order of the systems, with an empty `b`

    Source
    ------
    As `preferences`.
    """
    wins = _wins(found)
    shares = _Shares.of(
        np.concatenate([found.first, found.second]).astype(np.int64),
        np.concatenate([wins, 1 - wins]),
        np.concatenate([found.rater, found.rater]),
        np.concatenate([found.item, found.item]),
        count=len(labels),
        alpha=alpha,
    )
    return tuple(shares.named(k, labels[k], "") for k in shares.known)


def _wins(found: Comparisons) -> Values:
    wins: Values = (1 + np.sign(found.difference)) / 2
    return wins


@dataclass(frozen=True, eq=False)
class _Shares:
    """Shares of wins by group, with their intervals; arrays of shape (groups,)."""

    share: Values
    low: Values
    high: Values
    sizes: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        groups: NDArray[np.int64],
        wins: Values,
        raters: Codes,
        items: Codes,
        *,
        count: int,
        alpha: float,
    ) -> _Shares:
        sizes = np.bincount(groups, minlength=count)
        share = np.bincount(groups, wins, minlength=count) / np.maximum(sizes, 1)
        residuals = wins - share[groups]
        ways = [_clustered(groups, units, residuals, count) for units in (raters, items)]
        scarcer = np.minimum(ways[0][1], ways[1][1])
        low, high = _interval(share, ways[0][0] + ways[1][0], scarcer, sizes, alpha)
        return cls(share, low, high, sizes)

    @property
    def known(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.sizes)

    def named(self, k: int, a: str, b: str) -> Preference:
        low, high = (None if np.isnan(end) else float(end) for end in (self.low[k], self.high[k]))
        return Preference(a, b, float(self.share[k]), low, high, int(self.sizes[k]))


def _clustered(
    groups: NDArray[np.int64], units: Codes, residuals: Values, count: int
) -> tuple[Values, Values]:
    """Variance of each group's mean, clustered by unit, and Kish's effective number of units."""
    keys, cells = np.unique(groups * (int(units.max()) + 1) + units, return_inverse=True)
    group_of = keys // (int(units.max()) + 1)
    sums, sizes = np.bincount(cells, residuals), np.bincount(cells).astype(np.float64)
    number = np.bincount(group_of, minlength=count)
    total = np.bincount(group_of, sizes, minlength=count)
    correction = number / np.maximum(number - 1, 1) / np.maximum(total, 1) ** 2
    variance = np.bincount(group_of, sums**2, minlength=count) * correction
    squares = np.bincount(group_of, sizes**2, minlength=count)
    return variance, total**2 / np.maximum(squares, 1)


def _interval(
    share: Values, variance: Values, units: Values, sizes: NDArray[np.int64], alpha: float
) -> tuple[Values, Values]:
    """Clopper and Pearson's interval for the effective number of judgements; NaN: too few units.

    The variance is enlarged by 1/df, because that of a few skewed shares is too small too often
    (coverage .92 instead of .93 in the worst cell of `benchmarks/effect_sizes.py`). Where all
    agree, each of the scarcer units counts as one judgement.
    """
    df = np.maximum(units - 1, 1)
    spread = share * (1 - share)
    unanimous = spread < 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = np.minimum(spread / (variance * (1 + 1 / df)), sizes)
    narrowing = (scipy.special.ndtri(alpha / 2) / scipy.special.stdtrit(df, alpha / 2)) ** 2
    number = np.where(unanimous, units, effective * narrowing)
    hits = number * share
    low = np.where(share > 0, scipy.special.betaincinv(hits, number - hits + 1, alpha / 2), 0.0)
    high = np.where(
        share < 1, scipy.special.betaincinv(hits + 1, number - hits, 1 - alpha / 2), 1.0
    )
    few = np.rint(units) < LEAST_UNITS
    return np.where(few, np.nan, low), np.where(few, np.nan, high)
