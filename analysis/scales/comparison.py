"""Simultaneous intervals of all pairs from estimated means, and Holm's adjustment of p-values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.inference import adjusted_p, critical_t
from analysis.typing import Codes, Values

from .tukey_hsd import range_quantile, range_tail


@dataclass(frozen=True)
class FixedMean:
    """Estimated mean of one system for an average rater and item; `df` None means infinite."""

    system: str
    mean: float
    se: float
    low: float
    high: float
    df: float | None = None


@dataclass(frozen=True)
class Contrast:
    """Difference of two systems (a minus b), with simultaneous interval and Tukey-adjusted p."""

    a: str
    b: str
    difference: float
    se: float
    low: float
    high: float
    p: float
    df: float | None = None


# Beyond this many pairs, their degrees of freedom are rounded down to two digits.
MOST_EXACT_PAIRS = 300


def _order(estimates: Values, higher_is_better: bool) -> Codes:
    return np.argsort(-estimates if higher_is_better else estimates, kind="stable")


def estimated_means(
    names: Sequence[str],
    estimates: Values,
    covariance: Values,
    *,
    alpha: float,
    df: float | Values | None,
    higher_is_better: bool,
) -> tuple[FixedMean, ...]:
    """Give means their own intervals, best first.

    Parameters
    ----------
    names : of the systems
    estimates : shape (systems,)
    covariance : of the estimates, shape (systems, systems)
    alpha : 1 − confidence
    df : of the t distribution, one for all or shape (systems,); None: the normal one
    higher_is_better : false: the lowest mean comes first
    """
    errors = np.sqrt(np.diag(covariance))
    freedom = np.broadcast_to(np.inf if df is None else df, errors.shape)
    widths = scipy.stats.t.isf(alpha / 2, freedom) * errors
    return tuple(
        FixedMean(
            names[k],
            float(estimates[k]),
            float(errors[k]),
            float(estimates[k] - widths[k]),
            float(estimates[k] + widths[k]),
            _stated(freedom[k]),
        )
        for k in _order(estimates, higher_is_better)
    )


def contrasts(
    names: Sequence[str],
    estimates: Values,
    variances: Values,
    *,
    alpha: float,
    df: float | Values | None,
    higher_is_better: bool,
    pooled: bool = True,
) -> tuple[Contrast, ...]:
    """Compare all pairs with simultaneous intervals.

    Tukey's (the studentised range over √2) where all variances come from one estimate, Bonferroni's
    t where each has its own.

    Parameters
    ----------
    names : of the systems
    estimates : shape (systems,)
    variances : of the differences, shape (systems, systems); see `difference_variances`
    alpha : 1 − confidence
    df : degrees of freedom, one for all or shape (systems, systems); None: infinite
    higher_is_better : false: the lowest mean comes first
    pooled : whether one estimate serves all variances; if not, all pairs have one `df`

    Raises
    ------
    Undefined : a difference has no error, or nearly no degrees of freedom: there are too few raters
        or items

    Source
    ------
    Tukey (1953); Kramer (1956); for variances of their own see `analysis.inference.critical_t`.
    """
    order = _order(estimates, higher_is_better)
    first, second = (order[index] for index in np.triu_indices(len(order), 1))
    differences = estimates[first] - estimates[second]
    squares = variances[first, second]
    # With two raters the covariance has rank one, and a pair may happen to have no error at all.
    if np.any(squares <= 1e-12 * squares.max()):
        raise Undefined("A difference has no error: there are too few raters or items.")
    errors = np.sqrt(squares)
    freedom = np.broadcast_to(np.inf if df is None else df, variances.shape)[first, second]
    ratios = np.abs(differences) / errors
    if pooled:
        tails, widths = _ranges(ratios, len(order), freedom, alpha)
    else:
        tails = adjusted_p(ratios, len(first), float(freedom[0]))
        widths = np.full(len(first), critical_t(alpha, len(first), float(freedom[0])))
    lows, highs = differences - widths * errors, differences + widths * errors
    columns = (each.tolist() for each in (differences, errors, lows, highs, tails))
    return tuple(
        Contrast(names[i], names[j], d, se, low, high, p, _stated(f))
        for i, j, f, d, se, low, high, p in zip(first, second, freedom, *columns, strict=True)
    )


def _stated(df: float) -> float | None:
    return float(df) if np.isfinite(df) else None


def _ranges(t: Values, groups: int, freedom: Values, alpha: float) -> tuple[Values, Values]:
    """Return each pair's adjusted p and its critical t."""
    if len(t) > MOST_EXACT_PAIRS and len(np.unique(freedom)) > 1:
        unit = 10 ** (np.floor(np.log10(freedom)) - 1)
        freedom = np.floor(freedom / unit) * unit
    tails, widths = np.empty(len(t)), np.empty(len(t))
    for df in np.unique(freedom):
        these = freedom == df
        tails[these] = range_tail(np.sqrt(2) * t[these], groups, float(df))
        widths[these] = range_quantile(1 - alpha, groups, float(df)) / np.sqrt(2)
    return tails, widths


def means_and_contrasts(
    names: Sequence[str],
    estimates: Values,
    covariance: Values,
    variances: Values,
    *,
    alpha: float,
    df: float | Values | None,
    higher_is_better: bool = True,
    pooled: bool = True,
) -> tuple[tuple[FixedMean, ...], tuple[Contrast, ...]]:
    """Return `estimated_means` and `contrasts` of the same systems.

    Parameters
    ----------
    names : of the systems
    estimates : shape (systems,)
    covariance : of the estimates, shape (systems, systems), of which the diagonal counts
    variances : of the differences, shape (systems, systems)
    alpha : 1 − confidence
    df : degrees of freedom, one for all or shape (systems, systems): of the differences, and of the
        means on the diagonal; None: infinite
    higher_is_better : false: the lowest mean comes first
    pooled : see `contrasts`
    """
    of_means = np.diag(df) if isinstance(df, np.ndarray) else df
    means = estimated_means(
        names, estimates, covariance, alpha=alpha, df=of_means, higher_is_better=higher_is_better
    )
    pairs = contrasts(
        names, estimates, variances, alpha=alpha, df=df, higher_is_better=higher_is_better,
        pooled=pooled,
    )  # fmt: skip
    return means, pairs


def holm(p_values: ArrayLike) -> Values:
    """Adjust p-values stepwise, without any assumption about how the tests depend.

    Parameters
    ----------
    p_values : shape (tests,), each between 0 and 1

    Returns
    -------
    shape (tests,), in the same order; at most 1

    Source
    ------
    Holm (1979).
    """
    p_values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
