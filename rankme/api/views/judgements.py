"""Judgements: page by page, or whole as a stream."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.api import judgement_shapes as shapes
from rankme.api.view import View, operation
from rankme.downloads import attachment
from rankme.exporting.check_answers import checks_file
from rankme.exporting.judgements import csv_file, jsonl_file
from rankme.exporting.own_answers import own_answers_file
from rankme.exporting.spans import spans_file
from rankme.exporting.texts import texts_file
from rankme.models import Campaign, Judgement, RaterExclusion, Submission
from rankme.permissions import get_campaign
from rankme.queries.counting import with_counting


class JudgementsView(View):
    @operation(
        "judgements_list",
        "Judgements in the order in which they arrived, page by page",
        lists=shapes.JudgementSerializer,
        query=shapes.JudgementQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        return self.paged(self._chosen(campaign), shapes.JudgementSerializer, newest_first=False)

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


class JudgementsCsvView(View):
    @operation(
        "judgements_csv",
        "The judgement table, ready for `python -m analysis`",
        responses={(200, "text/csv"): OpenApiResponse(OpenApiTypes.STR)},
        query=shapes.CsvQuery,
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        campaign = get_campaign(request, code)
        return attachment(csv_file(campaign, stored=self.query["stored"]))


class JudgementsJsonlView(View):
    @operation(
        "judgements_jsonl",
        "Everything that was submitted, as it was sent, one submission per line",
        responses={(200, "application/jsonl"): OpenApiResponse(OpenApiTypes.STR)},
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        return attachment(jsonl_file(get_campaign(request, code)))


class ChecksCsvView(View):
    @operation(
        "checks_csv",
        "Answers to checks, which are not judgements",
        responses={(200, "text/csv"): OpenApiResponse(OpenApiTypes.STR)},
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        return attachment(checks_file(get_campaign(request, code)))


class OwnAnswersCsvView(View):
    @operation(
        "answers_csv",
        "What raters said about themselves, before the work and at its end",
        responses={(200, "text/csv"): OpenApiResponse(OpenApiTypes.STR)},
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        return attachment(own_answers_file(get_campaign(request, code)))


class TextsCsvView(View):
    @operation(
        "texts_csv",
        "What raters wrote, as a data set",
        responses={(200, "text/csv"): OpenApiResponse(OpenApiTypes.STR)},
        query=shapes.TextsQuery,
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        return attachment(texts_file(get_campaign(request, code), self.query["shape"]))


class SpansView(View):
    @operation(
        "spans",
        "Marked errors with their texts, in the format of another tool",
        responses={(200, "application/octet-stream"): OpenApiResponse(OpenApiTypes.BINARY)},
        query=shapes.SpansQuery,
    )
    def get(self, request: Request, code: str) -> HttpResponseBase:
        campaign = get_campaign(request, code)
        return attachment(spans_file(campaign, self.query["criterion"], self.query["form"]))
