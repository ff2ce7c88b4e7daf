"""The mixed-model equations: deviance and estimates at given ratios of standard deviations.

Bates, Mächler, Bolker & Walker (2015), eq. 42: the REML criterion profiled over the fixed effects
and the residual variance. Two ways to the same numbers: with few columns besides the largest random
effect, that effect is diagonal and is eliminated, and the rest is one dense Cholesky factor; with
many columns the whole is a sparse factor whose order of elimination is found once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy

from analysis.errors import Undefined
from analysis.scales.codes import cross_sums, thin_cross_sums
from analysis.typing import Codes, Values

# From this many columns besides the largest effect, a sparse factor is faster than a dense one.
MOST_DENSE_COLUMNS = 800
# Two crossed effects fill the factor anyway: this many levels of the smaller one still fit.
MOST_CROSSED_LEVELS = 2500
# Numbers in the cross products that are kept for each number of judgements (100 MB).
MOST_PRODUCT_CELLS = 12_500_000
# Operations of one sparse factorisation, estimated before it is tried.
MOST_SPARSE_WORK = 2.0e9
PERFECT_FIT = "The systems and random effects explain every value: no residual variance is left."


@dataclass(frozen=True)
class Solution:
    """The solution of the equations at given relative standard deviations θ."""

    deviance: float
    residual_variance: float
    coefficients: Values
    covariance: Values


class Equations(Protocol):
    """Equations of `value ~ system + (1|a) + …`, to be solved at any θ (one ratio per effect).

    `fixed` counts the columns of all fixed effects; solutions have those of the systems.
    """

    @property
    def fixed(self) -> int: ...

    def deviance(self, theta: Values) -> float: ...

    def solve(self, theta: Values) -> Solution: ...


def equations(
    values: Values, systems: Codes, random: Mapping[str, Codes], block: Codes | None = None
) -> Equations:
    """Set up the mixed-model equations.

    Parameters
    ----------
    values : shape (judgements,)
    systems : shape (judgements,), codes
    random : codes of each random factor, shape (judgements,) each
    block : codes of another fixed factor; systems are compared within its levels

    Raises
    ------
    Undefined : their factor would not fit time or memory

    Source
    ------
    Henderson (1953); Bates et al. (2015).
    """
    levels = sorted((int(codes.max()) + 1 for codes in random.values()), reverse=True)
    if len(levels) <= 2 or sum(levels[1:]) <= MOST_DENSE_COLUMNS:
        if sum(levels[1:]) > MOST_CROSSED_LEVELS:
            raise Undefined(
                f"The smaller random effects have {sum(levels[1:])} levels; this solver holds "
                f"{MOST_CROSSED_LEVELS}."
            )
        return DenseEquations.of(values, systems, random, block)
    work = float(levels[1]) * float(sum(levels[2:])) ** 2
    if work > MOST_SPARSE_WORK:
        raise Undefined(
            f"The random effects have {', '.join(map(str, levels))} levels, too many to fit in "
            "reasonable time; use the comparison with clustered errors instead."
        )
    return SparseEquations.of(values, systems, random, block)


@dataclass(frozen=True)
class DenseEquations:
    """Cross products; the largest random effect Z₁ is kept separate from the others, Z₂."""

    judgements: int
    systems: int
    fixed: int
    squares: float  # y'y
    sizes: Values  # Z₁'Z₁, a diagonal
    sums: Values  # Z₁'y
    dense: Values  # [Z₂ X]'[Z₂ X]
    dense_sums: Values  # [Z₂ X]'y
    shared: Any  # [Z₂ X]'Z₁
    products: _ProductsBySize | None
    effect_of: Codes  # the random effect of each column of Z₂
    largest: int

    @classmethod
    def of(
        cls,
        values: Values,
        systems: Codes,
        random: Mapping[str, Codes],
        block: Codes | None = None,
    ) -> DenseEquations:
        names = list(random)
        largest = max(names, key=lambda name: int(random[name].max()))
        others = [name for name in names if name != largest]
        # All columns are indicators, whose cross products are tables of counts.
        factors = [*(random[name] for name in others), systems, *([] if block is None else [block])]
        factor = [(codes, int(codes.max()) + 1) for codes in factors]
        sizes = np.bincount(random[largest])
        dense = np.block([[cross_sums(a, b, (m, n)) for b, n in factor] for a, m in factor])
        counts = [thin_cross_sums(a, random[largest], (m, len(sizes))) for a, m in factor]
        shared = scipy.sparse.vstack(list(map(scipy.sparse.csr_matrix, counts)), format="csr")
        sums = np.concatenate([np.bincount(codes, values) for codes in factors])
        if block is not None:
            centred = _centring(factor[-2][1], factor[-1], len(sums))
            dense, sums = centred @ dense @ centred.T, centred @ sums
            shared = scipy.sparse.csr_matrix(centred) @ shared
        effect_of = [np.full(int(random[name].max()) + 1, names.index(name)) for name in others]
        return cls(
            judgements=len(values),
            systems=int(systems.max()) + 1,
            fixed=len(sums) - sum(map(len, effect_of)),
            squares=float(values @ values),
            sizes=sizes.astype(np.float64),
            sums=np.asarray(np.bincount(random[largest], values), dtype=np.float64),
            dense=dense,
            dense_sums=sums,
            # A filled table of counts is faster as an array, a thin one only fits when sparse.
            shared=shared.toarray() if shared.nnz > 0.1 * np.prod(shared.shape) else shared,
            products=_ProductsBySize.of(shared, sizes),
            effect_of=np.concatenate([*effect_of, np.zeros(0, dtype=np.intp)]),
            largest=names.index(largest),
        )

    def deviance(self, theta: Values) -> float:
        determinant, _, variance = self._factored(theta)
        return _deviance(determinant, self.judgements - self.fixed, variance)

    def solve(self, theta: Values) -> Solution:
        determinant, factor, variance = self._factored(theta)
        fixed = slice(-self.fixed - 1, -1)
        corner = scipy.linalg.solve_triangular(factor[fixed, fixed], np.eye(self.fixed), lower=True)
        of_systems = corner[:, : self.systems]
        return Solution(
            deviance=_deviance(determinant, self.judgements - self.fixed, variance),
            residual_variance=variance,
            coefficients=of_systems.T @ factor[-1, fixed],
            covariance=variance * of_systems.T @ of_systems,
        )

    def _factored(self, theta: Values) -> tuple[float, Values, float]:
        """Log determinant, Cholesky factor and residual variance.

        The right-hand side is a last row of the system, so that its solution is a row of the
        factor and the penalised sum of squares the last element's square.
        """
        count = self.fixed
        spread = float(theta[self.largest])
        scale = np.concatenate([theta[self.effect_of], np.ones(count)])
        diagonal = spread**2 * self.sizes + 1
        weights = spread**2 / diagonal
        system = np.empty((len(scale) + 1, len(scale) + 1))
        system[:-1, :-1] = scale[:, None] * (self.dense - self._weighted_product(weights)) * scale
        system[-1, :-1] = scale * (self.dense_sums - self.shared @ (weights * self.sums))
        system[-1, -1] = self.squares - float(weights @ self.sums**2)
        random = np.arange(len(self.effect_of))
        system[random, random] += 1
        try:
            factor = scipy.linalg.cholesky(system, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError as error:  # rounding took the last pivot below zero
            raise Undefined(PERFECT_FIT) from error
        variance = _require_residual(float(factor[-1, -1] ** 2) / (self.judgements - count))
        log_pivots = np.log(np.diag(factor)[:-1])
        return float(np.sum(np.log(diagonal)) + 2 * np.sum(log_pivots)), factor, variance

    def _weighted_product(self, weights: Values) -> Values:
        if self.products is not None:
            return self.products.weighted(weights)
        if isinstance(self.shared, np.ndarray):
            product: Values = (self.shared * weights) @ self.shared.T
            return product
        return np.asarray((self.shared.multiply(weights).tocsr() @ self.shared.T).todense())


@dataclass(frozen=True)
class _ProductsBySize:
    """[Z₂ X]'Z₁ times its transpose, apart for each number of judgements of a level of Z₁.

    For any θ, levels with equally many judgements have the same weight. The products are symmetric,
    and only their lower halves are kept.
    """

    columns: int
    lower: tuple[Codes, Codes]  # row and column of each kept number
    products: Values  # shape (sizes, kept numbers)
    example: Codes  # shape (sizes,), a level of each size

    @classmethod
    def of(cls, shared: Any, sizes: Codes) -> _ProductsBySize | None:
        """None where the products would not fit memory, or where they would save nothing."""
        distinct, example, size_of = np.unique(sizes, return_index=True, return_inverse=True)
        columns = shared.shape[0]
        lower = np.tril_indices(columns)
        count = len(distinct) * len(lower[0])
        if count > MOST_PRODUCT_CELLS or 2 * len(distinct) > len(sizes):
            return None
        by_level = shared.tocsc()
        products = np.empty((len(distinct), len(lower[0])))
        for place in range(len(distinct)):
            levels = by_level[:, size_of == place].tocsr()
            products[place] = (levels @ levels.T).toarray()[lower]
        return cls(columns, lower, products, example)

    def weighted(self, weights: Values) -> Values:
        product = np.empty((self.columns, self.columns))
        rows, columns = self.lower
        product[rows, columns] = product[columns, rows] = weights[self.example] @ self.products
        return product


@dataclass(frozen=True)
class SparseEquations:
    """All cross products [Z X]'[Z X], in an order of elimination that keeps the factor thin."""

    judgements: int
    fixed: int
    squares: float
    products: Any
    sums: Values
    effect_of: Codes  # the random effect of each column, −1 for a fixed one
    system_at: Codes  # positions of the systems' columns

    @classmethod
    def of(
        cls,
        values: Values,
        systems: Codes,
        random: Mapping[str, Codes],
        block: Codes | None = None,
    ) -> SparseEquations:
        design = _design(systems, block)
        blocks = [*map(_indicator, random.values()), design]
        whole = scipy.sparse.hstack(blocks, format="csc")
        effect_of = np.repeat([*range(len(random)), -1], [block.shape[1] for block in blocks])
        products = (whole.T @ whole).tocsc()
        order = _elimination_order(products + scipy.sparse.eye(products.shape[0], format="csc"))
        fixed = design.shape[1]
        first = len(order) - fixed
        place = np.argsort(order)
        return cls(
            judgements=len(values),
            fixed=fixed,
            squares=float(values @ values),
            products=products[order][:, order].tocsc(),
            sums=np.asarray(whole.T @ values)[order],
            effect_of=effect_of[order],
            system_at=place[first : first + int(systems.max()) + 1],
        )

    def deviance(self, theta: Values) -> float:
        determinant, _, _, variance = self._factored(theta)
        return _deviance(determinant, self.judgements - self.fixed, variance)

    def solve(self, theta: Values) -> Solution:
        determinant, factor, found, variance = self._factored(theta)
        columns = np.zeros((len(found), len(self.system_at)))
        columns[self.system_at, np.arange(len(self.system_at))] = 1.0
        corner = factor.solve(columns)[self.system_at]
        return Solution(
            deviance=_deviance(determinant, self.judgements - self.fixed, variance),
            residual_variance=variance,
            coefficients=found[self.system_at],
            covariance=variance * (corner + corner.T) / 2,
        )

    def _factored(self, theta: Values) -> tuple[float, Any, Values, float]:
        """Log determinant, factor, coefficients of all columns and residual variance."""
        fixed = self.effect_of < 0
        scale = np.where(fixed, 1.0, theta[np.maximum(self.effect_of, 0)])
        scaling = scipy.sparse.diags(scale)
        ridge = scipy.sparse.diags(np.where(fixed, 0.0, 1.0))
        factor = scipy.sparse.linalg.splu(
            (scaling @ self.products @ scaling + ridge).tocsc(), **NATURAL
        )
        right = scale * self.sums
        found = factor.solve(right)
        left = self.squares - float(right @ found)
        variance = _require_residual(left / (self.judgements - self.fixed))
        return float(np.sum(np.log(factor.U.diagonal()))), factor, found, variance


