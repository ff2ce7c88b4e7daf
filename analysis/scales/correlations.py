"""Correlations between criteria, over systems or over outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.scales.codes import compact
from analysis.scales.rank_tests import block_means
from analysis.table import JudgementTable
from analysis.typing import Values

METHODS = ("pearson", "spearman", "kendall")
MOST_PERMUTED = 9  # pairs whose orders are all counted: 362,880 of them
ROUNDING = 1e-9


@dataclass(frozen=True)
class Correlation:
    """One pair of criteria; undefined values are None with a reason; `p` is two-sided."""

    a: str
    b: str
    method: str
    level: str
    value: float | None
    p: float | None
    n: int
    reason: str = ""


def correlations(
    table: JudgementTable,
    *,
    methods: Sequence[str] = METHODS,
    level: str = "system",
) -> tuple[Correlation, ...]:
    """Correlate the means of every two criteria over the systems, or over the outputs.

    Parameters
    ----------
    table : judgements of several criteria
    methods : names from METHODS
    level : `system`, or `output` for the outputs that have both criteria

    Returns
    -------
    For each pair of criteria and each method the coefficient with its two-sided p, or None with
    a reason

    Source
    ------
    TUNA (Gatt, Belz & Kow 2008) correlates its measures over system means (Pearson).
    """
    means = _means(table, level)
    labels = table.criterion.labels
    return tuple(
        correlate(means[:, i], means[:, j], method, (labels[i], labels[j]), level)
        for i in range(len(labels))
        for j in range(i + 1, len(labels))
        for method in methods
    )


def _means(table: JudgementTable, level: str) -> Values:
    """Means by (system or output, criterion), NaN where there is none."""
    rows = table.system.codes.astype(np.int64)
    if level == "output":
        rows = rows * len(table.item.labels) + table.item.codes
    rows = compact(rows)
    shape = (int(rows.max(initial=-1)) + 1, len(table.criterion.labels))
    return block_means(table.value, rows, table.criterion.codes, shape)


def correlate(
    first: Values, second: Values, method: str, names: tuple[str, str], level: str
) -> Correlation:
    """Correlate two columns where both have a value; too few or constant values have a reason.

    Parameters
    ----------
    first : shape (units,), NaN where there is no value
    second : shape (units,)
    method : `pearson`, `spearman` or `kendall`
    names : of the two criteria
    level : what a unit is: `segment` or `system`
    """
    both = ~(np.isnan(first) | np.isnan(second))
    first, second, count = first[both], second[both], int(both.sum())
    if count < 3:
        reason = f"Fewer than three {level}s have both criteria."
        return Correlation(*names, method, level, None, None, count, reason)
    for values, name in ((first, names[0]), (second, names[1])):
        if np.all(values == values[0]):
            reason = f"{name} is the same for every {level}."
            return Correlation(*names, method, level, None, None, count, reason)
    compute = {
        "pearson": scipy.stats.pearsonr,
        "spearman": scipy.stats.spearmanr,
        "kendall": scipy.stats.kendalltau,
    }
    value, p = compute[method](first, second)
    if method == "spearman" and count <= MOST_PERMUTED:
        p = exact_spearman_p(first, second)
    return Correlation(*names, method, level, float(value), float(p), count)


def exact_spearman_p(first: Values, second: Values) -> float:
    """Test Spearman's ρ of a few pairs against every order of one column, two-sided.

    Parameters
    ----------
    first, second : shape (pairs,), at most nine, neither constant; ties are allowed

    Returns
    -------
    The share of all orders in which |ρ| is at least as large as here. The usual approximation by
    Student's t says 0 for three pairs in the same order, which one order in three is by chance.

    Source
    ------
    R's `cor.test`, which also counts all orders below ten pairs (there without ties)
    """
    ranks = [scipy.stats.rankdata(each) for each in (first, second)]
    centred = [each - each.mean() for each in ranks]
    shuffled = centred[1][_orders(len(first))] @ centred[0]
    observed = abs(float(centred[0] @ centred[1]))
    return float(np.mean(np.abs(shuffled) >= observed - ROUNDING))


@lru_cache(maxsize=1)
def _orders(count: int) -> NDArray[np.int8]:
    return np.array(list(permutations(range(count))), dtype=np.int8)
