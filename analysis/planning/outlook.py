"""A plan in full: what a campaign costs, what it finds, and the best one for the same means."""

from __future__ import annotations

from dataclasses import dataclass

from analysis.errors import AnalysisError

from .budget import Limits, Price, Terms, best_size, price
from .prospects import Prospect, prospect
from .sizes import Size, Spreads


@dataclass(frozen=True)
class Plan:
    """A campaign with its price and its prospect."""

    size: Size
    price: Price
    prospect: Prospect


@dataclass(frozen=True)
class Outlook:
    """The plan that was asked for, and the best one within limits; `refusal` says why if none."""

    plan: Plan
    best: Plan | None = None
    refusal: str = ""


def outlook(
    size: Size,
    spreads: Spreads,
    terms: Terms,
    limits: Limits | None = None,
    *,
    alpha: float = 0.05,
) -> Outlook:
    """Describe a plan, and the best one for the limits if there are any.

    Parameters
    ----------
    size, spreads, terms : of the campaign
    limits : of money, raters, items and time
    alpha : level of all claims together

    Raises
    ------
    OptionsError : impossible numbers
    """

    def described(each: Size) -> Plan:
        return Plan(each, price(each, terms), prospect(each, spreads, alpha=alpha))

    asked = described(size)
    if limits is None:
        return Outlook(asked)
    try:
        return Outlook(asked, described(best_size(size, spreads, terms, limits, alpha=alpha)))
    except AnalysisError as error:
        return Outlook(asked, refusal=str(error))
