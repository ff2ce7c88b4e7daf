"""Agreement of raters: Krippendorff's α, intraclass correlations, Kendall's W, Fleiss' κ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.typing import Codes, Values

METRICS = ("nominal", "ordinal", "interval", "ratio")
MOST_CATEGORIES = 2000
# Ratio distances have no closed sum: every pair of distinct values is compared.
MOST_RATIO_VALUES = 2000


@dataclass(frozen=True)
class Coefficient:
    """A coefficient with its interval; where it is undefined `value` is None and `reason` says why.

    `units` counts what it was computed from (outputs, or groups of screens).
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    units: int = 0
    reason: str = ""


def defined(name: str, compute: Callable[[], Coefficient]) -> Coefficient:
    """Compute a coefficient, or say why it cannot be."""
    try:
        return compute()
    except Undefined as why:
        return Coefficient(name, None, reason=str(why))


# --- Krippendorff's alpha --------------------------------------------------------------------


@dataclass(frozen=True)
class _Pairable:
    """The values that can be paired with another of their unit, sorted by unit."""

    values: Values
    units: Codes
    clusters: Codes
    sizes: Values  # judgements of each unit

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
    rng : draws whole clusters for a percentile interval; no interval when None
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
    values = np.asarray(values, dtype=np.float64)
    pairable = _pairable(values, units, raters, units if clusters is None else clusters)
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
    if rng is None or clusters < 2:
        return None, None
    draws = [
        parts.alpha(cluster_counts(rng, clusters, min(100, resamples - start)))
        for start in range(0, resamples, 100)
    ]
    alphas = np.concatenate(draws)
    alphas = alphas[~np.isnan(alphas)]
    if not len(alphas):
        return None, None
    tail = (1 - confidence) / 2
    low, high = np.quantile(alphas, [tail, 1 - tail])
    return float(low), float(high)


def cluster_counts(rng: np.random.Generator, clusters: int, resamples: int) -> Values:
    """How often each cluster is drawn, shape (resamples, clusters)."""
    drawn = rng.integers(clusters, size=(resamples, clusters))
    offset = np.arange(resamples)[:, None] * clusters
    counts = np.bincount((drawn + offset).ravel(), minlength=resamples * clusters)
    weights: Values = counts.reshape(resamples, clusters).astype(np.float64)
    return weights


def _pairable(values: Values, units: Codes, raters: Codes, clusters: Codes) -> _Pairable:
    first = _first_of_each(units, raters)
    values, units, clusters = values[first], units[first], clusters[first]
    sizes = np.bincount(units)
    kept = sizes[units] > 1
    if not kept.any():
        raise Undefined("No output was judged by two raters.")
    order = np.argsort(units[kept], kind="stable")
    values, units, clusters = values[kept][order], units[kept][order], clusters[kept][order]
    compact_units = np.unique(units, return_inverse=True)[1]
    compact_clusters = np.unique(clusters, return_inverse=True)[1]
    return _Pairable(
        values, compact_units, compact_clusters, np.bincount(compact_units).astype(np.float64)
    )


def _first_of_each(units: Codes, raters: Codes) -> Codes:
    """Index of the first judgement of every (unit, rater)."""
    key = units.astype(np.int64) * (int(raters.max()) + 1) + raters
    return np.sort(np.unique(key, return_index=True)[1])


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


def _disagreement_parts(pairable: _Pairable, metric: str) -> _Parts:
    if metric == "nominal":
        return _nominal_parts(pairable)
    if metric == "ratio":
        return _ratio_parts(pairable)
    positions = pairable.values
    if metric == "ordinal":
        from scipy.stats import rankdata

        positions = rankdata(positions)
    return _interval_parts(pairable, positions - positions.mean())


def _per_cluster(pairable: _Pairable, observed_by_unit: Values) -> Values:
    """Sum the observed disagreement and the number of values over each cluster's units."""
    cluster_of_unit = np.zeros(len(pairable.sizes), dtype=np.intp)
    cluster_of_unit[pairable.units] = pairable.clusters
    count = int(pairable.clusters.max()) + 1
    observed = np.bincount(cluster_of_unit, observed_by_unit * pairable.weights, minlength=count)
    return np.column_stack([observed, np.bincount(pairable.clusters, minlength=count)])


def _interval_parts(pairable: _Pairable, positions: Values) -> _Parts:
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


