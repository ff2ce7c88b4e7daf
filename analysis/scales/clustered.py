"""Means compared with errors that allow for dependence within raters and within items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.inference import Units, clustered_variances, share_correction
from analysis.scales.codes import compact, cross_sums, distinct, renumber, thin_cross_sums
from analysis.typing import Codes, Values

from .comparison import Contrast, FixedMean, means_and_contrasts


@dataclass(frozen=True)
class ClusteredComparison:
    """Means adjusted for raters, with clustered errors.

    `df` is the effective number of raters or items, whichever is smaller, less one. With `between`,
    each rater judged one system: means are not adjusted, and units are those of the system that
    has fewest.
    """

    means: tuple[FixedMean, ...]
    contrasts: tuple[Contrast, ...]
    raters: int
    items: int
    alpha: float
    df: float
    between: bool = False


def clustered_comparison(
    values: ArrayLike,
    systems: Codes,
    labels: Sequence[str],
    raters: Codes,
    items: Codes,
    *,
    alpha: float = 0.05,
    generality: str = "both",
    higher_is_better: bool = True,
    blocks: Codes | None = None,
) -> ClusteredComparison:
    """Compare systems by least squares on `system + rater` with clustered errors.

    Where each rater judged one system, raters cannot be adjusted for: systems' plain means are
    compared, with the variances of raters within systems.

    The sandwich is clustered by rater and item, or by the one that claims are about. It assumes no
    model of how judgements depend within them. t has the effective number of the scarcer ones, less
    one, as degrees of freedom, and Bonferroni's adjustment for all pairs.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    systems : shape (judgements,), codes into `labels`
    labels : names of the systems; those without a judgement are left out
    raters, items : shape (judgements,), codes of the rater and the item of each value
    alpha : 1 − confidence of all comparisons together
    generality : what claims are about: `raters`, `items` or `both`
    higher_is_better : whether the largest mean comes first
    blocks : shape (judgements,), parts of a rater's judgements, each with a level of its own; by
        default, all of a rater's judgements are one

    Returns
    -------
    ClusteredComparison : means with intervals, and the differences of all pairs with simultaneous
        intervals and adjusted p, in the unit of `values`

    Raises
    ------
    Undefined : fewer than two systems; too few raters or items; systems that share no rater, unless
        each rater judged one system and claims are about raters; or no variation within raters and
        systems, or between raters and items

    Source
    ------
    Cameron, Gelbach & Miller (2011); degrees of freedom and the adjustment: `analysis.inference`.
    """
    values = np.asarray(values, dtype=np.float64)
    present, systems = renumber(systems)
    raters = compact(raters)
    if len(present) < 2:
        raise Undefined("A comparison needs at least two systems.")
    units = Units.of(raters, items, generality, systems=systems)
    units.require()
    shift = float(values.mean())
    cells = raters.astype(np.int64) * (int(items.max()) + 1) + items
    fit: Within | Between
    if units.is_between:
        fit = Between.of(values - shift, systems)
    else:
        blocks = raters if blocks is None else compact(blocks)
        fit = Within.of(values - shift, systems, blocks)
    spread, variances = clustered_variances(
        fit.covariance(raters), fit.covariance(items), fit.covariance(cells), units
    )
    if spread.sum() <= 1e-12 * fit.spread_of_independent:
        raise Undefined("The systems' differences do not vary between raters and items.")
    names = [labels[index] for index in present]
    means, pairs = means_and_contrasts(
        names, fit.coefficients + shift, np.diag(spread), variances, alpha=alpha, df=units.df,
        higher_is_better=higher_is_better, pooled=False,
    )  # fmt: skip
    return ClusteredComparison(
        means=means,
        contrasts=pairs,
        raters=units.raters.number,
        items=units.items.number,
        alpha=alpha,
        df=units.df,
        between=units.is_between,
    )


@dataclass(frozen=True)
class Between:
    """Plain means of systems, each of which was judged by raters of its own."""

    systems: Codes
    sizes: Values
    coefficients: Values  # shape (systems,)
    residuals: Values

    @classmethod
    def of(cls, values: Values, systems: Codes) -> Between:
        sizes = np.bincount(systems).astype(np.float64)
        means = np.bincount(systems, values) / sizes
        residuals = values - means[systems]
        if residuals @ residuals <= 1e-14 * max(float(values @ values), 1e-300):
            raise Undefined("There is no variation within systems.")
        return cls(systems, sizes, means, residuals)

    @property
    def spread_of_independent(self) -> float:
        """The sum of the means' variances, if judgements were independent."""
        return float(np.sum(np.bincount(self.systems, self.residuals**2) / self.sizes**2))

    def covariance(self, clusters: Codes) -> Values:
        """Covariance of the means, clustered one way; each system has its own correction.

        Clusters of several systems, such as items, make their means covary.
        """
        clusters = compact(clusters)
        systems = len(self.sizes)
        sums = np.zeros((int(clusters.max()) + 1, systems))
        np.add.at(sums, (clusters, self.systems), self.residuals / self.sizes[self.systems])
        for system in range(systems):
            own = clusters[self.systems == system]
            number = distinct(own)
            # A single cluster, of units that no claim is about, has no variance.
            factor = number / max(number - 1, 1) * share_correction(own)
            sums[:, system] *= np.sqrt(factor)
        covariance: Values = sums.T @ sums
        return covariance


