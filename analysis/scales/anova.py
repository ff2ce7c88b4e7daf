"""Analysis of variance: one-way, Welch's, and factorial with sums of squares of types I to III."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.scales.codes import compact
from analysis.typing import Codes, Values

RESIDUAL = "Residual"


@dataclass(frozen=True)
class AnovaRow:
    """One line of the table; the residual line has no F. Effect sizes are shares of variance."""

    source: str
    df: float
    sum_sq: float
    mean_sq: float
    F: float | None = None
    p: float | None = None
    eta_sq: float | None = None
    omega_sq: float | None = None


@dataclass(frozen=True)
class Anova:
    """A whole table; `design` names the model in words, `type` the kind of sums of squares."""

    design: str
    type: str
    rows: tuple[AnovaRow, ...]
    judgements: int

    @property
    def residual(self) -> AnovaRow:
        return self.rows[-1]

    def row(self, source: str) -> AnovaRow:
        return next(row for row in self.rows if row.source == source)


@dataclass(frozen=True)
class Welch:
    """Welch's test of equal means, which does not assume equal variances."""

    F: float
    df: float
    df_residual: float
    p: float


@dataclass(frozen=True)
class GroupMoments:
    """Size, mean and inner sum of squares of every group: all that the classical tables need."""

    sizes: Codes
    means: Values
    inner: Values
    shift: float

    @property
    def centred(self) -> Values:
        """Means less `shift`, without the rounding errors that large values bring."""
        return self.means - self.shift


def group_moments(values: Values, groups: Codes, count: int) -> GroupMoments:
    """Compute means and sums of squares of groups in two passes, after subtracting a leading value.

    Values such as 1000000000000.4 keep their differences exactly when one of them is subtracted
    first, so no digit is lost beyond those that the values themselves cannot hold.

    Parameters
    ----------
    values : shape (judgements,)
    groups : shape (judgements,), codes below `count`
    count : of groups
    """
    shift = float(values[0]) if len(values) else 0.0
    moved = values - shift
    sizes = np.bincount(groups, minlength=count)
    filled = np.maximum(sizes, 1)
    means = np.bincount(groups, moved, minlength=count) / filled
    # The second pass subtracts the rounding error of the first.
    left = moved - means[groups]
    correction = np.bincount(groups, left, minlength=count) / filled
    left -= correction[groups]
    inner = np.asarray(np.bincount(groups, left * left, minlength=count), dtype=np.float64)
    return GroupMoments(sizes, means + correction + shift, inner, shift)


def one_way(values: ArrayLike, groups: Codes, count: int, source: str = "system") -> Anova:
    """Classical one-way analysis of variance.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    groups : shape (judgements,), code of the group of each value
    count : number of groups; those without a value are left out
    source : name of the grouping factor in the result

    Returns
    -------
    Anova : for the factor and the residual the sum of squares, degrees of freedom, mean square, F,
        p and η²

    Raises
    ------
    Undefined : fewer than two groups, no repeated value, or no variation at all

    Source
    ------
    Fisher (1925).
    """
    values = np.asarray(values, dtype=np.float64)
    shift = float(values[0]) if len(values) else 0.0
    moments = group_moments(values - shift, groups, count)
    filled = moments.sizes > 0
    between_df, within_df = int(filled.sum()) - 1, len(values) - int(filled.sum())
    _require_degrees(between_df, within_df, source)
    sizes, means = moments.sizes[filled], moments.means[filled]
    grand = np.average(means, weights=sizes)
    between = float(np.sum(sizes * (means - grand) ** 2))
    within = float(moments.inner.sum())
    rows = _rows({source: (between_df, between)}, within_df, within, between + within)
    return Anova(f"one-way: value ~ {source}", "I", rows, len(values))


def welch(values: ArrayLike, groups: Codes, count: int) -> Welch:
    """Welch's one-way test, which allows for unequal variances.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    groups : shape (judgements,), code of the group of each value
    count : number of groups; those without a value are left out

    Returns
    -------
    Welch : F with both degrees of freedom and p

    Raises
    ------
    Undefined : fewer than two groups, or a group with fewer than two values or no variation

    Source
    ------
    Welch (1951).
    """
    moments = group_moments(np.asarray(values, dtype=np.float64), groups, count)
    filled = moments.sizes > 0
    if filled.sum() < 2:
        raise Undefined("Welch's test needs at least two systems.")
    if np.any(moments.sizes[filled] < 2):
        raise Undefined("Welch's test needs at least two values of every system.")
    if np.any(moments.inner[filled] <= 0):
        raise Undefined("Welch's test needs variation within every system; one has none.")
    return _welch(moments.sizes[filled], moments.centred[filled], moments.inner[filled])