# SuperLU as a Cholesky factorisation: pivots stay on the diagonal, which is positive.
SYMMETRIC = {"diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
NATURAL = {"permc_spec": "NATURAL", **SYMMETRIC}


def _elimination_order(pattern: Any) -> Codes:
    """Find the minimum-degree order once; it depends on the pattern alone."""
    return np.argsort(
        scipy.sparse.linalg.splu(pattern, permc_spec="MMD_AT_PLUS_A", **SYMMETRIC).perm_c
    )


def _require_residual(variance: float) -> float:
    """Refuse what only rounding separates from a perfect fit of the standardised values."""
    if variance < 1e-13:
        raise Undefined(PERFECT_FIT)
    return variance


def _deviance(determinant: float, free: int, variance: float) -> float:
    return float(determinant + free * (1 + np.log(2 * np.pi * variance)))


def _centring(systems: int, block: tuple[Codes, int], columns: int) -> Values:
    """Turn the indicators of a block, the last columns, into those of `_design`: each less its
    mean, which is that share of the systems' indicators, and without the first.
    """
    codes, levels = block
    centred = np.eye(columns)
    first = columns - levels
    centred[first:, first - systems : first] = -(np.bincount(codes) / len(codes))[:, None]
    return np.delete(centred, first, axis=0)


def _design(systems: Codes, block: Codes | None) -> Any:
    """Columns of the fixed effects: one for each system, then centred ones for the blocks."""
    design = _indicator(systems)
    if block is None:
        return design
    others = _indicator(block).toarray()[:, 1:]
    return scipy.sparse.hstack([design, others - others.mean(axis=0)], format="csr")


def _indicator(codes: Codes) -> Any:
    rows = np.arange(len(codes))
    return scipy.sparse.csr_matrix((np.ones(len(codes)), (rows, codes)))
