"""Forget who raters are: at their wish, at the owner's, or when the time for it has come.

What they judged stays, under a label that leads to nobody. Texts as answers stay where the
campaign calls them its result. People read this before they agree (decision 15).
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import asdict, dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.db.models.functions import Cast, Concat, Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import (
    Campaign,
    Complaint,
    Invitation,
    PanelCredit,
    PanelEvent,
    PanelPayment,
    PanelSubmission,
    Participant,
    QuarantinedPayload,
    ScreenTrace,
    SubmissionWords,
    WordsEpoch,
)
from rankme.models.record import ERASED

log = logging.getLogger(__name__)
CAMPAIGNS_AT_ONCE = 20
Payment, There = PanelPayment.State, PanelSubmission.State
# As long as one of these is there, somebody has to know whom to pay.
UNPAID = (Payment.DRAFTED, Payment.ASKED, Payment.LOST)
UNDECIDED = (There.RESERVED, There.ACTIVE, There.AWAITING_REVIEW)


@dataclass(frozen=True)
class Erased:
    """How much was erased; the history has these numbers."""

    raters: int
    problem_reports: int
    unreadable_answers: int
    screens_with_words: int


@transaction.atomic
def erase_rater(participant: Participant, *, by: User | None) -> Erased:
    """Forget who one rater is; without an account (`by`), the rater asks for it.

    Raises
    ------
    RefusedAction : they are at work, or have still to be paid
    """
    locked = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    if locked.erased_at is not None:
        return Erased(0, 0, 0, 0)
    if locked.state in (Participant.State.ARRIVED, Participant.State.WORKING):
        raise RefusedAction(_("This is not possible during the work. Finish it or withdraw first."))
    rater_alone = Participant.objects.filter(pk=locked.pk)
    submissions = PanelSubmission.objects.filter(participant=locked)
    _refuse_open_pay(rater_alone, submissions)
    erased = _erase(rater_alone, submissions)
    verb = gettext_noop("rater's identity erased")
    note(participant.campaign, by, verb, rater=locked.label, **_counts(erased))
    return erased


@transaction.atomic
def erase_campaign(campaign: Campaign, *, by: User | None) -> Erased:
    """Forget who all raters of a closed campaign are; without an account, its time has come.

    Raises
    ------
    RefusedAction : it is not closed, or somebody has still to be paid
    """
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if campaign.identities_erased_at is not None:
        return Erased(0, 0, 0, 0)
    if not campaign.is_over:
        raise RefusedAction(_("Close the campaign first: its raters are still known by name."))
    submissions = PanelSubmission.objects.filter(study__campaign=campaign)
    raters = campaign.participants.filter(erased_at=None)
    _refuse_open_pay(raters, submissions)
    erased = _erase(raters, submissions)
    # Links that nobody followed have names, too.
    _erase_links(campaign.invitations.all())
    Campaign.objects.filter(pk=campaign.pk).update(identities_erased_at=Now())
    note(campaign, by, gettext_noop("identities erased"), **_counts(erased))
    return erased


def erase_due() -> int:
    """Erase the identities whose time has come (periodic); one that must wait is tried again."""
    due = Campaign.objects.filter(identities_until__lte=Now(), identities_erased_at=None)
    erased = 0
    for campaign in due.order_by("identities_until")[:CAMPAIGNS_AT_ONCE]:
        try:
            erased += erase_campaign(campaign, by=None).raters
        except RefusedAction as refusal:
            log.warning("identities of campaign %s stay for now: %s", campaign.pk, refusal)
    return erased


def why_not_yet(raters: QuerySet[Participant], submissions: QuerySet[PanelSubmission]) -> str:
    """Say why people from a panel must still be known; empty if they need not."""
    if submissions.filter(~Q(study__state="COMPLETED"), ~Q(study__external_id="")).exists():
        return _("The study at the panel is still open, so the panel tells who takes part.")
    waiting = (
        submissions.filter(state__in=UNDECIDED),
        PanelPayment.objects.filter(submission__in=submissions, state__in=UNPAID),
        PanelCredit.objects.filter(participant__in=raters, state__in=UNPAID),
    )
    if any(each.exists() for each in waiting):
        return _("Not everybody who came from the panel has been paid yet.")
    return ""


def _refuse_open_pay(raters: QuerySet[Participant], submissions: QuerySet[PanelSubmission]) -> None:
    if reason := why_not_yet(raters, submissions):
        raise RefusedAction(reason)


def _erase(raters: QuerySet[Participant], submissions: QuerySet[PanelSubmission]) -> Erased:
    """Overwrite everything that says who these are, and what they wrote in their own words."""
    rows = list(raters.values_list("pk", "panel", "external_id"))
    numbers = [number for number, _panel, _id in rows]
    links = [name for _number, panel, name in rows if panel == "invitation" and name.isdecimal()]
    _erase_links(Invitation.objects.filter(pk__in=links))
    _erase_at_the_panel(submissions)
    complaints = Complaint.objects.filter(participant__in=numbers).exclude(text=ERASED)
    unreadable = QuarantinedPayload.objects.filter(participant__in=numbers).exclude(body=ERASED)
    ScreenTrace.objects.filter(submission__assignment__participant__in=numbers).delete()
    Participant.objects.filter(pk__in=numbers).update(
        external_id=_numbered("pk"),
        session_id="",
        study_id="",
        entry_answers={},
        end_answers={},
        comment="",
        practice={},
        browser="",
        second_browser_at=None,
        # The panel knows a rater's own code, too. A finished visit has one.
        completion_code=Case(When(completion_code="", then=Value("")), default=Value(ERASED)),
        generation=F("generation") + 1,
        erased_at=Now(),
    )
    # Without it, nobody can try words until they fit the hashes of before the epoch.
    moved = SubmissionWords.objects.filter(
        submission__assignment__participant__in=numbers, moved=True
    )
    campaigns = moved.values("submission__assignment__campaign")
    WordsEpoch.objects.filter(campaign__in=campaigns).update(salt="")
    # After the rater: the database lets go of nobody else's words.
    worded = SubmissionWords.objects.filter(submission__assignment__participant__in=numbers)
    return Erased(
        raters=len(rows),
        problem_reports=complaints.update(text=ERASED),
        unreadable_answers=unreadable.update(body=ERASED, body_sha256=""),
        screens_with_words=worded.exclude(salt="").update(salt="", words=[]),
    )


def _erase_links(links: QuerySet[Invitation]) -> None:
    """Forget the names and addresses of personal links, and end the links."""
    found = list(links)
    for link in found:
        link.name, link.token, link.work_page = "", secrets.token_urlsafe(16), ""
        link.mail, link.reminder_asked_at = "", None
    columns = ["name", "token", "work_page", "mail", "reminder_asked_at"]
    Invitation.objects.bulk_update(found, columns, batch_size=500)


def _erase_at_the_panel(submissions: QuerySet[PanelSubmission]) -> None:
    numbers = list(submissions.values_list("pk", flat=True))
    ids = list(submissions.values_list("external_id", flat=True))
    PanelEvent.objects.filter(resource__in=ids).update(resource=ERASED)
    PanelPayment.objects.filter(submission__in=numbers).update(external_id="", problem="")
    PanelSubmission.objects.filter(pk__in=numbers).update(
        external_id=_numbered("pk"), person=ERASED, entered_code=""
    )


def _numbered(column: str) -> Concat:
    """A text for a column that has each text once."""
    return Concat(Value(f"{ERASED} "), Cast(column, CharField()), output_field=CharField())


def _counts(erased: Erased) -> dict[str, int]:
    """Say what else than the names is gone; nothing about what there was none of."""
    return {name: number for name, number in asdict(erased).items() if number}
