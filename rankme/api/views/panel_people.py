"""The people of a study: both sides' books, and what an organiser decides about each."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.audit import note_identities
from rankme.actions.panel import deciding, money, rejecting, sync
from rankme.api import panel_shapes as shapes
from rankme.api.view import PageQuery, Strict, View, action, operation
from rankme.models import PanelPayment, PanelStudy, PanelSubmission
from rankme.permissions import Permission, get_campaign, may_see_people, user_of
from rankme.queries.panel_books import Entry, books_of

from .panel_study import get_study


def _note_people(request: Request, study: PanelStudy) -> None:
    if may_see_people(request, study):
        note_identities(study.campaign, "API: panel ids", by=user_of(request))


class BooksView(View):
    @operation(
        "panel_books",
        "Who has finished here but not at the panel, there but not here, and on both sides",
        needs=Permission.IDENTITIES,
        gives=shapes.BooksSerializer,
    )
    def get(self, request: Request, code: str) -> object:
        study = get_study(request, code)
        _note_people(request, study)
        return books_of(study)


class SubmissionsView(View):
    @operation(
        "panel_submissions_list",
        "All participants of the study, with their outcome",
        needs=Permission.IDENTITIES,
        lists=shapes.EntrySerializer,
        query=PageQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        study = get_study(request, code)
        _note_people(request, study)
        rows = study.submissions.select_related("participant")
        return self.paged(rows, _EntryOfRow, newest_first=False)


class _EntryOfRow(shapes.EntrySerializer):
    def to_representation(self, instance: PanelSubmission) -> dict[str, Any]:
        return super().to_representation(shapes.entry_of(instance))


def get_submission(request: Request, code: str, submission: int) -> PanelSubmission:
    campaign = get_campaign(request, code)
    found = PanelSubmission.objects.select_related("participant", "study__account")
    return get_object_or_404(found, pk=submission, study__campaign=campaign)


class SubmissionView(View):
    @operation(
        "panel_submissions_read",
        "One person's submission and payments",
        needs=Permission.IDENTITIES,
        gives=shapes.EntrySerializer,
    )
    def get(self, request: Request, code: str, submission: int) -> object:
        person = get_submission(request, code, submission)
        _note_people(request, person.study)
        return shapes.entry_of(person)


def _entry(request: Request, person: PanelSubmission) -> Entry:
    person.refresh_from_db()
    return shapes.entry_of(person)


def decision(name: str, summary: str, takes: type[Strict] | None = None) -> type[View]:
    """A view that records a decision about one person."""
    return action(
        f"panel_submissions_{name}",
        summary,
        needs=Permission.EDIT,
        find=get_submission,
        do=partial(deciding.decide, name),
        shown=_entry,
        takes=takes,
        gives=shapes.EntrySerializer if name != "message" else None,
    )


ApproveView = decision("approve", "Pay the reward, whatever the rule says")
ShareView = decision(
    "share", "Pay a part of the reward, with a message to the rater", shapes.ShareSerializer
)
BonusView = decision("bonus", "Pay a bonus; each submission gets one", shapes.BonusSerializer)
MessageView = decision("message", "Write to the rater at the panel", shapes.MessageSerializer)
ReturnView = decision("return", "Ask the rater to return the submission", shapes.ReturnSerializer)


class RejectView(View):
    @operation(
        "panel_submissions_rejection",
        "What the record says against a submission, as a draft of a rejection",
        needs=Permission.IDENTITIES,
        gives=shapes.RejectionDraftSerializer,
    )
    def get(self, request: Request, code: str, submission: int) -> object:
        return rejecting.draft_rejection(get_submission(request, code, submission))

    @operation(
        "panel_submissions_reject",
        "Reject a submission for good, within the panel's limits",
        needs=Permission.EDIT,
        takes=shapes.RejectionSerializer,
        gives=shapes.EntrySerializer,
    )
    def post(self, request: Request, code: str, submission: int) -> object:
        person = get_submission(request, code, submission)
        deciding.decide("reject", person, **self.given, by=user_of(request))
        return _entry(request, person)


class BonusesView(View):
    @operation(
        "panel_bonuses",
        "Bonuses for many: up to a rate per hour, or a list that is taken as a whole",
        needs=Permission.EDIT,
        takes=shapes.BonusesSerializer,
        gives=shapes.DraftedSerializer,
    )
    def post(self, request: Request, code: str) -> object:
        study, by = get_study(request, code), user_of(request)
        given = self.given
        reason = given["reason"]
        if "per_hour" in given:
            found = money.bonuses_per_hour(study, given["per_hour"])
        else:
            listed = [(bonus["rater"], bonus["amount"]) for bonus in given["bonuses"]]
            found = money.listed_bonuses(study, listed)
        if found and not given["dry_run"]:
            plan = deciding.plan_of_bonuses(study, found)
            deciding.carry_out(plan, reason=reason, by=by)
        shown = [{"rater": deciding.name_of(person), "amount": amount} for person, amount in found]
        cost = sum(money.likely_cost(study, amount) for _person, amount in found)
        drafted = 0 if given["dry_run"] else len(found)
        return {"drafted": drafted, "bonuses": shown, "cost": cost}


class LostPaymentView(View):
    @operation(
        "panel_payments_decide",
        "Record the outcome of an unconfirmed payment; one that was not paid is repeated",
        needs=Permission.EDIT,
        takes=shapes.LostPaymentSerializer,
        gives=shapes.PaymentSerializer,
    )
    def post(self, request: Request, code: str, payment: int) -> object:
        study = get_study(request, code)
        found = get_object_or_404(PanelPayment, pk=payment, study__campaign=study.campaign_id)
        was_paid = self.given["was_paid"]
        money.decide_lost(found, was_paid=was_paid, by=user_of(request))
        sync.let_a_worker_visit(found.study)
        found.refresh_from_db()
        return found
