"""Metrics of a campaign's outputs: listed, computed, deleted."""

from __future__ import annotations

import io

from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from analysis.text_metrics.score_files import write_scores
from rankme.actions.material import metric_jobs
from rankme.api import metric_shapes as shapes
from rankme.api.view import View, action, operation
from rankme.exporting.files import CSV, ExportedFile
from rankme.models import Campaign, MetricComputation
from rankme.permissions import Permission, get_campaign, user_of
from rankme.queries.metric_scores import scores_of

from .judgements import download


class MetricsView(View):
    @operation(
        "metrics_list",
        "The metrics of a campaign; upload scores as an import of the kind `scores`",
        needs=Permission.FILES,
        gives=shapes.MetricSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> object:
        return get_campaign(request, code).metrics.defer("content_csv_gz")

    @operation(
        "metrics_compute",
        "Compute metrics of all outputs; a worker does it",
        needs=Permission.ANALYSE,
        takes=shapes.NewMetricsSerializer,
        gives=shapes.MetricComputationSerializer,
        status=202,
    )
    def post(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        given = self.given
        row = metric_jobs.request_metrics(
            campaign, given["metrics"], lowercase=given["lowercase"], by=user_of(request)
        )
        row.refresh_from_db()
        return row


class MetricView(View):
    @operation("metrics_read", "One metric", needs=Permission.FILES, gives=shapes.MetricSerializer)
    def get(self, request: Request, code: str, metric: int) -> object:
        return get_object_or_404(get_campaign(request, code).metrics, pk=metric)

    @operation(
        "metrics_delete",
        "Delete a metric's scores; analyses that used them keep their copy",
        needs=Permission.ANALYSE,
    )
    def delete(self, request: Request, code: str, metric: int) -> None:
        found = get_object_or_404(get_campaign(request, code).metrics, pk=metric)
        metric_jobs.delete_metric(found, by=user_of(request))


class MetricComputationView(View):
    @operation(
        "metrics_computation",
        "One computation of metrics: its progress, or why it failed",
        needs=Permission.FILES,
        gives=shapes.MetricComputationSerializer,
    )
    def get(self, request: Request, code: str, computation: int) -> object:
        return get_computation(request, code, computation)


def get_computation(request: Request, code: str, computation: int) -> MetricComputation:
    return get_object_or_404(get_campaign(request, code).metric_computations, pk=computation)


def scores_file(campaign: Campaign) -> ExportedFile | None:
    """All scores as the CSV that an upload takes; None where there are none."""
    scores = scores_of(campaign)
    if scores is None:
        return None
    content = io.BytesIO()
    write_scores(scores, content)
    return ExportedFile(f"scores-{campaign.code}.csv", CSV, content.getvalue())


CancelMetricsView = action(
    "metrics_cancel",
    "Stop a computation of metrics",
    needs=Permission.ANALYSE,
    find=get_computation,
    do=metric_jobs.cancel_metrics,
    gives=shapes.MetricComputationSerializer,
)
ScoresCsvView = download(
    "metrics_scores",
    "All scores, as an upload takes them",
    scores_file,
    needs=Permission.FILES,
    has_systems=False,
)
