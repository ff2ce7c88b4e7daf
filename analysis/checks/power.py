"""What a rule about checks does: how many careful raters it loses and careless ones it keeps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from analysis.checks.signed_rank import MOST_EXACT, exact_tail, least_p
from analysis.errors import Undefined
from analysis.typing import Values

# The asymptotic efficiency of the signed-rank test against the t test on normal differences is
# 3/π ≈ .955, so it needs π/3 ≈ 1.047 times the pairs (Lehmann 1975).
EFFICIENCY = 3 / math.pi


@dataclass(frozen=True)
class Losses:
    """The share of careful raters whom a rule excludes, and of careless ones whom it keeps."""

    careful_lost: float
    careless_kept: float


def losses_by_failures(checks: int, failures: int, *, slip: float, guess: float) -> Losses:
    """What the rule “exclude who fails `failures` of `checks` checks” does, by the binomial.

    Parameters
    ----------
    checks : how many checks each rater meets
    failures : with so many failed checks a rater is excluded
    slip : probability that a careful rater fails a check
    guess : probability that a careless rater passes a check

    Returns
    -------
    Losses : two shares from 0 to 1

    Raises
    ------
    ValueError : a number of checks is negative, or a probability is not between 0 and 1

    Source
    ------
    The binomial distribution; checks are independent given the kind of rater.
    """
    from scipy.stats import binom

    if checks < 0 or failures < 0 or not (0 <= slip <= 1 and 0 <= guess <= 1):
        raise ValueError("Numbers of checks are not negative, and probabilities between 0 and 1.")
    return Losses(
        careful_lost=float(binom.sf(failures - 1, checks, slip)),
        careless_kept=float(binom.cdf(failures - 1, checks, 1 - guess)),
    )


def paired_power(
    pairs: int,
    *,
    drop: float,
    scatter: float,
    alpha: float,
    rng: np.random.Generator,
    raters: int = 4_000,
) -> float:
    """The share of raters who pass the signed-rank test, by simulation.

    Parameters
    ----------
    pairs : how many texts each rater scores with their damaged copies, at most 25
    drop : mean of the differences between a text and its damaged copy; 0 for careless raters
    scatter : their standard deviation, in the same unit
    alpha : the level that p must not exceed
    raters : how many are simulated; the standard error is at most 0.5/√raters

    Returns
    -------
    The share from 0 to 1

    Raises
    ------
    ValueError : there are more than 25 pairs, or none; the scatter is not positive

    Source
    ------
    The exact null of Wilcoxon (1945), on normal differences.
    """
    if not 1 <= pairs <= MOST_EXACT or scatter <= 0:
        raise ValueError(f"Between 1 and {MOST_EXACT} pairs, and a positive scatter.")
    bound = critical_value(pairs, alpha)
    if bound is None:
        return 0.0
    differences = rng.normal(drop, scatter, size=(raters, pairs))
    ranks = np.argsort(np.argsort(np.abs(differences), axis=1), axis=1) + 1
    sums = np.sum(np.where(differences > 0, ranks, 0), axis=1)
    return float(np.mean(sums >= bound))


def critical_value(pairs: int, alpha: float) -> int | None:
    """The smallest sum of positive ranks with p ≤ alpha; None where no sum reaches the level."""
    if least_p(pairs) > alpha:
        return None
    ranks: Values = np.arange(1, pairs + 1, dtype=np.float64)
    low, high = 0, pairs * (pairs + 1) // 2
    while low < high:
        middle = (low + high) // 2
        if exact_tail(ranks, middle) <= alpha:
            high = middle
        else:
            low = middle + 1
    return low


def pairs_needed(*, drop: float, scatter: float, alpha: float = 0.05, power: float = 0.8) -> int:
    """How many pairs the signed-rank test needs, by its asymptotic efficiency.

    Parameters
    ----------
    drop : mean of the differences between a text and its damaged copy
    scatter : their standard deviation, in the same unit
    alpha : level of the one-sided test
    power : the share of careful raters who are to pass

    Returns
    -------
    The number of pairs; at least as many as can reach the level at all

    Raises
    ------
    Undefined : without a drop no number of pairs is enough

    Source
    ------
    n = ((z₁₋α + z_power) σ/δ)² · π/3, Lehmann (1975).
    """
    if drop <= 0 or scatter <= 0:
        raise Undefined("Without a positive drop no number of pairs is enough.")
    normal = NormalDist()
    z = normal.inv_cdf(1 - alpha) + normal.inv_cdf(power)
    by_power = math.ceil((z * scatter / drop) ** 2 / EFFICIENCY)
    return max(by_power, math.ceil(-math.log2(alpha)))


def passing_by_guess(screens: int, passed: int) -> float:
    """P(at least `passed` of `screens`) if each of two orders is as likely: for checks in which an
    output must beat a damaged one on the same screen."""
    from scipy.stats import binom

    return float(binom.sf(passed - 1, screens, 0.5))
