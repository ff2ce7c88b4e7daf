"""Payments: each is a row before it is asked for, and none is asked for twice without a person."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import PanelPayment, PanelStudy, PanelSubmission, RaterExclusion, RuleDecision
from rankme.panel_links.outcomes import FINISHED

from .bounds import LONGEST_REASON
from .paying import BUSY_STATES, LEAST_SHARE, settle, within_the_ceiling

Kind, State = PanelPayment.Kind, PanelPayment.State
Approval = PanelStudy.Approval
There = PanelSubmission.State
MOST_SHARE = 99


# Drafting ----------------------------------------------------------------------------------


def draft_approvals(study: PanelStudy) -> int:
    """Record a reward for everyone whom the study's rule approves; return their number."""
    if study.approval == Approval.MANUAL:
        return 0
    waiting = study.submissions.filter(state=There.AWAITING_REVIEW)
    if study.approval in (Approval.AFTER_CHECKS, Approval.UNMARKED):
        waiting = finished(waiting)
    if study.approval == Approval.UNMARKED:
        marks = RuleDecision.objects.filter(participant=OuterRef("participant"), action="flag")
        waiting = waiting.exclude(Exists(marks))
    # A person decides about a refused reward.
    base = PanelPayment.objects.filter(submission=OuterRef("pk"), kind__in=PanelPayment.BASE)
    drafted = 0
    for submission in waiting.exclude(Exists(base)):
        drafted += _draft(submission, Kind.APPROVAL, study.reward) is not None
    return drafted


def finished(submissions: QuerySet[PanelSubmission]) -> QuerySet[PanelSubmission]:
    """Select submissions whose raters finished here with their own code, and still count."""
    # Raters who withdraw their answers have done the work nevertheless.
    excluded = RaterExclusion.objects.filter(
        participant=OuterRef("participant"), withdrawn_at=None, by_rater=False
    )
    is_done = Q(participant__state="completed", participant__outcome__in=sorted(FINISHED))
    return submissions.filter(
        is_done, ~Exists(excluded), entered_code=F("participant__completion_code")
    )


def approve_by_hand(submission: PanelSubmission, *, by: User) -> PanelPayment:
    """An organiser decides to pay the reward, whatever the rule says."""
    if submission.state != There.AWAITING_REVIEW:
        raise RefusedAction(_("The panel cannot approve this submission in its current state."))
    return _drafted_by(submission, Kind.APPROVAL, submission.study.reward, by=by)


def pay_share(submission: PanelSubmission, percent: int, *, reason: str, by: User) -> PanelPayment:
    """Pay a share of the reward to a rater whose batch could not be finished."""
    if not LEAST_SHARE <= percent <= MOST_SHARE:
        raise RefusedAction(_("The panel can pay from 8 to 99 percent of the reward."))
    if not submission.study.codes.get("share"):
        raise RefusedAction(_("This study was created without a code for partial payment."))
    if submission.state not in (*BUSY_STATES, There.AWAITING_REVIEW):
        raise RefusedAction(
            _("The panel cannot pay part of the reward in this submission's current state.")
        )
    amount = share_of(submission.study, percent)
    return _drafted_by(submission, Kind.SHARE, amount, by=by, percent=percent, reason=reason)


