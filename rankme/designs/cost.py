"""The cost of a plan, for raters and for the budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rankme.designs.plan import DrawnPlan


class Terms(Protocol):
    """On what terms raters work, as a campaign file says it."""

    @property
    def expected_seconds_per_screen(self) -> float: ...
    @property
    def batches_per_rater(self) -> int: ...
    @property
    def pay_per_batch(self) -> float: ...
    @property
    def currency(self) -> str: ...


@dataclass(frozen=True)
class Estimate:
    """Sittings, raters, time and pay."""

    sittings: int
    raters: int
    batches_per_rater: int
    minutes_per_batch: float
    minutes_per_rater: float
    hours_in_all: float
    cost: float
    currency: str

    @property
    def pay_per_hour(self) -> float:
        """The pay of a batch for the time that its screens are expected to take."""
        return 60 * self.cost / (self.sittings * self.minutes_per_batch)


def estimate(
    plan: DrawnPlan, terms: Terms, *, screens_per_trial: float, checks_per_batch: int = 0
) -> Estimate:
    """Estimate from the plan's numbers and the organiser's guess of the seconds per screen."""
    sittings = len(plan.batch_sizes) * plan.raters_per_trial
    pages = plan.balance.trials_per_batch.mean + checks_per_batch
    screens = pages * screens_per_trial
    minutes = screens * terms.expected_seconds_per_screen / 60
    # Nobody does the same batch twice, so a rater does at most all batches once.
    batches_each = min(terms.batches_per_rater, len(plan.batch_sizes))
    return Estimate(
        sittings=sittings,
        raters=max(-(-sittings // batches_each), plan.raters_per_trial),
        batches_per_rater=batches_each,
        minutes_per_batch=minutes,
        minutes_per_rater=minutes * batches_each,
        hours_in_all=sittings * minutes / 60,
        cost=sittings * terms.pay_per_batch,
        currency=terms.currency,
    )
