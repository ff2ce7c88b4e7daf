"""Rejections: drafted from what the checks say, decided by a person, within the panel's limits.

Nothing is ever rejected by a rule. The panel asks for a reason of some length, and for failed
attention checks: one in a study of less than five minutes, otherwise two. Raters who fail a
question about the instructions are asked to return the submission instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import PanelPayment, PanelSubmission, Submission
from rankme.panel_calls.calls import AnswerLost
from rankme.panel_calls.prolific import SubmissionThere
from rankme.queries.check_answers import measures_by_rater

from .accounts import one_at_a_time, panel_of

SHORTEST_REASON, LONGEST_REASON = 100, 2_000
SHORT_STUDY_MINUTES = 5
FAILED_CHECK, NO_DATA, OTHER = "FAILED_CHECK", "NO_DATA", "OTHER"
# The panel's names, with ours.
CATEGORIES = {
    FAILED_CHECK: gettext_noop("Failed attention checks"),
    NO_DATA: gettext_noop("No work was stored"),
    "FAILED_INSTRUCTIONS": gettext_noop("Did not follow the instructions"),
    "LOW_EFFORT": gettext_noop("Made no effort"),
    OTHER: gettext_noop("Another reason"),
}
# Pages that say which answer to give, or whose answer is plain.
ATTENTION = ("instructed", "known_answer")


@dataclass(frozen=True)
class Draft:
    """A reason that a person can change; empty where nothing speaks for a rejection."""

    category: str
    message: str
    failed: int
    needed: int


def draft_rejection(submission: PanelSubmission) -> Draft:
    """Draft a rejection from the record, in English as the panel's own pages are."""
    needed = 1 if submission.study.minutes < SHORT_STUDY_MINUTES else 2
    answered, failed = _attention(submission)
    if not _has_work(submission):
        message = (
            "No answers of yours were stored on our site, although you entered a code at the end"
            " of the study. If you think that this is a mistake, please send us a message."
        )
        return Draft(NO_DATA, message, failed, needed)
    if failed >= needed:
        message = (
            f"You answered {failed} of {answered} attention checks wrongly. These pages said which "
            "answer to give, or had a plain answer. If you think that this is a mistake, please "
            "send us a message."
        )
        return Draft(FAILED_CHECK, message, failed, needed)
    return Draft(OTHER, "", failed, needed)


def _attention(submission: PanelSubmission) -> tuple[int, int]:
    """Count the attention checks that the rater met and failed."""
    rater = submission.participant
    if rater is None:
        return 0, 0
    measures = measures_by_rater(rater.campaign, [rater.pk])[rater.pk]
    numbers = [
        sum(int(measures.get(f"{kind}.{name}") or 0) for kind in ATTENTION)
        for name in ("answered", "failed")
    ]
    return numbers[0], numbers[1]


def _has_work(submission: PanelSubmission) -> bool:
    rater = submission.participant
    return rater is not None and Submission.objects.filter(assignment__participant=rater).exists()


def reject(submission: PanelSubmission, category: str, message: str, *, by: User) -> None:
    """Reject for good: the panel does not take it back."""
    message = " ".join(message.split())
    _refuse_wrong_reason(submission, category, message)
    study = submission.study
    with one_at_a_time(study.account) as is_ours:
        if not is_ours:
            raise RefusedAction(_("Payments are being made. Try again in a minute."))
        base = submission.payments.filter(kind__in=PanelPayment.BASE)
        if base.exclude(state=PanelPayment.State.REFUSED).exists():
            raise RefusedAction(_("A reward was paid, or asked for."))
        note(
            study.campaign,
            by,
            gettext_noop("submission rejected"),
            submission=submission.pk,
            category=category,
            message=message,
        )
        there = _asked(submission, category, message)
    PanelSubmission.objects.filter(pk=submission.pk).update(state=there.status)


def _refuse_wrong_reason(submission: PanelSubmission, category: str, message: str) -> None:
    if submission.state != PanelSubmission.State.AWAITING_REVIEW:
        raise RefusedAction(_("The panel cannot reject this submission in its present state."))
    if category not in CATEGORIES:
        raise RefusedAction(_("Choose one of the reasons."))
    if not SHORTEST_REASON <= len(message) <= LONGEST_REASON:
        raise RefusedAction(
            _("The panel asks for a reason of %(least)s characters or more; this has %(length)s.")
            % {"least": SHORTEST_REASON, "length": len(message)}
        )
    draft = draft_rejection(submission)
    if category == FAILED_CHECK and draft.failed < draft.needed:
        raise RefusedAction(
            _("The panel asks for %(needed)s failed checks; this rater has failed %(failed)s.")
            % {"needed": draft.needed, "failed": draft.failed}
        )
    if category == NO_DATA and _has_work(submission):
        raise RefusedAction(_("Answers of this rater are stored."))


def _asked(submission: PanelSubmission, category: str, message: str) -> SubmissionThere:
    """No money moves, so after a lost answer the submission says whether it is done."""
    panel = panel_of(submission.study.account)
    try:
        return panel.reject(submission.external_id, category, message)
    except AnswerLost:
        return panel.submission(submission.external_id)
