"""Means compared with errors that allow for dependence within raters and within items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.typing import Codes, Values

from .comparison import Contrast, FixedMean, difference_variances, means_and_contrasts


@dataclass(frozen=True)
class ClusteredComparison:
    """Means adjusted for raters, with two-way clustered errors.

    `df` is the effective number of the scarcer clusters (raters or items), less one.
    """

    means: tuple[FixedMean, ...]
    contrasts: tuple[Contrast, ...]
    raters: int
    items: int
    alpha: float
    df: float


def clustered_comparison(
    values: ArrayLike,
    systems: Codes,
    labels: Sequence[str],
    raters: Codes,
    items: Codes,
    *,
    alpha: float = 0.05,
    higher_is_better: bool = True,
) -> ClusteredComparison:
    """Compare systems by least squares on `system + rater` with clustered errors.

    The sandwich is clustered by rater and item. It assumes no model of how judgements depend within
    them, but needs many of both: the t distribution takes the effective number of the scarcer ones,
    less one.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    systems : shape (judgements,), codes into `labels`
    labels : names of the systems; those without a judgement are left out
    raters, items : shape (judgements,), codes of the rater and the item of each value
    alpha : 1 − confidence of all comparisons together
    higher_is_better : whether the largest mean comes first

    Returns
    -------
    ClusteredComparison : means with intervals, and the differences of all pairs with simultaneous
        intervals and adjusted p, in the unit of `values`

    Raises
    ------
    Undefined : fewer than two systems; too few raters or items; systems that share no rater; or no
        variation within raters and systems, or between raters and items

    Source
    ------
    Cameron, Gelbach & Miller (2011); effective numbers after Kish (1965); the variance is never
    below that of one way alone, after MacKinnon, Nielsen & Webb (2021).
    """
    values = np.asarray(values, dtype=np.float64)
    present, systems = np.unique(systems, return_inverse=True)
    raters = np.unique(raters, return_inverse=True)[1]
    if len(present) < 2:
        raise Undefined("A comparison needs at least two systems.")
    df = min(_effective(raters), _effective(items)) - 1
    if df < 1:
        raise Undefined("Clustered errors need at least two raters and two items.")
    shift = float(values.mean())
    fit = Within.of(values - shift, systems, raters)
    cells = raters.astype(np.int64) * (int(items.max()) + 1) + items
    by_rater, by_item = fit.covariance(raters), fit.covariance(items)
    both_ways = _positive(by_rater + by_item - fit.covariance(cells))
    # With few raters the two-way difference can be too small by chance; neither way alone may
    # exceed it (MacKinnon, Nielsen & Webb 2021).
    ways = (both_ways, by_rater, by_item)
    variances = np.max([difference_variances(way) for way in ways], axis=0)
    spread = np.diag(np.max([np.diag(way) for way in ways], axis=0))
    if np.trace(spread) <= 1e-12 * np.trace(fit.bread) * fit.residual_variance:
        raise Undefined("The systems' differences do not vary between raters and items.")
    names = [labels[index] for index in present]
    means, pairs = means_and_contrasts(
        names, fit.coefficients + shift, spread, variances, alpha=alpha, df=df,
        higher_is_better=higher_is_better,
    )  # fmt: skip
    return ClusteredComparison(
        means=means,
        contrasts=pairs,
        raters=len(np.unique(raters)),
        items=len(np.unique(items)),
        alpha=alpha,
        df=df,
    )


@dataclass(frozen=True)
class Within:
    """Least squares on systems after each rater's mean is subtracted from values and systems."""

    systems: Codes
    raters: Codes
    shares: Values  # shape (raters, systems): the share of a rater's judgements on a system
    bread: Values  # generalised inverse of the cross products
    coefficients: Values  # shape (systems,), their weighted mean is 0
    residuals: Values
    residual_variance: float

    @classmethod
    def of(cls, values: Values, systems: Codes, raters: Codes) -> Within:
        ones = np.ones(len(values))
        counts = np.asarray(scipy.sparse.coo_matrix((ones, (raters, systems))).todense())
        sizes = counts.sum(axis=1)
        rater_means = np.bincount(raters, values) / sizes
        shares = counts / sizes[:, None]
        products = np.diag(counts.sum(axis=0)) - counts.T @ shares
        bread = _generalised_inverse(products)
        within = values - rater_means[raters]
        coefficients = bread @ np.bincount(systems, within)
        coefficients -= np.average(coefficients, weights=counts.sum(axis=0))
        fitted = coefficients[systems] - (shares @ coefficients)[raters]
        residuals = within - fitted
        freedom = max(len(values) - sum(counts.shape) + 1, 1)
        variance = float(residuals @ residuals) / freedom
        if variance <= 1e-14 * max(float(values @ values) / len(values), 1e-300):
            raise Undefined("There is no variation within raters and systems.")
        return cls(systems, raters, shares, bread, coefficients, residuals, variance)

    def covariance(self, clusters: Codes) -> Values:
        """Covariance of the coefficients, clustered one way."""
        covariance: Values = self.bread @ self.meat(clusters) @ self.bread
        return covariance

    def meat(self, clusters: Codes) -> Values:
        """Sum over clusters of the outer product of their scores, times G/(G − 1).

        A cluster's score is U − H·shares: its residuals by system, less those by rater spread
        over that rater's systems. Only products of the two are formed, which are small.
        """
        clusters = np.unique(clusters, return_inverse=True)[1]
        count = int(clusters.max()) + 1
        by_system = scipy.sparse.coo_matrix((self.residuals, (clusters, self.systems))).tocsr()
        by_rater = scipy.sparse.coo_matrix((self.residuals, (clusters, self.raters))).tocsr()
        own = np.asarray((by_system.T @ by_system).todense())
        crossed = np.asarray((by_system.T @ by_rater) @ self.shares)
        rest = self.shares.T @ ((by_rater.T @ by_rater) @ self.shares)
        meat: Values = (own - crossed - crossed.T + rest) * count / (count - 1)
        return meat


def _generalised_inverse(products: Values) -> Values:
    """Invert but for the common level; raters must link all systems."""
    eigenvalues, vectors = np.linalg.eigh(products)
    kept = eigenvalues > 1e-9 * eigenvalues[-1]
    if kept.sum() < len(products) - 1:
        raise Undefined(
            "Some groups of systems share no rater, so rater effects cannot be separated from "
            "systems."
        )
    inverse: Values = (vectors[:, kept] / eigenvalues[kept]) @ vectors[:, kept].T
    return inverse


def _positive(covariance: Values) -> Values:
    """Return the nearest covariance matrix: a difference of them need not be one."""
    eigenvalues, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
    positive: Values = (vectors * np.maximum(eigenvalues, 0.0)) @ vectors.T
    return positive


def _effective(clusters: Codes) -> float:
    """Kish's number of equally busy clusters: (Σn)²/Σn²."""
    sizes = np.bincount(clusters).astype(np.float64)
    return float(sizes.sum() ** 2 / np.sum(sizes**2))
