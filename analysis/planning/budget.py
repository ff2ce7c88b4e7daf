"""Time and money of a campaign, and the best raters, items and repeats for them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy

from analysis.errors import OptionsError, Undefined
from analysis.inference import LEAST_UNITS, critical_t

from .prospects import POWER, report_test
from .sizes import MOST_ITEMS, MOST_RATERS, MOST_REPEATS, Size, Spreads, difference_error

# Numbers of raters that are tried in a round; the second round is around the best of the first.
RATERS_TRIED, NEAR = 100, 30
# The likely best campaigns whose whole test is computed.
TESTED = 6
POWER_QUANTILE = float(scipy.special.ndtri(POWER))
# The same number within rounding.
SAME = 1e-9


@dataclass(frozen=True)
class Terms:
    """What raters' time costs, and how much of it is lost.

    `seconds` is the time of a screen, `overhead` the share of time that checks add, and
    `fixed_minutes` what a rater needs before the first screen. `pay` is per hour of all of them,
    and `fee` the share of the pay that a panel adds. `dropouts` is the share of raters who leave
    and `dropout_pay` the share of the pay that they still get. `lost` is the share of careful
    raters who are excluded by mistake, and paid in full. The work of both is done again by others.
    """

    seconds: float = 40.0
    overhead: float = 0.0
    fixed_minutes: float = 0.0
    pay: float = 0.0
    fee: float = 0.0
    dropouts: float = 0.0
    dropout_pay: float = 0.0
    lost: float = 0.0

    def __post_init__(self) -> None:
        if problems := list(_problems(self)):
            raise OptionsError(problems)


def _problems(terms: Terms) -> Iterator[str]:
    for name, value in vars(terms).items():
        is_share = name in ("dropouts", "dropout_pay", "lost")
        most = 0.95 if name in ("dropouts", "lost") else 1.0 if is_share else 1e6
        if not 0 <= value <= most or (name == "seconds" and value == 0):
            least = "more than 0" if name == "seconds" else "0"
            yield f"{name} is {value}; say {least} to {most:g}."


@dataclass(frozen=True)
class Price:
    """What a campaign takes: `recruited` raters begin so that enough finish and are kept."""

    recruited: int
    screens: int
    minutes_of_a_rater: float
    hours: float
    pay: float
    fee: float
    lost_pay: float

    @property
    def money(self) -> float:
        return self.pay + self.fee


def price(size: Size, terms: Terms) -> Price:
    """Compute the time and money of a campaign.

    Parameters
    ----------
    size : what is to be kept of it; raters who leave or are excluded come on top
    terms : of the work
    """
    useful = _hours(size.raters, size.screens, terms)
    pay = useful * terms.pay * _times(terms)
    return Price(
        recruited=math.ceil(round(size.raters / (1 - terms.dropouts) / (1 - terms.lost), 6)),
        screens=size.screens,
        minutes_of_a_rater=60 * useful / size.raters,
        hours=useful * _times(terms, paid=False),
        pay=pay,
        fee=pay * terms.fee,
        lost_pay=(pay - useful * terms.pay) * (1 + terms.fee),
    )


def _hours(raters: int, screens: float, terms: Terms) -> float:
    seconds = screens * terms.seconds * (1 + terms.overhead)
    return seconds / 3600 + raters * terms.fixed_minutes / 60


def _times(terms: Terms, *, paid: bool = True) -> float:
    """How often the work is paid, or done, until it is kept once."""
    gone = terms.dropouts / (1 - terms.dropouts)
    share = terms.dropout_pay if paid else 0.5  # those who leave do half of it on average
    return (1 + gone * share) / (1 - terms.lost)


@dataclass(frozen=True)
class Limits:
    """What a campaign may be: money, raters, items, and minutes of a rater; None: no limit."""

    money: float | None = None
    raters: int = 200
    items: int = 1_000
    minutes: float | None = None

    def __post_init__(self) -> None:
        problems = [
            f"{name} is {value}, but must be more than 0."
            for name, value in vars(self).items()
            if value is not None and not value > 0
        ]
        if self.raters > MOST_RATERS or self.items > MOST_ITEMS:
            problems.append(f"Plan for at most {MOST_RATERS:,} raters and {MOST_ITEMS:,} items.")
        if problems:
            raise OptionsError(problems)


def best_size(
    size: Size, spreads: Spreads, terms: Terms, limits: Limits, *, alpha: float = 0.05
) -> Size:
    """Find the raters, items and repeats that detect the smallest difference within the limits.

    With so many raters, time and money allow so many judgements of a system. They are worth most on
    as many items as there are, so an output is judged again only where the items are used up. That
    leaves the number of raters: the likely best ones by a formula, and the best of them by the
    whole test. Of equally good campaigns, the one with fewer screens is taken.

    Parameters
    ----------
    size : its systems, outputs on a screen and generality are kept
    spreads, terms, limits : of the campaign
    alpha : level of all claims together

    Raises
    ------
    OptionsError : neither money nor minutes limit the work
    Undefined : no campaign within the limits allows a claim

    Source
    ------
    Cochran (1977), section 10.6, where everything is divisible: see `divisible_raters`.
    """
    if limits.minutes is None and (limits.money is None or not terms.pay):
        raise OptionsError(["Limit the minutes of a rater, or the money, and say what is paid."])

    def score(each: Size) -> float:
        error = difference_error(each, spreads)
        estimated = {"raters": error.by_rater, "items": error.by_item}.get(
            each.generality,
            max(error.by_rater + error.by_item - error.by_both, error.by_rater, error.by_item),
        )
        width = critical_t(alpha, each.pairs, each.units - 1) * math.sqrt(estimated)
        return width + POWER_QUANTILE * math.sqrt(error.variance)

    tried = _sizes(size, _raters_tried(1, limits.raters), terms, limits)
    ranked = sorted(tried, key=score)
    if not ranked:
        raise Undefined(
            f"No campaign within these limits has {LEAST_UNITS} raters and {LEAST_UNITS} items, "
            "so nothing could be claimed. Raise the limits."
        )
    around = ranked[0].raters
    near = _raters_tried(max(around - NEAR, 1), min(around + NEAR, limits.raters))
    ranked = sorted({*ranked, *_sizes(size, near, terms, limits)}, key=score)[:TESTED]
    detectable = {
        each: report_test(each, difference_error(each, spreads), alpha=alpha).detectable()
        for each in ranked
    }
    least = min(detectable.values())
    close = [each for each in ranked if detectable[each] <= least * (1 + SAME)]
    return min(close, key=lambda each: (each.screens, each.raters))


def _raters_tried(fewest: int, most: int) -> list[int]:
    """All numbers where there are few, else numbers that grow by a constant factor."""
    if most - fewest < RATERS_TRIED:
        return list(range(fewest, most + 1))
    return sorted({round(each) for each in np.geomspace(fewest, most, RATERS_TRIED)})


def _sizes(size: Size, raters: list[int], terms: Terms, limits: Limits) -> Iterator[Size]:
    """The campaigns with each number of raters that use all of the time and money."""
    for number in raters:
        judgements = affordable_judgements(size, number, terms, limits)
        repeats = judgements / limits.items
        for times in {max(1, math.floor(repeats)), max(1, math.ceil(repeats))}:
            times = min(times, number, MOST_REPEATS)
            items = min(limits.items, math.floor(judgements / times + SAME))
            if items < 1:
                continue
            each = replace(size, raters=number, items=items, repeats=times)
            # A rater who gives a single judgement compares nothing.
            if each.claims and each.judgements_of_a_rater >= 2:
                yield each


def affordable_judgements(size: Size, raters: int, terms: Terms, limits: Limits) -> float:
    """Compute how many items, times their repeats, time and money allow, were all divisible.

    Parameters
    ----------
    size : its systems and outputs on a screen
    raters : their number
    terms, limits : of the campaign
    """
    hours = math.inf
    if limits.minutes is not None:
        hours = raters * limits.minutes / 60
    if limits.money is not None and terms.pay:
        hours = min(hours, limits.money / (terms.pay * (1 + terms.fee) * _times(terms)))
    left = hours - raters * terms.fixed_minutes / 60
    screens = max(left, 0.0) * 3600 / (terms.seconds * (1 + terms.overhead))
    return screens * size.on_a_screen / size.systems / size.coverage


def divisible_raters(spreads: Spreads, terms: Terms, judgements: float) -> float:
    """Return the raters with the least error for the money, where everything is divisible.

    A campaign costs a sum for each rater and one for each judgement. At the optimum, a sum
    more spent on raters lowers the error as much as one spent on judgements. It ignores that few
    raters also make t larger; `best_size` does not.

    Parameters
    ----------
    spreads : of the campaign; on as many items as there are judgements of a system
    terms : of its work; without a fixed time of raters, more raters are always better
    judgements : screens of complete items in the campaign

    Source
    ------
    Cochran (1977), section 10.6.
    """
    if not terms.fixed_minutes:
        return math.inf
    each = terms.seconds * (1 + terms.overhead) / 60
    rest = spreads.item_system**2 + spreads.residual**2
    return judgements * math.sqrt(spreads.rater_system**2 / terms.fixed_minutes / (rest / each))
