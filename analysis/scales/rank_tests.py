"""Tests on ranks: Kruskal–Wallis with Dunn, Friedman, and Wilcoxon signed-rank with Holm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.scales.comparison import holm
from analysis.typing import Codes, Values


@dataclass(frozen=True)
class RankTest:
    """A test that all systems are alike: chi-squared distributed `statistic`."""

    test: str
    statistic: float
    df: int
    p: float
    n: int


@dataclass(frozen=True)
class RankPair:
    """One pair after a rank test; `p_holm` is adjusted for all pairs, `n` counts values."""

    a: str
    b: str
    statistic: float | None
    p: float | None
    p_holm: float | None
    n: int
    reason: str = ""


def kruskal_wallis(values: ArrayLike, groups: Codes, count: int) -> RankTest:
    """Kruskal and Wallis's test on ranks, corrected for ties.

    Parameters
    ----------
    values : shape (judgements,), of any unit: only their order counts
    groups : shape (judgements,), code of the group of each value
    count : number of groups; those without a value are left out

    Returns
    -------
    RankTest : χ² with its degrees of freedom and p; `n` counts the values

    Raises
    ------
    Undefined : fewer than two groups with values, or all values are equal

    Source
    ------
    Kruskal & Wallis (1952).
    """
    ranks = _ranks(values)
    sizes = np.bincount(groups, minlength=count)
    filled = int(np.sum(sizes > 0))
    if filled < 2:
        raise Undefined("The Kruskal–Wallis test needs at least two systems.")
    variance = _rank_variance(ranks)
    means = np.bincount(groups, ranks, minlength=count) / np.maximum(sizes, 1)
    deviations = sizes * np.where(sizes > 0, means - (len(ranks) + 1) / 2, 0.0) ** 2
    statistic = float(np.sum(deviations) / variance)
    return RankTest(
        "Kruskal–Wallis",
        statistic,
        filled - 1,
        float(scipy.special.chdtrc(filled - 1, statistic)),
        len(ranks),
    )


def dunn(values: ArrayLike, groups: Codes, labels: Sequence[str]) -> tuple[RankPair, ...]:
    """Compare the mean ranks of all pairs of systems, after a Kruskal–Wallis test.

    Parameters
    ----------
    values : shape (judgements,), of any unit: only their order counts
    groups : shape (judgements,), codes into `labels`
    labels : names of the systems; those without a value are left out

    Returns
    -------
    tuple of RankPair : for each pair z, its two-sided p, p with Holm's adjustment, and the number
        of values of both systems

    Raises
    ------
    Undefined : all values are equal

    Source
    ------
    Dunn (1964); Holm (1979).
    """
    ranks = _ranks(values)
    sizes = np.bincount(groups, minlength=len(labels))
    variance = _rank_variance(ranks)
    present = np.nonzero(sizes)[0]
    means = np.bincount(groups, ranks, minlength=len(labels))[present] / sizes[present]
    first, second = np.triu_indices(len(present), 1)
    spread = variance * (1 / sizes[present][first] + 1 / sizes[present][second])
    z = (means[first] - means[second]) / np.sqrt(spread)
    p_values = 2 * scipy.special.ndtr(-np.abs(z))
    adjusted = holm(p_values)
    return tuple(
        RankPair(
            labels[present[first[k]]],
            labels[present[second[k]]],
            float(z[k]),
            float(p_values[k]),
            float(adjusted[k]),
            int(sizes[present[first[k]]] + sizes[present[second[k]]]),
        )
        for k in range(len(z))
    )


def _ranks(values: ArrayLike) -> Values:
    ranks: Values = scipy.stats.rankdata(np.asarray(values, dtype=np.float64))
    return ranks


def _rank_variance(ranks: Values) -> float:
    """Variance of the ranks; with no ties it is N(N + 1)/12."""
    variance = float(np.var(ranks, ddof=1)) if len(ranks) > 1 else 0.0
    if variance == 0:
        raise Undefined("All values are equal, so their ranks say nothing.")
    return variance


def friedman(block_means: Values) -> RankTest:
    """Friedman's test for complete blocks.

    Parameters
    ----------
    block_means : shape (blocks, systems); NaN where a block lacks a system. Incomplete blocks are
        left out.

    Returns
    -------
    RankTest : χ² with its degrees of freedom and p; `n` counts the complete blocks

    Raises
    ------
    Undefined : fewer than three systems or two complete blocks, or equal values within every block

    Source
    ------
    Friedman (1937).
    """
    complete = block_means[~np.isnan(block_means).any(axis=1)]
    if complete.shape[1] < 3:
        raise Undefined("Friedman's test needs at least three systems.")
    if len(complete) < 2:
        raise Undefined("Friedman's test needs two blocks or more in which every system was rated.")
    if np.all(complete == complete[:, :1]):
        raise Undefined("Every block gives all systems the same value.")
    statistic, p = scipy.stats.friedmanchisquare(*complete.T)
    return RankTest("Friedman", float(statistic), complete.shape[1] - 1, float(p), len(complete))


def block_means(values: Values, blocks: Codes, groups: Codes, shape: tuple[int, int]) -> Values:
    """Average each (block, group) cell, NaN where it is empty.

    Parameters
    ----------
    values : shape (judgements,)
    blocks, groups : shape (judgements,), codes
    shape : (blocks, groups), that of the result
    """
    cells = blocks.astype(np.int64) * shape[1] + groups
    size = shape[0] * shape[1]
    sizes = np.bincount(cells, minlength=size)
    sums = np.bincount(cells, values, minlength=size)
    means: Values = np.divide(sums, sizes, out=np.full(size, np.nan), where=sizes > 0)
    return means.reshape(shape)


def wilcoxon_pairs(means: Values, labels: Sequence[str]) -> tuple[RankPair, ...]:
    """Wilcoxon's signed-rank test of every pair over the blocks that both systems have.

    Zeros are ranked as Pratt does, so that the test keeps its size when many blocks tie.

    Parameters
    ----------
    means : shape (blocks, systems), NaN where a block lacks a system (see `block_means`)
    labels : names of the systems

    Returns
    -------
    tuple of RankPair : for each pair the statistic, its two-sided p, p with Holm's adjustment and
        the number of blocks; a pair without a test has its reason

    Source
    ------
    Wilcoxon (1945); Pratt (1959); Holm (1979).
    """
    raw = [
        _signed_rank(means[:, i], means[:, j], labels[i], labels[j])
        for i in range(len(labels))
        for j in range(i + 1, len(labels))
    ]
    defined = [index for index, pair in enumerate(raw) if pair.p is not None]
    adjusted = holm([raw[index].p or 0.0 for index in defined])
    for index, p_holm in zip(defined, adjusted, strict=True):
        pair = raw[index]
        raw[index] = RankPair(pair.a, pair.b, pair.statistic, pair.p, float(p_holm), pair.n)
    return tuple(raw)


def _signed_rank(first: Values, second: Values, a: str, b: str) -> RankPair:
    both = ~(np.isnan(first) | np.isnan(second))
    differences = (first - second)[both]
    count = len(differences)
    if count == 0:
        return RankPair(a, b, None, None, None, 0, "The two systems share no item.")
    if not np.any(differences):
        return RankPair(a, b, None, None, None, count, "The two systems are equal on every item.")
    # Pratt's zeros keep the size of the test when many items tie.
    result = scipy.stats.wilcoxon(differences, zero_method="pratt", method="asymptotic")
    return RankPair(a, b, float(result.statistic), float(result.pvalue), None, count)