def _nominal_parts(pairable: _Pairable) -> _Parts:
    from scipy import sparse

    distinct, labels = np.unique(pairable.values, return_inverse=True)
    if len(distinct) > min(MOST_CATEGORIES, len(labels) / 2):
        raise Undefined(f"The values are not categories: {len(distinct)} of them are distinct.")
    counts = _counts(pairable.units, labels)
    by_unit = pairable.sizes**2 - np.asarray(counts.multiply(counts).sum(axis=1)).ravel()
    by_cluster = sparse.csr_matrix(_counts(pairable.clusters, labels))

    def expected(weights: Values) -> Values:
        totals = np.asarray(weights @ by_cluster)
        size = totals.sum(axis=1)
        share: Values = (size**2 - np.sum(totals**2, axis=1)) / (size * (size - 1))
        return share

    return _Parts(_per_cluster(pairable, by_unit), expected)


def _ratio_parts(pairable: _Pairable) -> _Parts:
    """Distances ((x − y)/(x + y))², for values on a scale with a true zero."""
    if np.any(pairable.values < 0):
        raise Undefined("The ratio metric needs values that are not negative.")
    distinct, labels = np.unique(pairable.values, return_inverse=True)
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
    counts = _counts(pairable.units, labels)
    by_unit = np.asarray(counts.multiply(counts @ distances).sum(axis=1)).ravel()
    by_cluster = _counts(pairable.clusters, labels)

    def expected(weights: Values) -> Values:
        sums = np.asarray(weights @ by_cluster)
        size = sums.sum(axis=1)
        pairs: Values = np.einsum("bv,bv->b", sums @ distances, sums) / (size * (size - 1))
        return pairs

    return _Parts(_per_cluster(pairable, by_unit), expected)


def _counts(rows: Codes, labels: Codes) -> Any:
    """How often each label occurs in each row, a sparse matrix."""
    from scipy import sparse

    return sparse.coo_matrix((np.ones(len(rows)), (rows, labels))).tocsr()


# --- intraclass correlation ------------------------------------------------------------------


@dataclass(frozen=True)
class IntraclassCorrelation:
    """ICC(2,1) of a single rater and ICC(2,k) of the mean of `k` raters, absolute agreement."""

    single: Coefficient
    mean: Coefficient
    k: float
    method: str


def intraclass_correlation(
    values: ArrayLike, units: Codes, raters: Codes, *, confidence: float = 0.95
) -> IntraclassCorrelation:
    """Intraclass correlations with two-way random effects, for absolute agreement.

    Complete tables (every rater judged every unit) follow the paper's mean squares and have an
    interval; others take the variance components of a REML fit, without one.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    units, raters : shape (judgements,), codes of the judged output and the rater; a rater's second
        judgement of a unit is left out
    confidence : of the interval, between 0 and 1

    Returns
    -------
    IntraclassCorrelation : ICC(2,1) of a single judgement and ICC(2,k) of the mean of k judgements

    Raises
    ------
    Undefined : fewer than two raters or two units, or values that do not vary

    Source
    ------
    Shrout & Fleiss (1979); McGraw & Wong (1996).
    """
    values = np.asarray(values, dtype=np.float64)
    first = _first_of_each(units, raters)
    values = values[first]
    units = np.unique(units[first], return_inverse=True)[1]
    raters = np.unique(raters[first], return_inverse=True)[1]
    subjects, judges = int(units.max()) + 1, int(raters.max()) + 1
    if judges < 2 or subjects < 2:
        raise Undefined("Intraclass correlation needs two raters and two outputs.")
    if len(values) == subjects * judges:
        table = np.empty((subjects, judges))
        table[units, raters] = values
        return _complete_icc(table, confidence)
    return incomplete_icc(values, units, raters)


def _complete_icc(table: Values, confidence: float) -> IntraclassCorrelation:
    subjects, judges = table.shape
    grand = table.mean()
    rows, columns = table.mean(axis=1) - grand, table.mean(axis=0) - grand
    rest = table - grand - rows[:, None] - columns[None, :]
    row_sq = judges * float(rows @ rows) / (subjects - 1)
    column_sq = subjects * float(columns @ columns) / (judges - 1)
    error_sq = float(np.sum(rest**2)) / ((subjects - 1) * (judges - 1))
    spread = row_sq + (judges - 1) * error_sq + judges * (column_sq - error_sq) / subjects
    if spread <= 0:
        raise Undefined("The values do not vary, so there is nothing to agree on.")
    single = (row_sq - error_sq) / spread
    mean = (row_sq - error_sq) / (row_sq + (column_sq - error_sq) / subjects)
    low, high = _icc_interval(
        (row_sq, column_sq, error_sq),
        single,
        subjects=subjects,
        judges=judges,
        confidence=confidence,
    )
    return IntraclassCorrelation(
        Coefficient("ICC(2,1)", single, low, high, subjects),
        Coefficient(
            "ICC(2,k)", mean, _stepped_up(low, judges), _stepped_up(high, judges), subjects
        ),
        float(judges),
        "mean squares (every rater judged every output)",
    )


