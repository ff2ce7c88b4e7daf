"""Messages to raters, and the request to return a submission."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import PanelSubmission
from rankme.panel_calls.prolific import Message

from .accounts import panel_of

LONGEST_MESSAGE = 2_000
MOST_MESSAGES = 100
State = PanelSubmission.State


def send_message(submission: PanelSubmission, body: str, *, by: User) -> None:
    """Write to a rater at the panel. A message whose answer is lost is not sent again."""
    body = body.strip()
    if not body:
        raise RefusedAction(_("Write a message first."))
    study = submission.study
    note(study.campaign, by, gettext_noop("message sent"), submission=submission.pk)
    panel = panel_of(study.account)
    panel.send_message(submission.person, study.external_id, body[:LONGEST_MESSAGE])


def messages_about(submission: PanelSubmission) -> list[Message]:
    """List the messages between the account and this rater about the study, oldest first.

    The account's other studies may be other people's business.
    """
    study = submission.study
    found = panel_of(study.account).messages(submission.person)
    ours = [message for message in found if message.study == study.external_id]
    return sorted(ours, key=lambda message: str(message.sent_at))[-MOST_MESSAGES:]


def request_return(submission: PanelSubmission, reason: str, *, by: User) -> None:
    """Ask a rater to return the submission, which costs them nothing and frees the place."""
    if submission.state not in (State.ACTIVE, State.RESERVED, State.AWAITING_REVIEW):
        raise RefusedAction(_("The panel cannot ask for this submission in its current state."))
    study = submission.study
    reasons = [reason.strip() or "Did not finish study."]
    panel_of(study.account).request_return(submission.external_id, reasons)
    note(study.campaign, by, gettext_noop("return requested"), submission=submission.pk)
