"""Raters, their batches and their quality: read, exclude, readmit, release."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.sitting import assignments, exclusions, participation
from rankme.api.rater_shapes import (
    HeldBatchSerializer,
    NewExclusionSerializer,
    QualityLineSerializer,
    QualityPageSerializer,
    RaterDetailSerializer,
    RaterPageSerializer,
    RaterSerializer,
)
from rankme.api.view import PageQuery, View
from rankme.models import Participant
from rankme.permissions import get_campaign, user_of
from rankme.queries.quality import quality_of
from rankme.queries.raters import comments_of, open_leases, rater_lines, sittings_of
from rankme.untrusted.clean_text import storable


class RatersView(View):
    queries = {"GET": PageQuery}

    @extend_schema(
        operation_id="raters_list",
        summary="The raters of a campaign, the latest first",
        parameters=[PageQuery],
        responses=RaterPageSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        lines = partial(rater_lines, campaign)
        raters = campaign.participants.all()
        return self.paged(raters, RaterSerializer, newest_first=True, shown=lines)


class RaterView(View):
    @extend_schema(
        operation_id="raters_read",
        summary="One rater with batches, comments and earlier exclusions",
        responses=RaterDetailSerializer,
    )
    def get(self, request: Request, code: str, label: str) -> Response:
        return _detail(get_rater(request, code, label))


class RaterExclusionView(View):
    @extend_schema(
        operation_id="raters_exclude",
        summary="Leave a rater out of future analyses; others can judge in their place",
        request=NewExclusionSerializer,
        responses=RaterDetailSerializer,
    )
    def post(self, request: Request, code: str, label: str) -> Response:
        rater = get_rater(request, code, label)
        given = self.read(NewExclusionSerializer)
        exclusions.exclude_rater(rater, reason=given["reason"], by=user_of(request))
        return _detail(rater)

    @extend_schema(
        operation_id="raters_readmit",
        summary="Include an excluded rater in future analyses again",
        request=None,
        responses=RaterDetailSerializer,
    )
    def delete(self, request: Request, code: str, label: str) -> Response:
        rater = get_rater(request, code, label)
        self.read_nothing()
        exclusions.readmit_rater(rater, by=user_of(request))
        return _detail(rater)


def decision(name: str, action: Callable[..., Any], summary: str) -> type[View]:
    """A view that does one thing to a rater."""

    class Decision(View):
        @extend_schema(
            operation_id=f"raters_{name}",
            summary=summary,
            request=None,
            responses=RaterDetailSerializer,
        )
        def post(self, request: Request, code: str, label: str) -> Response:
            rater = get_rater(request, code, label)
            self.read_nothing()
            action(rater, by=user_of(request))
            return _detail(rater)

    return Decision


EndAccessView = decision(
    "end_access", participation.end_access, "Sign a rater out of every browser"
)
EraseAnswersView = decision(
    "erase_answers", participation.erase_answers, "Erase a rater's answers to your questions"
)


class BatchesAtWorkView(View):
    @extend_schema(
        operation_id="leases_list",
        summary="The batches that raters hold now; the one whose time ends first is first",
        responses=HeldBatchSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> Response:
        leases = open_leases(get_campaign(request, code))
        return Response(HeldBatchSerializer(leases, many=True).data)


class ReleaseView(View):
    @extend_schema(
        operation_id="leases_release",
        summary="Take a batch back from a rater who will not finish it",
        request=None,
        responses={204: None},
    )
    def post(self, request: Request, code: str, assignment: int) -> Response:
        found = get_campaign(request, code).assignments.select_related("participant")
        held = get_object_or_404(found, pk=assignment)
        self.read_nothing()
        assignments.free_lease(held, by=user_of(request))
        return Response(status=204)


class QualityView(View):
    queries = {"GET": PageQuery}

    @extend_schema(
        operation_id="quality_list",
        summary="What speaks for and against each rater who took a batch, the latest first",
        parameters=[PageQuery],
        responses=QualityPageSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        raters = campaign.participants.filter(assignments__isnull=False).distinct()
        lines = partial(quality_of, campaign)
        return self.paged(raters, QualityLineSerializer, newest_first=True, shown=lines)


def get_rater(request: Request, code: str, label: str) -> Participant:
    campaign = get_campaign(request, code)
    if not storable(label):
        raise Http404
    return get_object_or_404(campaign.participants.select_related("campaign"), label=label)


def _detail(rater: Participant) -> Response:
    (line,) = rater_lines(rater.campaign, [rater])
    found: dict[str, Any] = {each: getattr(line, each) for each in line.__dataclass_fields__}
    found |= {
        "batches": sittings_of(rater),
        "comments": [
            {"item": written.trial.item.key, "text": text} for written, text in comments_of(rater)
        ],
        "past_exclusions": rater.exclusions.exclude(withdrawn_at=None),
    }
    return Response(RaterDetailSerializer(SimpleNamespace(**found)).data)
