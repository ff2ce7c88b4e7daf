"""One-sided paired tests that a rater scores texts above their damaged copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.typing import Values

MOST_EXACT = 25


@dataclass(frozen=True)
class PairedTest:
    """The signed-rank test of `pairs` differences, of which `zeros` are ties.

    `unpaired_p` is the test that Appraise computes on the same scores, which ignores the pairs.
    """

    statistic: float
    p: float
    pairs: int
    zeros: int
    is_exact: bool
    unpaired_p: float


def signed_rank(good: ArrayLike, bad: ArrayLike) -> PairedTest:
    """Test whether scores are higher than those of their damaged copies.

    Zeros are ranked and then left out (Pratt 1959); ties share the mean of their ranks. Up to 25
    pairs the null distribution is exact, given these ranks: each sign is a fair coin. Beyond that
    it is normal, with the variance that belongs to the ranks.

    Parameters
    ----------
    good : shape (pairs,), scores of the texts as they are
    bad : shape (pairs,), scores of the damaged copies of the same texts, in the same order

    Returns
    -------
    PairedTest : p is small if the scores of `good` are the higher ones

    Raises
    ------
    Undefined : there is no pair, or a score is not a number

    Source
    ------
    Wilcoxon (1945); Pratt (1959); Appraise: Federmann (2018), `run_quality_control`.
    """
    good, bad = np.asarray(good, dtype=np.float64), np.asarray(bad, dtype=np.float64)
    if good.shape != bad.shape or good.ndim != 1:
        raise ValueError("Each text needs one score, and its damaged copy another.")
    if not len(good):
        raise Undefined("There is no pair of a text and its damaged copy.")
    if not (np.isfinite(good).all() and np.isfinite(bad).all()):
        raise Undefined("A score is not a number.")
    differences = good - bad
    ranks = _pratt_ranks(differences)
    signed = ranks[differences != 0]
    statistic = float(np.sum(ranks[differences > 0]))
    is_exact = len(good) <= MOST_EXACT
    p = _exact_tail(signed, statistic) if is_exact else _normal_tail(signed, statistic)
    zeros = int(np.sum(differences == 0))
    return PairedTest(statistic, p, len(good), zeros, is_exact, unpaired_p(good, bad))


def unpaired_p(good: ArrayLike, bad: ArrayLike) -> float:
    """Compute the p of Appraise's test: Mann and Whitney's, one-sided, as if there were no pairs.

    Appraise standardises the scores within the rater first. That keeps their order, and the test
    uses nothing but the order.

    Parameters
    ----------
    good : shape (pairs,), scores of the good outputs
    bad : shape (pairs,), scores of the damaged ones

    Source
    ------
    Mann & Whitney (1947); Federmann (2018), Appraise.
    """
    good, bad = np.asarray(good, dtype=np.float64), np.asarray(bad, dtype=np.float64)
    if np.ptp(np.concatenate([good, bad])) == 0:
        return 1.0
    return float(scipy.stats.mannwhitneyu(bad, good, alternative="less").pvalue)


def _pratt_ranks(differences: Values) -> Values:
    """Rank the absolute differences, zeros included, whose own ranks are then set to 0."""
    ranks: Values = scipy.stats.rankdata(np.abs(differences))
    return np.where(differences == 0, 0.0, ranks)


def _exact_tail(ranks: Values, statistic: float) -> float:
    """P(sum of the ranks with a positive sign ≥ statistic), if every sign is a fair coin.

    Mid-ranks are multiples of one half, so doubled ranks are whole numbers, and their sums can be
    counted one rank after the other.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] = (ways[rank:] + ways[: len(ways) - rank]) / 2
        ways[:rank] /= 2
    return float(min(1.0, ways[round(2 * statistic) :].sum()))


def _normal_tail(ranks: Values, statistic: float) -> float:
    variance = float(np.sum(ranks**2)) / 4
    if variance == 0:
        return 1.0
    return float(scipy.special.ndtr(-(statistic - float(ranks.sum()) / 2) / np.sqrt(variance)))


def least_p(pairs: int) -> float:
    """Compute the smallest p that this many pairs can reach: all differences positive.

    Parameters
    ----------
    pairs : at least 1
    """
    return 2.0**-pairs
