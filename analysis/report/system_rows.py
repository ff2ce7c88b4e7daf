"""The systems of one criterion: how many values each has, their mean, spread and median."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.report.model import SystemRow
from analysis.report.options import ReportOptions
from analysis.table import JudgementTable
from analysis.typing import Values


def system_rows(
    part: JudgementTable,
    options: ReportOptions,
    higher: bool,
    standardised: JudgementTable | None = None,
) -> tuple[SystemRow, ...]:
    """Summarise each system: best mean first; where values are standardised, best mean of those.

    Parameters
    ----------
    part : the judgements on one criterion
    options : of the report
    higher : whether higher values are better
    standardised : the same judgements as z scores
    """
    codes, count = part.system.codes, len(part.system.labels)
    sizes = np.bincount(codes, minlength=count)
    means = np.bincount(codes, part.value, minlength=count) / sizes
    squares = np.bincount(codes, (part.value - means[codes]) ** 2, minlength=count)
    medians = _medians(part.value, codes, count)
    levels = _level_means(part, options.factors)
    ranked = means
    if standardised is not None:
        ranked = np.bincount(codes, standardised.value, minlength=count) / sizes
    order = np.argsort(-ranked if higher else ranked, kind="stable")
    return tuple(
        SystemRow(
            part.system.labels[k],
            int(sizes[k]),
            float(means[k]),
            float(np.sqrt(squares[k] / (sizes[k] - 1))) if sizes[k] > 1 else None,
            float(medians[k]),
            levels[k],
            None if standardised is None else float(ranked[k]),
        )
        for k in order
    )


def _medians(values: Values, codes: NDArray[Any], count: int) -> Values:
    order = np.lexsort([values, codes])
    ordered = values[order]
    bounds = np.searchsorted(codes[order], np.arange(count + 1))
    low, high = (bounds[1:] + bounds[:-1] - 1) // 2, (bounds[1:] + bounds[:-1]) // 2
    medians: Values = (ordered[low] + ordered[high]) / 2
    return medians


def _level_means(part: JudgementTable, factors: tuple[str, ...]) -> list[dict[str, float]]:
    """For each system its mean at every level of the first factor."""
    count = len(part.system.labels)
    if not factors or factors[0] not in part.factors:
        return [{} for _ in range(count)]
    factor = part.factors[factors[0]]
    width = len(factor.labels)
    cells = part.system.codes.astype(np.int64) * width + factor.codes
    sizes = np.bincount(cells, minlength=count * width).reshape(count, width)
    sums = np.bincount(cells, part.value, minlength=count * width).reshape(count, width)
    return [
        {
            label: float(sums[k, level] / sizes[k, level])
            for level, label in enumerate(factor.labels)
            if sizes[k, level]
        }
        for k in range(count)
    ]