def _icc_interval(
    mean_squares: tuple[float, float, float],
    single: float,
    *,
    subjects: int,
    judges: int,
    confidence: float,
) -> tuple[float | None, float | None]:
    """Shrout & Fleiss (1979), with Satterthwaite's degrees of freedom."""
    from scipy.stats import f

    row_sq, column_sq, error_sq = mean_squares  # of subjects, of judges, of what is left
    if error_sq <= 0:
        return None, None
    ratio = column_sq / error_sq
    weight = subjects * (1 + (judges - 1) * single) - judges * single
    freedom = (judges - 1) * (subjects - 1) * (judges * single * ratio + weight) ** 2
    freedom /= (subjects - 1) * judges**2 * single**2 * ratio**2 + weight**2
    tail = (1 - confidence) / 2
    upper, lower = f.isf(tail, subjects - 1, freedom), f.isf(tail, freedom, subjects - 1)
    spread = judges * column_sq + (judges * subjects - judges - subjects) * error_sq
    low = subjects * (row_sq - upper * error_sq) / (upper * spread + subjects * row_sq)
    high = subjects * (lower * row_sq - error_sq) / (spread + subjects * lower * row_sq)
    return float(low), float(high)


def _stepped_up(single: float | None, k: float) -> float | None:
    """Spearman–Brown: the reliability of a mean of k."""
    return None if single is None else single * k / (1 + single * (k - 1))


def incomplete_icc(values: Values, units: Codes, raters: Codes) -> IntraclassCorrelation:
    from analysis.mixed import variance_components

    sizes = np.bincount(units)
    if not np.any(sizes > 1):
        raise Undefined("No output was judged by two raters.")
    components = variance_components(values, {"unit": units, "rater": raters})
    variance = {component.source: component.variance for component in components}
    total = sum(variance.values())
    single = variance.get("unit", 0.0) / total
    k = len(sizes) / float(np.sum(1 / sizes))  # harmonic mean of the ratings of an output
    return IntraclassCorrelation(
        Coefficient("ICC(2,1)", single, units=len(sizes)),
        Coefficient("ICC(2,k)", _stepped_up(single, k), units=len(sizes)),
        k,
        "REML variance components (not every rater judged every output)",
    )


# --- Kendall's W -----------------------------------------------------------------------------


def kendall_w(values: ArrayLike, screens: Codes, items: Codes, systems: Codes) -> Coefficient:
    """Mean of Kendall's W over the groups of screens that show the same outputs.

    Groups need two screens of the same item and systems; a group in which every screen ties all
    outputs is left out.

    Parameters
    ----------
    values : shape (judgements,), of any unit: only their order within a screen counts
    screens, items, systems : shape (judgements,), codes; one screen is one rater's ranking

    Returns
    -------
    Coefficient : W from 0 to 1, without an interval; `units` counts the groups of screens

    Raises
    ------
    Undefined : no two screens show the same outputs of one item

    Source
    ------
    Kendall & Babington Smith (1939), with the correction for ties.
    """
    values = np.asarray(values, dtype=np.float64)
    ranks, ties = _ranks_within(values, screens)
    group_of_screen, sizes = _screen_groups(screens, items, systems)
    groups = group_of_screen[screens]
    count = len(sizes)
    members = np.bincount(group_of_screen[np.unique(screens)], minlength=count).astype(np.float64)
    cells = groups.astype(np.int64) * (int(systems.max()) + 1) + systems
    distinct, place = np.unique(cells, return_inverse=True)
    group_of_cell = distinct // (int(systems.max()) + 1)
    middle = members * (sizes + 1) / 2
    deviations = (np.bincount(place, ranks) - middle[group_of_cell]) ** 2
    spread = np.bincount(group_of_cell, deviations, minlength=count)
    tied = np.bincount(groups, ties, minlength=count)
    largest = members**2 * (sizes**3 - sizes) - members * tied
    usable = (members > 1) & (sizes > 1) & (largest > 0)
    if not usable.any():
        raise Undefined("No two screens show the same outputs of one item.")
    w = 12 * spread[usable] / largest[usable]
    return Coefficient("Kendall W, mean over screens", float(w.mean()), units=int(usable.sum()))


