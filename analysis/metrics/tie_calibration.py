"""Accuracy of pairs with tie calibration (acc*_eq)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.metrics.pairs_within import PairsWithin
from analysis.typing import Values

# Sums in another order differ in the last digits; two accuracies closer than this are equal.
SAME = 1e-12


@dataclass(frozen=True)
class Calibrated:
    """The best accuracy and the least ε that reaches it; None without pairs."""

    accuracy: float | None
    epsilon: float | None


def tie_calibration(pairs: PairsWithin) -> Calibrated:
    """Choose the ε below which a metric calls two outputs equal, and the accuracy with it.

    Parameters
    ----------
    pairs : within items

    Returns
    -------
    The mean over items of the share of pairs that people and the metric order the same way or
    both call tied. It was chosen on the same data, so it is optimistic; see `cross_fitted`.

    Source
    ------
    Deutsch, Foster & Freitag (2023), "Ties Matter".
    """
    thresholds, accuracies = calibration_curve(pairs)
    if not len(thresholds):
        return Calibrated(None, None)
    best = int(np.argmax(accuracies >= accuracies.max() - SAME))
    return Calibrated(float(accuracies[best]), float(thresholds[best]))


def calibration_curve(pairs: PairsWithin) -> tuple[Values, Values]:
    """Every ε at which a pair becomes a tie, and the accuracy with it, from ε = 0 on.

    Parameters
    ----------
    pairs : within items

    Returns
    -------
    Two arrays, shape (thresholds,), empty where there are no pairs.
    """
    if not len(pairs.group):
        return np.empty(0), np.empty(0)
    weight = 1 / pairs.sizes[pairs.group] / len(pairs.sizes)
    right = np.sign(pairs.metric) == np.sign(pairs.people)
    gains = weight * ((pairs.people == 0) * 1.0 - right)
    widths = np.abs(pairs.metric)
    order = np.argsort(widths)
    widths, gained = widths[order], np.cumsum(gains[order])
    last = np.flatnonzero(np.r_[widths[1:] != widths[:-1], True])
    start = float(weight @ right)
    thresholds, accuracies = widths[last], start + gained[last]
    if thresholds[0] == 0:  # what ties already changes nothing
        return thresholds, accuracies
    return np.r_[0.0, thresholds], np.r_[start, accuracies]


def cross_fitted(people: Values, metric: Values, *, seed: int) -> float | None:
    """The accuracy with ε from the other half of the items, the mean of both halves.

    Parameters
    ----------
    people, metric : shape (systems, items), NaN where missing
    seed : of the split

    Returns
    -------
    0 to 1; None where a half has no pairs.
    """
    order = np.random.default_rng(seed).permutation(people.shape[1])
    halves = [np.sort(half) for half in np.array_split(order, 2)]
    pairs = [PairsWithin.of(people[:, half], metric[:, half]) for half in halves]
    chosen = [tie_calibration(each).epsilon for each in pairs]
    if chosen[0] is None or chosen[1] is None:
        return None
    found = [
        pairs[half].means(pairs[half].right(epsilon)).mean()
        for half, epsilon in ((0, chosen[1]), (1, chosen[0]))
    ]
    return float(np.mean(found))
