"""Decisions about one person, and about many: planned, shown with their total, and recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from rankme.errors import RankmeError, RefusedAction
from rankme.models import PanelStudy, PanelSubmission
from rankme.panel_calls.calls import PanelError

from . import money, rejecting, sync, talking

APPROVE, SHARE, BONUS, RETURN = "approve", "share", "bonus", "return"
MOST_AT_ONCE = 1_000
# Each is a call to the panel, for which the page waits.
MOST_RETURNS_AT_ONCE = 25


# What organisers decide about one person. Pages and the API pass what was sent by its own names.
DECISIONS: Mapping[str, Callable[..., object]] = {
    APPROVE: money.approve_by_hand,
    SHARE: money.pay_share,
    BONUS: money.pay_bonus,
    RETURN: talking.request_return,
    "message": talking.send_message,
    "reject": rejecting.reject,
}


def decide(name: str, submission: PanelSubmission, *, by: User, **given: object) -> None:
    """Record a decision about one person, and have a worker carry it out."""
    DECISIONS[name](submission, **given, by=by)
    sync.let_a_worker_visit(submission.study)


@dataclass(frozen=True)
class Payment:
    """One person's payment; 0: no money."""

    submission: PanelSubmission
    amount: int


@dataclass(frozen=True)
class Plan:
    """A decision about people, with what it costs. Rewards are set aside with the places."""

    study: PanelStudy
    kind: str
    payments: tuple[Payment, ...]
    percent: int = 0

    @property
    def amount(self) -> int:
        return sum(payment.amount for payment in self.payments)

    @property
    def cost(self) -> int:
        """With fees and tax, at the rate of the study's places."""
        return sum(money.likely_cost(self.study, payment.amount) for payment in self.payments)

    @property
    def room(self) -> int:
        """The money left under the ceiling."""
        return max(0, self.study.ceiling - self.study.committed)

    @property
    def exceeds_the_ceiling(self) -> bool:
        return self.kind == BONUS and self.cost > self.room

    @property
    def is_too_long(self) -> bool:
        return self.kind == RETURN and len(self.payments) > MOST_RETURNS_AT_ONCE


def plan_for(
    study: PanelStudy, people: Sequence[int], kind: str, *, amount: int = 0, percent: int = 0
) -> Plan:
    """The same for each of these submissions.

    amount : of a bonus, in minor units
    percent : of the reward, for a share
    """
    each = {
        APPROVE: study.reward,
        SHARE: money.share_of(study, percent),
        BONUS: amount,
        RETURN: 0,
    }[kind]
    found = study.submissions.filter(pk__in=people[:MOST_AT_ONCE]).select_related("participant")
    if not found:
        raise RefusedAction(_("Tick at least one person."))
    return Plan(study, kind, tuple(Payment(person, each) for person in found), percent)


def plan_of_bonuses(study: PanelStudy, listed: Sequence[tuple[PanelSubmission, int]]) -> Plan:
    """Bonuses of different amounts, such as those up to a rate per hour."""
    if not listed:
        raise RefusedAction(_("Nobody would get a bonus."))
    return Plan(study, BONUS, tuple(Payment(person, amount) for person, amount in listed))


def carry_out(plan: Plan, *, reason: str, by: User) -> tuple[int, list[str]]:
    """Record a confirmed plan for a worker; return the number recorded, and the refusals.

    Bonuses are recorded for all or for nobody.
    """
    if plan.is_too_long:
        raise RefusedAction(
            _("Ask at most %(most)s people at once.") % {"most": MOST_RETURNS_AT_ONCE}
        )
    refused: list[str] = []
    if plan.kind == BONUS:
        with transaction.atomic():
            for payment in plan.payments:
                money.pay_bonus(payment.submission, payment.amount, reason=reason, by=by)
        done = len(plan.payments)
    else:
        done, refused = _one_by_one(plan, reason=reason, by=by)
    sync.let_a_worker_visit(plan.study)
    return done, refused


def _one_by_one(plan: Plan, *, reason: str, by: User) -> tuple[int, list[str]]:
    given: dict[str, dict[str, object]] = {
        APPROVE: {},
        SHARE: {"percent": plan.percent, "reason": reason},
        RETURN: {"reason": reason},
    }
    done, refused = 0, []
    for payment in plan.payments:
        try:
            DECISIONS[plan.kind](payment.submission, **given[plan.kind], by=by)
            done += 1
        except RankmeError as error:
            refused.append(f"{name_of(payment.submission)}: {error}")
            if isinstance(error, PanelError):
                break  # the panel is away for the others too
    return done, refused


def name_of(submission: PanelSubmission) -> str:
    rater = submission.participant
    return rater.label if rater else submission.external_id
