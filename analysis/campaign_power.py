"""Planning: simulate a campaign again and again, and count what its analysis would find."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.clusters import RankingOptions, rank_criterion
from analysis.errors import OptionsError, Undefined
from analysis.pairs import TIE, pairs_from_table
from analysis.table import Column, JudgementTable
from analysis.typing import Progress, Values

CRITERION = "quality"
CORRECTIONS, CORRECTION_CAMPAIGNS = 5, 10
MOST_TIES = 0.95


@dataclass(frozen=True)
class CampaignPlan:
    """A campaign to simulate; all spreads are in units of one judgement's own scatter (σ = 1).

    A value is ability + the rater's liking of the system + how the system fits the item +
    scatter, rounded so coarsely that `tie_share` of the comparisons tie. Judgements of one rater
    (item) resemble each other by `rater_spread` (`item_spread`); 0 means independent. Of `raters`
    some work more than others: as much as if `effective_raters` had worked equally.
    """

    abilities: tuple[float, ...]
    screens: int
    shown: int = 5
    raters: int = 30
    effective_raters: float | None = None
    items: int = 200
    rater_spread: float = 0.3
    item_spread: float = 0.3
    tie_share: float = 0.25

    def __post_init__(self) -> None:
        problems = list(_plan_problems(self))
        if problems:
            raise OptionsError(problems)

    @property
    def judgements(self) -> int:
        """How many single values are given."""
        return self.screens * self.shown


@dataclass(frozen=True)
class Claim:
    """The result for a system in an analysis: its rank range and its cluster."""

    system: str
    rank_low: int
    rank_high: int
    cluster: int


@dataclass(frozen=True)
class Score:
    """How good one analysis of a simulated campaign was.

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
    """What a plan promises, over simulated campaigns; the fields are means of `Score`'s."""

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


def simulated_campaign(plan: CampaignPlan, *, seed: int, campaign: int) -> JudgementTable:
    """One campaign of the plan: balanced over items, systems in a random order on each screen."""
    rng = np.random.Generator(np.random.Philox(key=[seed % 2**64, campaign]))
    systems = len(plan.abilities)
    shape = (plan.screens, plan.shown)
    system = _shown_systems(rng, systems, shape)
    rater = rng.choice(plan.raters, size=plan.screens, p=_workloads(plan))[:, None]
    item = (np.arange(plan.screens) % plan.items)[:, None]
    liking = plan.rater_spread * rng.standard_normal((plan.raters, systems))
    fitting = plan.item_spread * rng.standard_normal((plan.items, systems))
    latent = np.asarray(plan.abilities)[system] + liking[rater, system] + fitting[item, system]
    latent = latent + rng.standard_normal(shape)
    coarseness = _coarseness(plan)
    # Each screen has its own zero, so that ties do not depend on the position of the steps.
    offset = rng.random((plan.screens, 1))
    value = np.floor(latent / coarseness + offset) if coarseness else latent
    return _table(plan, system, rater, item, value)


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
    """The analysis that ranks in clusters from repeated runs.

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


def by_simultaneous_intervals(cluster: str = "both", ties: str = "davidson") -> Analysis:
    """The analysis by Bradley–Terry's simultaneous pairwise intervals.

    Parameters
    ----------
    cluster : whose judgements depend on each other: `rater`, `item`, `both` or `none`
    ties : `davidson` estimates how likely ties are, `half` counts a tie as half a win

    Returns
    -------
    An analysis for `power`; raises `OptionsError` when it is used with impossible options

    Source
    ------
    See `bradley_terry`; ranks after Mogstad et al. (2024)
    """
    from analysis.paired_comparison import bradley_terry

    def analyse(table: JudgementTable, campaign: int) -> tuple[Claim, ...]:
        pairs = pairs_from_table(table)
        result = bradley_terry(pairs, cluster=cluster, ties=ties, seed=campaign)
        return tuple(
            Claim(row.system, row.rank_low, row.rank_high, row.cluster) for row in result.systems
        )

    return analyse


def score(abilities: Sequence[float], claims: Sequence[Claim]) -> Score:
    """Compare claims with the true abilities; system k is named `system_names()[k]`."""
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
    target = _spreads(measured)
    plan = measured
    for correction in range(CORRECTIONS):
        again = [
            _spreads(_measured_plan(table, plan.screens))
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


def _spreads(plan: CampaignPlan) -> Values:
    return np.array([np.std(plan.abilities), plan.rater_spread, plan.item_spread])


def _measured_plan(pilot: JudgementTable, screens: int) -> CampaignPlan:
    """What a table shows directly, before any simulation.

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
    work = np.bincount(pilot.rater.codes).astype(float)
    effective = float(work.sum() ** 2 / np.sum(work**2))
    error = float(np.mean(scatter / judged + by_rater / effective))
    kept = np.sqrt(max(0.0, 1 - error / max(float(means.var()), 1e-12)))
    return CampaignPlan(
        abilities=tuple((kept * (means - means.mean()) / np.sqrt(scatter)).tolist()),
        screens=screens,
        shown=min(max(round(shown), 2), systems),
        raters=len(work),
        effective_raters=effective,
        items=len(pilot.item.labels),
        rater_spread=float(np.sqrt(by_rater / scatter)),
        item_spread=float(np.sqrt(by_item / scatter)),
        tie_share=float(min(np.mean(pairs_from_table(pilot).outcome == TIE), MOST_TIES)),
    )


