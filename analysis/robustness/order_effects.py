"""What the place on the screen, and the time in a rater's work, do to the answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.errors import Undefined
from analysis.inference import adjusted_p, critical_t
from analysis.scales.codes import distinct, in_use
from analysis.table import JudgementTable
from analysis.typing import Codes, Values

from .covariates import Estimated

MOST_BINS = 8


@dataclass(frozen=True)
class Bin:
    """Mean residual of the judgements at some places, with its error clustered by rater."""

    lowest: float
    highest: float
    mean: float
    error: float | None
    judgements: int


@dataclass(frozen=True)
class Trend:
    """By how much answers rise from one place to the next, or from a rater's first to last screen.

    The interval and `p` are adjusted for both trends. `imbalance` is the largest difference of two
    systems' mean places (of time: of mean shares of the work), and `moved` by how much the trend
    moves the difference of some two systems at most, which is their product.
    """

    name: str
    slope: float
    low: float
    high: float
    p: float
    imbalance: float
    moved: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class OrderEffects:
    """Trends over places on the screen and over time, as far as they are known.

    `unit` is that of the slopes: `value`, `log-odds`, or of time and comparisons `agreement`: the
    share of comparisons that go with the ranking.
    """

    trends: tuple[Trend, ...]
    unit: str
    alpha: float


def places_of(table: JudgementTable, name: str) -> Values:
    """Read a factor as numbers.

    Parameters
    ----------
    table : judgements of one criterion
    name : of the factor

    Raises
    ------
    Undefined : there is no such factor, it is not a number, or it is the same everywhere
    """
    if name not in table.factors:
        raise Undefined(f"The table has no column {name!r}.")
    column = table.factors[name]
    try:
        numbers = np.array([float(label) for label in column.labels])
    except ValueError:
        raise Undefined(f"The column {name!r} has something else than numbers.") from None
    if len(numbers) < 2 or not np.isfinite(numbers).all():
        raise Undefined(f"The column {name!r} is the same for all judgements.")
    values: Values = numbers[column.codes]
    return values


def shares_of_work(places: Values, raters: Codes) -> Values:
    """Turn places in each rater's work into shares of it, from 0 (the first) to 1 (the last).

    Parameters
    ----------
    places : shape (judgements,)
    raters : shape (judgements,), codes
    """
    count = int(raters.max()) + 1
    lowest, highest = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(lowest, raters, places)
    np.maximum.at(highest, raters, places)
    width = (highest - lowest)[raters]
    shares: Values = np.divide(
        places - lowest[raters], width, out=np.full(len(places), 0.5), where=width > 0
    )
    return shares


def bins_of(residuals: Values, places: Values, raters: Codes) -> tuple[Bin, ...]:
    """Average residuals by place; many places are put into bins of equal numbers.

    Parameters
    ----------
    residuals : shape (judgements,)
    places : shape (judgements,)
    raters : shape (judgements,), codes
    """
    known = in_use(places)
    if len(known) > MOST_BINS:
        edges = np.unique(np.quantile(places, np.linspace(0, 1, MOST_BINS + 1)[1:-1]))
        groups = np.searchsorted(edges, places, side="left")
    else:
        groups = np.searchsorted(known, places)
    bins = []
    for group in np.unique(groups):
        here = groups == group
        sums = np.bincount(raters[here], residuals[here] - residuals[here].mean())
        number = distinct(raters[here])
        spread = np.sqrt(np.sum(sums**2) * number / max(number - 1, 1)) / here.sum()
        bins.append(
            Bin(
                float(places[here].min()),
                float(places[here].max()),
                float(residuals[here].mean()),
                float(spread) if number > 1 else None,
                int(here.sum()),
            )
        )
    return tuple(bins)


def trend_of(
    name: str,
    found: Estimated,
    places: Values,
    systems: Codes,
    *,
    tests: int,
    alpha: float,
    bins: tuple[Bin, ...],
) -> Trend:
    """Describe a fitted trend.

    Parameters
    ----------
    name : of the factor
    found : a model with the place as its one covariate
    places, systems : shape (judgements,)
    tests : number of trends for which the interval and p are adjusted
    alpha : 1 − confidence of all of them together
    bins : from `bins_of`
    """
    slope, error, df = float(found.effects[0]), float(found.errors[0]), found.units.df
    width = critical_t(alpha, tests, df) * error
    p = float(adjusted_p(np.array(slope / error), tests, df)) if error > 0 else 1.0
    sizes = np.maximum(np.bincount(systems), 1)
    means = np.bincount(systems, places) / sizes
    change = found.controlled - found.plain
    return Trend(
        name, slope, slope - width, slope + width, p, float(np.ptp(means)),
        float(np.ptp(change)), bins,
    )  # fmt: skip