def _welch(sizes: Codes, means: Values, inner: Values) -> Welch:
    groups = len(sizes)
    weights = sizes * (sizes - 1) / inner
    share = weights / weights.sum()
    spread = np.sum((1 - share) ** 2 / (sizes - 1)) / (groups**2 - 1)
    centre = np.sum(share * means)
    statistic = np.sum(weights * (means - centre) ** 2) / (groups - 1)
    statistic = float(statistic / (1 + 2 * (groups - 2) * spread))
    df_residual = float(1 / (3 * spread))
    return Welch(
        statistic,
        groups - 1,
        df_residual,
        float(scipy.special.fdtrc(groups - 1, df_residual, statistic)),
    )


def factorial(
    values: ArrayLike,
    factors: Mapping[str, Codes],
    *,
    interaction: bool = False,
    type: str = "II",
) -> Anova:
    """Analysis of variance with several factors, with or without the interaction of the first two.

    The model is fitted by least squares on the cross products of sum-coded columns, so memory
    grows with the number of levels and not with judgements × levels.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    factors : name → shape (judgements,) codes, in the order in which type I takes them
    interaction : add the product of the first two factors (`system × entity_type`)
    type : "I" in the given order, "II" each after all others that do not contain it, or "III"
        each after all others (sum-to-zero coding)

    Returns
    -------
    Anova : for each factor and the residual the sum of squares, degrees of freedom, mean square, F,
        p and η²

    Raises
    ------
    Undefined : a factor with one level, no degrees of freedom left, no variation, or for type III
        an empty cell of the interaction

    Source
    ------
    Fisher (1925); types of sums of squares as in SAS (Goodnight 1978).
    """
    values = np.asarray(values, dtype=np.float64)
    dense = {name: compact(codes) for name, codes in factors.items()}
    for name, codes in dense.items():
        if not len(codes) or codes.max() == 0:
            raise Undefined(f"The factor {name} has only one level.")
    terms: list[tuple[str, ...]] = [(name,) for name in dense]
    if interaction:
        first_two = tuple(dense)[:2]
        terms.append(first_two)
        if type == "III":
            _require_filled_cells(dense, first_two)
    model = _LeastSquares(values, dense, terms)
    return _factorial_table(model, terms, type)


def _factorial_table(model: _LeastSquares, terms: Sequence[tuple[str, ...]], type: str) -> Anova:
    full_sum, full_rank = model.explained(terms)
    residual_df = model.judgements - 1 - full_rank
    _require_degrees(full_rank, residual_df, "model")
    total = model.total
    residual = max(total - full_sum, 0.0)
    sums = {}
    for position, term in enumerate(terms):
        without, with_term = _compared_models(terms, position, type)
        smaller, larger = model.explained(without), model.explained(with_term)
        sums[" × ".join(term)] = (larger[1] - smaller[1], max(larger[0] - smaller[0], 0.0))
    rows = _rows(sums, residual_df, residual, total)
    design = "value ~ " + " + ".join(sums)
    return Anova(design, type, rows, model.judgements)


def _compared_models(
    terms: Sequence[tuple[str, ...]], position: int, type: str
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Return the smaller and the larger model whose difference is the term's sum of squares."""
    term = terms[position]
    if type == "I":
        without = list(terms[:position])
    elif type == "II":  # after all terms that do not contain this one
        without = [other for other in terms if not set(term) <= set(other)]
    else:
        without = [other for other in terms if other != term]
    return without, [other for other in terms if other in without or other == term]


class _LeastSquares:
    """Explained sums of squares of sub-models over one set of sum-coded columns."""

    def __init__(
        self, values: Values, factors: Mapping[str, Codes], terms: Sequence[tuple[str, ...]]
    ) -> None:
        self.judgements = len(values)
        moved = values - values[0]
        self._values = moved - moved.mean()
        self.total = float(self._values @ self._values)
        self._factors = factors
        self._known: dict[frozenset[tuple[str, ...]], tuple[float, int]] = {}
        self._largest = max(factors, key=lambda name: int(factors[name].max()))
        self._columns = self._all_columns(terms)

    def explained(self, terms: Sequence[tuple[str, ...]]) -> tuple[float, int]:
        """Return the sum of squares that the terms explain, and its degrees of freedom."""
        key = frozenset(terms)
        if key not in self._known:
            self._known[key] = self._explained(terms)
        return self._known[key]

    def _explained(self, terms: Sequence[tuple[str, ...]]) -> tuple[float, int]:
        if not terms:
            return 0.0, 0
        absorbed = (self._largest,) in terms
        blocks = [self._columns[term] for term in terms if term != (self._largest,)]
        base = self._factors[self._largest] if absorbed else np.zeros(self.judgements, np.intp)
        return _explained_after(self._values, base, blocks)

    def _all_columns(self, terms: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], Any]:
        single = {name: _sum_coded(codes) for name, codes in self._factors.items()}
        return {
            term: single[term[0]]
            if len(term) == 1
            else _column_products(single[term[0]], single[term[1]])
            for term in terms
        }


