"""Soft pairwise accuracy: does a metric separate systems as surely as people do?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.typing import Values

PERMUTATIONS = 1000
Signs = npt.NDArray[np.float32]


def random_signs(segments: int, *, permutations: int = PERMUTATIONS, seed: int) -> Signs:
    """Draw the signs that all pairs of systems and all metrics share, shape (permutations,
    segments).

    With seed 4 they are those of Google's mt-metrics-eval.

    Parameters
    ----------
    segments, permutations : their number
    seed : 4: the signs are those of Google's mt-metrics-eval
    """
    drawn = np.random.default_rng(seed).random((permutations, segments), dtype=np.float32)
    np.rint(drawn, out=drawn)
    drawn *= 2
    drawn -= 1
    return drawn


def pairwise_p_values(scores: Values, signs: Signs) -> Values:
    """One-sided p-values of paired permutation tests between all systems.

    Parameters
    ----------
    scores : shape (systems, segments); NaN where missing: a pair uses the segments that both have
    signs : shape (permutations, segments)

    Returns
    -------
    Shape (systems, systems): above the diagonal, the share of permutations in which the first
    system is at least as far ahead of the second as in the data. NaN elsewhere, and for two
    systems that have no segment in common.

    Source
    ------
    Thompson, Mathur, Deutsch & Khayrallah (2024).
    """
    systems = len(scores)
    known = ~np.isnan(scores)
    found = np.full((systems, systems), np.nan)
    if not known.any():
        return found
    if known.all():
        exact = scores.astype(np.float32)
        totals, partial = exact.sum(axis=1), signs @ exact.T
        for first in range(systems - 1):
            null = partial[:, first, None] - partial[:, first + 1 :]
            found[first, first + 1 :] = (null >= totals[first] - totals[first + 1 :]).mean(axis=0)
        return found
    filled = np.where(known, scores, 0.0)
    for first in range(systems - 1):
        both = known[first] & known[first + 1 :]
        differences = np.where(both, filled[first] - filled[first + 1 :], 0.0).astype(np.float32)
        shares = (signs @ differences.T >= differences.sum(axis=1)).mean(axis=0)
        found[first, first + 1 :] = np.where(both.any(axis=1), shares, np.nan)
    return found


def soft_pairwise_accuracy(
    people: Values, metric: Values, *, permutations: int = PERMUTATIONS, seed: int
) -> float | None:
    """1 − the mean distance between the p-values of people and of a metric.

    Parameters
    ----------
    people, metric : shape (systems, segments), NaN where missing; a segment counts where both have
        a score
    permutations, seed : of the random signs

    Returns
    -------
    0 to 1; None where no two systems have a segment in common.

    Source
    ------
    Thompson, Mathur, Deutsch & Khayrallah (2024); the system score of WMT24 and WMT25.
    """
    missing = np.isnan(people) | np.isnan(metric)
    used = ~missing.all(axis=0)
    signs = random_signs(int(used.sum()), permutations=permutations, seed=seed)
    return _one_minus_distance(
        *(
            pairwise_p_values(np.where(missing, np.nan, scores)[:, used], signs)
            for scores in (people, metric)
        )
    )


def _one_minus_distance(people: Values, metric: Values) -> float | None:
    """1 − the mean of |p − p'| over the pairs of systems that have both p-values."""
    distances = np.abs(people - metric)
    known = ~np.isnan(distances)
    return float(1 - distances[known].mean()) if known.any() else None


def soft_pairwise_accuracies(
    people: Values, metrics: Values, *, permutations: int = PERMUTATIONS, seed: int
) -> list[float | None]:
    """Soft pairwise accuracy of several metrics with one set of random signs.

    Parameters
    ----------
    people : shape (systems, segments)
    metrics : shape (metrics, systems, segments)
    permutations, seed : of the random signs

    Returns
    -------
    One number for each metric, None where a metric has no segments.
    """
    used = ~np.isnan(people).all(axis=0)
    ours = people[:, used]
    signs = random_signs(ours.shape[1], permutations=permutations, seed=seed)
    of_people = pairwise_p_values(ours, signs)
    found: list[float | None] = []
    for metric in metrics:
        theirs = np.where(np.isnan(ours), np.nan, metric[:, used])
        if np.isnan(theirs).sum() > np.isnan(ours).sum():
            found.append(
                soft_pairwise_accuracy(people, metric, permutations=permutations, seed=seed)
            )
        else:
            found.append(_one_minus_distance(of_people, pairwise_p_values(theirs, signs)))
    return found
