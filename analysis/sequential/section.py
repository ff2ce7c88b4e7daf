"""Looks at one criterion: which systems are told apart so far, and whether people may stop."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.errors import Undefined
from analysis.inference import LEAST_UNITS, Units
from analysis.report.effect_section import MOST_SYSTEMS, best_first, pairs_of, side_by_side_of
from analysis.report.options import ReportOptions
from analysis.scales.rater_tests import Comparisons, rater_differences
from analysis.table import JudgementTable
from analysis.typing import Codes, Flags, Values

from .betting import confidence_sequence
from .boundaries import boundaries, critical_t
from .estimates import Estimates, estimates
from .plan import (
    ANYTIME,
    BEST,
    LEAST_RATERS_AT_FIRST_LOOK,
    LEAST_RATERS_TO_BET,
    LookPlan,
)

SHARE, VALUE = "probability of being preferred", "value"
# Below this chance that the planned end tells any further pair apart, people may give up.
LEAST_CHANCE = 0.1
# Before half of the raters, a trend says little about the end.
EARLIEST_FUTILITY = 0.5
# Pairs whose bets are computed at once, so that they fit into memory.
PAIRS_AT_ONCE = 50


@dataclass(frozen=True)
class LookPair:
    """Two systems, the better estimate first, with an interval that holds at all looks together.

    `difference` is the mean over raters of their own means: of values, or of how far the
    probability that they prefer `a` is above one half; an end is None where the scale has none and
    nothing bounds it yet. `look` is the first that told them apart,
    and `within` says that the whole interval is within the margin of equivalence.
    """

    a: str
    b: str
    difference: float
    low: float | None
    high: float | None
    look: int | None
    within: bool
    raters: int

    @property
    def apart(self) -> bool:
        """Whether the two were told apart, at this look or before."""
        return self.look is not None


@dataclass(frozen=True)
class LookStep:
    """One look: the raters it had, its share of the plan, and the t that it needed."""

    raters: int
    effective: float
    fraction: float
    critical: float | None
    apart: int


@dataclass(frozen=True)
class SequentialSection:
    """What a criterion's looks claim together, the present one included.

    All claims hold at the level `alpha`, for all pairs and looks. Without a claim, `reason` says
    why. `futile` is advice and claims nothing.
    """

    mode: str
    alpha: float
    generality: str
    unit: str
    steps: tuple[LookStep, ...] = ()
    pairs: tuple[LookPair, ...] = ()
    margin: float | None = None
    reached: bool = False
    futile: bool = False
    left_out: int = 0
    reason: str = ""
    systems: tuple[str, ...] = field(default=())


@dataclass(frozen=True, eq=False)
class _Looked:
    """Comparisons of the raters in their order, and what all looks share."""

    found: Comparisons
    place: Codes  # of each comparison's rater in the order
    labels: tuple[str, ...]
    part: JudgementTable
    plan: LookPlan
    options: ReportOptions
    largest: float  # difference that is possible; infinity where values have no end

    @property
    def count(self) -> int:
        return len(self.labels) * (len(self.labels) - 1) // 2


def sequential_section(
    part: JudgementTable, options: ReportOptions, *, relative: bool, higher_is_better: bool
) -> SequentialSection:
    """Look at one criterion as its plan says, at the raters of the plan's order.

    Parameters
    ----------
    part : one criterion's judgements, outliers treated
    options : of the report, with `looking`
    relative : only the order on each screen counts
    higher_is_better : false: lower values are preferred

    Returns
    -------
    SequentialSection : what may be claimed, or the reason why nothing may

    Source
    ------
    Lan & DeMets (1983) and Jennison & Turnbull (1989), repeated confidence intervals; Waudby-Smith
    & Ramdas (2024), betting. Bonferroni over pairs.
    """
    plan = options.look_plan
    ordered = np.isin(part.rater.codes, _numbers(part, plan))
    name = part.criterion.labels[0]
    is_share = relative or plan.mode == ANYTIME
    section = SequentialSection(
        plan.mode,
        options.alpha,
        options.generality,
        SHARE if is_share else VALUE,
        margin=options.equivalence.get(name) if relative or not is_share else None,
        left_out=int(np.sum(~ordered)),
    )
    try:
        looked = _looked(part.rows(ordered), options, relative, higher_is_better)
        found = _bets(looked, section) if plan.mode == ANYTIME else _tests(looked, section)
    except Undefined as error:
        return replace(section, reason=str(error))
    return found


def _numbers(part: JudgementTable, plan: LookPlan) -> NDArray[np.int64]:
    """Return the codes of the raters in the order in which they began."""
    codes = {label: code for code, label in enumerate(part.rater.labels)}
    return np.array([codes[each] for each in plan.order if each in codes], dtype=np.int64)


def _looked(part: JudgementTable, options: ReportOptions, relative: bool, higher: bool) -> _Looked:
    plan, generality = options.look_plan, options.generality
    if plan.mode == ANYTIME and generality != "raters":
        raise Undefined(
            "Bets are on new raters, who judge the same items: looks at any time claim nothing "
            "about new items."
        )
    if generality == "items":
        raise Undefined("Looks are about new raters, and claims here about new items.")
    if not len(part):
        raise Undefined("No rater of those who began first has ended their sitting yet.")
    ranks, labels = best_first(part, higher)
    if len(labels) > MOST_SYSTEMS:
        raise Undefined(f"Looks compare at most {MOST_SYSTEMS} systems.")
    if len(labels) < 2:
        raise Undefined("There is only one system so far, so there is nothing to compare.")
    is_share = relative or plan.mode == ANYTIME
    compared = pairs_of(part, options, higher) if relative else None
    found = side_by_side_of(part, ranks, options, compared=compared, higher_is_better=higher)
    if is_share:
        found = replace(found, difference=np.sign(found.difference) / 2)
    order = {label: k for k, label in enumerate(plan.order)}
    place = np.array([order.get(label, -1) for label in part.rater.labels])[found.rater]
    largest = 0.5 if is_share else np.inf
    return _Looked(found, place, tuple(labels), part, plan, options, largest)


# --- group-sequential --------------------------------------------------------------------------


def _tests(looked: _Looked, section: SequentialSection) -> SequentialSection:
    """Test at each look so far; an interval that held at one look holds for good."""
    plan, generality = looked.plan, looked.options.generality
    every = [(end, _units(looked, end)) for end in plan.ends]
    least = LEAST_RATERS_AT_FIRST_LOOK
    now = every[-1][1]
    if now is not None and len(every) == 1 and now.raters.number >= plan.planned:
        least = LEAST_UNITS  # the only test, of all raters: that of a fixed plan
    if now is None or round(now.raters.effective) < least:
        came = 0 if now is None else now.raters.effective
        raise Undefined(
            f"A look needs at least {least} effective raters, in the order in which they began, "
            f"whose sittings have ended. There are {came:.3g}."
        )
    looks = [
        (end, units) for end, units in every if units and round(units.raters.effective) >= least
    ]
    fractions = _rising([units.raters.effective / plan.planned for _, units in looks])
    level = section.alpha / (2 * looked.count)
    low, high = np.full(looked.count, -np.inf), np.full(looked.count, np.inf)
    first = np.zeros(looked.count, dtype=np.int64)
    steps = []
    edges = boundaries(fractions, level)
    for k, (end, units) in enumerate(looks):
        at = estimates(looked.found, looked.place < end, len(looked.labels), generality)
        critical = critical_t(edges[k], _freedom(at, units, generality))
        half = np.where(np.isnan(at.error), np.inf, critical * at.error)
        low = np.fmax(low, at.difference - half)
        high = np.fmin(high, at.difference + half)
        first = np.where((first == 0) & ((low > 0) | (high < 0)), k + 1, first)
        shown = float(np.min(critical))
        steps.append(
            LookStep(
                int(end),
                units.raters.effective,
                fractions[k],
                shown if np.isfinite(shown) else None,
                int(np.sum(first > 0)),
            )
        )
    section = replace(section, steps=tuple(steps))
    whole = _concluded(looked, section, (at.difference, at.raters), (low, high, first))
    chances = _chances(at, fractions, level)
    return replace(whole, futile=_is_futile(whole, looked, chances, fractions[-1]))


def _units(looked: _Looked, end: int) -> Units | None:
    """Count the raters and items of the first raters."""
    part, options = looked.part, looked.options
    first = replace(looked.plan, order=looked.plan.order[:end])
    inside = np.isin(part.rater.codes, _numbers(part, first))
    if not inside.any():
        return None
    items = part.groups(options.item_groups).codes
    return Units.of(part.rater.codes[inside], items[inside], options.generality)


def _rising(fractions: list[float]) -> tuple[float, ...]:
    """Keep shares of the plan rising: unequal loads can make them fall by a little."""
    return tuple(
        float(each) for each in np.maximum.accumulate(fractions) + 1e-9 * np.arange(len(fractions))
    )


def _freedom(at: Estimates, units: Units, generality: str) -> Values:
    """Degrees of freedom of each pair: its scarcer units, or those of all pairs, less one."""
    number = at.raters if generality == "raters" else np.minimum(at.raters, at.items)
    df: Values = np.minimum(number - 1.0, units.df)
    return df


def _chances(at: Estimates, fractions: tuple[float, ...], level: float) -> Values:
    """Compute the chance that the planned end tells each pair apart, if it goes on as so far."""
    reached = fractions[-1]
    if reached >= 1:
        return np.zeros(len(at.difference))
    edge = boundaries((*fractions, 1.0), level)[-1]
    z = np.nan_to_num(np.abs(at.difference) / at.error, nan=0.0)
    expected = z * np.sqrt(reached) + z / np.sqrt(reached) * (1 - reached)
    chances: Values = scipy.stats.norm.sf((edge - expected) / np.sqrt(1 - reached))
    return chances


def _is_futile(
    section: SequentialSection, looked: _Looked, chances: Values, reached: float
) -> bool:
    if section.reached or not EARLIEST_FUTILITY <= reached < 1:
        return False
    needed = _needed(looked, section.systems)
    return bool(np.all(chances[needed] < LEAST_CHANCE))


# --- betting -----------------------------------------------------------------------------------


def _bets(looked: _Looked, section: SequentialSection) -> SequentialSection:
    """Bet on each rater in turn, against every possible mean of every pair."""
    plan = looked.plan
    means = rater_differences(looked.found, len(looked.part.rater.labels), len(looked.labels))
    means = means[_numbers(looked.part, plan)]
    means = means[~np.isnan(means).all(axis=1)]
    if len(means) < LEAST_RATERS_TO_BET:
        raise Undefined(
            f"A look at any time needs at least {LEAST_RATERS_TO_BET} raters, in the order in "
            f"which they began, whose sittings have ended. There are {len(means)}: their intervals "
            "would be wider than half of the scale."
        )
    level = section.alpha / looked.count
    parts = [
        confidence_sequence(0.5 + means[:, start : start + PAIRS_AT_ONCE], level)
        for start in range(0, looked.count, PAIRS_AT_ONCE)
    ]
    low, high = (
        np.concatenate([getattr(each, end) for each in parts]) - 0.5 for end in ("low", "high")
    )
    first = np.where((low > 0) | (high < 0), len(plan.ends), 0)
    counts = np.sum(~np.isnan(means), axis=0)
    with np.errstate(invalid="ignore"):
        middle = np.nansum(means, axis=0) / np.where(counts, counts, np.nan)
    share = len(means) / plan.planned if plan.planned else 0.0
    step = LookStep(len(plan.order), float(len(means)), share, None, int(np.sum(first > 0)))
    section = replace(section, steps=(step,))
    return _concluded(looked, section, (middle, counts), (low, high, first))


# --- both --------------------------------------------------------------------------------------


def _concluded(
    looked: _Looked,
    section: SequentialSection,
    found: tuple[Values, NDArray[np.int64]],
    claims: tuple[Values, Values, NDArray[np.int64]],
) -> SequentialSection:
    """Order systems and pairs by their estimates, and say whether the goal is reached."""
    (difference, raters), (low, high, first) = found, claims
    # Looks that contradict each other leave no interval: nothing is claimed then.
    contradict = low > high
    low, high = np.where(contradict, -np.inf, low), np.where(contradict, np.inf, high)
    first = np.where(contradict, 0, first)
    low, high = np.maximum(low, -looked.largest), np.minimum(high, looked.largest)
    i, j = np.triu_indices(len(looked.labels), 1)
    pairs = []
    order = _order(difference, len(looked.labels))
    rank = np.argsort(order)
    for k in np.lexsort([np.maximum(rank[i], rank[j]), np.minimum(rank[i], rank[j])]).tolist():
        sign = -1 if rank[i[k]] > rank[j[k]] else 1
        worst, best = sorted((float(sign * low[k]) + 0.0, float(sign * high[k]) + 0.0))
        a, b = _named(looked, k, rank)
        pairs.append(
            LookPair(
                a,
                b,
                # Never −0, and 0 where nobody compared the two: such a pair is not told apart.
                difference=float(sign * np.nan_to_num(difference[k])) + 0.0,
                low=worst if np.isfinite(worst) else None,
                high=best if np.isfinite(best) else None,
                look=int(first[k]) if first[k] and worst > 0 else None,
                within=section.margin is not None and max(-worst, best) < section.margin,
                raters=int(raters[k]),
            )
        )
    systems = tuple(looked.labels[k] for k in order)
    needed = _needed(looked, systems)
    settled = {(pair.a, pair.b) for pair in pairs if pair.apart or pair.within}
    wanted = {_named(looked, k, rank) for k in np.flatnonzero(needed).tolist()}
    return replace(section, pairs=tuple(pairs), systems=systems, reached=wanted <= settled)


def _order(difference: Values, systems: int) -> NDArray[np.intp]:
    """Order systems by their mean difference from the others."""
    i, j = np.triu_indices(systems, 1)
    known = np.nan_to_num(difference, nan=0.0)
    score = np.bincount(i, known, minlength=systems) - np.bincount(j, known, minlength=systems)
    return np.argsort(-score, kind="stable")


def _named(looked: _Looked, pair: int, rank: NDArray[np.intp]) -> tuple[str, str]:
    i, j = (each[pair] for each in np.triu_indices(len(looked.labels), 1))
    first, second = (i, j) if rank[i] < rank[j] else (j, i)
    return looked.labels[first], looked.labels[second]


def _needed(looked: _Looked, systems: tuple[str, ...]) -> Flags:
    """Mark the pairs that the goal is about: those of the best system, or all."""
    number = len(looked.labels)
    i, j = np.triu_indices(number, 1)
    if looked.plan.goal != BEST:
        return np.ones(len(i), dtype=bool)
    best = looked.labels.index(systems[0])
    marked: Flags = (i == best) | (j == best)
    return marked
