"""Soft pairwise accuracy: does a metric separate systems as surely as people do?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from analysis.typing import Flags, Values

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
    return accuracy_of(_distances(people, metric, missing, permutations, seed))


def _distances(
    people: Values, metric: Values, missing: Flags, permutations: int, seed: int
) -> Values:
    """Compare the p-values of people and of a metric on the segments that both have."""
    used = ~missing.all(axis=0)
    signs = random_signs(int(used.sum()), permutations=permutations, seed=seed)
    first, second = (
        pairwise_p_values(np.where(missing, np.nan, scores)[:, used], signs)
        for scores in (people, metric)
    )
    distances: Values = np.abs(first - second)
    return distances


def accuracy_of(distances: Values) -> float | None:
    """Return 1 − the mean distance over the pairs of systems that have one.

    Parameters
    ----------
    distances : shape (systems, systems), |p − p'| above the diagonal, NaN where there is none
    """
    known = ~np.isnan(distances)
    return float(1 - distances[known].mean()) if known.any() else None


def interval_over_systems(
    distances: Values, *, seed: int, resamples: int, alpha: float
) -> tuple[float, float] | None:
    """Give soft pairwise accuracy a percentile interval that draws systems with replacement.

    A pair of systems weighs the product of how often both were drawn. p-values are not computed
    again, because they do not depend on the other systems.

    Parameters
    ----------
    distances : as for `accuracy_of`
    seed, resamples : of the bootstrap
    alpha : 1 − confidence

    Returns
    -------
    None where fewer than half of the draws have a pair

    Source
    ------
    The bootstrap of a U-statistic, Arcones & Giné (1992)
    """
    systems = len(distances)
    rng = np.random.default_rng(seed)
    times = rng.multinomial(systems, np.full(systems, 1 / systems), size=resamples).astype(float)
    known = (~np.isnan(distances)).astype(float)
    pairs = np.einsum("ri,ij,rj->r", times, known, times)
    sums = np.einsum("ri,ij,rj->r", times, np.nan_to_num(distances), times)
    drawn = 1 - sums[pairs > 0] / pairs[pairs > 0]
    if 2 * len(drawn) < resamples:
        return None
    low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)


def soft_pairwise_distances(
    people: Values, metrics: Values, *, permutations: int = PERMUTATIONS, seed: int
) -> list[Values]:
    """Compare the p-values of people with those of several metrics, by one set of random signs.

    Parameters
    ----------
    people : shape (systems, segments)
    metrics : shape (metrics, systems, segments)
    permutations, seed : of the random signs

    Returns
    -------
    For each metric what `accuracy_of` takes
    """
    used = ~np.isnan(people).all(axis=0)
    ours = people[:, used]
    signs = random_signs(ours.shape[1], permutations=permutations, seed=seed)
    of_people = pairwise_p_values(ours, signs)
    found = []
    for metric in metrics:
        theirs = np.where(np.isnan(ours), np.nan, metric[:, used])
        if np.isnan(theirs).sum() > np.isnan(ours).sum():
            missing = np.isnan(people) | np.isnan(metric)
            found.append(_distances(people, metric, missing, permutations, seed))
        else:
            found.append(np.abs(of_people - pairwise_p_values(theirs, signs)))
    return found
