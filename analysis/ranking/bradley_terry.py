"""Bradley–Terry strengths with ties, errors that allow for dependence, claims that hold together.

Bradley & Terry (1952); ties after Davidson (1970); existence of the estimate after Ford (1957);
two-way clustered errors after Cameron, Gelbach & Miller (2011); ranks after Mogstad et al. (2024).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.errors import OptionsError, RankingError
from analysis.inference import (
    GENERALITIES,
    Units,
    adjusted_p,
    clustered_variances,
    critical_t,
    difference_variances,
)
from analysis.scales.codes import compact, in_use
from analysis.typing import Codes, Values

from .pairs import LOSS, TIE, WIN, Counts, Pairs, count, require_comparable
from .rank_ranges import cluster_ends

TIES = ("davidson", "half")
INDEPENDENT = "none"
STEPS = 100
LONGEST_STEP = 5.0  # of a penalised fit
PRECISION = 1e-10
# A drawn table may have no maximum (a system that won all); this pull to 0 gives it a finite one.
RIDGE = 1e-6
BLOCK = 2**18  # comparisons whose scores are in memory together
SPARSE = 4  # numbers for each comparison, beyond which a table of sums is sparse


@dataclass(frozen=True)
class Strength:
    """A system's ability on the log-odds scale (they sum to 0) and its rank confidence set."""

    system: str
    ability: float
    standard_error: float
    rank_low: int
    rank_high: int
    cluster: int


@dataclass(frozen=True)
class Difference:
    """a's ability less b's; all intervals hold together at level 1 − alpha; `p` is adjusted."""

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class BradleyTerry:
    """Strengths from the best down and every pairwise difference.

    `tie` is Davidson's ν (None where ties count as half wins, or there are none). `effective` is
    Kish's number of equally busy raters or items, whichever is smaller, of those that the claims
    are about (`clustered_by`); `df` = effective − 1 is the t distribution's.
    """

    systems: tuple[Strength, ...]
    pairs: tuple[Difference, ...]
    ties: str
    tie: float | None
    clustered_by: str
    effective: float | None
    df: float | None
    critical: float
    alpha: float
    log_likelihood: float
    comparisons: int
    penalised: bool = False


class Separated(RankingError):
    """Some systems always beat others, so the likelihood has no maximum."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A maximum of the likelihood: `ability` of shape (systems,), `log_tie` = log ν or None."""

    ability: Values
    log_tie: float | None
    information: Values
    log_likelihood: float


def bradley_terry(
    pairs: Pairs,
    *,
    ties: str = "davidson",
    generality: str = "both",
    alpha: float = 0.05,
) -> BradleyTerry:
    """Fit all comparisons and compare every two systems simultaneously.

    Where some systems always beat others, the fit has Jeffreys' penalty (`penalised_fit`), and no
    error is smaller than if each rater or item, whichever are scarcer, had compared a pair once.

    Parameters
    ----------
    pairs : comparisons of two systems; `pairs_from_table` makes them of a table
    ties : `davidson` estimates how likely ties are, `half` counts a tie as half a win
    generality : what claims are about, and errors are clustered by: `raters`, `items` or `both`;
        `none` takes all judgements as independent
    alpha : 1 − confidence of all intervals together, between 0 and 1

    Returns
    -------
    BradleyTerry : abilities (log-odds, mean 0) with errors and ranks, best first, and the
        differences of all pairs with simultaneous intervals and adjusted p

    Raises
    ------
    OptionsError : an unknown treatment of ties or generality, or alpha out of range
    RankingError : systems that cannot be ranked, because they are disconnected or only tie
    Undefined : fewer than three raters or items of those that the claims are about

    Source
    ------
    Bradley & Terry (1952); ties after Davidson (1970); existence of the estimate after Ford (1957);
    clustered errors after Cameron, Gelbach & Miller (2011); ranks after Mogstad et al. (2024).
    """
    _require_options(ties, generality, alpha)
    counts = count(pairs)
    found, penalised = existing_fit(pairs.systems, counts, ties)
    units = None
    if generality != INDEPENDENT:
        units = Units.of(pairs.rater, pairs.item, generality)
        units.require()
    spread, variances = _variances(pairs, found, units)
    if penalised and units is not None:
        scarce = _scarce_covariance(found, counts, units.effective)
        spread = np.maximum(spread, np.diag(scarce))
        variances = np.maximum(variances, difference_variances(scarce))
    df = np.inf if units is None else units.df
    comparisons = len(found.ability) * (len(found.ability) - 1) // 2
    critical = critical_t(alpha, comparisons, df)
    differences = _differences(found.ability, variances, critical, comparisons, df)
    return BradleyTerry(
        systems=_strengths(pairs.systems, found.ability, spread, differences[3] < alpha),
        pairs=_named(pairs.systems, found.ability, differences),
        ties=ties,
        tie=None if found.log_tie is None else float(np.exp(found.log_tie)),
        clustered_by=generality,
        effective=None if units is None else units.effective,
        df=None if units is None else units.df,
        critical=critical,
        alpha=alpha,
        log_likelihood=found.log_likelihood,
        comparisons=len(pairs),
        penalised=penalised,
    )


