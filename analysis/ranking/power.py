"""Planning: simulate a campaign again and again, and count what its analysis would find."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.errors import Undefined
from analysis.inference import effective_number
from analysis.table import JudgementTable
from analysis.typing import Progress, Values

from .bradley_terry import bradley_terry
from .clusters import RankingOptions, rank_criterion
from .pairs import TIE, pairs_from_table
from .simulated_campaigns import (
    CRITERION,
    MOST_TIES,
    CampaignPlan,
    judgement_spreads,
    simulated_campaign,
    system_names,
)

CORRECTIONS, CORRECTION_CAMPAIGNS = 5, 10


@dataclass(frozen=True)
class Claim:
    """The result for a system in an analysis: its rank range and its cluster."""

    system: str
    rank_low: int
    rank_high: int
    cluster: int


@dataclass(frozen=True)
class Score:
    """The quality of one analysis of a simulated campaign.

    `wrong` says whether a cluster boundary puts some pair in the wrong order or separates equal
    systems; `right` whether the clusters are exactly the groups of equal systems; `found` is the
    share of truly different pairs that clusters separate in the right order; `covered` the share
    of systems whose true rank lies in the range; `width` the mean number of ranks in a range.
    """

    wrong: bool
    right: bool
    found: float
    covered: float
    width: float


@dataclass(frozen=True)
class Power:
    """The power of a plan over simulated campaigns; the fields are means of `Score`'s."""

    screens: int
    judgements: int
    cost: float | None
    campaigns: int
    found: float
    right: float
    wrong: float
    covered: float
    width: float


Analysis = Callable[[JudgementTable, int], Sequence[Claim]]


def power(
    plans: Iterable[CampaignPlan],
    analysis: Analysis,
    *,
    seed: int = 1,
    campaigns: int = 100,
    price: float | None = None,
    progress: Progress | None = None,
) -> tuple[Power, ...]:
    """Simulate campaigns of every plan, and report what their analysis would find.

    Parameters
    ----------
    plans : the campaigns to simulate; see `with_screens` for several sizes of one plan
    analysis : how each campaign is analysed: `by_clusters()` or `by_simultaneous_intervals()`
    seed : equal seeds give equal results
    campaigns : how often each plan is simulated
    price : cost of one screen, in any currency; without it there is no cost
    progress : called with the share that is done, from 0 to 1

    Returns
    -------
    tuple of Power : one for each plan, in their order, with averages over its campaigns

    Raises
    ------
    AnalysisError : an analysis cannot rank the systems of a simulated campaign

    Source
    ------
    Monte Carlo estimates of our own model (`CampaignPlan`), which docs/statistics.md describes.
    """
    plans = tuple(plans)
    results = []
    for number, plan in enumerate(plans):
        scores = []
        for campaign in range(campaigns):
            table = simulated_campaign(plan, seed=seed, campaign=campaign)
            scores.append(score(plan.abilities, analysis(table, campaign)))
            if progress:
                progress((number + (campaign + 1) / campaigns) / len(plans))
        results.append(_power(plan, scores, price))
    return tuple(results)


def by_clusters(method: str = "wmt", resample: str = "none", runs: int = 200) -> Analysis:
    """Return the analysis that ranks in clusters from repeated runs.

    Parameters
    ----------
    method : as in `RankingOptions`: `wmt`, `bradley-terry`, `order` or `k-player`
    resample : what is drawn with replacement before each run; `none` is as published in the field
    runs : how many runs each ranking has

    Returns
    -------
    An analysis for `power`; raises `OptionsError` when it is used with impossible options

    Source
    ------
    Sakaguchi, Post & Van Durme (2014)
    """

    def analyse(table: JudgementTable, campaign: int) -> tuple[Claim, ...]:
        options = RankingOptions(seed=campaign, runs=runs, method=method, resample=(resample,))
        ranking = rank_criterion(table, CRITERION, options)
        return tuple(
            Claim(row.system, row.rank_low, row.rank_high, row.cluster) for row in ranking.systems
        )

    return analyse