def system_names(number: int) -> tuple[str, ...]:
    """Names whose alphabetical order is that of the numbers."""
    return _names("system", number)


def with_screens(plan: CampaignPlan, sizes: Iterable[int]) -> tuple[CampaignPlan, ...]:
    """The same campaign in several sizes.

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


def _plan_problems(plan: CampaignPlan) -> Iterable[str]:
    if len(plan.abilities) < 2:
        yield "A campaign needs at least two systems."
    elif not 2 <= plan.shown <= len(plan.abilities):
        yield f"A screen shows {plan.shown} outputs; say 2 to {len(plan.abilities)}."
    for name in ("screens", "raters", "items"):
        if getattr(plan, name) < 1:
            yield f"{name} is {getattr(plan, name)}, but must be at least 1."
    for name in ("rater_spread", "item_spread"):
        if not getattr(plan, name) >= 0:
            yield f"{name} is {getattr(plan, name)}, but must not be negative."
    if not 0 <= plan.tie_share < 1:
        yield f"tie_share is {plan.tie_share}, but must lie between 0 and 1."
    if plan.effective_raters is not None and not 1 <= plan.effective_raters <= plan.raters:
        yield f"effective_raters is {plan.effective_raters}; say 1 to {plan.raters}."


def _shown_systems(
    rng: np.random.Generator, systems: int, shape: tuple[int, int]
) -> NDArray[np.int64]:
    """Which systems each screen shows: every one equally often in any stretch of screens."""
    screens, shown = shape
    rounds = -(-screens * shown // systems) + 1
    dealt = rng.permuted(np.tile(np.arange(systems), (rounds, 1)), axis=1).ravel()
    cards: NDArray[np.int64] = dealt[: screens * shown].reshape(shape)
    for row in np.flatnonzero(np.diff(np.sort(cards, axis=1), axis=1).min(axis=1) == 0):
        cards[row] = rng.choice(systems, shown, replace=False)  # two deals met on this screen
    return cards


def _workloads(plan: CampaignPlan) -> Values:
    """Share of the screens that each rater does: log-normal with the right effective number."""
    from scipy.special import ndtri

    effective = plan.effective_raters or plan.raters
    place = ndtri((np.arange(plan.raters) + 0.5) / plan.raters)

    def shares(spread: float) -> Values:
        work: Values = np.exp(spread * place)
        work /= work.sum()
        return work

    low, high = 0.0, 20.0
    for _ in range(60):  # the effective number falls with the spread
        middle = (low + high) / 2
        low, high = (middle, high) if 1 / np.sum(shares(middle) ** 2) > effective else (low, middle)
    return shares(low)


def _coarseness(plan: CampaignPlan) -> float:
    """Step of the scale at which `tie_share` of the comparisons tie; 0 when none should.

    Two values whose distance is d fall in one step of width w with chance max(0, 1 − |d|/w).
    """
    if plan.tie_share == 0:
        return 0.0
    from scipy.optimize import brentq
    from scipy.stats import norm

    own = 1 + plan.rater_spread**2 + plan.item_spread**2
    spread = float(np.sqrt(2 * (own + np.var(plan.abilities))))

    def surplus(step: float) -> float:
        edge = step / spread
        inside = 2 * norm.cdf(edge) - 1
        mean_distance = 2 * (norm.pdf(0) - norm.pdf(edge)) / edge
        return float(inside - mean_distance) - plan.tie_share

    return float(brentq(surplus, 1e-6 * spread, 1e4 * spread))


def _table(
    plan: CampaignPlan,
    system: NDArray[np.int64],
    rater: NDArray[np.int64],
    item: NDArray[np.int64],
    value: Values,
) -> JudgementTable:
    def column(name: str, codes: NDArray[Any], number: int) -> Column:
        spread = np.broadcast_to(codes, system.shape)
        return Column(spread.ravel().astype(np.int32), _names(name, number))

    return JudgementTable.from_columns(
        {
            "rater": column("rater", rater, plan.raters),
            "item": column("item", item, plan.items),
            "system": column("system", system, len(plan.abilities)),
            "screen": column("screen", np.arange(plan.screens)[:, None], plan.screens),
            "criterion": Column(np.zeros(system.size, np.int32), (CRITERION,)),
            "value": value.ravel(),
        }
    )


def _names(name: str, number: int) -> tuple[str, ...]:
    digits = len(str(number))
    return tuple(f"{name}{place:0{digits}}" for place in range(number))


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
    _, cell = np.unique(np.stack([unit, system]), axis=1, return_inverse=True)
    number = np.bincount(cell.ravel())
    sums = np.bincount(cell.ravel(), residuals)
    squares = np.bincount(cell.ravel(), residuals**2)
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
