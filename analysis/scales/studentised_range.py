"""Probabilities and quantiles of the studentised range, many at once.

Both integrals are sums over equal steps: over the largest of the means, and over the logarithm of
the estimated standard deviation. Such a sum (the trapezoidal rule) is exact to rounding for smooth
functions that fade out at both ends, as these do.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.typing import Values

# Smaller steps of either sum change nothing before the twelfth decimal.
MEANS = np.linspace(-8.5, 8.5, 120)
MOST_STEP = 0.06
STEP_OF_A_SPREAD = 0.4  # of the standard deviation of the logarithms, where that is less
# Logarithm of a density, relative to its peak, below which it adds nothing.
FADED = -40.0
# From here on the standard deviation is taken as known.
MOST_DF = 100_000
HIGHEST = 2.0**60  # quantiles are looked for below it
# Statistics that are computed together: their arrays stay in the processor's cache.
TOGETHER = 8


def probabilities(statistics: ArrayLike, groups: int, df: float) -> Values:
    """P(studentised range ≤ q) of `groups` means, for each q.

    Parameters
    ----------
    statistics : shape (statistics,), the values q
    groups : number of means
    df : degrees of freedom of the standard deviation; infinity where it is known

    Returns
    -------
    shape (statistics,), within 1e-11

    Source
    ------
    Copenhaver & Holland (1988), eq. 2.1 and 2.2.
    """
    statistics = np.asarray(statistics, dtype=np.float64)
    if df >= MOST_DF:
        return _of_known_deviation(statistics, groups)
    deviations, weights = _deviations(df)
    found = np.empty(len(statistics))
    for start in range(0, len(statistics), TOGETHER):
        some = slice(start, start + TOGETHER)
        ranges = _of_known_deviation(np.multiply.outer(statistics[some], deviations), groups)
        found[some] = ranges @ weights
    return found


def quantile(probability: float, groups: int, df: float) -> float:
    """Return the q with P(studentised range ≤ q) = probability.

    Parameters
    ----------
    probability : from 0 to below 1
    groups : number of means
    df : degrees of freedom of the standard deviation; infinity where it is known

    Returns
    -------
    The q, whose probability is within 1e-11 of the one given.

    Raises
    ------
    ValueError : the probability rounds to 1, so that no q reaches it

    Source
    ------
    Copenhaver & Holland (1988), eq. 2.1 and 2.2; Brent's method finds the root.
    """
    high = 8.0
    while high < HIGHEST and probabilities([high], groups, df)[0] < probability:
        high *= 2

    def beyond(statistic: float) -> float:
        return float(probabilities([statistic], groups, df)[0]) - probability

    return float(scipy.optimize.brentq(beyond, 0.0, high, xtol=1e-14))


def _of_known_deviation(ranges: Values, groups: int) -> Values:
    """P(range of `groups` standard normal values ≤ w): k ∫ φ(z) (Φ(z) − Φ(z − w))^(k − 1) dz."""
    step = MEANS[1] - MEANS[0]
    density = np.exp(-(MEANS**2) / 2) * (groups * step / np.sqrt(2 * np.pi))
    between = scipy.special.ndtr(MEANS) - scipy.special.ndtr(MEANS - ranges[..., None])
    found: Values = between ** (groups - 1) @ density
    return found


@lru_cache(maxsize=256)
def _deviations(df: float) -> tuple[Values, Values]:
    """Estimates of a standard deviation of 1, in equal steps of their logarithms, and weights."""
    low = _where_faded(df, FADED / df - 1)
    high = _where_faded(df, np.sqrt(-FADED / df))
    step = min(MOST_STEP, STEP_OF_A_SPREAD / np.sqrt(2 * df))
    logarithms = np.linspace(low, high, int((high - low) / step) + 2)
    weights = np.exp(_log_density(logarithms, df))
    return np.exp(logarithms), weights / weights.sum()


def _where_faded(df: float, beyond: float) -> float:
    return float(scipy.optimize.brentq(lambda t: float(_log_density(t, df)) - FADED, beyond, 0.0))


def _log_density(logarithms: ArrayLike, df: float) -> Values:
    """Of the logarithm of the estimate, relative to its peak at 0."""
    logarithms = np.asarray(logarithms, dtype=np.float64)
    found: Values = df * (logarithms - np.expm1(2 * logarithms) / 2)
    return found
