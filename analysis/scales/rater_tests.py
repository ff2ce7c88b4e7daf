"""Exact tests of every two systems in which a rater is one observation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.errors import Undefined
from analysis.typing import Codes, Values

from .rank_tests import block_means

# All 2^(n − 1) patterns of signs up to 15 raters; beyond, as many are drawn.
MOST_PATTERNS = 2**14
CHUNK = 512
MOST_COMPARISONS = 20_000_000


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Comparisons of two systems by one rater, arrays of shape (comparisons,).

    `first` < `second` number the systems. `difference` is what the rater gave the first beyond
    the second, positive where the first is better; of choices and magnitudes only the sign.
    """

    first: Codes
    second: Codes
    rater: Codes
    item: Codes
    difference: Values


@dataclass(frozen=True)
class RaterTest:
    """One pair: the raters in favour of each system, and p of two tests, adjusted for all.

    `difference` is the mean of the raters' own mean differences.
    """

    a: str
    b: str
    for_a: int
    undecided: int
    for_b: int
    difference: float
    sign_p: float
    permutation_p: float


@dataclass(frozen=True)
class RaterTests:
    """Tests of all pairs; `patterns` of signs were compared, all that exist if `is_exact`."""

    pairs: tuple[RaterTest, ...]
    raters: int
    patterns: int
    is_exact: bool
    alpha: float

    def apart(self) -> tuple[RaterTest, ...]:
        """Return the pairs that either test tells apart."""
        return tuple(
            pair for pair in self.pairs if min(pair.sign_p, pair.permutation_p) < self.alpha
        )


def least_raters(alpha: float) -> int:
    """Compute how many raters have to agree before an exact test can claim anything.

    Parameters
    ----------
    alpha : level of the claim
    """
    return math.floor(1 - math.log2(alpha)) + 1


def side_by_side(
    values: Values, systems: Codes, raters: Codes, items: Codes, groups: Codes
) -> Comparisons:
    """Compare every two systems that a rater judged on one item.

    Parameters
    ----------
    values : shape (judgements,), higher is better
    systems, raters, items : shape (judgements,), codes
    groups : shape (judgements,), what takes the item's place afterwards, such as its document

    Returns
    -------
    Comparisons : one for each two judgements of a rater on an item; none where each rater judged
        one system of each item

    Raises
    ------
    Undefined : there are too many comparisons
    """
    order = np.lexsort([systems, items, raters])
    cells = raters[order].astype(np.int64) * (int(items.max()) + 1) + items[order]
    starts = np.flatnonzero(np.r_[True, cells[1:] != cells[:-1]])
    sizes = np.diff(np.r_[starts, len(cells)])
    if np.sum(sizes * (sizes - 1.0)) / 2 > MOST_COMPARISONS:
        raise Undefined(f"There are more than {MOST_COMPARISONS:,} comparisons within raters.")
    left, right = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        rows = order[starts[sizes == size, None] + np.arange(size)]
        i, j = np.triu_indices(size, k=1)
        left.append(rows[:, i].ravel())
        right.append(rows[:, j].ravel())
    a, b = np.concatenate(left), np.concatenate(right)
    different = systems[a] != systems[b]
    a, b = a[different], b[different]
    return Comparisons(systems[a], systems[b], raters[a], groups[a], values[a] - values[b])


