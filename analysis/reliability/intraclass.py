"""Intraclass correlations of complete and incomplete tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.scales.codes import compact
from analysis.scales.mixed_equations import equations
from analysis.scales.mixed_model import variance_components
from analysis.typing import Codes, Values

from .coefficients import Coefficient, first_of_each

# A likelihood of more judgements takes too long to be profiled.
MOST_PROFILED = 200_000


@dataclass(frozen=True)
class IntraclassCorrelation:
    """ICC(2,1) of a single rater and ICC(2,k) of the mean of `k` raters, absolute agreement."""

    single: Coefficient
    mean: Coefficient
    k: float
    method: str


def intraclass_correlation(
    values: ArrayLike, units: Codes, raters: Codes, *, confidence: float = 0.95
) -> IntraclassCorrelation:
    """Intraclass correlations with two-way random effects, for absolute agreement.

    Complete tables (every rater judged every unit) follow the paper's mean squares and have an
    interval; others take the variance components of a REML fit, with a likelihood interval.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    units, raters : shape (judgements,), codes of the judged output and the rater; a rater's second
        judgement of a unit is left out
    confidence : of the interval, between 0 and 1

    Returns
    -------
    IntraclassCorrelation : ICC(2,1) of a single judgement and ICC(2,k) of the mean of k judgements

    Raises
    ------
    Undefined : fewer than two raters or two units, or values that do not vary

    Source
    ------
    Shrout & Fleiss (1979); McGraw & Wong (1996).
    """
    values = np.asarray(values, dtype=np.float64)
    first = first_of_each(units, raters)
    values = values[first]
    units = compact(units[first])
    raters = compact(raters[first])
    subjects, judges = int(units.max()) + 1, int(raters.max()) + 1
    if judges < 2 or subjects < 2:
        raise Undefined("Intraclass correlation needs two raters and two outputs.")
    if len(values) == subjects * judges:
        table = np.empty((subjects, judges))
        table[units, raters] = values
        return _complete_icc(table, confidence)
    return incomplete_icc(values, units, raters, confidence)


def _complete_icc(table: Values, confidence: float) -> IntraclassCorrelation:
    subjects, judges = table.shape
    grand = table.mean()
    rows, columns = table.mean(axis=1) - grand, table.mean(axis=0) - grand
    rest = table - grand - rows[:, None] - columns[None, :]
    row_sq = judges * float(rows @ rows) / (subjects - 1)
    column_sq = subjects * float(columns @ columns) / (judges - 1)
    error_sq = float(np.sum(rest**2)) / ((subjects - 1) * (judges - 1))
    spread = row_sq + (judges - 1) * error_sq + judges * (column_sq - error_sq) / subjects
    if spread <= 0:
        raise Undefined("The values do not vary, so there is nothing to agree on.")
    single = (row_sq - error_sq) / spread
    of_means = row_sq + (column_sq - error_sq) / subjects
    mean = (row_sq - error_sq) / of_means if of_means > 0 else None  # below zero it means nothing
    low, high = _icc_interval(
        (row_sq, column_sq, error_sq),
        single,
        subjects=subjects,
        judges=judges,
        confidence=confidence,
    )
    return IntraclassCorrelation(
        Coefficient("ICC(2,1)", single, low, high, subjects),
        Coefficient(
            "ICC(2,k)",
            mean,
            _stepped_up(low, judges),
            _stepped_up(high, judges),
            subjects,
            reason="" if mean is not None else "The outputs do not differ at all.",
        ),
        float(judges),
        "mean squares (every rater judged every output)",
    )


def _icc_interval(
    mean_squares: tuple[float, float, float],
    single: float,
    *,
    subjects: int,
    judges: int,
    confidence: float,
) -> tuple[float | None, float | None]:
    """Shrout & Fleiss (1979), with Satterthwaite's degrees of freedom."""
    row_sq, column_sq, error_sq = mean_squares  # of subjects, of judges, of what is left
    if error_sq <= 0:
        return None, None
    ratio = column_sq / error_sq
    weight = subjects * (1 + (judges - 1) * single) - judges * single
    freedom = (judges - 1) * (subjects - 1) * (judges * single * ratio + weight) ** 2
    divisor = (subjects - 1) * judges**2 * single**2 * ratio**2 + weight**2
    if divisor <= 0:  # neither subjects nor judges differ at all
        return None, None
    freedom /= divisor
    tail = (1 - confidence) / 2
    upper, lower = (
        scipy.stats.f.isf(tail, subjects - 1, freedom),
        scipy.stats.f.isf(tail, freedom, subjects - 1),
    )
    if not (np.isfinite(upper) and np.isfinite(lower)):  # subjects that do not differ at all
        return None, None
    spread = judges * column_sq + (judges * subjects - judges - subjects) * error_sq
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        low = subjects * (row_sq - upper * error_sq) / (upper * spread + subjects * row_sq)
        high = subjects * (lower * row_sq - error_sq) / (spread + subjects * lower * row_sq)
    if not (np.isfinite(low) and np.isfinite(high)):  # hardly a degree of freedom is left
        return None, None
    return float(low), float(high)


