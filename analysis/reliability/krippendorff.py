"""Krippendorff's α with its bootstrap interval, and the agreement of raters with themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.inference import percentile_interval
from analysis.scales.codes import compact
from analysis.typing import Codes, Values

from .coefficients import Coefficient, first_of_each, label_counts

METRICS = ("nominal", "ordinal", "interval", "ratio")
MOST_CATEGORIES = 2000
# Ratio distances have no closed sum: every pair of distinct values is compared.
MOST_RATIO_VALUES = 2000


@dataclass(frozen=True, eq=False)
class Pairable:
    """The values that can be paired with another of their unit, sorted by unit."""

    values: Values
    units: Codes
    clusters: Codes
    sizes: Values  # judgements of each unit

    @classmethod
    def of(
        cls, values: ArrayLike, units: Codes, raters: Codes, clusters: Codes | None = None
    ) -> Pairable:
        """Leave out what has nothing to be paired with.

        Parameters
        ----------
        values : shape (judgements,), numbers, or codes of categories
        units, raters : shape (judgements,), codes; a unit is one output, and a rater's second
            judgement of a unit is left out
        clusters : shape (judgements,), codes of what a bootstrap draws (items); units when None

        Raises
        ------
        Undefined : no unit has two raters
        """
        values = np.asarray(values, dtype=np.float64)
        clusters = units if clusters is None else clusters
        first = first_of_each(units, raters)
        values, units, clusters = values[first], units[first], clusters[first]
        sizes = np.bincount(units)
        kept = sizes[units] > 1
        if not kept.any():
            raise Undefined("No output was judged by two raters.")
        order = np.argsort(units[kept], kind="stable")
        values, units, clusters = values[kept][order], units[kept][order], clusters[kept][order]
        compact_units = compact(units)
        return cls(
            values, compact_units, compact(clusters), np.bincount(compact_units).astype(np.float64)
        )

    @cached_property
    def labels(self) -> tuple[Values, Codes]:
        """The distinct values, and the number of each value's, shape (values,)."""
        return np.unique(self.values, return_inverse=True)

    @property
    def weights(self) -> Values:
        """1/(mᵤ − 1) for every unit: each value counts once however many it is paired with."""
        return 1 / (self.sizes - 1)


