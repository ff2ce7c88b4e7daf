"""Two raters of the same outputs, or a rater and a judge: limits of agreement, and confusion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.inference import LEAST_UNITS
from analysis.scales.codes import compact, distinct
from analysis.typing import Codes, Values

from .coefficients import Coefficient

BETWEEN = float(scipy.special.ndtri(0.975))  # limits that 95 % of differences lie between


class Bounded(NamedTuple):
    """A number with its confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class AgreementLimits:
    """The mean difference of two raters, and the limits between which 95 % of differences lie.

    `outputs` and `items` count what both rated; `confidence` is that of each interval on its own.
    """

    bias: Bounded
    lower: Bounded
    upper: Bounded
    deviation: float
    outputs: int
    items: int
    confidence: float


def agreement_limits(
    first: ArrayLike, second: ArrayLike, items: Codes, *, confidence: float = 0.95
) -> AgreementLimits:
    """Estimate by how much two raters differ on an output, and how far single differences go.

    Parameters
    ----------
    first, second : shape (outputs,), the two values of each output, on one scale
    items : shape (outputs,), code of the output's item: differences on one item may resemble each
        other, and as far as they do they count as fewer
    confidence : of each interval on its own

    Returns
    -------
    AgreementLimits : differences are first − second. Limits suppose that differences are about
        normal and do not grow with the value; their plot shows whether that is so

    Raises
    ------
    Undefined : both rated outputs of fewer than three items

    Source
    ------
    Bland & Altman (1986, 1999): mean ± 1.96 SD, the variance of a limit s²/n + 1.96² s²/(2(n − 1)).
    The variance of the mean is that of Liang & Zeger (1986) over items, and n the number of
    independent differences that would have it; with one output of each item both are Bland &
    Altman's.
    """
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    n, groups = len(differences), distinct(items)
    if groups < LEAST_UNITS:
        raise Undefined(f"Both rated outputs of fewer than {LEAST_UNITS} items.")
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    sums = np.bincount(compact(items), differences - mean)
    of_mean = groups / (groups - 1) * float(np.sum(sums**2)) / n**2
    of_mean = max(of_mean, deviation**2 / n)  # unlike differences of an item are luck, not proof
    worth = deviation**2 / of_mean if of_mean > 0 else float(n)
    of_limit = of_mean + BETWEEN**2 * deviation**2 / (2 * max(worth - 1, 1))
    t = float(scipy.stats.t.ppf((1 + confidence) / 2, groups - 1))

    def bounded(value: float, variance: float) -> Bounded:
        half = t * float(np.sqrt(variance))
        return Bounded(value, value - half, value + half)

    return AgreementLimits(
        bias=bounded(mean, of_mean),
        lower=bounded(mean - BETWEEN * deviation, of_limit),
        upper=bounded(mean + BETWEEN * deviation, of_limit),
        deviation=deviation,
        outputs=n,
        items=groups,
        confidence=confidence,
    )


def confusion(first: Codes, second: Codes, levels: int) -> Values:
    """Count how often two raters chose each pair of values.

    Parameters
    ----------
    first, second : shape (outputs,), codes of the two values of each output
    levels : how many values there are to choose from

    Returns
    -------
    Counts of shape (levels, levels): rows are the first rater's values, columns the second's.

    Source
    ------
    Cohen (1960).
    """
    counts = np.bincount(first * levels + second, minlength=levels**2)
    return counts.reshape(levels, levels).astype(np.float64)


def cohen_kappa(counts: Values, *, weighted: bool = False) -> Coefficient:
    """Cohen's κ of two raters, with linear weights where the values are ordered.

    Parameters
    ----------
    counts : shape (levels, levels), as `confusion` returns them
    weighted : near misses count in part: 1 − |i − j| / (levels − 1)

    Returns
    -------
    Coefficient : κ without an interval, from −1 to 1; `units` counts the outputs

    Raises
    ------
    Undefined : both chose one value throughout, or rated no output in common

    Source
    ------
    Cohen (1960, 1968), with the weights of Cicchetti & Allison (1971).
    """
    levels, n = len(counts), float(counts.sum())
    if not n:
        raise Undefined("They rated no output in common.")
    places = np.arange(levels)
    apart = np.abs(places[:, None] - places[None, :]).astype(np.float64)
    missed = apart / max(levels - 1, 1) if weighted else np.minimum(apart, 1.0)
    chance = float(np.sum(missed * np.outer(counts.sum(axis=1), counts.sum(axis=0)))) / n**2
    if chance <= 0:
        raise Undefined("Both chose one value throughout, so chance alone agrees.")
    kappa = 1 - float(np.sum(missed * counts)) / n / chance
    return Coefficient("weighted κ" if weighted else "κ", kappa, units=int(n))
