"""The people of a study: both sides' books, and what an organiser decides about each."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.panel import deciding, money, rejecting, sync, talking
from rankme.api.panel_shapes import (
    BonusesSerializer,
    BonusSerializer,
    BooksSerializer,
    DraftedSerializer,
    EntryPageSerializer,
    EntrySerializer,
    LostPaymentSerializer,
    MessageSerializer,
    PaymentSerializer,
    RejectionDraftSerializer,
    RejectionSerializer,
    ReturnSerializer,
    ShareSerializer,
    entry_of,
)
from rankme.api.view import PageQuery, View
from rankme.models import PanelPayment, PanelStudy, PanelSubmission
from rankme.permissions import get_campaign, user_of
from rankme.queries.panel_books import books_of
from rankme.queries.panel_people import may_see_people

from .panel_study import get_study


class BooksView(View):
    @extend_schema(
        operation_id="panel_books",
        summary="Who has finished here but not at the panel, there but not here, and on both sides",
        responses=BooksSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        study = get_study(request, code)
        context = _may_see(request, study)
        return Response(BooksSerializer(books_of(study), context=context).data)


class SubmissionsView(View):
    queries = {"GET": PageQuery}

    @extend_schema(
        operation_id="panel_submissions_list",
        summary="All participants of the study, with their outcome",
        parameters=[PageQuery],
        responses=EntryPageSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        study = get_study(request, code)
        rows = study.submissions.select_related("participant")
        return self.paged(rows, _EntryOfRow, newest_first=False, **_may_see(request, study))


class _EntryOfRow(EntrySerializer):
    def to_representation(self, instance: PanelSubmission) -> dict[str, Any]:
        return super().to_representation(entry_of(instance))


def get_submission(request: Request, code: str, submission: int) -> PanelSubmission:
    campaign = get_campaign(request, code)
    found = PanelSubmission.objects.select_related("participant", "study__account")
    return get_object_or_404(found, pk=submission, study__campaign=campaign)


class SubmissionView(View):
    @extend_schema(
        operation_id="panel_submissions_read",
        summary="One person's submission and payments",
        responses=EntrySerializer,
    )
    def get(self, request: Request, code: str, submission: int) -> Response:
        return _shown(request, get_submission(request, code, submission))


def _shown(request: Request, person: PanelSubmission) -> Response:
    context = _may_see(request, person.study)
    return Response(EntrySerializer(entry_of(person), context=context).data)


def _may_see(request: Request, study: PanelStudy) -> dict[str, Any]:
    return {"sees_people": may_see_people(study, user_of(request))}


def _decided(request: Request, person: PanelSubmission) -> Response:
    """What was decided is noted; a worker does it soon."""
    sync.let_a_worker_visit(person.study)
    return _shown(request, person)


class ApproveView(View):
    @extend_schema(
        operation_id="panel_submissions_approve",
        summary="Pay the reward, whatever the rule says",
        request=None,
        responses=EntrySerializer,
    )
    def post(self, request: Request, code: str, submission: int) -> Response:
        person = get_submission(request, code, submission)
        self.read_nothing()
        money.approve_by_hand(person, by=user_of(request))
        return _decided(request, person)


class ShareView(View):
    @extend_schema(
        operation_id="panel_submissions_share",
        summary="Pay a part of the reward, with a message to the rater",
        request=ShareSerializer,
        responses=EntrySerializer,
    )
    def post(self, request: Request, code: str, submission: int) -> Response:
        person = get_submission(request, code, submission)
        given = self.read(ShareSerializer)
        money.pay_share(person, given["percent"], reason=given["reason"], by=user_of(request))
        return _decided(request, person)


class BonusView(View):
    @extend_schema(
        operation_id="panel_submissions_bonus",
        summary="Pay a bonus; each submission gets one",
        request=BonusSerializer,
        responses=EntrySerializer,
    )
    def post(self, request: Request, code: str, submission: int) -> Response:
        person = get_submission(request, code, submission)
        given = self.read(BonusSerializer)
        money.pay_bonus(person, given["amount"], reason=given["reason"], by=user_of(request))
        return _decided(request, person)


class MessageView(View):
    @extend_schema(
        operation_id="panel_submissions_message",
        summary="Write to the rater at the panel",
        request=MessageSerializer,
        responses={204: None},
    )
    def post(self, request: Request, code: str, submission: int) -> Response:
        person = get_submission(request, code, submission)
        talking.send_message(person, self.read(MessageSerializer)["body"], by=user_of(request))
        return Response(status=204)


class ReturnView(View):
    @extend_schema(
        operation_id="panel_submissions_return",
        summary="Ask the rater to return the submission",
        request=ReturnSerializer,
        responses=EntrySerializer,
    )
    def post(self, request: Request, code: str, submission: int) -> Response:
        person = get_submission(request, code, submission)
        talking.request_return(person, self.read(ReturnSerializer)["reason"], by=user_of(request))
        return _decided(request, person)


class RejectView(View):
    @extend_schema(
        operation_id="panel_submissions_rejection",
        summary="What the record says against a submission, as a draft of a rejection",
        responses=RejectionDraftSerializer,
    )
    def get(self, request: Request, code: str, submission: int) -> Response:
        draft = rejecting.draft_rejection(get_submission(request, code, submission))
        return Response(RejectionDraftSerializer(draft).data)

    @extend_schema(
        operation_id="panel_submissions_reject",
        summary="Reject a submission for good, within the panel's limits",
        request=RejectionSerializer,
        responses=EntrySerializer,
    )
    def post(self, request: Request, code: str, submission: int) -> Response:
        person = get_submission(request, code, submission)
        given = self.read(RejectionSerializer)
        rejecting.reject(person, given["category"], given["message"], by=user_of(request))
        person.refresh_from_db()
        return _shown(request, person)


class BonusesView(View):
    @extend_schema(
        operation_id="panel_bonuses",
        summary="Bonuses for many: up to a rate per hour, or a list that is taken as a whole",
        request=BonusesSerializer,
        responses=DraftedSerializer,
    )
    def post(self, request: Request, code: str) -> Response:
        study, by = get_study(request, code), user_of(request)
        given = self.read(BonusesSerializer)
        reason = given["reason"]
        if "per_hour" in given:
            found = money.bonuses_per_hour(study, given["per_hour"])
        else:
            listed = [(bonus["rater"], bonus["amount"]) for bonus in given["bonuses"]]
            found = money.listed_bonuses(study, listed)
        if found and not given["dry_run"]:
            plan = deciding.plan_of_bonuses(study, found)
            deciding.carry_out(plan, reason=reason, by=by)
            sync.let_a_worker_visit(study)
        shown = [{"rater": deciding.name_of(person), "amount": amount} for person, amount in found]
        cost = sum(money.likely_cost(study, amount) for _person, amount in found)
        drafted = 0 if given["dry_run"] else len(found)
        return Response({"drafted": drafted, "bonuses": shown, "cost": cost})


class LostPaymentView(View):
    @extend_schema(
        operation_id="panel_payments_decide",
        summary="Record the outcome of an unconfirmed payment; one that was not paid is repeated",
        request=LostPaymentSerializer,
        responses=PaymentSerializer,
    )
    def post(self, request: Request, code: str, payment: int) -> Response:
        study = get_study(request, code)
        found = get_object_or_404(PanelPayment, pk=payment, study__campaign=study.campaign_id)
        was_paid = self.read(LostPaymentSerializer)["was_paid"]
        money.decide_lost(found, was_paid=was_paid, by=user_of(request))
        sync.let_a_worker_visit(found.study)
        found.refresh_from_db()
        return Response(PaymentSerializer(found).data)
