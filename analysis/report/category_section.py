"""The part of a report about choices: percentages by system, as the E2E paper's Table 12."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.report.options import ReportOptions
from analysis.scales.codes import in_use
from analysis.scales.rank_tests import RankTest
from analysis.table import JudgementTable

COVERAGE_LABELS = ("OK", "A", "M", "A+M")


@dataclass(frozen=True)
class CategoryRow:
    """Counts of each category for one system."""

    system: str
    judgements: int
    counts: tuple[int, ...]
    percent: tuple[float, ...]


@dataclass(frozen=True)
class CategorySection:
    """Counts and percentages, most of the first category first, and Pearson's test of equality."""

    labels: tuple[str, ...]
    rows: tuple[CategoryRow, ...]
    test: RankTest | None
    reason: str = ""


def category_section(table: JudgementTable, options: ReportOptions) -> CategorySection:
    """Count the categories of one criterion; value n is the label number n, from 0."""
    counts, labels = _counted(table, options)
    sizes = counts.sum(axis=1)
    percent = 100 * counts / sizes[:, None]
    order = np.lexsort([np.arange(len(percent)), -percent[:, 0]])
    rows = tuple(
        CategoryRow(
            table.system.labels[k],
            int(sizes[k]),
            tuple(int(each) for each in counts[k]),
            tuple(float(each) for each in percent[k]),
        )
        for k in order
    )
    test, reason = _independence(counts)
    return CategorySection(labels, rows, test, reason)


def _counted(
    table: JudgementTable, options: ReportOptions
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Counts by (system, category); values without a given label become separate categories."""
    criterion = table.criterion.labels[0]
    given = options.categories.get(criterion, COVERAGE_LABELS if criterion == "coverage" else ())
    distinct = sorted({*map(float, range(len(given))), *in_use(table.value).tolist()})
    labels = tuple(
        given[int(value)] if value.is_integer() and 0 <= value < len(given) else f"{value:g}"
        for value in distinct
    )
    codes = np.searchsorted(distinct, table.value)
    shape = (len(table.system.labels), len(distinct))
    cells = table.system.codes.astype(np.int64) * shape[1] + codes
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape), labels


def _independence(counts: NDArray[np.int64]) -> tuple[RankTest | None, str]:
    """Pearson's chi-squared over the categories that occur; it takes judgements as independent."""
    used = counts[:, counts.sum(axis=0) > 0]
    if used.shape[0] < 2 or used.shape[1] < 2:
        return None, "A test needs two systems and two categories that were chosen."
    statistic, p, df, _ = scipy.stats.chi2_contingency(used)
    return RankTest("Pearson χ²", float(statistic), int(df), float(p), int(used.sum())), ""
