"""Asking the panel for money: a bonus once, a reward until the panel shows that it is paid.

The panel ignores a second request to approve a submission or to complete it with a part of the
reward. Bonuses it pays twice, so a bonus whose answer is lost waits for a person.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from rankme.errors import RefusedAction
from rankme.models import PanelPayment, PanelStudy, PanelSubmission
from rankme.panel_calls.calls import AnswerLost, PanelAway, PanelRefused
from rankme.panel_calls.prolific import Prolific, SubmissionThere

from .accounts import one_at_a_time, panel_of

log = logging.getLogger(__name__)
Kind, State = PanelPayment.Kind, PanelPayment.State
There = PanelSubmission.State
LEAST_SHARE = 8
BUSY_STATES = (There.ACTIVE, There.RESERVED)
LEAST_AT_ONCE, AT_ONCE = 2, 50
# In `external_id`: the panel has accepted a list of approvals, and carries it out when it can.
ACCEPTED = "accepted"
LONGEST_WAIT = timedelta(minutes=15)


@contextlib.contextmanager
def within_the_ceiling() -> Iterator[None]:
    """A transaction that explains the database's refusal to exceed a ceiling."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if "nothing_exceeds_the_ceiling" in str(error):
            raise RefusedAction(_("This would exceed the study's ceiling.")) from error
        raise


def pay_drafted(study: PanelStudy) -> int:
    """Ask the panel for everything that is drafted; return the number paid.

    A payment that is "asked" while nobody holds the account was asked for by a process that ended
    before the answer came.
    """
    with one_at_a_time(study.account) as is_ours:
        if not is_ours:
            return 0
        _take_up_orphans(study)
        if not _drafted(study):
            return 0
        panel = panel_of(study.account)
        paid = _approve_many(panel, study)
        return paid + sum(_pay(panel, payment) for payment in _drafted(study))


def _drafted(study: PanelStudy) -> list[PanelPayment]:
    found = study.payments.filter(state=State.DRAFTED)
    return list(found.select_related("submission", "study"))


def _lose(bonus: PanelPayment, reason: str) -> None:
    """Nobody knows whether the panel has paid this bonus: a person has to look."""
    settle(bonus, State.LOST, reason)
    log.critical("Bonus %s of study %s may be paid or not: look at it", bonus.pk, bonus.study_id)


def _take_up_orphans(study: PanelStudy) -> None:
    """Take up payments whose answers are not awaited any more: rewards are asked for again."""
    interrupted = _("The site was interrupted before the answer came.")
    asked = study.payments.filter(state=State.ASKED)
    for orphan in asked.filter(kind=Kind.BONUS):
        _lose(orphan, interrupted)
    silent = Q(state=State.ASKED, external_id=ACCEPTED, asked_at__lt=timezone.now() - LONGEST_WAIT)
    unknown = Q(state=State.ASKED) & ~Q(external_id=ACCEPTED) | Q(state=State.LOST) | silent
    study.payments.filter(unknown, kind__in=PanelPayment.BASE).update(
        state=State.DRAFTED, external_id=""
    )


# Many approvals -----------------------------------------------------------------------------


def _approve_many(panel: Prolific, study: PanelStudy) -> int:
    """Have rewards paid, up to `AT_ONCE` by one call; return the number that is paid now.

    Whatever does not fit stays drafted, and is asked for alone.
    """
    drafted = {
        payment.submission.external_id: payment
        for payment in _drafted(study)
        if payment.kind == Kind.APPROVAL
    }
    if len(drafted) < LEAST_AT_ONCE:
        return 0
    there = _states(panel, study)
    ready = [
        drafted[submission]
        for submission in drafted
        if there.get(submission) == There.AWAITING_REVIEW
    ]
    for start in range(0, len(ready), AT_ONCE):
        _approve_list(panel, ready[start : start + AT_ONCE])
    if not ready:
        return 0
    shown = {
        submission for submission, state in _states(panel, study).items() if state == There.APPROVED
    }
    paid = [payment for payment in ready if payment.submission.external_id in shown]
    for payment in paid:
        settle(payment, State.PAID)
        _note_state(payment, There.APPROVED)
    return len(paid)


def _approve_list(panel: Prolific, payments: list[PanelPayment]) -> None:
    for payment in payments:
        _mark_asked(payment)
    try:
        panel.approve_many([payment.submission.external_id for payment in payments])
    except (PanelAway, PanelRefused, AnswerLost) as failure:
        for payment in payments:
            _back_to_drafted(payment, str(failure))
        if isinstance(failure, PanelAway):
            raise
    else:
        accepted = PanelPayment.objects.filter(pk__in=[payment.pk for payment in payments])
        accepted.update(external_id=ACCEPTED)


