"""Profiles of raters: agreement with the rest, time, ties and use of the scale."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from analysis.errors import Undefined
from analysis.scales.codes import compact, renumber
from analysis.table import JudgementTable
from analysis.typing import Codes, Values

from .rater_errors import RaterErrors, rater_errors

# A correlation over fewer outputs says nothing about a rater.
FEWEST_SHARED = 5


@dataclass(frozen=True)
class RaterProfile:
    """One rater on one criterion.

    `agreement` is the correlation with the mean of the others on the same outputs,
    `agreement_systems` that with the others' means of the systems; None with a reason.
    `ties` is the share of pairs on a screen that were given one value. `bias` is how much higher
    the rater's values are than those of the average rater on the same outputs, with its standard
    error, and `inconsistency` the SD of what is left (see `rater_errors`); None with a reason.
    """

    rater: str
    criterion: str
    judgements: int
    screens: int
    agreement: float | None
    agreement_outputs: int
    agreement_reason: str
    agreement_systems: float | None
    seconds_per_screen: float | None
    ties: float | None
    lowest: float
    highest: float
    mean: float
    sd: float | None
    distinct: int
    most_frequent_share: float
    bias: float | None = None
    bias_se: float | None = None
    inconsistency: float | None = None
    errors_reason: str = ""


def rater_profiles(table: JudgementTable) -> tuple[RaterProfile, ...]:
    """Profile every rater on every criterion, in the order of the labels.

    Parameters
    ----------
    table : judgements of any number of criteria

    Returns
    -------
    tuple of RaterProfile : for each criterion and rater the number of judgements, the correlation
        with the mean of the others, seconds per screen, the share of ties, the range of values,
        bias and inconsistency
    """
    return tuple(
        profile
        for criterion in table.criterion.labels
        for profile in _criterion_profiles(table.for_criterion(criterion), criterion)
    )


def _criterion_profiles(table: JudgementTable, criterion: str) -> list[RaterProfile]:
    raters, values = table.rater.codes, table.value
    count = len(table.rater.labels)
    sizes = np.bincount(raters, minlength=count)
    means = np.bincount(raters, values, minlength=count) / sizes
    squares = np.bincount(raters, (values - means[raters]) ** 2, minlength=count)
    outputs = table.system.codes.astype(np.int64) * len(table.item.labels) + table.item.codes
    outputs = compact(outputs)
    agreement, shared = _agreement_with_rest(values, outputs, raters, count)
    by_system, _ = _agreement_with_rest(values, table.system.codes, raters, count)
    ties = _tied_share(values, table.screen.codes, raters, count)
    seconds = _seconds_per_screen(table)
    screens = _screens_per_rater(table)
    lowest, highest, distinct, share = _scale_use(values, raters, count)
    errors, reason = _errors(values, outputs, raters, count)
    return [
        RaterProfile(
            rater=table.rater.labels[k],
            criterion=criterion,
            judgements=int(sizes[k]),
            screens=int(screens[k]),
            agreement=_number(agreement[k]),
            agreement_outputs=int(shared[k]),
            agreement_reason=_agreement_reason(agreement[k], int(shared[k])),
            agreement_systems=_number(by_system[k]),
            seconds_per_screen=_number(seconds[k]),
            ties=_number(ties[k]),
            lowest=float(lowest[k]),
            highest=float(highest[k]),
            mean=float(means[k]),
            sd=float(np.sqrt(squares[k] / (sizes[k] - 1))) if sizes[k] > 1 else None,
            distinct=int(distinct[k]),
            most_frequent_share=float(share[k]),
            bias=_number(errors.bias[k]),
            bias_se=_number(errors.bias_se[k]),
            inconsistency=_number(errors.inconsistency[k]),
            errors_reason=reason,
        )
        for k in range(count)
    ]


def _errors(values: Values, outputs: Codes, raters: Codes, count: int) -> tuple[RaterErrors, str]:
    try:
        return rater_errors(values, outputs, raters), ""
    except Undefined as why:
        unknown = np.full(count, np.nan)
        return RaterErrors(unknown, unknown, unknown, unknown), str(why)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _agreement_reason(agreement: float, shared: int) -> str:
    if not np.isnan(agreement):
        return ""
    if shared < FEWEST_SHARED:
        return f"Only {shared} outputs were also judged by others."
    return "The rater's values, or those of the others, do not vary."


def _agreement_with_rest(
    values: Values, units: Codes, raters: Codes, count: int
) -> tuple[Values, Codes]:
    """Correlate each rater's mean of a unit with the mean of all other raters' values of it."""
    cells, own_units, own_raters = _cells(units, raters)
    own_sizes, own_sums = np.bincount(cells), np.bincount(cells, values)
    sizes = np.bincount(own_units, own_sizes)[own_units] - own_sizes
    sums = np.bincount(own_units, own_sums)[own_units] - own_sums
    shared = sizes > 0
    own = (own_sums / own_sizes)[shared]
    rest = sums[shared] / sizes[shared]
    return _correlation_within(own, rest, own_raters[shared], count)


def _cells(units: Codes, raters: Codes) -> tuple[Codes, Codes, Codes]:
    """Number the (unit, rater) cells in use; also the unit and the rater of each."""
    width = int(raters.max()) + 1
    key = units.astype(np.int64) * width + raters
    distinct, cells = renumber(key)
    return cells, distinct // width, distinct % width


def _correlation_within(
    first: Values, second: Values, groups: Codes, count: int
) -> tuple[Values, Codes]:
    """Pearson's correlation within each group, NaN below `FEWEST_SHARED` values; and the sizes."""
    sizes = np.bincount(groups, minlength=count)
    filled = np.maximum(sizes, 1)
    x = first - (np.bincount(groups, first, minlength=count) / filled)[groups]
    y = second - (np.bincount(groups, second, minlength=count) / filled)[groups]
    both = np.bincount(groups, x * y, minlength=count)
    spread = np.bincount(groups, x * x, minlength=count) * np.bincount(
        groups, y * y, minlength=count
    )
    usable = (sizes >= FEWEST_SHARED) & (spread > 1e-24)
    result = np.full(count, np.nan)
    np.divide(both, np.sqrt(spread), out=result, where=usable)
    return np.clip(result, -1.0, 1.0), sizes


