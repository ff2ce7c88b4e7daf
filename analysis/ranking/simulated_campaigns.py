"""Simulated campaigns: how much systems, raters and items differ, and the judgements."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from analysis.errors import OptionsError
from analysis.table import Column, JudgementTable
from analysis.typing import Values

CRITERION = "quality"
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
        """Count single values."""
        return self.screens * self.shown


def simulated_campaign(plan: CampaignPlan, *, seed: int, campaign: int) -> JudgementTable:
    """Simulate a campaign: balanced over items, systems in a random order on each screen.

    Parameters
    ----------
    plan : numbers of raters, items and screens, abilities and spreads
    seed : of all campaigns
    campaign : its number
    """
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


def judgement_spreads(plan: CampaignPlan) -> Values:
    """Compute the standard deviation of each system's judgements, shape (systems,).

    Parameters
    ----------
    plan : with its spreads of raters and items
    """
    return np.array([np.std(plan.abilities), plan.rater_spread, plan.item_spread])


def system_names(number: int) -> tuple[str, ...]:
    """Name systems so that their alphabetical order is that of their numbers.

    Parameters
    ----------
    number : of systems
    """
    return _names("system", number)


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
    """Choose the systems of each screen: every one equally often in any stretch of screens."""
    screens, shown = shape
    rounds = -(-screens * shown // systems) + 1
    dealt = rng.permuted(np.tile(np.arange(systems), (rounds, 1)), axis=1).ravel()
    cards: NDArray[np.int64] = dealt[: screens * shown].reshape(shape)
    for row in np.flatnonzero(np.diff(np.sort(cards, axis=1), axis=1).min(axis=1) == 0):
        cards[row] = rng.choice(systems, shown, replace=False)  # two deals met on this screen
    return cards


def _workloads(plan: CampaignPlan) -> Values:
    """Share of the screens that each rater does: log-normal with the right effective number."""
    effective = plan.effective_raters or plan.raters
    place = scipy.special.ndtri((np.arange(plan.raters) + 0.5) / plan.raters)

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
    """Step of the scale at which `tie_share` of the comparisons tie; 0 when none should."""
    if plan.tie_share == 0:
        return 0.0
    own = 1 + plan.rater_spread**2 + plan.item_spread**2
    return _step(float(np.sqrt(2 * (own + np.var(plan.abilities)))), plan.tie_share)


@lru_cache(maxsize=64)  # every campaign of a plan asks again
def _step(spread: float, tie_share: float) -> float:
    """Return the step at which differences of this spread tie so often.

    Two values whose distance is d fall in one step of width w with chance max(0, 1 − |d|/w).
    """

    def surplus(step: float) -> float:
        edge = step / spread
        inside = 2 * scipy.stats.norm.cdf(edge) - 1
        mean_distance = 2 * (scipy.stats.norm.pdf(0) - scipy.stats.norm.pdf(edge)) / edge
        return float(inside - mean_distance) - tie_share

    return float(scipy.optimize.brentq(surplus, 1e-6 * spread, 1e4 * spread))


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
