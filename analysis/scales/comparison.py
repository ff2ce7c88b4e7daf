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
    """Estimated mean of one system for an average rater and item."""

    system: str
    mean: float
    se: float
    low: float
    high: float


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


def _order(estimates: Values, higher_is_better: bool) -> Codes:
    return np.argsort(-estimates if higher_is_better else estimates, kind="stable")


def estimated_means(
    names: Sequence[str],
    estimates: Values,
    covariance: Values,
    *,
    alpha: float,
    df: float | None,
    higher_is_better: bool,
) -> tuple[FixedMean, ...]:
    """Give means their own intervals, best first.

    Parameters
    ----------
    names : of the systems
    estimates : shape (systems,)
    covariance : of the estimates, shape (systems, systems)
    alpha : 1 − confidence
    df : of the t distribution; None: the normal one
    higher_is_better : false: the lowest mean comes first
    """
    width = float(
        scipy.stats.norm.isf(alpha / 2) if df is None else scipy.stats.t.isf(alpha / 2, df)
    )
    errors = np.sqrt(np.diag(covariance))
    return tuple(
        FixedMean(
            names[k],
            float(estimates[k]),
            float(errors[k]),
            float(estimates[k] - width * errors[k]),
            float(estimates[k] + width * errors[k]),
        )
        for k in _order(estimates, higher_is_better)
    )


def contrasts(
    names: Sequence[str],
    estimates: Values,
    variances: Values,
    *,
    alpha: float,
    df: float | None,
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
    df : degrees of freedom; None: infinite
    higher_is_better : false: the lowest mean comes first
    pooled : whether one estimate serves all variances

    Raises
    ------
    Undefined : a difference has no error: there are too few raters or items

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
    freedom = np.inf if df is None else df
    ratios = np.abs(differences) / errors
    if pooled:
        tails = range_tail(np.sqrt(2) * ratios, len(order), freedom)
        width = range_quantile(1 - alpha, len(order), freedom) / np.sqrt(2)
    else:
        tails = adjusted_p(ratios, len(first), freedom)
        width = critical_t(alpha, len(first), freedom)
    return tuple(
        Contrast(
            names[i],
            names[j],
            float(d),
            float(e),
            float(d - width * e),
            float(d + width * e),
            float(p),
        )
        for i, j, d, e, p in zip(first, second, differences, errors, tails, strict=True)
    )


def means_and_contrasts(
    names: Sequence[str],
    estimates: Values,
    covariance: Values,
    variances: Values,
    *,
    alpha: float,
    df: float | None,
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
    df : degrees of freedom; None: infinite
    higher_is_better : false: the lowest mean comes first
    pooled : see `contrasts`
    """
    means = estimated_means(
        names, estimates, covariance, alpha=alpha, df=df, higher_is_better=higher_is_better
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
