"""What raters report as wrong with an item: stored once, shown to organisers, dealt with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions import rate_limits
from rankme.actions.audit import note
from rankme.errors import InvalidAnswer, KeyReused, Problem
from rankme.models import Assignment, Complaint, Participant
from rankme.queries.definitions import definition_of_sitting, frozen_definition
from rankme.untrusted.clean_text import check_document

FIELDS = {"version", "key", "assignment", "trial", "screen", "complaint"}
LONGEST = 2_000
MOST_PROBLEMS = 10
# Bounds that no person reaches, so that a script cannot fill the disk with what nobody may delete.
MOST_BY_A_RATER = 200


@dataclass(frozen=True)
class SentComplaint:
    """A report as the browser sends it; `trial` is its place in the sitting, None in practice."""

    key: UUID
    assignment: int
    trial: int | None
    screen: int
    text: str

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> SentComplaint:
        """Read a report; raise `InvalidAnswer` where it is not one."""
        check_document(dict(document))
        unknown = sorted(set(document) - FIELDS)
        problems = [Problem(name[:60], "is not a field of a report") for name in unknown]
        text = document["complaint"]
        if not isinstance(text, str) or not text.strip():
            problems.append(Problem("complaint", _("Please say what is wrong.")))
        elif len(text) > LONGEST:
            problems.append(Problem("complaint", _("This text is too long.")))
        try:
            key = UUID(str(document.get("key")))
        except ValueError:
            problems.append(Problem("key", "must be a UUID"))
        places: dict[str, Any] = {
            name: document.get(name) for name in ("assignment", "trial", "screen")
        }
        problems += [
            Problem(name, "must be a whole number")
            for name, value in places.items()
            if not (_is_place(value) or (name == "trial" and value is None))
        ]
        if problems:
            raise InvalidAnswer(problems[:MOST_PROBLEMS])
        return cls(key, **places, text=text.strip())


def _is_place(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


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
            raise KeyReused("This key was already used for another report.")
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
    """Note that somebody has dealt with a report, or take that back."""
    before = {"dealt_with_at__isnull": is_done}
    changed = Complaint.objects.filter(pk=complaint.pk, **before).update(
        dealt_with_at=Now() if is_done else None
    )
    if changed:
        verb = gettext_noop("reported problem dealt with")
        if not is_done:
            verb = gettext_noop("reported problem opened again")
        note(complaint.campaign, by, verb, complaint=complaint.pk)
