"""What a campaign of a given size finds, without simulating one: distributions and one integral.

The report divides each difference by an error that it estimates from raters and items, and
compares it with t. Given the estimated error, the difference is normal; so each chance is the
average of a normal one over the estimated errors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import OptionsError
from analysis.inference import critical_t
from analysis.typing import Values

from .sizes import MOST_ITEMS, DifferenceError, Size, Spreads, difference_error

POWER = 0.8
# Quantiles of the estimated errors by raters and by items, and how many of all are kept.
GRID, KEPT = (120, 60), 600
# Steps of the integral over a system's estimate, and how far from its mean it goes.
STEPS, REACH = 400, 8.0


@dataclass(frozen=True)
class Prospect:
    """What a campaign finds; differences are in the unit of the spreads.

    `detectable` is the difference of two systems that is found with a power of .8, None where
    nothing can be claimed; `half_width` that of the simultaneous intervals, on average. The others
    are chances: `found` the share of differences that are claimed, `order` that the estimates put
    all systems in the right order, `boundary` that any two of equal systems are called different,
    and `stable` that a repetition reverses no pair that was called different. `wrong_sign` is the
    share of claims in the wrong direction, `exaggeration` by how much a claimed difference is too
    large, both for the smallest difference between neighbours.
    """

    error: float
    detectable: float | None
    half_width: float | None
    found: float
    order: float
    boundary: float
    stable: float
    wrong_sign: float | None
    exaggeration: float | None


@dataclass(frozen=True)
class PairTest:
    """The test of one difference: its true error, and the differences that are just claimed.

    `thresholds` are equally likely: the critical t times quantiles of the estimated error.
    """

    error: float
    thresholds: Values

    def power(self, differences: ArrayLike) -> Values:
        """Compute the chance that each difference is claimed, in either direction.

        Parameters
        ----------
        differences : any shape
        """
        right, wrong = self.signs(differences)
        found: Values = right + wrong
        return found

    def signs(self, differences: ArrayLike) -> tuple[Values, Values]:
        """Compute the chances of a claim in the right and in the wrong direction.

        Parameters
        ----------
        differences : any shape, 0 or more
        """
        true = np.asarray(differences, dtype=np.float64)[..., None] / self.error
        bounds = self.thresholds / self.error
        right: Values = scipy.special.ndtr(true - bounds).mean(axis=-1)
        wrong: Values = scipy.special.ndtr(-true - bounds).mean(axis=-1)
        return right, wrong

    def claimed_size(self, difference: float) -> float | None:
        """Compute the average size of claimed differences; None where nothing is ever claimed.

        Parameters
        ----------
        difference : the true one
        """
        true, bounds = difference / self.error, self.thresholds / self.error
        mean = 0.0
        for sign in (1.0, -1.0):
            edge = bounds - sign * true
            density = np.exp(-(edge**2) / 2) / np.sqrt(2 * np.pi)
            mean += float(np.mean(density + sign * true * scipy.special.ndtr(-edge)))
        power = float(self.power(difference))
        return self.error * mean / power if power > 1e-12 else None

    def detectable(self, power: float = POWER) -> float:
        """Find the difference that is claimed with this power.

        Parameters
        ----------
        power : between the level and 1
        """
        high = float(self.thresholds.max()) + 10 * self.error
        if self.power(0.0) >= power:
            return 0.0
        return float(
            scipy.optimize.brentq(
                lambda each: float(self.power(each)) - power, 0.0, high, xtol=1e-9
            )
        )


def prospect(
    size: Size, spreads: Spreads, *, alpha: float = 0.05, effects: Sequence[float] | None = None
) -> Prospect:
    """Say what a campaign finds when it is analysed as the report does.

    Parameters
    ----------
    size, spreads : of the campaign
    alpha : level of all claims together
    effects : the systems' true means in the unit of the spreads; by default they lie as far apart
        as normal ones of the spread `system` do on average

    Raises
    ------
    OptionsError : another number of effects than systems, or a level outside 0 to .5

    Source
    ------
    The rule of `analysis.inference`; Riley et al. (2024) for the stability, Gelman & Carlin (2014)
    for claims of the wrong sign and their exaggeration.
    """
    if not 0 < alpha <= 0.5:
        raise OptionsError([f"alpha is {alpha}; say more than 0, at most 0.5."])
    means = expected_effects(size.systems, spreads.system) if effects is None else effects
    if len(means) != size.systems:
        raise OptionsError([f"There are {len(means)} effects for {size.systems} systems."])
    error = difference_error(size, spreads)
    spread = float(np.sqrt(error.variance))
    order = right_order(means, spread)
    if not size.claims:
        return Prospect(spread, None, None, 0.0, order, 0.0, 1.0, None, None)
    test = report_test(size, error, alpha=alpha)
    gaps = gaps_of(means)
    right, _ = test.signs(gaps)
    distinct = gaps > 0
    smallest = float(gaps[distinct].min()) if distinct.any() else 0.0
    chances = [float(each) for each in test.signs(smallest)]
    size_of_claims = test.claimed_size(smallest) if smallest else None
    return Prospect(
        error=spread,
        detectable=test.detectable(),
        half_width=float(test.thresholds.mean()),
        found=float(right[distinct].mean()) if distinct.any() else 0.0,
        order=order,
        boundary=float(1 - (1 - test.power(0.0)) ** size.pairs),
        stable=stable_chance(test, gaps),
        wrong_sign=chances[1] / sum(chances) if smallest and sum(chances) > 1e-12 else None,
        exaggeration=None if size_of_claims is None else size_of_claims / smallest,
    )


def report_test(
    size: Size, error: DifferenceError, *, alpha: float = 0.05, grid: tuple[int, int] = GRID
) -> PairTest:
    """Describe the test of one pair as `analysis.scales.clustered` does it.

    Parameters
    ----------
    size : of the campaign
    error : the variance of a difference and of its estimates, from `difference_error`
    alpha : level of all pairs together
    grid : how many quantiles of the estimates by raters and by items are taken
    """
    by_rater = error.by_rater * estimates(size.raters, grid[0])
    by_item = error.by_item * estimates(size.items, grid[1])
    if size.generality == "both":
        rater, item = by_rater[:, None], by_item[None, :]
        both = rater + item - error.by_both
        estimated = np.maximum(np.maximum(both, rater), item).ravel()
    else:
        estimated = by_rater if size.generality == "raters" else by_item
    if len(estimated) > KEPT:
        estimated = np.quantile(estimated, (np.arange(KEPT) + 0.5) / KEPT)
    critical = critical_t(alpha, size.pairs, size.units - 1)
    return PairTest(float(np.sqrt(error.variance)), critical * np.sqrt(estimated))


@lru_cache(maxsize=512)  # the same units come again and again while a best size is looked for
def estimates(units: int, number: int) -> Values:
    """Compute quantiles of the estimated variance of so many units, relative to the true one.

    Parameters
    ----------
    units : raters or items
    number : of the quantiles, which are equally likely
    """
    df = max(units - 1, 1)
    places = (np.arange(number) + 0.5) / number
    found: Values = 2 * scipy.special.gammaincinv(df / 2, places) / df
    return found


def hillis_power(size: Size, spreads: Spreads, difference: float, *, alpha: float = 0.05) -> float:
    """Compute the power of an analysis of variance for two systems, raters and items random.

    Textbooks plan with it. It takes t with more degrees of freedom than the report does, so it
    promises a little more.

    Parameters
    ----------
    size : of the campaign, in which every rater judges everything
    spreads : of its judgements
    difference : the true one, in their unit
    alpha : level of the test

    Source
    ------
    Hillis & Berbaum (2004), eq. 6; degrees of freedom after Hillis (2007).
    """
    error = difference_error(size, spreads)
    df = (size.raters - 1) * (error.variance / error.by_rater) ** 2
    critical = scipy.special.fdtri(1, df, 1 - alpha)
    return float(scipy.stats.ncf.sf(critical, 1, df, difference**2 / error.variance))


def least_items(
    size: Size, spreads: Spreads, difference: float, *, alpha: float = 0.05, power: float = POWER
) -> int | None:
    """Find the fewest items with which all raters find a difference, by `hillis_power`.

    Parameters
    ----------
    size : its raters count; each judges everything
    spreads, difference, alpha : as for `hillis_power`
    power : to be reached

    Returns
    -------
    The number of items; None where no number of items is enough, because raters differ too much
    """

    def reaches(items: int) -> bool:
        each = replace(size, items=items, repeats=size.raters)
        return hillis_power(each, spreads, difference, alpha=alpha) >= power

    if not reaches(MOST_ITEMS):
        return None
    low, high = 1, MOST_ITEMS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def expected_effects(systems: int, spread: float) -> tuple[float, ...]:
    """Return means of that many systems, as far apart as normal ones are on average.

    Parameters
    ----------
    systems : their number
    spread : the standard deviation between systems

    Source
    ------
    Blom (1958): the expected place k of n is near the quantile (k − 3/8) / (n + 1/4).
    """
    places = (np.arange(1, systems + 1) - 0.375) / (systems + 0.25)
    return tuple((spread * scipy.special.ndtri(places)).tolist())


def right_order(means: Sequence[float], error: float) -> float:
    """Compute the chance that estimates put the systems in their true order.

    Parameters
    ----------
    means : the true ones; equal ones may come in any order
    error : standard error of a difference; estimates are normal and independent

    Source
    ------
    The density of the largest of the first k estimates in their order, integrated step by step.
    """
    if error <= 0:
        return 1.0
    places = np.sort(np.asarray(means, dtype=np.float64)) / (error / np.sqrt(2))
    groups, counts = np.unique(places, return_counts=True)
    if len(groups) < 2:
        return 1.0
    grid = np.linspace(groups[0] - REACH, groups[-1] + REACH, _steps(groups))
    step = grid[1] - grid[0]
    below = np.ones_like(grid)
    for place, count in zip(groups, counts, strict=True):
        # `below` is the chance that all earlier ones lie in order below each point of the grid.
        # Equal systems come in any order, so each of their orders adds as much.
        for number in range(1, int(count) + 1):
            density = np.exp(-((grid - place) ** 2) / 2) / np.sqrt(2 * np.pi) * below * number
            below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2) * step])
    return float(min(below[-1], 1.0))


def _steps(groups: Values) -> int:
    width = float(groups[-1] - groups[0]) + 2 * REACH
    return int(min(STEPS * width / (2 * REACH), 40_000)) + 1


def stable_chance(test: PairTest, gaps: Values) -> float:
    """Approximate the chance that a repetition reverses no pair that was called different.

    A pair is reversed where the second campaign's estimates lie the other way round. Pairs are
    taken as independent, which they nearly are as far as reversals go: those of near neighbours.

    Parameters
    ----------
    test : of one pair
    gaps : shape (pairs,), the true differences, 0 or more
    """
    right, wrong = test.signs(gaps)
    reversed_again = scipy.special.ndtr(-gaps / test.error)
    chances = right * reversed_again + wrong * (1 - reversed_again)
    return float(np.prod(1 - chances))


def gaps_of(means: Sequence[float]) -> Values:
    """Compute the distances of all pairs of systems, shape (pairs,).

    Parameters
    ----------
    means : the true ones
    """
    values = np.asarray(means, dtype=np.float64)
    first, second = np.triu_indices(len(values), 1)
    gaps: Values = np.abs(values[first] - values[second])
    return gaps