def _tied_share(values: Values, screens: Codes, raters: Codes, count: int) -> Values:
    """Share of the pairs on a rater's screens whose values are equal, NaN without pairs."""
    cells, _, rater_of = _cells(screens, raters)
    sizes = np.bincount(cells).astype(np.float64)
    pairs = np.bincount(rater_of, sizes * (sizes - 1) / 2, minlength=count)
    order = np.lexsort([values, cells])
    new = np.ones(len(values), dtype=bool)
    new[1:] = (np.diff(cells[order]) != 0) | (np.diff(values[order]) != 0)
    run = np.bincount(np.cumsum(new) - 1).astype(np.float64)
    rater_of_run = rater_of[cells[order][new]]
    tied = np.bincount(rater_of_run, run * (run - 1) / 2, minlength=count)
    share: Values = np.divide(tied, pairs, out=np.full(count, np.nan), where=pairs > 0)
    return share


def _seconds_per_screen(table: JudgementTable) -> Values:
    """Median time of a rater's screens, in seconds."""
    count = len(table.rater.labels)
    medians = np.full(count, np.nan)
    if table.time_ms is None or np.isnan(table.time_ms).all():
        return medians
    timed = ~np.isnan(table.time_ms)
    cells, _, rater_of = _cells(table.screen.codes[timed], table.rater.codes[timed])
    times = np.zeros(len(rater_of))
    np.maximum.at(times, cells, table.time_ms[timed])
    order = np.lexsort([times, rater_of])
    bounds = np.searchsorted(rater_of[order], np.arange(count + 1))
    for rater, (start, end) in enumerate(pairwise(bounds)):
        if end > start:
            medians[rater] = np.median(times[order[start:end]]) / 1000
    return medians


def _screens_per_rater(table: JudgementTable) -> Codes:
    _, _, rater_of = _cells(table.screen.codes, table.rater.codes)
    return np.bincount(rater_of, minlength=len(table.rater.labels))


def _scale_use(values: Values, raters: Codes, count: int) -> tuple[Values, Values, Codes, Values]:
    """Lowest, highest, number of distinct values, and share of the most frequent one."""
    order = np.lexsort([values, raters])
    sorted_values, sorted_raters = values[order], raters[order]
    starts = np.searchsorted(sorted_raters, np.arange(count + 1))
    new = np.ones(len(values), dtype=bool)
    new[1:] = (np.diff(sorted_raters) != 0) | (np.diff(sorted_values) != 0)
    run_sizes = np.bincount(np.cumsum(new) - 1)
    rater_of_run = sorted_raters[new]
    largest = np.zeros(count)
    np.maximum.at(largest, rater_of_run, run_sizes)
    share = largest / np.diff(starts)
    return (
        sorted_values[starts[:-1]],
        sorted_values[starts[1:] - 1],
        np.bincount(rater_of_run, minlength=count),
        share,
    )