@dataclass(frozen=True)
class Within:
    """Least squares on systems after each block's mean is subtracted from values and systems."""

    systems: Codes
    blocks: Codes
    shares: Values  # shape (blocks, systems): the share of a block's judgements on a system
    bread: Values  # generalised inverse of the cross products
    coefficients: Values  # shape (systems,), their weighted mean is 0
    residuals: Values
    residual_variance: float

    @classmethod
    def of(cls, values: Values, systems: Codes, blocks: Codes) -> Within:
        shape = int(blocks.max()) + 1, int(systems.max()) + 1
        counts = cross_sums(blocks, systems, shape)
        sizes = counts.sum(axis=1)
        block_means = np.bincount(blocks, values) / sizes
        shares = counts / sizes[:, None]
        products = np.diag(counts.sum(axis=0)) - counts.T @ shares
        bread = _generalised_inverse(products)
        within = values - block_means[blocks]
        coefficients = bread @ np.bincount(systems, within)
        coefficients -= np.average(coefficients, weights=counts.sum(axis=0))
        fitted = coefficients[systems] - (shares @ coefficients)[blocks]
        residuals = within - fitted
        freedom = max(len(values) - sum(counts.shape) + 1, 1)
        variance = float(residuals @ residuals) / freedom
        if variance <= 1e-14 * max(float(values @ values) / len(values), 1e-300):
            raise Undefined("There is no variation within raters and systems.")
        return cls(systems, blocks, shares, bread, coefficients, residuals, variance)

    @property
    def spread_of_independent(self) -> float:
        """The sum of the coefficients' variances, if judgements were independent."""
        return float(np.trace(self.bread)) * self.residual_variance

    def covariance(self, clusters: Codes) -> Values:
        """Covariance of the coefficients, clustered one way."""
        covariance: Values = self.bread @ self.meat(clusters) @ self.bread
        return covariance

    def influences(self, clusters: Codes) -> Values:
        """Approximate how far each cluster moves the coefficients, shape (clusters, systems).

        Without it they are lower by this (Broderick, Giordano & Meager 2023).
        """
        count = int(clusters.max()) + 1
        shape = count, len(self.bread)
        by_system = cross_sums(clusters, self.systems, shape, self.residuals)
        shape = count, len(self.shares)
        by_block = thin_cross_sums(clusters, self.blocks, shape, self.residuals)
        influences: Values = (by_system - by_block @ self.shares) @ self.bread
        return influences

    def meat(self, clusters: Codes) -> Values:
        """Sum over clusters of the outer product of their scores, times G/(G − 1).

        A cluster's score is U − H·shares: its residuals by system, less those by block spread
        over that block's systems. Only products of the two are formed, which are small.
        """
        clusters = compact(clusters)
        count = int(clusters.max()) + 1
        shape = count, len(self.bread)
        by_system = thin_cross_sums(clusters, self.systems, shape, self.residuals)
        shape = count, len(self.shares)
        by_block = thin_cross_sums(clusters, self.blocks, shape, self.residuals)
        own = _filled(by_system.T @ by_system)
        crossed = _filled(by_system.T @ by_block) @ self.shares
        rest = self.shares.T @ ((by_block.T @ by_block) @ self.shares)
        # A single cluster, of units that no claim is about, has no variance.
        meat: Values = (own - crossed - crossed.T + rest) * count / max(count - 1, 1)
        return meat


def _filled(product: Any) -> Values:
    filled: Values = product.toarray() if scipy.sparse.issparse(product) else product
    return filled


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