def _explained_after(values: Values, base: Codes, blocks: Sequence[Any]) -> tuple[float, int]:
    """Absorb the factor `base` (its group means), then fit the other columns to what is left."""
    sizes = np.bincount(base).astype(np.float64)
    sums = np.bincount(base, values)
    base_sum, base_rank = float(np.sum(sums**2 / sizes)), len(sizes) - 1
    if not blocks:
        return base_sum, base_rank
    columns = scipy.sparse.hstack(blocks, format="csr")
    ones = np.ones(len(values))
    indicator = scipy.sparse.csr_matrix((ones, (base, np.arange(len(values)))))
    shared = np.asarray((indicator @ columns).todense())
    gram = np.asarray((columns.T @ columns).todense()) - shared.T @ (shared / sizes[:, None])
    moments = columns.T @ values - shared.T @ (sums / sizes)
    extra_sum, extra_rank = _quadratic_form(gram, moments)
    return base_sum + extra_sum, base_rank + extra_rank


def _quadratic_form(gram: Values, moments: Values) -> tuple[float, int]:
    """Return m' G⁻ m and the rank of G; aliased columns are left out by their eigenvalue."""
    eigenvalues, vectors = scipy.linalg.eigh(gram)
    kept = eigenvalues > 1e-9 * max(float(eigenvalues[-1]), 1.0)
    projected = vectors[:, kept].T @ moments
    return float(np.sum(projected**2 / eigenvalues[kept])), int(kept.sum())


def _sum_coded(codes: Codes) -> Any:
    """Code levels 0..k-1 as k-1 columns that sum to zero: the last level is -1 in each."""
    levels = int(codes.max()) + 1
    contrasts = scipy.sparse.csr_matrix(np.vstack([np.eye(levels - 1), -np.ones(levels - 1)]))
    return contrasts[codes]


def _column_products(left: Any, right: Any) -> Any:
    return scipy.sparse.hstack(
        [right.multiply(left[:, [column]]).tocsr() for column in range(left.shape[1])], format="csr"
    )


def _require_filled_cells(factors: Mapping[str, Codes], names: Sequence[str]) -> None:
    first, second = (factors[name] for name in names)
    levels = (int(first.max()) + 1, int(second.max()) + 1)
    cells = np.bincount(first * levels[1] + second, minlength=levels[0] * levels[1])
    if np.any(cells == 0):
        raise Undefined(
            f"Type III sums of squares need a value in every cell of {' × '.join(names)}; "
            f"{int(np.sum(cells == 0))} of {len(cells)} cells are empty."
        )


def _require_degrees(between: int, within: int, source: str) -> None:
    """Refuse a factor with a single level, and a model that leaves nothing for the residual."""
    if between < 1:
        raise Undefined(f"An analysis of variance needs at least two levels of {source}.")
    if within < 1:
        raise Undefined("No degrees of freedom are left for the residual: values are not repeated.")


def _rows(
    sums: Mapping[str, tuple[int, float]], residual_df: int, residual: float, total: float
) -> tuple[AnovaRow, ...]:
    if total <= 0:
        raise Undefined("All scores are equal, so there is no variance to analyse.")
    # What is left of a perfect fit is rounding, and a ratio to it would be noise.
    if residual <= 1e-14 * total:
        raise Undefined("There is no variation within systems, so F has no denominator.")
    error = residual / residual_df
    effects = [
        _effect(name, df, sum_sq, residual_df=residual_df, error=error, total=total)
        for name, (df, sum_sq) in sums.items()
    ]
    return (*effects, AnovaRow(RESIDUAL, residual_df, residual, error))


def _effect(
    source: str, df: int, sum_sq: float, *, residual_df: int, error: float, total: float
) -> AnovaRow:
    if df == 0:  # aliased with the terms before it
        return AnovaRow(source, 0, 0.0, 0.0)
    mean_sq = sum_sq / df
    ratio = mean_sq / error
    return AnovaRow(
        source,
        df,
        sum_sq,
        mean_sq,
        F=ratio,
        p=float(scipy.special.fdtrc(df, residual_df, ratio)),
        eta_sq=sum_sq / total,
        # Omega squared subtracts what chance alone would explain (Hays 1963); never below zero.
        omega_sq=max(0.0, (sum_sq - df * error) / (total + error)),
    )
