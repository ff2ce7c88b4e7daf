"""Ranks over runs, the ranges that they cover, and where clusters of such ranges end."""

import math

import numpy as np
from numpy.typing import NDArray

from analysis.typing import Values


def ranks(scores: Values) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Best and worst rank of every system in every run; they differ where scores are equal.

    Parameters
    ----------
    scores : shape (runs, systems), higher is better

    Returns
    -------
    two arrays of shape (runs, systems), ranks from 1
    """
    systems = scores.shape[1]
    lows = np.empty(scores.shape, dtype=np.int32)
    highs = np.empty(scores.shape, dtype=np.int32)
    for run, row in enumerate(scores):
        ascending = np.sort(row)
        lows[run] = systems + 1 - np.searchsorted(ascending, row, side="right")
        highs[run] = systems - np.searchsorted(ascending, row, side="left")
    return lows, highs


def published_cut(alpha: float, runs: int) -> int:
    """Return how many runs the shared tasks' procedure cuts off at either end.

    Parameters
    ----------
    alpha : 1 − confidence
    runs : their number

    Source
    ------
    Sakaguchi, Post & Van Durme (2014).
    """
    return min(math.ceil(round(runs * alpha / 2, 9)), (runs - 1) // 2)


def ranges_of_ranks(
    lows: NDArray[np.int32], highs: NDArray[np.int32], cut: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Compute the lowest and highest rank of each system, shape (systems,) each.

    Parameters
    ----------
    lows : the best rank in each run, shape (runs, systems)
    highs : the worst rank, where systems tie
    cut : how many runs to leave out at either end
    """
    return np.sort(lows, axis=0)[cut], np.sort(highs, axis=0)[len(lows) - 1 - cut]


def cluster_ends(low: NDArray[np.int32], high: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Flag the ends of clusters: no later system's best rank is at or above this one's worst.

    Parameters
    ----------
    low, high : shape (systems,), rank ranges in the order of the ranking
    """
    best_below = np.minimum.accumulate(low[::-1])[::-1]
    ends: NDArray[np.bool_] = np.append(best_below[1:] > high[:-1], True)
    return ends
