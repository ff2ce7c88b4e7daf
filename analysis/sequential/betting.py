"""Intervals that hold however often anybody looks, by betting against each possible mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from analysis.errors import OptionsError
from analysis.typing import Values

# Shares of the largest bet that cannot ruin: a mixture, so that none has to be chosen.
FRACTIONS = np.arange(1, 20) / 20
HALVINGS = 40


@dataclass(frozen=True, eq=False)
class Sequence:
    """The interval of each pair after all raters, and the p-value of a mean of one half.

    Arrays of shape (pairs,). `low` and `high` are the narrowest that any rater's arrival left.
    """

    mean: Values
    low: Values
    high: Values
    p: Values


def confidence_sequence(observations: Values, alpha: float) -> Sequence:
    """Bound the mean of bounded observations at every moment together.

    Somebody bets on each next rater, that the mean is above m (and in a second account that it is
    below). If m is right, the money in neither account grows on average, whatever came before, so
    it ever multiplies by 2/α with probability α/2 at most. All m of which no account ever did are
    in the interval. The bets are a mixture of 19 constant shares of the largest safe bet.

    Parameters
    ----------
    observations : shape (raters, pairs), between 0 and 1, in the order in which raters began; NaN
        where a rater says nothing about a pair
    alpha : 1 − confidence of each pair at all moments together

    Raises
    ------
    OptionsError : an observation is outside 0 and 1, or the level outside 0 and 1

    Source
    ------
    Ville (1939); Waudby-Smith & Ramdas (2024), hedged capital, with a mixture over constant bets.
    """
    if not 0 < alpha < 1:
        raise OptionsError([f"A level must be between 0 and 1, not {alpha:g}."])
    seen = ~np.isnan(observations)
    if np.any((observations[seen] < 0) | (observations[seen] > 1)):
        raise OptionsError(["A bet needs observations between 0 and 1."])
    counts = np.maximum(seen.sum(axis=0), 1)
    mean: Values = np.where(seen, observations, 0.0).sum(axis=0) / counts
    needed = float(np.log(2 / alpha))
    low = _least_possible(observations, needed)
    high = 1 - _least_possible(1 - observations, needed)
    half = np.full(observations.shape[1], 0.5)
    richest = np.maximum(most_money(observations, half), most_money(1 - observations, half))
    p: Values = np.minimum(2 * np.exp(-richest), 1.0)
    return Sequence(mean, low, high, p)


def most_money(observations: Values, means: Values) -> Values:
    """Return the logarithm of the most that a bet on more than these means ever had.

    Parameters
    ----------
    observations : shape (raters, pairs), between 0 and 1; NaN: nothing is bet
    means : shape (pairs,), the means that are bet against
    """
    safe = np.maximum(means, 1e-12)
    gains = np.nan_to_num((observations - safe) / safe, nan=0.0)
    steps = np.log1p(FRACTIONS[:, None, None] * gains[None])
    money = scipy.special.logsumexp(np.cumsum(steps, axis=1), axis=0) - np.log(len(FRACTIONS))
    most: Values = np.max(money, axis=0, initial=0.0)
    return most


def _least_possible(observations: Values, needed: float) -> Values:
    """Find the smallest mean against which no bet ever won enough; money falls as it rises."""
    low = np.zeros(observations.shape[1])
    high = np.ones(observations.shape[1])
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        refuted = most_money(observations, middle) >= needed
        low, high = np.where(refuted, middle, low), np.where(refuted, high, middle)
    return low
