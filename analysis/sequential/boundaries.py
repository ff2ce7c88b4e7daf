"""Boundaries of group-sequential tests: how much evidence each look needs."""

from __future__ import annotations

from functools import cache

import numpy as np
import scipy

from analysis.errors import OptionsError
from analysis.typing import Values

# Gauss–Legendre nodes of the density of what went on; it is smooth, so 200 give six digits.
NODES = 200
LOWEST = -10.0
# A look at fewer new raters than this share of all is the same look.
LEAST_STEP = 1e-3


def spent(fraction: float, alpha: float) -> float:
    """Return the share of a one-sided level that is spent up to a fraction of the raters.

    2 − 2Φ(z(α/2) / √t): next to nothing early, so that the last test is hardly stricter than that
    of a fixed plan.

    Parameters
    ----------
    fraction : raters so far, of those planned; beyond 1 it is 1
    alpha : one-sided level of all looks together

    Source
    ------
    Lan & DeMets (1983), O'Brien & Fleming's shape.
    """
    if fraction <= 0:
        return 0.0
    edge = scipy.stats.norm.isf(alpha / 2) / np.sqrt(min(fraction, 1.0))
    return float(2 * scipy.stats.norm.sf(edge))


@cache
def boundaries(fractions: tuple[float, ...], alpha: float) -> tuple[float, ...]:
    """Compute the normal quantile that each look has to exceed.

    Nothing but an excess ends the test, so people may go on or stop for other reasons without
    raising the level.

    Parameters
    ----------
    fractions : of the planned raters at each look, rising; beyond 1 nothing is left to spend
    alpha : one-sided level of all looks together

    Returns
    -------
    One quantile per look; infinity where nothing is left to spend

    Raises
    ------
    OptionsError : the fractions do not rise, or the level is not between 0 and ½

    Source
    ------
    Armitage, McPherson & Rowe (1969); Jennison & Turnbull (2000), chapter 19.
    """
    if not 0 < alpha < 0.5:
        raise OptionsError([f"A one-sided level must be between 0 and 0.5, not {alpha:g}."])
    if not fractions or min(np.diff((0.0, *fractions))) <= 0:
        raise OptionsError(["Each look needs more raters than the one before."])
    bounds: list[float] = []
    nodes, density = np.zeros(1), np.ones(1)
    before, used = 0.0, 0.0
    for fraction in fractions:
        target = spent(fraction, alpha) - used
        used += max(target, 0.0)
        step = np.sqrt(fraction - before)
        if step**2 < LEAST_STEP * fraction or target <= 1e-16:
            bounds.append(np.inf)
            continue
        score = _edge(nodes, density, float(step), target)
        bounds.append(score / float(np.sqrt(fraction)))
        nodes, density = _going_on(nodes, density, float(step), (score, float(np.sqrt(fraction))))
        before = fraction
    return tuple(bounds)


def _edge(nodes: Values, density: Values, step: float, target: float) -> float:
    """Find the score (z√t) that is exceeded now, and was not before, with this probability."""

    def excess(score: float) -> float:
        tails = scipy.stats.norm.sf((score - nodes) / step)
        return float(np.log(max(density @ tails, 1e-300)) - np.log(target))

    return float(scipy.optimize.brentq(excess, -20.0, 60.0, xtol=1e-10))


def _going_on(
    nodes: Values, density: Values, step: float, ends: tuple[float, float]
) -> tuple[Values, Values]:
    """Move the density of scores that have not been beyond an edge on to the next look."""
    highest, scale = ends
    points, weights = np.polynomial.legendre.leggauss(NODES)
    half = (highest - LOWEST * scale) / 2
    moved = LOWEST * scale + half * (points + 1)
    kernel = scipy.stats.norm.pdf((moved[:, None] - nodes[None, :]) / step) / step
    return moved, weights * half * (kernel @ density)


def critical_t(edge: float, df: Values) -> Values:
    """Translate a boundary into those of t, by its one-sided p-value.

    Parameters
    ----------
    edge : from `boundaries`
    df : shape (pairs,), degrees of freedom

    Returns
    -------
    shape (pairs,), infinity where nothing can be claimed

    Source
    ------
    Jennison & Turnbull (2000), section 11.4: the significance level approach.
    """
    found: Values = scipy.stats.t.isf(scipy.stats.norm.sf(edge), np.maximum(df, 1.0))
    return np.where(df >= 1, found, np.inf)
