"""Accuracy of pairs with tie calibration (acc*_eq)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.typing import Values

from .pairs_within import PairsWithin

# Sums in another order differ in the last digits; two accuracies closer than this are equal.
SAME = 1e-12


@dataclass(frozen=True)
class Calibrated:
    """The best accuracy and the least ε that reaches it; None without pairs."""

    accuracy: float | None
    epsilon: float | None


def tie_calibration(*parts: PairsWithin) -> Calibrated:
    """Choose the ε below which a metric calls two outputs equal, and the accuracy with it.

    Parameters
    ----------
    parts : pairs within items; the groups of all parts weigh the same

    Returns
    -------
    The mean over items of the share of pairs that people and the metric order the same way or
    both call tied. It was chosen on the same data, so it is optimistic; see `cross_fitted`.

    Source
    ------
    Deutsch, Foster & Freitag (2023), "Ties Matter".
    """
    thresholds, accuracies = _curve(parts)
    if not len(thresholds):
        return Calibrated(None, None)
    best = int(np.argmax(accuracies >= accuracies.max() - SAME))
    return Calibrated(float(accuracies[best]), float(thresholds[best]))


def _curve(parts: Sequence[PairsWithin]) -> tuple[Values, Values]:
    """Compute each ε at which a tie changes the accuracy, and the accuracy with it, from 0 on."""
    groups = sum(len(pairs.sizes) for pairs in parts)
    if not groups:
        return np.empty(0), np.empty(0)
    found = [_gains(pairs, groups) for pairs in parts]
    start = sum(each[0] for each in found)
    widths = np.concatenate([each[1] for each in found])
    gains = np.concatenate([each[2] for each in found])
    if not len(widths):
        return np.zeros(1), np.array([start])
    order = np.argsort(widths)
    widths, gained = widths[order], np.cumsum(gains[order])
    last = np.flatnonzero(np.r_[widths[1:] != widths[:-1], True])
    thresholds, accuracies = widths[last], start + gained[last]
    if thresholds[0] == 0:  # what ties already changes nothing
        return thresholds, accuracies
    return np.r_[0.0, thresholds], np.r_[start, accuracies]


def _gains(pairs: PairsWithin, groups: int) -> tuple[float, Values, Values]:
    """Return the accuracy at ε = 0, and for each pair whose tie changes it the ε and the gain."""
    weight = 1 / pairs.sizes[pairs.group] / groups
    right = np.sign(pairs.metric) == np.sign(pairs.people)
    tied = pairs.people == 0
    gains = weight * (tied * 1.0 - right)
    changes = np.flatnonzero(right != tied)
    return float(weight @ right), np.abs(pairs.metric)[changes], gains[changes]


def cross_fitted(pairs: PairsWithin, items: int, *, seed: int) -> float | None:
    """Return the accuracy with ε from the other half of the items, the mean of both halves.

    Parameters
    ----------
    pairs : within items
    items : how many there are, those without pairs too
    seed : of the split

    Returns
    -------
    0 to 1; None where a half has no pairs.
    """
    order = np.random.default_rng(seed).permutation(items)
    in_second = np.zeros(items, dtype=bool)
    in_second[np.array_split(order, 2)[1]] = True
    halves = [pairs.of_items(~in_second), pairs.of_items(in_second)]
    chosen = [tie_calibration(each).epsilon for each in halves]
    if chosen[0] is None or chosen[1] is None:
        return None
    found = [
        halves[half].shares(halves[half].right(epsilon)).mean()
        for half, epsilon in ((0, chosen[1]), (1, chosen[0]))
    ]
    return float(np.mean(found))