def by_simultaneous_intervals(generality: str = "both", ties: str = "davidson") -> Analysis:
    """Return the analysis by Bradley–Terry's simultaneous pairwise intervals.

    Parameters
    ----------
    generality : what claims are about: `raters`, `items`, `both`, or `none` (see `bradley_terry`)
    ties : `davidson` estimates how likely ties are, `half` counts a tie as half a win

    Returns
    -------
    An analysis for `power`; raises `OptionsError` when it is used with impossible options

    Source
    ------
    See `bradley_terry`; ranks after Mogstad et al. (2024)
    """

    def analyse(table: JudgementTable, campaign: int) -> tuple[Claim, ...]:
        pairs = pairs_from_table(table)
        result = bradley_terry(pairs, generality=generality, ties=ties)
        return tuple(
            Claim(row.system, row.rank_low, row.rank_high, row.cluster) for row in result.systems
        )

    return analyse


def score(abilities: Sequence[float], claims: Sequence[Claim]) -> Score:
    """Compare claims with the true abilities; system k is named `system_names()[k]`.

    Parameters
    ----------
    abilities : the true ones, higher is better
    claims : which system is better than which
    """
    number = {name: place for place, name in enumerate(system_names(len(abilities)))}
    truth = np.array([abilities[number[claim.system]] for claim in claims])
    cluster = np.array([claim.cluster for claim in claims])
    low = np.array([claim.rank_low for claim in claims])
    high = np.array([claim.rank_high for claim in claims])
    apart = cluster[:, None] < cluster[None, :]
    better = truth[:, None] > truth[None, :]
    best = 1 + better.sum(axis=0)
    worst = len(truth) - better.sum(axis=1)
    return Score(
        wrong=bool((apart & ~better).any()),
        right=bool((apart == better).all()),
        found=float((apart & better).sum() / max(better.sum(), 1)),
        covered=float(np.mean((low <= worst) & (high >= best))),
        width=float(np.mean(high - low + 1)),
    )


def plan_from_pilot(pilot: JudgementTable, screens: int, *, seed: int = 1) -> CampaignPlan:
    """Plan a campaign with a pilot's systems, ties, raters' workloads and dependence.

    Ranks and ties hide some of the dependence and of the distance between systems. So the plan is
    corrected until campaigns simulated from it measure what the pilot measures.

    Parameters
    ----------
    pilot : judgements of one criterion, with several systems on a screen
    screens : number of screens of the planned campaign
    seed : of the simulated campaigns; equal seeds give equal plans

    Returns
    -------
    CampaignPlan : abilities and spreads in units of one judgement's own scatter (σ = 1)

    Raises
    ------
    Undefined : the pilot has too little to measure a scatter, or never shows two systems together
    OptionsError : the plan would be impossible, for example with no screens
    TableError : the pilot has several criteria

    Source
    ------
    Indirect inference: Gouriéroux, Monfort & Renault (1993).
    """
    measured = _measured_plan(pilot, len(pilot.screen.labels))
    target = judgement_spreads(measured)
    plan = measured
    for correction in range(CORRECTIONS):
        again = [
            judgement_spreads(_measured_plan(table, plan.screens))
            for table in (
                simulated_campaign(plan, seed=seed, campaign=CORRECTION_CAMPAIGNS * correction + k)
                for k in range(CORRECTION_CAMPAIGNS)
            )
        ]
        found = np.mean(again, axis=0)
        factor = np.divide(target, found, out=np.ones(3), where=found > 0).clip(0.5, 2)
        plan = replace(
            plan,
            abilities=tuple((factor[0] * np.asarray(plan.abilities)).tolist()),
            rater_spread=float(factor[1] * plan.rater_spread),
            item_spread=float(factor[2] * plan.item_spread),
        )
    return replace(plan, screens=screens)


