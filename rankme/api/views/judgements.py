"""Judgements: page by page, or whole as a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.api.judgement_shapes import (
    CsvQuery,
    JudgementPageSerializer,
    JudgementQuery,
    JudgementSerializer,
    SpansQuery,
    TextsQuery,
)
from rankme.api.view import View
from rankme.downloads import attachment
from rankme.exporting.check_answers import checks_file
from rankme.exporting.judgements import csv_file, jsonl_file
from rankme.exporting.own_answers import own_answers_file
from rankme.exporting.spans import spans_file
from rankme.exporting.texts import texts_file
from rankme.models import Campaign, Judgement, RaterExclusion, Submission
from rankme.permissions import get_campaign
from rankme.queries.counting import Counting, with_counting
from rankme.queries.judgement_table import screen_name

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class JudgementsView(View):
    queries = {"GET": JudgementQuery}

    @extend_schema(
        operation_id="judgements_list",
        summary="Judgements in the order in which they arrived, page by page",
        parameters=[JudgementQuery],
        responses=JudgementPageSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        return self.paged(self._chosen(campaign), JudgementRow, newest_first=False)

    def _chosen(self, campaign: Campaign) -> QuerySet[Judgement]:
        query = self.query
        rows = judgements_of(campaign)
        if "criterion" in query:
            rows = rows.filter(criterion__name=query["criterion"])
        if "system" in query:
            rows = rows.filter(output__system__name=query["system"])
        if "item" in query:
            rows = rows.filter(submission__trial__item__key=query["item"])
        if "rater" in query:
            rows = rows.filter(submission__assignment__participant__label=query["rater"])
        if query["counted"] is not None:
            counted = with_counting(Submission.objects.filter(pk=OuterRef("submission_id")))
            rows = rows.filter(Exists(counted.filter(is_counted=query["counted"])))
        return rows


class Fate(Counting):
    """What `judgements_of` adds to the submission of each judgement."""

    is_excluded: bool


def judgements_of(campaign: Campaign) -> QuerySet[Judgement]:
    excluded = RaterExclusion.objects.filter(
        participant=OuterRef("assignment__participant"), withdrawn_at=None
    )
    submissions = (
        with_counting(Submission.objects.defer("payload"))
        .annotate(is_excluded=Exists(excluded))
        .select_related("assignment__participant", "trial__item")
    )
    return (
        Judgement.objects.filter(submission__assignment__campaign=campaign)
        .select_related("criterion", "output__system")
        .prefetch_related(Prefetch("submission", submissions))
    )


class JudgementRow(JudgementSerializer):
    """A judgement with what its submission says about it."""

    def to_representation(self, judgement: Judgement) -> dict[str, Any]:
        sent = cast("WithAnnotations[Submission, Fate]", judgement.submission)
        return super().to_representation(
            {
                "id": judgement.pk,
                "rater": sent.assignment.participant.label,
                "item": sent.trial.item.key,
                "system": judgement.output.system.name if judgement.output else None,
                "criterion": judgement.criterion.name,
                "value": judgement.value,
                "text": judgement.text,
                "cannot_judge": judgement.cannot_judge,
                "screen": screen_name(
                    sent.assignment_id, sent.trial_id, sent.screen, sent.revision
                ),
                "position": judgement.position,
                "time_ms": judgement.time_ms,
                "excluded": sent.is_excluded,
                "late": sent.late,
                "counted": sent.is_counted,
                "version": sent.version,
                "revision": sent.revision,
                "received_at": sent.received_at,
            }
        )


class JudgementsCsvView(View):
    queries = {"GET": CsvQuery}

    @extend_schema(
        operation_id="judgements_csv",
        summary="The judgement table, ready for `python -m analysis`",
        parameters=[CsvQuery],
        responses={(200, "text/csv"): OpenApiResponse(OpenApiTypes.STR)},
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        campaign = get_campaign(request, code)
        return attachment(csv_file(campaign, stored=self.query["stored"]))


class JudgementsJsonlView(View):
    @extend_schema(
        operation_id="judgements_jsonl",
        summary="Everything that was submitted, as it was sent, one submission per line",
        responses={(200, "application/jsonl"): OpenApiResponse(OpenApiTypes.STR)},
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        return attachment(jsonl_file(get_campaign(request, code)))


class ChecksCsvView(View):
    @extend_schema(
        operation_id="checks_csv",
        summary="Answers to checks, which are not judgements",
        responses={(200, "text/csv"): OpenApiResponse(OpenApiTypes.STR)},
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        return attachment(checks_file(get_campaign(request, code)))


class OwnAnswersCsvView(View):
    @extend_schema(
        operation_id="answers_csv",
        summary="What raters said about themselves, before the work and at its end",
        responses={(200, "text/csv"): OpenApiResponse(OpenApiTypes.STR)},
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        return attachment(own_answers_file(get_campaign(request, code)))


class TextsCsvView(View):
    queries = {"GET": TextsQuery}

    @extend_schema(
        operation_id="texts_csv",
        summary="What raters wrote, as a data set",
        parameters=[TextsQuery],
        responses={(200, "text/csv"): OpenApiResponse(OpenApiTypes.STR)},
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        return attachment(texts_file(get_campaign(request, code), self.query["shape"]))


class SpansView(View):
    queries = {"GET": SpansQuery}

    @extend_schema(
        operation_id="spans",
        summary="Marked errors with their texts, in the format of another tool",
        parameters=[SpansQuery],
        responses={(200, "application/octet-stream"): OpenApiResponse(OpenApiTypes.BINARY)},
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        campaign = get_campaign(request, code)
        return attachment(spans_file(campaign, self.query["criterion"], self.query["form"]))
