"""Agreement of a metric with people about whole systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import scipy

from analysis.typing import Flags, Values

from .people import People

Interval = tuple[float, float]
# Mathur, Baldwin & Cohn (2020): a robust z beyond this is an outlying system.
OUTLYING = 2.5
MAD_OF_NORMAL = 1.4826
# Below this many systems an interval of a correlation covers nearly everything.
FEW_SYSTEMS = 10
UNITS = ("systems", "items", "raters")


@dataclass(frozen=True)
class SystemLevel:
    """One metric about whole systems; None where there is no value, with the reason.

    `pairwise_accuracy_significant` counts only the pairs of systems that people tell apart
    (`significant_pairs`). `pearson_without_outliers` leaves out the systems in `outliers`.
    `intervals` are percentiles by what was resampled (systems, items, raters), then by measure.
    """

    metric: str
    pearson: float | None = None
    spearman: float | None = None
    kendall: float | None = None
    pairwise_accuracy: float | None = None
    soft_pairwise_accuracy: float | None = None
    pairwise_accuracy_significant: float | None = None
    significant_pairs: int = 0
    pearson_without_outliers: float | None = None
    outliers: tuple[str, ...] = ()
    systems: int = 0
    intervals: Mapping[str, Mapping[str, Interval | None]] = field(default_factory=dict)
    reason: str = ""


# --- measures of many pairs of vectors at once ---------------------------------------------------


def pearson_rows(first: Values, second: Values) -> Values:
    """Compute Pearson's r of each row with the same row; NaN if constant.

    Parameters
    ----------
    first, second : shape (rows, systems)
    """
    a = first - first.mean(axis=-1, keepdims=True)
    b = second - second.mean(axis=-1, keepdims=True)
    scale = np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    size = np.abs(first).max(axis=-1) * np.abs(second).max(axis=-1) * first.shape[-1]
    varies = scale > 1e-12 * size
    product = (a * b).sum(axis=-1)
    return _ratio(product, scale, varies)


def spearman_rows(first: Values, second: Values) -> Values:
    """Compute Spearman's ρ of each row with the same row.

    Parameters
    ----------
    first, second : shape (rows, systems)
    """
    return pearson_rows(scipy.stats.rankdata(first, axis=-1), scipy.stats.rankdata(second, axis=-1))


def kendall_rows(first: Values, second: Values) -> Values:
    """Compute Kendall's τ_b of each row with the same row.

    Parameters
    ----------
    first, second : shape (rows, systems)

    Source
    ------
    Kendall (1945).
    """
    a, b = _pair_signs(first), _pair_signs(second)
    untied = (a != 0).sum(axis=-1) * (b != 0).sum(axis=-1)
    return _ratio((a * b).sum(axis=-1), np.sqrt(untied), untied > 0)


def accuracy_rows(first: Values, second: Values) -> Values:
    """Compute the share of pairs of systems that both order the same way, by row.

    Parameters
    ----------
    first, second : shape (rows, systems)

    Source
    ------
    Kocmi et al. (2021).
    """
    shares: Values = (_pair_signs(first) == _pair_signs(second)).mean(axis=-1)
    return shares


def _pair_signs(values: Values) -> Values:
    a, b = np.triu_indices(values.shape[-1], 1)
    signs: Values = np.sign(values[..., a] - values[..., b])
    return signs


MEASURES: Mapping[str, Callable[[Values, Values], Values]] = {
    "pearson": pearson_rows,
    "spearman": spearman_rows,
    "kendall": kendall_rows,
    "pairwise_accuracy": accuracy_rows,
}


# --- one metric ----------------------------------------------------------------------------------


def system_level(
    name: str,
    people: Values,
    metric: Values,
    systems: tuple[str, ...],
    *,
    soft: float | None,
    p_values: Values,
    alpha: float,
    intervals: Mapping[str, Mapping[str, Interval | None]],
) -> SystemLevel:
    """Compare a metric with people about whole systems.

    Parameters
    ----------
    name : of the metric
    people, metric : shape (systems,), NaN where missing
    systems : names
    soft : its soft pairwise accuracy
    p_values : of people, shape (systems, systems), one-sided
    alpha : a pair of systems is told apart by people where p < α/2 one-sided
    intervals : by what was resampled

    Returns
    -------
    All measures; those without a value are None.
    """
    known = ~(np.isnan(people) | np.isnan(metric))
    count = int(known.sum())
    if count < 2:
        reason = "Fewer than two systems have both judgements and a score."
        return SystemLevel(name, systems=count, reason=reason)
    a, b = people[known], metric[known]
    found = {measure: _or_none(rows(a[None], b[None])[0]) for measure, rows in MEASURES.items()}
    outlying = outliers(a)
    kept = ~outlying
    sure, sure_pairs = _significant(a, b, p_values[np.ix_(known, known)], alpha)
    constant = np.ptp(a) == 0 or np.ptp(b) == 0
    return SystemLevel(
        metric=name,
        **found,
        soft_pairwise_accuracy=soft,
        pairwise_accuracy_significant=sure,
        significant_pairs=sure_pairs,
        pearson_without_outliers=_or_none(pearson_rows(a[kept][None], b[kept][None])[0])
        if kept.sum() > 2
        else None,
        outliers=tuple(np.array(systems)[known][outlying].tolist()),
        systems=count,
        intervals=intervals,
        reason="All systems have the same score." if constant else "",
    )


def outliers(values: Values) -> Flags:
    """Flag systems whose human scores are far from the rest.

    Parameters
    ----------
    values : shape (systems,)

    Source
    ------
    Mathur, Baldwin & Cohn (2020).
    """
    distance = np.abs(values - np.median(values))
    width = MAD_OF_NORMAL * np.median(distance)
    far: Flags = distance > OUTLYING * width if width > 0 else np.zeros(len(values), dtype=bool)
    return far


def _significant(
    people: Values, metric: Values, p_values: Values, alpha: float
) -> tuple[float | None, int]:
    """Return the accuracy over the pairs that people tell apart, and their number."""
    a, b = np.triu_indices(len(people), 1)
    p = p_values[a, b]
    sure = np.minimum(p, 1 - p) < alpha / 2
    if not sure.any():
        return None, 0
    right = np.sign(people[a] - people[b]) == np.sign(metric[a] - metric[b])
    return float(right[sure].mean()), int(sure.sum())


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


# --- intervals -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Redrawn:
    """System scores on resampled judgements: people (resamples, systems), metrics likewise with
    the metrics first. `drawn` are the systems of each resample.
    """

    people: Values
    metrics: Values


def redraw(
    people: People, segments: Values, whole: Values, unit: str, *, seed: int, resamples: int
) -> Redrawn:
    """System scores after drawing systems, items or raters with replacement.

    Parameters
    ----------
    people : the judgements
    segments : of the metrics, shape (metrics, systems, items), for the items of the judgements
    whole : scores that were given for whole systems, shape (metrics, systems); drawing items
        leaves them as they are
    unit : `systems`, `items` or `raters`
    seed, resamples : of the bootstrap

    Returns
    -------
    The scores; NaN where a system has no judgement left.
    """
    rng = np.random.default_rng(seed)
    means = _means(segments)
    fixed = np.where(np.isnan(whole), means, whole)
    if unit == "systems":
        drawn = rng.integers(len(people.systems), size=(resamples, len(people.systems)))
        return Redrawn(people.system_scores[drawn], fixed[:, drawn])
    sums, counts = people.sums_by(unit.removesuffix("s"))
    size = len(sums)
    weights = rng.multinomial(size, np.full(size, 1 / size), size=resamples).astype(np.float64)
    scores = _ratio(weights @ sums, weights @ counts)
    if unit == "raters":
        return Redrawn(scores, np.repeat(fixed[:, None], resamples, axis=1))
    known = ~np.isnan(segments)
    of_metrics = np.stack(
        [
            np.broadcast_to(given, scores.shape)
            if not np.isnan(given).any()
            else _ratio(weights @ np.where(have, values, 0.0).T, weights @ have.T)
            for given, values, have in zip(whole, segments, known, strict=True)
        ]
    )
    return Redrawn(scores, of_metrics)


def intervals_of(redrawn: Redrawn, metric: int, alpha: float) -> dict[str, Interval | None]:
    """Percentile intervals of every measure of one metric.

    Parameters
    ----------
    redrawn : from `redraw`
    metric : its number
    alpha : 1 − confidence

    Returns
    -------
    By measure; None where fewer than half of the resamples have a value.
    """
    a, b = redrawn.people, redrawn.metrics[metric]
    complete = ~(np.isnan(a) | np.isnan(b)).any(axis=1)
    found: dict[str, Interval | None] = {}
    for name, rows in MEASURES.items():
        values = rows(a[complete], b[complete]) if complete.any() else np.empty(0)
        values = values[~np.isnan(values)]
        if 2 * len(values) < len(a) or not len(values):
            found[name] = None
            continue
        low, high = np.quantile(values, [alpha / 2, 1 - alpha / 2])
        found[name] = float(low), float(high)
    return found


def _means(segments: Values) -> Values:
    known = ~np.isnan(segments)
    return _ratio(np.where(known, segments, 0.0).sum(axis=2), known.sum(axis=2))


def _ratio(sums: Values, counts: Values, where: Flags | None = None) -> Values:
    """Divide, NaN where there is nothing to divide by (or as told)."""
    possible = counts > 0 if where is None else where
    found: Values = np.full(np.shape(sums), np.nan)
    np.divide(sums, counts, out=found, where=possible)
    return found