def existing_fit(
    systems: tuple[str, ...], counts: Counts, ties: str = "davidson"
) -> tuple[Fit, bool]:
    """Maximise the likelihood, or the penalised one where systems are separated.

    Parameters
    ----------
    systems : their names
    counts : wins and ties of each two systems
    ties : `davidson` or `half`

    Returns
    -------
    the fit, and whether it is penalised

    Raises
    ------
    RankingError : all comparisons are ties, or systems were never compared

    Source
    ------
    Ford (1957); Firth (1993).
    """
    try:
        require_estimable(systems, counts, ties)
        return fit(counts, ties=ties), False
    except Separated:
        return penalised_fit(counts), True


def abilities(counts: NDArray[np.int64]) -> Values:
    """Abilities with Davidson's ties for one drawn table; never fails (see RIDGE).

    Parameters
    ----------
    counts : shape (systems, systems, 3), wins, ties and losses of i against j for i < j
    """
    wins = (counts[:, :, WIN] + counts[:, :, LOSS].T).astype(float)
    ties = (counts[:, :, TIE] + counts[:, :, TIE].T).astype(float)
    if not wins.any():
        return np.zeros(len(wins))
    return fit(Counts(wins, ties), ridge=RIDGE).ability


def fit(counts: Counts, *, ties: str = "davidson", ridge: float = 0.0) -> Fit:
    """Maximise the likelihood by Newton's method with step halving.

    A win of i has weight exp(θ_i), a loss exp(θ_j), a tie ν·exp((θ_i + θ_j)/2): the logarithm
    is concave in (θ, log ν). With `ties="half"` a tie is half a win for each and ν is 0.

    Parameters
    ----------
    counts : wins and ties of each two systems
    ties : `davidson`: ties have a weight ν of their own; `half`: half a win for each
    ridge : weight of a penalty on squared abilities; 0: none

    Raises
    ------
    RankingError : the likelihood does not converge

    Source
    ------
    Bradley & Terry (1952); Davidson (1970).
    """
    wins, tied = counts.wins, counts.ties
    if ties == "half":
        wins, tied = wins + tied / 2, np.zeros_like(tied)
    with_ties = bool(tied.any())
    point = np.zeros(len(wins) + with_ties)
    value = _log_likelihood(point, wins, tied, ridge)
    for _ in range(STEPS):
        gradient, information = _slopes(point, wins, tied, ridge)
        step = np.linalg.solve(_pinned(information, len(wins)), gradient)
        size = 1.0
        while (tried := _log_likelihood(point + size * step, wins, tied, ridge)) < value:
            size /= 2
            if size < 1e-10:
                break
        point, value = point + size * step, max(tried, value)
        if np.abs(size * step).max() < PRECISION or size < 1e-10:
            ability = point[: len(wins)] - point[: len(wins)].mean()
            log_tie = float(point[-1]) if with_ties else None
            return Fit(ability, log_tie, _slopes(point, wins, tied, ridge)[1], float(value))
    raise RankingError("Bradley–Terry did not converge.")