def _measured_plan(pilot: JudgementTable, screens: int) -> CampaignPlan:
    """Read the parameters that a table shows directly, before any simulation.

    Values become ranks within their screen, in units of their own scatter. Two judgements of a
    system by one rater (on one item) covary by rater_spread² (item_spread²); the abilities are
    shrunk towards each other by the part of their spread that is scatter.
    """
    values, shown = _screen_scores(pilot)
    system, systems = pilot.system.codes, len(pilot.system.labels)
    judged = np.bincount(system, minlength=systems)
    means = np.bincount(system, values, minlength=systems) / judged
    residuals = values - means[system]
    by_rater = _covariance_within(residuals, pilot.rater.codes, system)
    by_item = _covariance_within(residuals, pilot.item.codes, system)
    scatter = float(residuals.var()) - by_rater - by_item
    if scatter <= 0:
        raise Undefined("The pilot is too small or too uniform to take the scatter from.")
    effective = effective_number(pilot.rater.codes)
    error = float(np.mean(scatter / judged + by_rater / effective))
    kept = np.sqrt(max(0.0, 1 - error / max(float(means.var()), 1e-12)))
    return CampaignPlan(
        abilities=tuple((kept * (means - means.mean()) / np.sqrt(scatter)).tolist()),
        screens=screens,
        shown=min(max(round(shown), 2), systems),
        raters=len(np.bincount(pilot.rater.codes)),
        effective_raters=effective,
        items=len(pilot.item.labels),
        rater_spread=float(np.sqrt(by_rater / scatter)),
        item_spread=float(np.sqrt(by_item / scatter)),
        tie_share=float(min(np.mean(pairs_from_table(pilot).outcome == TIE), MOST_TIES)),
    )


def with_screens(plan: CampaignPlan, sizes: Iterable[int]) -> tuple[CampaignPlan, ...]:
    """Return the same campaign in several sizes.

    Parameters
    ----------
    plan : the campaign
    sizes : numbers of screens, each 1 or more

    Returns
    -------
    tuple of CampaignPlan : one for each size, in their order

    Raises
    ------
    OptionsError : a size below 1
    """
    return tuple(replace(plan, screens=size) for size in sizes)


def _screen_scores(table: JudgementTable) -> tuple[Values, float]:
    """Mid-ranks within each screen, centred; and how many outputs a screen shows on average."""
    pairs = pairs_from_table(table)
    if not len(pairs):
        raise Undefined("The pilot never shows two systems side by side.")
    screen, rows = table.screen.codes, len(table)
    size = np.bincount(screen)
    order = np.lexsort((table.value, screen))
    starts = (np.cumsum(size) - size)[screen[order]]
    first = np.r_[True, (np.diff(table.value[order]) != 0) | (np.diff(screen[order]) != 0)]
    group = np.cumsum(first) - 1
    middle = np.bincount(group, np.arange(rows)) / np.bincount(group)
    scores = np.empty(rows)
    scores[order] = middle[group] - starts - (size[screen[order]] - 1) / 2
    return scores, rows / len(size)


def _covariance_within(residuals: Values, unit: NDArray[Any], system: NDArray[Any]) -> float:
    """Mean product of two judgements of one system that share a unit; at least 0."""
    pair = unit.astype(np.int64) * (int(system.max()) + 1) + system
    _, cell = np.unique(pair, return_inverse=True)
    number = np.bincount(cell)
    sums = np.bincount(cell, residuals)
    squares = np.bincount(cell, residuals**2)
    twice = float(np.sum(number * (number - 1)))
    return max(0.0, float(np.sum(sums**2 - squares)) / twice) if twice else 0.0


def _power(plan: CampaignPlan, scores: Sequence[Score], price: float | None) -> Power:
    def mean(name: str) -> float:
        return float(np.mean([getattr(each, name) for each in scores]))

    return Power(
        screens=plan.screens,
        judgements=plan.judgements,
        cost=None if price is None else price * plan.screens,
        campaigns=len(scores),
        found=mean("found"),
        right=mean("right"),
        wrong=mean("wrong"),
        covered=mean("covered"),
        width=mean("width"),
    )
