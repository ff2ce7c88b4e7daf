"""Is one metric closer to people than another? Permutation tests, Williams' test, clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from analysis.typing import Flags, Values

from .pairs_within import PairsWithin


@dataclass(frozen=True)
class MetricPair:
    """Two metrics, the closer one first; `p` is one-sided; None where it has no value."""

    a: str
    b: str
    difference: float
    p: float | None
    p_items: float | None = None  # the same test, but whole items are swapped
    williams: float | None = None


def perm_both(
    people: Values,
    metrics: Values,
    pairs: Sequence[tuple[int, int]],
    measure: Callable[[Values, Values], Values],
    *,
    seed: int,
    permutations: int = 1000,
) -> list[tuple[float, float]]:
    """Test of each pair whether the second metric is closer to people about whole systems.

    Both metrics are standardised, then swapped at random for single outputs, and the systems'
    means and their correlation are computed again. All pairs share the swaps.

    Parameters
    ----------
    people : shape (systems,)
    metrics : shape (metrics, systems, segments) without NaN; a single segment: scores of whole
        systems, which are swapped as such
    pairs : numbers of two metrics each
    measure : a function of rows, such as `pearson_rows`
    seed, permutations : of the swaps

    Returns
    -------
    By pair, the difference second − first, and the share of swaps that make at least this
    difference.

    Source
    ------
    Deutsch, Dror & Roth (2021), PERM-BOTH.
    """
    scores = np.stack([_standardised(each) for each in metrics])
    means = scores.mean(axis=2)
    first, second = (np.array(side, dtype=np.intp) for side in zip(*pairs, strict=True))
    moved = np.empty((permutations, scores.shape[1], len(pairs)))
    rng = np.random.default_rng(seed)
    for system in range(scores.shape[1]):
        swaps = rng.integers(0, 2, size=(permutations, scores.shape[2]), dtype=np.int8)
        differences = scores[second, system] - scores[first, system]
        moved[:, system] = swaps.astype(np.float32) @ differences.T.astype(np.float32)
    moved /= scores.shape[2]
    ours = np.broadcast_to(people, moved.shape[:2])

    def difference(of_second: Values, of_first: Values, humans: Values) -> Values:
        both = [np.nan_to_num(measure(humans, each)) for each in (of_second, of_first)]
        return np.asarray(both[0] - both[1], dtype=np.float64)

    found = []
    for number, (one, other) in enumerate(pairs):
        seen = float(difference(means[other][None], means[one][None], people[None])[0])
        null = difference(means[other] - moved[..., number], means[one] + moved[..., number], ours)
        # Swaps that leave all as it is differ from what is seen in the last digits only.
        found.append((seen, float((null >= seen - 1e-6).mean())))
    return found


def _standardised(scores: Values) -> Values:
    centred: Values = scores - scores.mean()
    spread = scores.std()
    return centred / spread if spread > 0 else centred


def perm_pairs(
    pairs: PairsWithin, first: Flags, second: Flags, *, seed: int, permutations: int = 1000
) -> tuple[float, float, float]:
    """Test whether the second metric's accuracy with tie calibration is higher than the first's.

    Each metric keeps its own ε, and what is swapped is whether a pair is right. WMT swaps single
    pairs, as if they were independent; swapping whole items allows for pairs that share outputs.

    Parameters
    ----------
    pairs : the pairs that both metrics have
    first, second : which of them either metric has right, from `PairsWithin.right`
    seed, permutations : of the swaps

    Returns
    -------
    The difference second − first, its p-value by pairs, and its p-value by items.

    Source
    ------
    Deutsch, Foster & Freitag (2023); mt-metrics-eval's pairwise test.
    """
    of_items = pairs.shares(second) - pairs.shares(first)
    seen = float(of_items.mean())
    by_items = _signs_of_items(seed, permutations, len(of_items)) @ of_items / len(of_items)
    rng = np.random.default_rng([seed, 1])
    # Pairs of items with equally many pairs weigh the same: their swaps are one binomial number.
    by_pairs = np.zeros(permutations)
    changes = np.bincount(pairs.group, first != second, minlength=len(of_items))
    for width in np.unique(pairs.sizes):
        changed = int(changes[pairs.sizes == width].sum())
        flips = 2 * rng.binomial(changed, 0.5, size=permutations) - changed
        by_pairs += flips / width / len(pairs.sizes)
    at_least = [float((null >= seen - 1e-12).mean()) for null in (by_pairs, by_items)]
    return seen, at_least[0], at_least[1]


@lru_cache(maxsize=1)
def _signs_of_items(seed: int, permutations: int, items: int) -> Values:
    """Random signs, shape (permutations, items); all pairs of metrics use the same ones."""
    rng = np.random.default_rng(seed)
    signs: Values = rng.choice([-1.0, 1.0], size=(permutations, items))
    return signs


def williams(with_first: float, with_second: float, between: float, systems: int) -> float | None:
    """Williams' test of two dependent Pearson correlations with the same human scores.

    Parameters
    ----------
    with_first, with_second : r of people with either metric
    between : r of the metrics with each other
    systems : how many the correlations are over

    Returns
    -------
    The one-sided p-value of the higher correlation being truly higher; None with fewer than four
    systems or where the statistic is not defined.

    Source
    ------
    Williams (1959); Graham & Baldwin (2014).
    """
    if systems < 4:
        return None
    determinant = (
        1 - with_first**2 - with_second**2 - between**2
        + 2 * with_first * with_second * between
    )  # fmt: skip
    mean = (with_first + with_second) / 2
    variance = 2 * (systems - 1) / (systems - 3) * determinant + mean**2 * (1 - between) ** 3
    if variance <= 0:
        return None
    numerator = (with_first - with_second) * math.sqrt((systems - 1) * (1 + between))
    return float(scipy.stats.t.sf(abs(numerator / math.sqrt(variance)), systems - 3))


def clusters(
    order: Sequence[str], p_values: dict[tuple[str, str], float | None], alpha: float
) -> dict[str, int]:
    """Group metrics as WMT does: a cluster ends where a metric is beaten by one within it.

    Parameters
    ----------
    order : metrics, the closest to people first
    p_values : of (better, worse)
    alpha : a p-value below it separates

    Returns
    -------
    The cluster of each metric, 1 for the first. Metrics of one cluster may still differ: not
    finding a difference does not show that there is none. p-values are for each pair alone.
    """
    found: dict[str, int] = {}
    cluster: list[str] = []
    number = 1
    for name in order:
        beaten = [p_values.get((better, name)) for better in cluster]
        if any(p is not None and p < alpha for p in beaten):
            number, cluster = number + 1, []
        cluster.append(name)
        found[name] = number
    return found