def _stepped_up(single: float | None, k: float) -> float | None:
    """Spearman–Brown: the reliability of a mean of k."""
    if single is None or 1 + single * (k - 1) <= 0:
        return None
    return single * k / (1 + single * (k - 1))


def incomplete_icc(
    values: Values, units: Codes, raters: Codes, confidence: float = 0.95
) -> IntraclassCorrelation:
    """Intraclass correlations of tables with gaps, from the variance components of a REML fit.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    units, raters : shape (judgements,), codes of the judged output and the rater
    confidence : of the interval by the profiled likelihood, between 0 and 1

    Returns
    -------
    IntraclassCorrelation : k is the harmonic mean of an output's judgements; no interval of more
        than 200,000 judgements

    Raises
    ------
    Undefined : no output was judged by two raters, or the values do not vary

    Source
    ------
    McGraw & Wong (1996), with variances by REML instead of mean squares; the likelihood ratio is
    divided by its expectation for a variance between so many raters (Bartlett 1937).
    """
    sizes = np.bincount(units)
    if not np.any(sizes > 1):
        raise Undefined("No output was judged by two raters.")
    components = variance_components(values, {"unit": units, "rater": raters})
    variance = {component.source: component.variance for component in components}
    total = sum(variance.values())
    single = variance.get("unit", 0.0) / total
    k = len(sizes) / float(np.sum(1 / sizes))  # harmonic mean of the ratings of an output
    low, high = None, None
    if len(values) <= MOST_PROFILED and {"unit", "rater"} <= variance.keys():
        low, high = _profiled_interval(values, units, raters, single, confidence)
    return IntraclassCorrelation(
        Coefficient("ICC(2,1)", single, low, high, len(sizes)),
        Coefficient(
            "ICC(2,k)",
            _stepped_up(single, k),
            _stepped_up(low, k),
            _stepped_up(high, k),
            len(sizes),
        ),
        k,
        "REML variance components (not every rater judged every output)",
    )


def _profiled_interval(
    values: Values, units: Codes, raters: Codes, single: float, confidence: float
) -> tuple[float, float]:
    """Correlations whose restricted likelihood is not significantly below the highest."""
    standard = (values - values.mean()) / values.std()
    nothing = np.zeros(len(values), dtype=np.intp)
    system = equations(standard, nothing, {"unit": units, "rater": raters})

    def deviance(correlation: float) -> float:
        def at(share: float) -> float:  # of the raters in what is not the outputs'
            theta = np.sqrt([correlation / (1 - correlation) / (1 - share), share / (1 - share)])
            return system.deviance(theta)

        found = scipy.optimize.minimize_scalar(
            at, bounds=(0.0, 1 - 1e-6), method="bounded", options={"xatol": 1e-5}
        )
        return float(min(found.fun, at(0.0)))

    judges = int(raters.max()) + 1
    expected = 1 + 1 / (3 * (judges - 1))
    limit = deviance(single) + expected * float(scipy.stats.chi2.isf(1 - confidence, 1))

    def beyond(correlation: float) -> float:
        return deviance(correlation) - limit

    def crossing(inside: float, outside: float) -> float:
        if beyond(outside) <= 0:
            return round(outside)
        return float(scipy.optimize.brentq(beyond, inside, outside, xtol=1e-4))

    return crossing(single, 0.0), crossing(single, 1 - 1e-6)