def share_of(study: PanelStudy, percent: int) -> int:
    return max(1, study.reward * percent // 100)


def pay_bonus(submission: PanelSubmission, amount: int, *, reason: str, by: User) -> PanelPayment:
    """Money on top, once per submission, whatever became of the submission."""
    if amount < 1:
        raise RefusedAction(_("A bonus is at least 0.01."))
    return _drafted_by(submission, Kind.BONUS, amount, by=by, reason=reason)


Bonuses = list[tuple[PanelSubmission, int]]


def bonuses_per_hour(study: PanelStudy, per_hour: int) -> Bonuses:
    """Top up pay to `per_hour`, based on the time taken.

    Raters who already earned that much, or have a bonus, get nothing.
    """
    bonuses = PanelPayment.objects.filter(submission=OuterRef("pk"), kind=Kind.BONUS)
    paid = study.submissions.filter(state=There.APPROVED, seconds__gt=0).exclude(Exists(bonuses))
    found = []
    for submission in paid.select_related("participant", "study"):
        earned = Decimal(per_hour) * Decimal(submission.seconds or 0) / 3600
        missing = int((earned - study.reward).to_integral_value(ROUND_HALF_UP))
        if missing > 0:
            found.append((submission, missing))
    return found


def bonuses_of_lines(study: PanelStudy, lines: list[str]) -> Bonuses:
    """Bonuses from lines `rater,1.50`."""
    listed = []
    for line in lines:
        label, _comma, text = line.partition(",")
        listed.append((label.strip(), in_minor_units(text)))
    return listed_bonuses(study, listed)


def listed_bonuses(study: PanelStudy, listed: Sequence[tuple[str, int | None]]) -> Bonuses:
    """Bonuses for raters by their labels; None is an unreadable amount.

    Raises RefusedAction with every problem of the list.
    """
    problems: list[str] = []
    found: Bonuses = []
    for number, (label, amount) in enumerate(listed, start=1):
        submission = study.submissions.filter(participant__label=label).first()
        if submission is None:
            problems.append(_("Line %(n)s: no such rater.") % {"n": number})
        elif amount is None:
            problems.append(_("Line %(n)s: write an amount such as 1.50.") % {"n": number})
        elif submission.payments.filter(kind=Kind.BONUS).exists():
            problems.append(_("Line %(n)s: this rater already has a bonus.") % {"n": number})
        elif submission in [before for before, _amount in found]:
            problems.append(_("Line %(n)s: this rater is listed twice.") % {"n": number})
        else:
            found.append((submission, amount))
    if problems:
        raise RefusedAction(" ".join(problems))
    return found


def in_minor_units(text: str) -> int | None:
    """`1.50` as 150; None unless it is a positive amount with at most two decimals."""
    whole, point, decimals = text.strip().partition(".")
    is_amount = whole.isascii() and whole.isdecimal() and len(whole) <= 6
    if not is_amount or (point and not (decimals.isascii() and decimals.isdecimal())):
        return None
    if len(decimals) > 2:
        return None
    return int(whole) * 100 + int(decimals.ljust(2, "0")) or None


def _drafted_by(
    submission: PanelSubmission,
    kind: PanelPayment.Kind,
    amount: int,
    *,
    by: User,
    percent: int | None = None,
    reason: str = "",
) -> PanelPayment:
    again = submission.payments.filter(kind=kind, state=State.REFUSED)
    with within_the_ceiling():
        if again.filter(amount=amount).update(state=State.DRAFTED, problem="", settled_at=None):
            return submission.payments.get(kind=kind)
    payment = _draft(
        submission, kind, amount, by=by, percent=percent, reason=reason[:LONGEST_REASON]
    )
    if payment is None:
        raise RefusedAction(_("This has already been paid or requested."))
    return payment


def _draft(
    submission: PanelSubmission,
    kind: PanelPayment.Kind,
    amount: int,
    *,
    by: User | None = None,
    percent: int | None = None,
    reason: str = "",
) -> PanelPayment | None:
    """The row of a payment; None if the submission has had one of its kind."""
    study = submission.study
    try:
        with within_the_ceiling():
            payment = PanelPayment.objects.create(
                study=study,
                submission=submission,
                kind=kind,
                amount=amount,
                cost=likely_cost(study, amount),
                currency=study.currency,
                percent=percent,
                reason=reason,
                asked_by=by,
            )
            if by is not None:
                who = submission.participant.label if submission.participant else ""
                note(
                    study.campaign,
                    by,
                    gettext_noop("payment drafted"),
                    rater=who,
                    kind=str(kind),
                    amount=amount,
                )
            return payment
    except IntegrityError:
        return None


def likely_cost(study: PanelStudy, amount: int) -> int:
    """The amount with fees and tax at the rate of the study's places; never less than itself."""
    places = study.reward * study.places
    return max(amount, -(-amount * max(study.places_cost, places) // places))


# Decisions of a person ---------------------------------------------------------------------


@transaction.atomic
def decide_lost(payment: PanelPayment, *, was_paid: bool, by: User) -> None:
    """After a lost answer somebody has looked at the panel's own pages: it was paid, or it was
    not and may be asked for again.
    """
    payment = PanelPayment.objects.select_for_update().get(pk=payment.pk)
    if payment.state != State.LOST:
        raise RefusedAction(_("This payment is not waiting for a decision."))
    if was_paid:
        settle(payment, State.PAID)
    else:
        # A list of bonuses whose payment failed is not paid again: it could be paid by now.
        PanelPayment.objects.filter(pk=payment.pk).update(
            state=State.DRAFTED, problem="", settled_at=None, external_id=""
        )
    note(
        payment.study.campaign,
        by,
        gettext_noop("lost payment decided"),
        payment=payment.pk,
        was_paid=was_paid,
    )
