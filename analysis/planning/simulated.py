"""Simulated campaigns of a given size, each analysed as the report does: the exact prospect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.errors import OptionsError
from analysis.inference import Units, clustered_variances, critical_t
from analysis.scales.clustered import Within
from analysis.typing import Codes, Progress, Values

from .prospects import expected_effects
from .sizes import Size, Spreads

MOST_CAMPAIGNS = 10_000
# More judgements in one campaign take more memory than a worker has for a plan.
MOST_JUDGEMENTS = 2_000_000


@dataclass(frozen=True)
class SimulatedProspect:
    """Shares of simulated campaigns; the fields mean what those of `Prospect` mean."""

    campaigns: int
    found: float
    order: float
    boundary: float
    stable: float
    half_width: float


@dataclass(frozen=True)
class Plan:
    """Who judges what: codes of each judgement, shape (judgements,)."""

    raters: Codes
    items: Codes
    systems: Codes


def simulate(
    size: Size,
    spreads: Spreads,
    *,
    effects: Sequence[float] | None = None,
    alpha: float = 0.05,
    campaigns: int = 2_000,
    seed: int = 1,
    progress: Progress | None = None,
) -> SimulatedProspect:
    """Simulate campaigns of normal judgements, and count what the report would claim.

    The systems' effects move the estimates and leave the residuals as they are. So each campaign
    shows at once what equal systems would have shown.

    Parameters
    ----------
    size, spreads, effects, alpha : as for `prospect`
    campaigns : taken in twos, of which the second is the repetition of the first
    seed : equal seeds give equal campaigns
    progress : called with the share that is done, from 0 to 1

    Raises
    ------
    OptionsError : a number of campaigns out of bounds, or campaigns that are too large
    Undefined : too few raters or items for any claim
    """
    _require(size, campaigns)
    means = expected_effects(size.systems, spreads.system) if effects is None else effects
    truth = np.asarray(means, dtype=np.float64)
    first, second = np.triu_indices(size.systems, 1)
    gaps = truth[first] - truth[second]
    differ = gaps != 0
    counts = np.zeros(4)  # found, in order, with a boundary between equal systems, half widths
    stable, number = 0, campaigns // 2 * 2
    previous: Values = gaps
    for k, (chance, half_widths) in enumerate(_campaigns(size, spreads, alpha, number, seed)):
        differences = chance + gaps
        claimed = np.where(np.abs(differences) > half_widths, differences, 0.0)
        right = differences * gaps > 0
        counts += (
            np.mean((right & (claimed != 0))[differ]) if differ.any() else 0.0,
            bool(right[differ].all()),
            bool(np.any(np.abs(chance) > half_widths)),
            half_widths.mean(),
        )
        if k % 2:
            stable += bool(np.all(previous * differences >= 0))
        previous = claimed
        if progress:
            progress((k + 1) / number)
    found, order, boundary, width = (counts / number).tolist()
    return SimulatedProspect(number, found, order, boundary, 2 * stable / number, width)


def _require(size: Size, campaigns: int) -> None:
    if not 2 <= campaigns <= MOST_CAMPAIGNS:
        raise OptionsError([f"campaigns is {campaigns}; say 2 to {MOST_CAMPAIGNS:,}."])
    if size.judgements_of_a_system * size.systems > MOST_JUDGEMENTS:
        raise OptionsError(
            [f"Only campaigns of up to {MOST_JUDGEMENTS:,} judgements are simulated."]
        )


def _campaigns(
    size: Size, spreads: Spreads, alpha: float, number: int, seed: int
) -> Iterator[tuple[Values, Values]]:
    """Yield campaigns of equal systems: the differences of all pairs, and what claims need."""
    pairs = np.triu_indices(size.systems, 1)
    for campaign in range(number):
        rng = np.random.Generator(np.random.Philox(key=[seed % 2**64, campaign]))
        plan = planned(size, rng)
        values = judged(plan, spreads, rng, size.generality)
        units = Units.of(plan.raters, plan.items, size.generality)
        units.require()
        fit = Within.of(values, plan.systems, plan.raters)
        by_rater, by_item = fit.covariance(plan.raters), fit.covariance(plan.items)
        by_both = fit.covariance(plan.raters * size.items + plan.items)
        _, variances = clustered_variances(by_rater, by_item, by_both, units)
        critical = critical_t(alpha, size.pairs, units.df)
        differences = fit.coefficients[pairs[0]] - fit.coefficients[pairs[1]]
        yield differences, critical * np.sqrt(variances[pairs])


def planned(size: Size, rng: np.random.Generator) -> Plan:
    """Draw who judges what: batches of neighbouring screens, each done by different raters.

    Parameters
    ----------
    size : of the campaign
    rng : draws which systems share a screen, and the order of the screens
    """
    shown, systems = size.on_a_screen, size.systems
    parts = (
        max(round(size.coverage * systems / shown), 1)
        if size.coverage < 1
        else -(-systems // shown)
    )
    judged_systems = min(parts * shown, systems)
    order = rng.permuted(np.tile(np.arange(systems), (size.items, 1)), axis=1)
    order = order[:, :judged_systems]
    # The outputs of an item, screen by screen; the last screen may show fewer.
    screen = np.arange(size.items)[:, None] * parts + np.arange(judged_systems)[None, :] // shown
    screens = size.items * parts
    place = rng.permutation(screens)
    slot = np.arange(size.repeats)[:, None, None] * screens + place[screen][None]
    raters = slot * size.raters // (size.repeats * screens)
    items = np.broadcast_to(np.arange(size.items)[None, :, None], slot.shape)
    return Plan(raters.ravel(), items.ravel(), np.broadcast_to(order[None], slot.shape).ravel())


def judged(
    plan: Plan, spreads: Spreads, rng: np.random.Generator, generality: str = "both"
) -> Values:
    """Draw normal judgements of equal systems.

    Parameters
    ----------
    plan : who judges what
    spreads : of what moves a judgement
    rng : draws raters, items, and what is left
    generality : what the systems are equal for; for these raters, for example, their tastes
        add up to nothing
    """
    raters, items, systems = (int(codes.max()) + 1 for codes in vars(plan).values())
    values: Values = spreads.residual * rng.standard_normal(len(plan.raters))
    values += spreads.item * rng.standard_normal(items)[plan.items]
    tastes = spreads.rater_system * rng.standard_normal((raters, systems))
    fits = spreads.item_system * rng.standard_normal((items, systems))
    if generality == "items":
        tastes -= tastes.mean(axis=0)
    if generality == "raters":
        fits -= fits.mean(axis=0)
    values += tastes[plan.raters, plan.systems] + fits[plan.items, plan.systems]
    if spreads.rater_item:
        _, cell = np.unique(plan.raters * items + plan.items, return_inverse=True)
        values += spreads.rater_item * rng.standard_normal(int(cell.max()) + 1)[cell]
    return values