def _states(panel: Prolific, study: PanelStudy) -> dict[str, str]:
    """The state of every submission at this moment."""
    with _only_a_question():
        return {
            submission.id: submission.status for submission in panel.submissions(study.external_id)
        }


@contextlib.contextmanager
def _only_a_question() -> Iterator[None]:
    """Nothing was asked for, so an answer that is lost is just late."""
    try:
        yield
    except AnswerLost as error:
        raise PanelAway(str(error)) from error


# One payment --------------------------------------------------------------------------------


def _pay(panel: Prolific, payment: PanelPayment) -> bool:
    work = _bonus if payment.kind == Kind.BONUS else _reward
    try:
        return work(panel, payment)
    except PanelAway:
        _back_to_drafted(payment)
        raise
    except PanelRefused as refusal:
        settle(payment, State.REFUSED, str(refusal))
    except AnswerLost as lost:
        if payment.kind == Kind.BONUS:
            _lose(payment, str(lost))
        else:
            _back_to_drafted(payment, str(lost))
    return False


def _reward(panel: Prolific, payment: PanelPayment) -> bool:
    """Approve, or pay a share, if the submission's state there still allows it."""
    submission = payment.submission
    there = There(panel_state(panel, payment))
    pays = {Kind.APPROVAL: There.APPROVED, Kind.SHARE: There.PARTIALLY_APPROVED}
    if there == pays[Kind(payment.kind)]:
        settle(payment, State.PAID)
        return True
    allowed = {There.AWAITING_REVIEW}
    if payment.kind == Kind.SHARE:
        allowed |= set(BUSY_STATES)
    if there in BUSY_STATES and there not in allowed:
        return False  # the panel has not seen the code yet
    if there not in allowed:
        reason = _("At the panel this submission is now: %(state)s.") % {"state": there.label}
        settle(payment, State.REFUSED, reason)
        return False
    if payment.kind == Kind.APPROVAL:
        return _asked(payment, lambda: panel.approve(submission.external_id))
    code, percent = payment.study.codes["share"], payment.percent or LEAST_SHARE
    return _asked(
        payment,
        lambda: panel.pay_share(submission.external_id, code, percent, payment.reason),
    )


def panel_state(panel: Prolific, payment: PanelPayment) -> str:
    """The submission's state at this moment."""
    with _only_a_question():
        return panel.submission(payment.submission.external_id).status


def _bonus(panel: Prolific, payment: PanelPayment) -> bool:
    """Hand the bonus in, which tells its cost, and have it paid. Neither is ever repeated."""
    if not payment.external_id:
        _mark_asked(payment)
        names = [(payment.submission.external_id, payment.amount)]
        listed = panel.list_bonuses(payment.study.external_id, names)
        try:
            with within_the_ceiling():
                payment.cost, payment.external_id = max(listed.total, payment.amount), listed.id
                payment.save(update_fields=["cost", "external_id"])
        except RefusedAction as refusal:
            settle(payment, State.REFUSED, str(refusal))
            return False
    return _asked(payment, lambda: panel.pay_bonuses(payment.external_id))


def _asked(payment: PanelPayment, ask: Callable[[], SubmissionThere | None]) -> bool:
    _mark_asked(payment)
    there = ask()
    settle(payment, State.PAID)
    if there is not None:
        _note_state(payment, there.status)
    return True


def _note_state(payment: PanelPayment, state: str) -> None:
    PanelSubmission.objects.filter(pk=payment.submission_id).update(state=state)


def _mark_asked(payment: PanelPayment) -> None:
    """Stored before the call: a row that stays so shows that an answer is missing."""
    payment.state = State.ASKED
    PanelPayment.objects.filter(pk=payment.pk).update(state=State.ASKED, asked_at=Now())


def _back_to_drafted(payment: PanelPayment, problem: str = "") -> None:
    """Ask again: the panel did nothing, or it ignores a second request."""
    PanelPayment.objects.filter(pk=payment.pk, state=State.ASKED).update(
        state=State.DRAFTED, problem=problem[:500]
    )


def settle(payment: PanelPayment, state: PanelPayment.State, problem: str = "") -> None:
    """Record the outcome of a payment; a paid one stays paid."""
    PanelPayment.objects.filter(pk=payment.pk).exclude(state=State.PAID).update(
        state=state, problem=problem[:500], settled_at=Now()
    )
    payment.state = state
