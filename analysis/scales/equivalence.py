"""Two one-sided tests: the only way to claim that two systems hardly differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy

from .comparison import holm


class Estimate(NamedTuple):
    """A difference of two systems with its standard error and degrees of freedom."""

    a: str
    b: str
    difference: float
    error: float
    df: float


@dataclass(frozen=True)
class EquivalencePair:
    """One pair; `low` and `high` bound the difference at 1 − 2·alpha, `p` is adjusted for all."""

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Equivalence:
    """Every pair against a margin that was stated beforehand, in the unit of the differences."""

    margin: float
    unit: str
    pairs: tuple[EquivalencePair, ...]
    alpha: float

    def equivalent(self) -> tuple[EquivalencePair, ...]:
        """Return the pairs whose difference is smaller than the margin."""
        return tuple(pair for pair in self.pairs if pair.p < self.alpha)


def equivalence(
    estimates: Sequence[Estimate], margin: float, *, unit: str = "", alpha: float = 0.05
) -> Equivalence:
    """Test of every pair whether it differs by less than the margin, in either direction.

    The null hypothesis is a difference of the margin or more. It is rejected if both one-sided
    tests reject theirs, each at alpha: the interval at 1 − 2·alpha lies within the margins. p has
    Holm's adjustment for all pairs.

    Parameters
    ----------
    estimates : of all pairs, with errors that allow for raters and items
    margin : the largest difference that does not matter, stated before the data are seen
    unit : what the differences are measured in, in words
    alpha : level of all claims together

    Source
    ------
    Schuirmann (1987); Holm (1979).
    """
    difference = np.array([each.difference for each in estimates])
    error = np.array([each.error for each in estimates])
    df = np.array([each.df for each in estimates])
    p = scipy.stats.t.sf((margin - np.abs(difference)) / error, df)
    half = scipy.stats.t.isf(alpha, df) * error
    ends = zip(estimates, difference - half, difference + half, holm(p), strict=True)
    return Equivalence(
        margin,
        unit,
        tuple(
            EquivalencePair(each.a, each.b, each.difference, float(low), float(high), float(p))
            for each, low, high, p in ends
        ),
        alpha,
    )