def _ranks_within(values: Values, screens: Codes) -> tuple[Values, Values]:
    """Mid-ranks of the values within their screen, and each row's share of Σ(t³ − t)."""
    order = np.lexsort([values, screens])
    ordered_screens, ordered = screens[order], values[order]
    new_run = np.ones(len(values), dtype=bool)
    new_run[1:] = (np.diff(ordered_screens) != 0) | (np.diff(ordered) != 0)
    run = np.cumsum(new_run) - 1
    run_sizes = np.bincount(run)
    new_screen = np.ones(len(values), dtype=bool)
    new_screen[1:] = np.diff(ordered_screens) != 0
    screen_start = np.maximum.accumulate(np.where(new_screen, np.arange(len(values)), 0))
    run_start = np.nonzero(new_run)[0]
    ranks, ties = np.empty(len(values)), np.empty(len(values))
    ranks[order] = run_start[run] - screen_start + (run_sizes[run] + 1) / 2
    ties[order] = run_sizes[run].astype(np.float64) ** 2 - 1  # (t³ − t)/t for each of t rows
    return ranks, ties


def _screen_groups(screens: Codes, items: Codes, systems: Codes) -> tuple[Codes, Values]:
    """Group screens by their item and set of systems, through a sum of random 64-bit keys."""
    rng = np.random.default_rng(0)  # any keys do: they only have to be distinct
    system_keys = rng.integers(2**62, size=int(systems.max()) + 1, dtype=np.uint64)
    item_keys = rng.integers(2**62, size=int(items.max()) + 1, dtype=np.uint64)
    keys = np.zeros(int(screens.max()) + 1, dtype=np.uint64)
    np.add.at(keys, screens, system_keys[systems])
    item_of_screen = np.zeros(len(keys), dtype=np.intp)
    item_of_screen[screens] = items
    groups = np.unique(keys * np.uint64(3) + item_keys[item_of_screen], return_inverse=True)[1]
    screen_sizes = np.bincount(screens, minlength=len(keys))
    sizes = np.zeros(int(groups.max()) + 1)
    sizes[groups] = screen_sizes
    return groups, sizes


# --- Fleiss' kappa and self-consistency ------------------------------------------------------


def fleiss_kappa(labels: Codes, units: Codes, raters: Codes) -> Coefficient:
    """Fleiss' κ for categories, over the units that have the most common number of raters.

    Parameters
    ----------
    labels : shape (judgements,), code of the category that the rater chose
    units, raters : shape (judgements,), codes of the judged output and the rater; a rater's second
        judgement of a unit is left out

    Returns
    -------
    Coefficient : κ without an interval, from −1 to 1; `units` counts the units that were used

    Raises
    ------
    Undefined : no unit has two raters, or all raters chose the same category throughout

    Source
    ------
    Fleiss (1971).
    """
    first = _first_of_each(units, raters)
    labels, units = labels[first], units[first]
    sizes = np.bincount(units)
    common = np.bincount(sizes[sizes > 1]) if np.any(sizes > 1) else None
    if common is None:
        raise Undefined("No output was judged by two raters.")
    size = int(common.argmax())
    chosen = sizes[units] == size
    counts = _counts(np.unique(units[chosen], return_inverse=True)[1], labels[chosen]).toarray()
    agreement = np.mean((np.sum(counts**2, axis=1) - size) / (size * (size - 1)))
    shares = counts.sum(axis=0) / counts.sum()
    chance = float(np.sum(shares**2))
    if chance >= 1:
        raise Undefined("All raters chose one category throughout, so chance alone agrees.")
    kappa = float((agreement - chance) / (1 - chance))
    return Coefficient(f"Fleiss κ ({size} raters an output)", kappa, units=len(counts))


def self_consistency(values: ArrayLike, outputs: Codes, raters: Codes) -> Coefficient:
    """α (interval) of raters with themselves, over outputs that one rater judged twice or more."""
    values = np.asarray(values, dtype=np.float64)
    own = raters.astype(np.int64) * (int(outputs.max()) + 1) + outputs
    units = np.unique(own, return_inverse=True)[1]
    if not np.any(np.bincount(units) > 1):
        raise Undefined("No rater judged the same output twice.")
    occasion = np.arange(len(values))  # every judgement is its own occasion of the same rater
    alpha = krippendorff_alpha(values, units, occasion, "interval")
    return Coefficient("Self-consistency (α, interval)", alpha.value, units=alpha.units)
