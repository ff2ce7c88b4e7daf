"""Judgements: page by page, or whole as a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from rankme.actions.audit import note_identities, note_seen
from rankme.api import judgement_shapes as shapes
from rankme.api.view import View, operation
from rankme.downloads import attachment
from rankme.exporting.declined import declined_file
from rankme.exporting.files import ExportedFile
from rankme.exporting.judgements import csv_file, jsonl_file
from rankme.exporting.rater_files import checks_file, own_answers_file
from rankme.exporting.settled import settled_file
from rankme.exporting.spans import spans_file
from rankme.exporting.texts import texts_file
from rankme.models import Campaign, Judgement, RaterExclusion, Submission
from rankme.permissions import Permission, get_campaign, user_of
from rankme.queries.counting import with_counting

from .items import names_of


class JudgementsView(View):
    @operation(
        "judgements_list",
        "Judgements in the order in which they arrived, page by page",
        needs=Permission.READ,
        lists=shapes.JudgementSerializer,
        query=shapes.JudgementQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        note_seen(campaign, "API: judgements", by=user_of(request))
        names = names_of(request, campaign)
        rows = self._chosen(campaign, names)
        return self.paged(rows, shapes.JudgementSerializer, newest_first=False, names=names)

    def _chosen(self, campaign: Campaign, names: dict[int, str]) -> QuerySet[Judgement]:
        query = self.query
        rows = judgements_of(campaign)
        if "criterion" in query:
            rows = rows.filter(criterion__name=query["criterion"])
        if "system" in query:
            named = [pk for pk, name in names.items() if name == query["system"]]
            rows = rows.filter(output__system__in=named)
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
        .select_related("assignment__participant", "trial__item", "own_words")
    )
    return (
        Judgement.objects.filter(submission__assignment__campaign=campaign)
        .select_related("criterion", "output__system")
        .prefetch_related(Prefetch("submission", submissions))
    )


def download(
    name: str,
    summary: str,
    file: Callable[..., ExportedFile | None],
    kind: str = "text/csv",
    query: type[Serializer[Any]] | None = None,
    *,
    needs: Permission,
    has_systems: bool = True,
) -> type[View]:
    """A view of a file; its parameters are keyword arguments of the function that makes it.

    `has_systems` files contain judgements with their systems: the history notes who read them.
    """
    content = OpenApiTypes.STR if kind != "application/octet-stream" else OpenApiTypes.BINARY

    class Download(View):
        @operation(
            name,
            summary,
            needs=needs,
            responses={(200, kind): OpenApiResponse(content)},
            query=query,
        )
        def get(self, request: Request, code: str) -> HttpResponseBase:
            campaign = get_campaign(request, code)
            if needs is Permission.IDENTITIES:
                note_identities(campaign, f"API: {name}", by=user_of(request))
            if has_systems:
                note_seen(campaign, f"API: {name.replace('_', '.')}", by=user_of(request))
            return attachment(file(campaign, **self.query))

    return Download


JudgementsCsvView = download(
    "judgements_csv",
    "The judgement table, ready for `python -m analysis`",
    csv_file,
    needs=Permission.FILES,
    query=shapes.CsvQuery,
)
JudgementsJsonlView = download(
    "judgements_jsonl",
    "Everything that was submitted, as it was sent, one submission per line",
    jsonl_file,
    needs=Permission.FILES,
    kind="application/jsonl",
)
ChecksCsvView = download(
    "checks_csv",
    "Answers to checks, which are not judgements",
    checks_file,
    needs=Permission.READ,
    has_systems=False,
)
OwnAnswersCsvView = download(
    "answers_csv",
    "What raters said about themselves, before the work and at its end",
    own_answers_file,
    needs=Permission.IDENTITIES,
    has_systems=False,
)
SettledCsvView = download(
    "settled_csv",
    "The values with which curators settled disagreements",
    settled_file,
    needs=Permission.FILES,
)
DeclinedCsvView = download(
    "cannot_judge_csv", "Who could not judge what, and why", declined_file, needs=Permission.FILES
)
TextsCsvView = download(
    "texts_csv",
    "What raters wrote, as a data set",
    texts_file,
    needs=Permission.FILES,
    query=shapes.TextsQuery,
)
SpansView = download(
    "spans",
    "Marked errors with their texts, in the format of another tool",
    spans_file,
    needs=Permission.FILES,
    kind="application/octet-stream",
    query=shapes.SpansQuery,
)