def krippendorff_alpha(
    values: ArrayLike,
    units: Codes,
    raters: Codes,
    metric: str,
    *,
    clusters: Codes | None = None,
    rng: np.random.Generator | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Coefficient:
    """Krippendorff's α for any number of raters and missing values.

    Ordinal distance equals interval distance between mid-ranks. Under the bootstrap the ranks stay
    those of the full sample.

    Parameters
    ----------
    values : shape (judgements,), numbers, or codes of categories
    units, raters : shape (judgements,), codes; a unit is one output, and a rater's second judgement
        of a unit is left out
    metric : "nominal", "ordinal", "interval" or "ratio"
    clusters : shape (judgements,), codes of what the bootstrap draws (items); units when None
    rng : draws whole clusters for a percentile interval; no interval when None, or of fewer than
        three clusters
    resamples : number of bootstrap samples
    confidence : of the interval, between 0 and 1

    Returns
    -------
    Coefficient : α, at most 1, with its interval; `units` counts the units with two judgements or
        more

    Raises
    ------
    Undefined : no unit has two raters, no disagreement can be expected, or the values do not fit
        the metric (too many categories or distinct values, or negative values of a ratio scale)

    Source
    ------
    Krippendorff (2011).
    """
    pairable = Pairable.of(values, units, raters, clusters)
    return alpha_of(pairable, metric, rng=rng, resamples=resamples, confidence=confidence)


def alpha_of(
    pairable: Pairable,
    metric: str,
    *,
    rng: np.random.Generator | None = None,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Coefficient:
    """Compute `krippendorff_alpha` of values that several metrics share.

    Parameters
    ----------
    pairable : the values
    metric, rng, resamples, confidence : as there

    Raises
    ------
    Undefined : no disagreement can be expected, or the values do not fit the metric

    Source
    ------
    Krippendorff (2011).
    """
    parts = _disagreement_parts(pairable, metric)
    everything = np.ones((1, parts.within.shape[0]))
    alpha = float(parts.alpha(everything)[0])
    if np.isnan(alpha):
        raise Undefined("All values that can be paired are equal, so no disagreement is expected.")
    low, high = _interval(parts, rng, resamples, confidence)
    return Coefficient(f"Krippendorff α, {metric}", alpha, low, high, len(pairable.sizes))


def _interval(
    parts: _Parts, rng: np.random.Generator | None, resamples: int, confidence: float
) -> tuple[float | None, float | None]:
    clusters = parts.within.shape[0]
    if rng is None:
        return None, None
    draws = [
        parts.alpha(cluster_counts(rng, clusters, min(100, resamples - start)))
        for start in range(0, resamples, 100)
    ]
    return percentile_interval(np.concatenate(draws), confidence, clusters)


def cluster_counts(rng: np.random.Generator, clusters: int, resamples: int) -> Values:
    """Draw how often each cluster counts, shape (resamples, clusters).

    Parameters
    ----------
    rng : of the draws
    clusters, resamples : their number
    """
    drawn = rng.integers(clusters, size=(resamples, clusters))
    offset = np.arange(resamples)[:, None] * clusters
    counts = np.bincount((drawn + offset).ravel(), minlength=resamples * clusters)
    weights: Values = counts.reshape(resamples, clusters).astype(np.float64)
    return weights


@dataclass(frozen=True)
class _Parts:
    """Per cluster what α needs; a resample is a weighted sum of its rows.

    `within` holds the observed disagreement and the number of values; `expected` returns the
    expected disagreement of weighted clusters.
    """

    within: Values
    expected: Callable[[Values], Values]

    def alpha(self, weights: Values) -> Values:
        """1 − Dₒ/Dₑ for each row of cluster weights; NaN where nothing could disagree."""
        sums = weights @ self.within
        observed = sums[:, 0] / sums[:, 1]
        expected = self.expected(weights)
        ratio: Values = np.divide(
            observed, expected, out=np.full(len(sums), np.nan), where=expected > 1e-300
        )
        return 1 - ratio


def _disagreement_parts(pairable: Pairable, metric: str) -> _Parts:
    if metric == "nominal":
        return _nominal_parts(pairable)
    if metric == "ratio":
        return _ratio_parts(pairable)
    positions = pairable.values
    if metric == "ordinal":
        positions = scipy.stats.rankdata(positions)
    return _interval_parts(pairable, positions - positions.mean())


def _per_cluster(pairable: Pairable, observed_by_unit: Values) -> Values:
    """Sum the observed disagreement and the number of values over each cluster's units."""
    cluster_of_unit = np.zeros(len(pairable.sizes), dtype=np.intp)
    cluster_of_unit[pairable.units] = pairable.clusters
    count = int(pairable.clusters.max()) + 1
    observed = np.bincount(cluster_of_unit, observed_by_unit * pairable.weights, minlength=count)
    return np.column_stack([observed, np.bincount(pairable.clusters, minlength=count)])


def _interval_parts(pairable: Pairable, positions: Values) -> _Parts:
    """Squared differences over all pairs follow from Σx and Σx²."""
    sums = np.bincount(pairable.units, positions)
    # Around the unit's mean, so that close values of large size lose no digits.
    left = positions - (sums / pairable.sizes)[pairable.units]
    by_unit = 2 * pairable.sizes * np.bincount(pairable.units, left**2)
    moments = np.column_stack(
        [
            np.bincount(pairable.clusters),
            np.bincount(pairable.clusters, positions),
            np.bincount(pairable.clusters, positions**2),
        ]
    )

    def expected(weights: Values) -> Values:
        size, total, squares = (weights @ moments).T
        spread: Values = 2 * (squares - total**2 / size) / (size - 1)
        return np.where(spread > 1e-12 * squares / size, spread, 0.0)

    return _Parts(_per_cluster(pairable, by_unit), expected)


def _nominal_parts(pairable: Pairable) -> _Parts:
    distinct, labels = pairable.labels
    if len(distinct) > min(MOST_CATEGORIES, len(labels) / 2):
        raise Undefined(f"The values are not categories: {len(distinct)} of them are distinct.")
    counts = label_counts(pairable.units, labels)
    by_unit = pairable.sizes**2 - np.asarray(counts.multiply(counts).sum(axis=1)).ravel()
    by_cluster = scipy.sparse.csr_matrix(label_counts(pairable.clusters, labels))

    def expected(weights: Values) -> Values:
        totals = np.asarray(weights @ by_cluster)
        size = totals.sum(axis=1)
        share: Values = (size**2 - np.sum(totals**2, axis=1)) / (size * (size - 1))
        return share

    return _Parts(_per_cluster(pairable, by_unit), expected)


def _ratio_parts(pairable: Pairable) -> _Parts:
    """Distances ((x − y)/(x + y))², for values on a scale with a true zero."""
    if np.any(pairable.values < 0):
        raise Undefined("The ratio metric needs values that are not negative.")
    distinct, labels = pairable.labels
    if len(distinct) > MOST_RATIO_VALUES:
        raise Undefined(
            f"The ratio metric compares all pairs of distinct values, and there are "
            f"{len(distinct)} of them (at most {MOST_RATIO_VALUES})."
        )
    totals = distinct[:, None] + distinct[None, :]
    distances = np.divide(
        distinct[:, None] - distinct[None, :], totals, out=np.zeros_like(totals), where=totals > 0
    )
    distances **= 2
    counts = label_counts(pairable.units, labels)
    by_unit = np.asarray(counts.multiply(counts @ distances).sum(axis=1)).ravel()
    by_cluster = label_counts(pairable.clusters, labels)

    def expected(weights: Values) -> Values:
        sums = np.asarray(weights @ by_cluster)
        size = sums.sum(axis=1)
        pairs: Values = np.einsum("bv,bv->b", sums @ distances, sums) / (size * (size - 1))
        return pairs

    return _Parts(_per_cluster(pairable, by_unit), expected)


def self_consistency(values: ArrayLike, outputs: Codes, raters: Codes) -> Coefficient:
    """α (interval) of raters with themselves, over outputs that one rater judged twice or more.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    outputs, raters : shape (judgements,), codes of the judged output and the rater

    Returns
    -------
    Coefficient : α without an interval; `units` counts the outputs that a rater judged again

    Raises
    ------
    Undefined : no rater judged an output twice, or no disagreement can be expected

    Source
    ------
    Krippendorff (2011), with each judgement as an occasion of its own.
    """
    values = np.asarray(values, dtype=np.float64)
    own = raters.astype(np.int64) * (int(outputs.max()) + 1) + outputs
    units = compact(own)
    if not np.any(np.bincount(units) > 1):
        raise Undefined("No rater judged the same output twice.")
    occasion = np.arange(len(values))  # every judgement is its own occasion of the same rater
    alpha = krippendorff_alpha(values, units, occasion, "interval")
    return Coefficient("Self-consistency (α, interval)", alpha.value, units=alpha.units)