def penalised_fit(counts: Counts) -> Fit:
    """Maximise the likelihood with Jeffreys' penalty, ½ log |information|: it is always finite.

    For pairs, the penalty adds half of the comparisons' leverage to the wins of both; ties are half
    wins. Abilities do not go to infinity where all agree, and are biased less in general.

    Parameters
    ----------
    counts : wins and ties of each two systems, all of which are connected

    Raises
    ------
    RankingError : the fit does not converge

    Source
    ------
    Firth (1993); separated judgements: Heinze & Schemper (2002).
    """
    wins = counts.wins + counts.ties / 2
    nothing = np.zeros_like(wins)
    ability = np.zeros(len(wins))
    for _ in range(STEPS):
        covariance = _model_covariance(ability, counts.met)
        chance = scipy.special.expit(ability[:, None] - ability[None, :])
        leverage = counts.met * chance * (1 - chance) * difference_variances(covariance)
        score = np.sum(wins + leverage / 2 - (counts.met + leverage) * chance, axis=1)
        step = covariance @ score
        ability = ability + step * min(1.0, LONGEST_STEP / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < PRECISION * max(1.0, float(np.abs(ability).max())):
            information = _slopes(ability, wins, nothing, 0.0)[1]
            value = _log_likelihood(ability, wins, nothing, 0.0)
            return Fit(ability, None, information, value)
    raise RankingError("The penalised Bradley–Terry did not converge.")


def _model_covariance(ability: Values, met: Values) -> Values:
    """Covariance of abilities if comparisons were independent, `met[i, j]` of i and j."""
    chance = scipy.special.expit(ability[:, None] - ability[None, :])
    weight = met * chance * (1 - chance)
    information = np.diag(weight.sum(axis=1)) - weight
    centre = np.eye(len(ability)) - 1 / len(ability)
    covariance: Values = centre @ np.linalg.inv(_pinned(information, len(ability))) @ centre
    return covariance


def _scarce_covariance(found: Fit, counts: Counts, units: float) -> Values:
    """Take each rater or item, whichever are scarcer, for one comparison of every pair.

    Where all agree, nothing else says how far others would differ.
    """
    return _model_covariance(found.ability, np.minimum(counts.met, units))


def require_estimable(systems: tuple[str, ...], counts: Counts, ties: str = "davidson") -> None:
    """Refuse comparisons whose likelihood has no maximum, and name the systems at fault.

    Ford (1957): in every split of the systems in two groups, a system of each has to win against
    (or, with ties, tie with) a system of the other. Davidson's ν adds a condition of its own.

    Parameters
    ----------
    systems : their names
    counts : wins and ties of each two systems
    ties : `davidson` or `half`

    Raises
    ------
    Separated : a group of systems never loses
    RankingError : all comparisons are ties, or systems were never compared

    Source
    ------
    Ford (1957).
    """
    require_comparable(systems, counts)
    if ties == "davidson" and not counts.wins.any():
        raise RankingError("Every comparison is a tie: no system can be told from another.")
    number, group = scipy.sparse.csgraph.connected_components(
        counts.wins + counts.ties > 0, connection="strong"
    )
    if number > 1:
        named = "; ".join(
            ", ".join(systems[place] for place in np.flatnonzero(group == which))
            for which in range(number)
        )
        raise Separated(
            "Separated: between these groups one side never won or tied, so that their distance "
            f"has no estimate: {named}."
        )
    if ties == "davidson" and counts.ties.any() and not _tie_is_bounded(counts):
        raise Separated(
            "Separated: ties lie between every win and its contrary, so that ν has no estimate; "
            "count ties as half wins instead."
        )


def _tie_is_bounded(counts: Counts) -> bool:
    """Say whether some cycle of systems has more wins than ties.

    Otherwise the likelihood never falls along the direction in which log ν grows by ½, every
    winner draws away from its loser by 1 and tied systems by at most 1: these are difference
    constraints, which can be met unless their graph has a negative cycle.
    """
    lengths = np.where(counts.wins > 0, -1.0, np.where(counts.ties > 0, 1.0, 0.0))
    try:
        scipy.sparse.csgraph.bellman_ford(lengths, indices=0)
    except scipy.sparse.csgraph.NegativeCycleError:
        return True
    return False


def _require_options(ties: str, generality: str, alpha: float) -> None:
    problems = []
    if ties not in TIES:
        problems.append(f"There is no treatment of ties {ties!r}: {', '.join(TIES)}.")
    if generality not in (*GENERALITIES, INDEPENDENT):
        known = ", ".join((*GENERALITIES, INDEPENDENT))
        problems.append(f"There is no generality {generality!r}: {known}.")
    if not 0 < alpha < 1:
        problems.append(f"alpha is {alpha}, but must lie between 0 and 1.")
    if problems:
        raise OptionsError(problems)


# --- the likelihood ------------------------------------------------------------------------


def _weights(point: Values, systems: int) -> tuple[Values, Values]:
    """Log weight of a win of i over j, and of their tie, each of shape (systems, systems)."""
    ability = point[:systems]
    log_tie = point[systems] if len(point) > systems else -np.inf
    win = np.broadcast_to(ability[:, None], (systems, systems))
    tie = log_tie + (ability[:, None] + ability[None, :]) / 2
    return win, tie


def _log_likelihood(point: Values, wins: Values, ties: Values, ridge: float) -> float:
    win, tie = _weights(point, len(wins))
    total = np.logaddexp(np.logaddexp(win, win.T), tie)
    tied = np.sum(ties * (tie - total)) / 2 if ties.any() else 0.0
    return float(np.sum(wins * (win - total)) + tied - ridge * np.sum(point**2) / 2)


def _chances(point: Values, systems: int) -> tuple[Values, Values]:
    """Chances that i beats j, and that they tie, each of shape (systems, systems)."""
    win, tie = _weights(point, systems)
    total = np.logaddexp(np.logaddexp(win, win.T), tie)
    return np.exp(win - total), np.exp(tie - total)


def _slopes(point: Values, wins: Values, ties: Values, ridge: float) -> tuple[Values, Values]:
    """Gradient and information (the negative Hessian) of the log likelihood."""
    systems = len(wins)
    win, tie = _chances(point, systems)
    met = wins + wins.T + ties
    score = win + tie / 2
    variance = met * (win + tie / 4 - score**2)
    gradient = np.sum(wins + ties / 2 - met * score, axis=1)
    information = np.diag(variance.sum(axis=1)) - variance
    if len(point) > systems:
        mixed = np.sum(met * tie * (0.5 - score), axis=1)
        gradient = np.append(gradient, np.sum(ties - met * tie) / 2)
        corner = np.sum(met * tie * (1 - tie)) / 2
        information = np.block([[information, mixed[:, None]], [mixed[None, :], corner]])
    return gradient - ridge * point, information + ridge * np.eye(len(point))


def _pinned(information: Values, systems: int) -> Values:
    """Information made regular: the common level of all abilities is held."""
    pinned = information.copy()
    pinned[:systems, :systems] += max(np.trace(information) / systems, 1.0) / systems
    return pinned


# --- variance ------------------------------------------------------------------------------


def sandwich(
    pairs: Pairs, found: Fit, generality: str = "both"
) -> tuple[Values, Values, Values, Values]:
    """Covariances of the abilities: the model's, and clustered by rater, by item, by their cells.

    Parameters
    ----------
    pairs : comparisons
    found : their fit
    generality : what claims are about; ways that these do not need are left at zero

    Returns
    -------
    four arrays of shape (systems, systems); zeros where there is only one cluster

    Source
    ------
    Cameron, Gelbach & Miller (2011).
    """
    systems = len(pairs.systems)
    bread = _bread(found, systems)

    def clustered(codes: NDArray[Any]) -> Values:
        covariance = bread @ _meat(*_summed(pairs, found, codes)) @ bread
        return np.asarray(covariance[:systems, :systems])

    model, nothing = bread[:systems, :systems], np.zeros((systems, systems))
    if generality == "raters":
        return model, clustered(pairs.rater), nothing, nothing
    if generality == "items":
        return model, nothing, clustered(pairs.item), nothing
    if generality == INDEPENDENT:
        return model, nothing, nothing, nothing
    cells = _cells_of_raters_and_items(pairs, len(found.information))
    return model, clustered(pairs.rater), clustered(pairs.item), clustered(cells)


def _cells_of_raters_and_items(pairs: Pairs, parameters: int) -> NDArray[Any]:
    """Number the cells; without gaps only where a table of them all would be too large."""
    raters, items = int(pairs.rater.max()) + 1, int(pairs.item.max()) + 1
    whole = np.promote_types(np.int32, np.min_scalar_type(-raters * items))
    cells = pairs.rater.astype(whole) * items + pairs.item
    return compact(cells) if raters * items * parameters > SPARSE * len(pairs) else cells


def _variances(pairs: Pairs, found: Fit, units: Units | None) -> tuple[Values, Values]:
    """Variances of the abilities and of their differences, from the sandwich."""
    generality = INDEPENDENT if units is None else units.generality
    model, by_rater, by_item, by_both = sandwich(pairs, found, generality)
    if units is not None:
        spread, variances = clustered_variances(by_rater, by_item, by_both, units)
        if spread.sum() > 1e-9 * np.trace(model):
            return spread, variances
    return np.diag(model), difference_variances(model)


def influences(pairs: Pairs, found: Fit, codes: NDArray[Any]) -> Values:
    """Approximate how far each unit moves the abilities: without it they are lower by this.

    Parameters
    ----------
    pairs : comparisons
    found : their fit
    codes : shape (comparisons,), the unit of each, such as its rater

    Returns
    -------
    shape (units, systems), units by their number

    Source
    ------
    Broderick, Giordano & Meager (2023), section 2: the first-order influence of a unit's weight.
    """
    systems = len(pairs.systems)
    summed, _ = _summed(pairs, found, codes)
    return np.asarray(summed @ _bread(found, systems))[:, :systems]


def _bread(found: Fit, systems: int) -> Values:
    """Invert the information; abilities sum to 0."""
    centre = np.eye(len(found.information))
    centre[:systems, :systems] -= 1 / systems
    bread: Values = centre @ np.linalg.inv(_pinned(found.information, systems)) @ centre
    return bread


def _meat(summed: Any, number: int) -> Values:
    """Sum over G clusters of the outer product of a cluster's summed scores, times G/(G − 1)."""
    product = summed.T @ summed
    dense: Values = product.toarray() if scipy.sparse.issparse(product) else product
    # A single cluster, of units that no claim is about, has no variance.
    meat: Values = dense * number / max(number - 1, 1)
    return meat


def _summed(pairs: Pairs, found: Fit, codes: NDArray[Any]) -> tuple[Any, int]:
    """Sum the scores of each cluster, shape (clusters, parameters); sparse if most are zero.

    Also count the clusters, which are fewer than rows of the table where codes have gaps.

    Block by block: the scores of a million judgements at once would fill the memory.
    """
    shape = (int(codes.max()) + 1, len(found.information))
    if shape[0] * shape[1] > SPARSE * len(pairs):
        thin = scipy.sparse.csr_matrix(shape)
        for column, cells in _scores(pairs, found):
            thin = thin + scipy.sparse.csr_matrix((cells, (codes, column)), shape)
        return thin, len(in_use(codes))
    # Web processes read what was fitted, and need no compiler.
    from .cluster_sums import add_scores

    summed, sizes = np.zeros(shape), np.zeros(shape[0], dtype=np.int64)
    slopes = _slopes_of_outcomes(found, len(pairs.systems))
    for start in range(0, len(pairs), BLOCK):
        block = slice(start, start + BLOCK)
        comparisons = pairs.first[block], pairs.second[block], pairs.outcome[block]
        add_scores(summed, sizes, codes[block], *comparisons, *slopes)
    return summed, int(np.count_nonzero(sizes))


def _slopes_of_outcomes(found: Fit, systems: int) -> tuple[Values, Values]:
    """Slopes of a comparison's log likelihood by its outcome and systems.

    They are the first system's result (1, ½, 0), and whether there was a tie, less what is
    expected. Shape (outcomes, systems, systems) each; the second is empty where ties have no weight
    of their own.
    """
    tail = [] if found.log_tie is None else [found.log_tie]
    win, tie = _chances(np.append(found.ability, tail), systems)
    results = np.array([WIN, TIE, LOSS])[:, None, None]
    gains = 1 - results / 2 - (win + tie / 2)
    return gains, np.empty((0, 0, 0)) if found.log_tie is None else (results == TIE) - tie


def _scores(pairs: Pairs, found: Fit) -> Iterator[tuple[Codes, Values]]:
    """Yield slopes of the comparisons' log likelihoods: (the parameter, the slope in it)."""
    systems = len(pairs.systems)
    kind = (pairs.outcome.astype(np.int32) * systems + pairs.first) * systems + pairs.second
    of_gains, of_ties = _slopes_of_outcomes(found, systems)
    gains = np.take(of_gains, kind)
    yield pairs.first, gains
    yield pairs.second, -gains
    if of_ties.size:
        yield np.full(len(pairs), systems, dtype=np.int32), np.take(of_ties, kind)


# --- simultaneous comparison ---------------------------------------------------------------


def _differences(
    ability: Values, variances: Values, critical: float, comparisons: int, df: float
) -> tuple[Values, Values, Values, Values]:
    """Differences, low and high ends, adjusted p, each of shape (systems, systems)."""
    difference = ability[:, None] - ability[None, :]
    errors = np.sqrt(np.maximum(variances, 0))
    ratio = np.divide(difference, errors, out=np.zeros_like(errors), where=errors > 0)
    p = adjusted_p(ratio, comparisons, df)
    return difference, difference - critical * errors, difference + critical * errors, p


def _strengths(
    systems: tuple[str, ...], ability: Values, spread: Values, distinct: NDArray[np.bool_]
) -> tuple[Strength, ...]:
    """Rank sets: below all that are surely better, above all that are surely worse."""
    better = distinct & (ability[None, :] > ability[:, None])
    worse = distinct & (ability[None, :] < ability[:, None])
    low, high = 1 + better.sum(axis=1), len(systems) - worse.sum(axis=1)
    order = np.lexsort([np.arange(len(systems)), -ability])
    cluster = 1 + np.r_[0, np.cumsum(cluster_ends(low[order], high[order])[:-1])]
    errors = np.sqrt(spread)
    return tuple(
        Strength(
            systems[number],
            float(ability[number]),
            float(errors[number]),
            int(low[number]),
            int(high[number]),
            int(cluster[place]),
        )
        for place, number in enumerate(order)
    )


def _named(
    systems: tuple[str, ...],
    ability: Values,
    differences: tuple[Values, Values, Values, Values],
) -> tuple[Difference, ...]:
    order = np.lexsort([np.arange(len(systems)), -ability])
    return tuple(
        Difference(systems[a], systems[b], *(float(cells[a, b]) for cells in differences))
        for place, a in enumerate(order)
        for b in order[place + 1 :]
    )
