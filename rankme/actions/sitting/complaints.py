"""Store raters' reports about items once, and mark them as dealt with."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions import rate_limits
from rankme.actions.audit import note
from rankme.errors import InvalidAnswer, KeyReused, Problem
from rankme.models import Assignment, Complaint, Participant
from rankme.protocols.exchange.sent_screen import SentComplaint
from rankme.queries.definitions import definition_of_sitting, frozen_definition

# A limit that no person reaches: it keeps scripts from filling the disk with undeletable rows.
MOST_BY_A_RATER = 200


def record_complaint(participant: Participant, sent: SentComplaint) -> bool:
    """Store a report; return whether it is new. Sending the same one again changes nothing.

    Raises
    ------
    InvalidAnswer : it is about no screen of this rater, or the rater has sent very many
    KeyReused : the key was used for another report
    """
    found = Complaint.objects.filter(key=sent.key).first()
    if found is not None:
        if (found.participant_id, found.text) != (participant.pk, sent.text):
            raise KeyReused(sent.key, "This key was already used for another report.")
        return False
    assignment = (
        participant.assignments.select_related("campaign").filter(pk=sent.assignment).first()
    )
    if assignment is None:
        raise InvalidAnswer([Problem("assignment", "does not belong to you")])
    trial = _trial_of(assignment, sent)
    is_full = participant.complaints.count() >= MOST_BY_A_RATER
    if is_full or not rate_limits.take(rate_limits.COMPLAINTS, participant.pk):
        message = _("You have reported very many problems. Please write to the organisers instead.")
        raise InvalidAnswer([Problem("", message)])
    Complaint.objects.bulk_create(
        [
            Complaint(
                key=sent.key,
                campaign=assignment.campaign,
                participant=participant,
                assignment=assignment,
                trial_id=trial,
                screen=sent.screen,
                text=sent.text,
            )
        ],
        ignore_conflicts=True,  # the same report from two windows at once
    )
    return True


def _trial_of(assignment: Assignment, sent: SentComplaint) -> int | None:
    """The trial that a report is about, where the campaign takes reports."""
    shown = definition_of_sitting(assignment).definition
    newest = frozen_definition(assignment.campaign).definition
    if not (shown.problem_button or newest.problem_button):
        raise InvalidAnswer([Problem("", "this campaign takes no reports")])
    if sent.screen >= len(shown.screens):
        raise InvalidAnswer([Problem("screen", "is not in this campaign")])
    if sent.trial is None:
        return None
    if sent.trial >= len(assignment.presentation):
        raise InvalidAnswer([Problem("trial", "is not in this batch")])
    trial: int = assignment.presentation[sent.trial][0]
    return trial


@transaction.atomic
def deal_with(complaint: Complaint, *, by: User, is_done: bool = True) -> None:
    """Mark a report as dealt with, or as open again."""
    before = {"dealt_with_at__isnull": is_done}
    changed = Complaint.objects.filter(pk=complaint.pk, **before).update(
        dealt_with_at=Now() if is_done else None
    )
    if changed:
        verb = gettext_noop("reported problem dealt with")
        if not is_done:
            verb = gettext_noop("reported problem opened again")
        note(complaint.campaign, by, verb, complaint=complaint.pk)