def rater_differences(found: Comparisons, raters: int, systems: int) -> Values:
    """Average each rater's differences of every two systems.

    Parameters
    ----------
    found : the comparisons
    raters, systems : how many there are

    Returns
    -------
    shape (raters, pairs), pairs in the order of `numpy.triu_indices`; NaN where a rater compared
    no outputs of the two
    """
    shape = (raters, systems * (systems - 1) // 2)
    return block_means(found.difference, found.rater, pair_codes(found, systems), shape)


def pair_codes(found: Comparisons, systems: int) -> NDArray[np.int64]:
    """Number the pair of each comparison in the order of `numpy.triu_indices`.

    Parameters
    ----------
    found : the comparisons
    systems : how many there are
    """
    first = found.first.astype(np.int64)
    codes: NDArray[np.int64] = first * (2 * systems - first - 3) // 2 + found.second - 1
    return codes


def mean_differences(
    values: Values, systems: Codes, raters: Codes, shape: tuple[int, int]
) -> Values:
    """Subtract each rater's means of every two systems, where nobody judged two on one item.

    Parameters
    ----------
    values : shape (judgements,), higher is better
    systems, raters : shape (judgements,), codes
    shape : (raters, systems)

    Returns
    -------
    shape (raters, pairs), as `rater_differences`
    """
    means = block_means(values, raters, systems, shape)
    first, second = np.triu_indices(shape[1], 1)
    differences: Values = means[:, first] - means[:, second]
    return differences


def rater_tests(
    differences: Values, labels: Sequence[str], *, alpha: float = 0.05, seed: int = 1
) -> RaterTests:
    """Test every two systems by whether and how far single raters favour one of them.

    If two systems are equal for the people whom the raters come from, a rater's mean difference
    is as likely to be d as −d. The sign test counts the raters on either side; the permutation
    test compares the mean with its values under all patterns of signs. Both are adjusted for all
    pairs, and for being two, by the largest statistic under the same patterns, step by step: a
    pattern turns a whole rater round. All claims of both hold together, for other raters *on these
    items*.

    Parameters
    ----------
    differences : shape (raters, pairs), NaN where a rater did not compare the two
    labels : names of the systems
    alpha : level of all claims together
    seed : of the patterns that are drawn if there are more than 15 raters

    Returns
    -------
    RaterTests : every pair with two adjusted p-values

    Raises
    ------
    Undefined : fewer than two systems, or too few raters to reach `alpha` even if they agree

    Source
    ------
    Fisher (1935); Westfall & Young (1993), algorithm 4.1; drawn patterns: Phipson & Smyth (2010).
    """
    if len(labels) < 2:
        raise Undefined("A comparison needs at least two systems.")
    given = np.nan_to_num(differences)
    given[np.abs(given) < 1e-12 * np.abs(given).max(initial=0.0)] = 0.0
    given = given[np.any(given != 0, axis=1)]
    needed = least_raters(alpha)
    if len(given) < needed:
        raise Undefined(
            f"An exact test at {alpha:g} needs {needed} raters who tell systems apart, even if "
            f"all of them agree; here there are {len(given)}."
        )
    first, second = np.triu_indices(len(labels), 1)
    is_exact = 2 ** (len(given) - 1) <= MOST_PATTERNS
    statistics = np.concatenate([np.sign(given), given], axis=1)
    lengths = np.sqrt(np.sum(statistics**2, axis=0))
    statistics = np.divide(statistics, lengths, out=statistics, where=lengths > 0)
    patterns = _all_patterns(len(given)) if is_exact else _drawn_patterns(len(given), seed)
    adjusted = _adjusted(statistics, patterns)
    pairs = len(first)
    return RaterTests(
        pairs=tuple(
            RaterTest(
                a=labels[first[k]],
                b=labels[second[k]],
                for_a=int(np.sum(differences[:, k] > 0)),
                undecided=int(np.sum(differences[:, k] == 0)),
                for_b=int(np.sum(differences[:, k] < 0)),
                difference=float(np.nanmean(differences[:, k])),
                sign_p=float(adjusted[k]),
                permutation_p=float(adjusted[pairs + k]),
            )
            for k in range(pairs)
            if not np.isnan(differences[:, k]).all()
        ),
        raters=len(differences),
        patterns=2 ** len(given) if is_exact else MOST_PATTERNS,
        is_exact=is_exact,
        alpha=alpha,
    )


def _all_patterns(raters: int) -> Iterator[Values]:
    """Yield all patterns of signs in chunks; the first rater keeps theirs, by symmetry."""
    for start in range(0, 2 ** (raters - 1), CHUNK):
        numbers = np.arange(start, min(start + CHUNK, 2 ** (raters - 1)))
        yield (1 - 2 * (numbers[:, None] >> np.arange(raters) & 1)).astype(np.float64)


def _drawn_patterns(raters: int, seed: int) -> Iterator[Values]:
    """Yield the pattern as it is, then drawn ones."""
    rng = np.random.default_rng(seed)
    for start in range(0, MOST_PATTERNS, CHUNK):
        signs = (1 - 2 * rng.integers(0, 2, (CHUNK, raters))).astype(np.float64)
        if start == 0:
            signs[0] = 1.0
        yield signs


def _adjusted(statistics: Values, patterns: Iterator[Values]) -> Values:
    """Step-down p-values of |column sums| under the patterns of signs of the rows."""
    observed = np.abs(statistics.sum(axis=0))
    order = np.argsort(observed, kind="stable")  # from the smallest up
    least = observed[order] - 1e-9
    columns = statistics[:, order]
    reached, drawn = np.zeros(len(order)), 0
    for signs in patterns:
        largest = np.maximum.accumulate(np.abs(signs @ columns), axis=1)
        reached += np.sum(largest >= least, axis=0)
        drawn += len(signs)
    p_values = np.maximum.accumulate((reached / drawn)[::-1])[::-1]
    adjusted: Values = np.empty_like(p_values)
    adjusted[order] = p_values
    return adjusted
