"""Agreement of a metric with people about single outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy

from analysis.typing import Values

from .pairs_within import PairsWithin
from .system_level import spearman_rows
from .tie_calibration import cross_fitted, tie_calibration

WITHOUT_OUTPUTS = "The metric has no scores of single outputs that people judged."
WITHOUT_PAIRS = "No item has two outputs with both a judgement and a score."


@dataclass(frozen=True)
class SegmentLevel:
    """One metric about single outputs; None where there is no value, with the reason.

    `acc_eq` is the accuracy with tie calibration and `epsilon` its threshold; `acc_eq_cross_fit`
    takes the threshold from other items. `kendall` is τ_b within items, `kendall_c` τ_c,
    `pearson_within_items` and `tau_23` likewise; `pairwise_pearson` (PDP) is r of all differences
    of two outputs of an item; `kendall_pooled` and `pearson` ignore items. `items` and `pairs` are
    what is compared. `acc_eq_interval` resamples items and keeps ε. `spearman` is over all outputs,
    and `by_system` over the outputs of each system (Dušek, Novikova & Rieser 2020, Tables 15 and
    16).
    """

    metric: str
    acc_eq: float | None = None
    epsilon: float | None = None
    acc_eq_interval: tuple[float, float] | None = None
    acc_eq_cross_fit: float | None = None
    acc_without_ties: float | None = None
    tau_23: float | None = None
    kendall: float | None = None
    kendall_pooled: float | None = None
    pearson: float | None = None
    pearson_within_items: float | None = None
    items: int = 0
    pairs: int = 0
    outputs: int = 0
    reason: str = ""
    spearman: float | None = None
    by_system: Mapping[str, float | None] = field(default_factory=dict)
    kendall_c: float | None = None
    pairwise_pearson: float | None = None


def segment_level(
    name: str,
    people: Values,
    metric: Values,
    *,
    seed: int,
    resamples: int,
    alpha: float,
    systems: Sequence[str] = (),
    pairs: PairsWithin | None = None,
) -> SegmentLevel:
    """Compare a metric with people about single outputs.

    Parameters
    ----------
    name : of the metric
    people, metric : shape (systems, items), NaN where missing
    seed : of the split for cross-fitting and of the bootstrap
    resamples : of items, for the interval
    alpha : 1 − the interval's confidence
    systems : names, for correlations over the outputs of each; none gives no such correlations
    pairs : of the outputs within items, if they are known already

    Returns
    -------
    All measures; those without a value are None.
    """
    known = ~(np.isnan(people) | np.isnan(metric))
    pairs = pairs or PairsWithin.of(people, metric)
    if not len(pairs.group):
        reason = WITHOUT_PAIRS if known.any() else WITHOUT_OUTPUTS
        return SegmentLevel(name, outputs=int(known.sum()), reason=reason)
    best = tie_calibration(pairs)
    right = pairs.shares(pairs.right(best.epsilon or 0.0))
    a, b = people[known], metric[known]
    varies = len(a) > 2 and np.ptp(a) > 0 and np.ptp(b) > 0
    return SegmentLevel(
        metric=name,
        acc_eq=best.accuracy,
        epsilon=best.epsilon,
        acc_eq_interval=_interval(right, seed, resamples, alpha),
        acc_eq_cross_fit=cross_fitted(pairs, people.shape[1], seed=seed),
        acc_without_ties=float(pairs.shares(pairs.right(0.0)).mean()),
        tau_23=2 * best.accuracy - 1 if best.accuracy is not None else None,
        kendall=kendall_within(pairs),
        kendall_pooled=float(scipy.stats.kendalltau(a, b)[0]) if varies else None,
        pearson=float(scipy.stats.pearsonr(a, b)[0]) if varies else None,
        pearson_within_items=pearson_within(people, metric),
        items=len(pairs.sizes),
        pairs=len(pairs.group),
        outputs=len(a),
        spearman=spearman(a, b),
        by_system={
            system: spearman(people[row, known[row]], metric[row, known[row]])
            for row, system in enumerate(systems)
        },
        kendall_c=kendall_c_within(people, metric, pairs),
        pairwise_pearson=pairwise_pearson(pairs),
    )


def spearman(first: Values, second: Values) -> float | None:
    """Compute Spearman's ρ; None for fewer than three values or where one side does not vary.

    Parameters
    ----------
    first, second : shape (values,)

    Source
    ------
    Spearman (1904).
    """
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(spearman_rows(first[None], second[None])[0])


def kendall_within(pairs: PairsWithin) -> float | None:
    """Return the mean of Kendall's τ_b over the items where both vary (Kendall 1945).

    Parameters
    ----------
    pairs : within items

    Returns
    -------
    −1 to 1; None where people or the metric rate all outputs of every item the same.
    """
    groups = len(pairs.sizes)
    untied = [
        np.bincount(pairs.group, each != 0, minlength=groups)
        for each in (pairs.people, pairs.metric)
    ]
    product = untied[0] * untied[1]
    varies = product > 0
    if not varies.any():
        return None
    return float((_concordance(pairs)[varies] / np.sqrt(product[varies])).mean())


def _concordance(pairs: PairsWithin) -> Values:
    """Count in each item the pairs in one order, less those in opposite orders."""
    agreement = np.sign(pairs.people) * np.sign(pairs.metric)
    sums = np.bincount(pairs.group, agreement, minlength=len(pairs.sizes))
    return np.asarray(sums, dtype=np.float64)


def kendall_c_within(people: Values, metric: Values, pairs: PairsWithin) -> float | None:
    """Return the mean of Kendall's τ_c over the items where both vary (Stuart 1953).

    With few different values on one side, τ_b reaches 1 only if the other side ties as often;
    τ_c reaches it with as few values as the side that has fewer.

    Parameters
    ----------
    people, metric : shape (systems, items), NaN where missing
    pairs : of the same outputs, within items

    Returns
    -------
    −1 to 1; None where people or the metric rate all outputs of every item the same.
    """
    known = ~(np.isnan(people) | np.isnan(metric))
    values = [
        1 + (np.diff(np.sort(np.where(known, each, np.nan), axis=0), axis=0) > 0).sum(axis=0)
        for each in (people, metric)
    ]
    fewer = np.minimum(*values)[pairs.items]
    outputs = known.sum(axis=0)[pairs.items]
    varies = fewer > 1
    if not varies.any():
        return None
    fewer, outputs, sums = fewer[varies], outputs[varies], _concordance(pairs)[varies]
    return float((2 * fewer * sums / (outputs**2 * (fewer - 1))).mean())


def pairwise_pearson(pairs: PairsWithin) -> float | None:
    """Return Pearson's r of all differences of two outputs of an item, in both directions (PDP).

    Levels of items do not count, and large differences count more than small ones. The order of
    the two is nobody's choice, so the mean difference is nothing.

    Parameters
    ----------
    pairs : within items

    Returns
    -------
    −1 to 1; None where people or the metric rate all outputs of every item the same.
    """
    scale = float((pairs.people**2).sum() * (pairs.metric**2).sum()) ** 0.5
    return float(pairs.people @ pairs.metric) / scale if scale > 0 else None


def pearson_within(people: Values, metric: Values) -> float | None:
    """Return the mean of Pearson's r over the items where both vary.

    Parameters
    ----------
    people, metric : shape (systems, items), NaN where missing

    Returns
    -------
    −1 to 1; None where people or the metric rate all outputs of every item the same.
    """
    known = ~(np.isnan(people) | np.isnan(metric))
    counts = np.maximum(known.sum(axis=0), 1)
    centred = [
        np.where(known, each - np.where(known, each, 0.0).sum(axis=0) / counts, 0.0)
        for each in (people, metric)
    ]
    squares = [(each**2).sum(axis=0) for each in centred]
    scale = [np.where(known, np.abs(each), 0.0).max(axis=0) for each in (people, metric)]
    # Rounding leaves tiny squares where all values are equal.
    varies = np.logical_and.reduce(
        [
            square > 1e-24 * np.maximum(size, 1e-300) ** 2
            for square, size in zip(squares, scale, strict=True)
        ]
    )
    if not varies.any():
        return None
    products = (centred[0] * centred[1]).sum(axis=0)[varies]
    return float((products / np.sqrt(squares[0][varies] * squares[1][varies])).mean())


def _interval(
    of_items: Values, seed: int, resamples: int, alpha: float
) -> tuple[float, float] | None:
    """A percentile interval of the mean; items are resampled."""
    if len(of_items) < 2 or not resamples:
        return None
    rng = np.random.default_rng(seed)
    count = len(of_items)
    drawn = [of_items[rng.integers(count, size=count)].mean() for _ in range(resamples)]
    low, high = np.quantile(drawn, [alpha / 2, 1 - alpha / 2])
    return float(low), float(high)
