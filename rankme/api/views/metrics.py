"""Metrics of a campaign's outputs: listed, computed, deleted."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.material import metric_jobs
from rankme.api.metric_shapes import (
    MetricComputationSerializer,
    MetricSerializer,
    NewMetricsSerializer,
)
from rankme.api.view import View
from rankme.permissions import get_campaign, user_of


class MetricsView(View):
    @extend_schema(
        operation_id="metrics_list",
        summary="The metrics of a campaign; upload scores as an import of the kind `scores`",
        responses=MetricSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> Response:
        found = get_campaign(request, code).metrics.defer("content_csv_gz")
        return Response(MetricSerializer(found, many=True).data)

    @extend_schema(
        operation_id="metrics_compute",
        summary="Compute metrics of all outputs; a worker does it",
        request=NewMetricsSerializer,
        responses={202: MetricComputationSerializer},
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        given = self.read(NewMetricsSerializer)
        row = metric_jobs.request_metrics(
            campaign, given["metrics"], lowercase=given["lowercase"], by=user_of(request)
        )
        row.refresh_from_db()
        return Response(MetricComputationSerializer(row).data, status=202)


class MetricView(View):
    @extend_schema(
        operation_id="metrics_read",
        summary="One metric",
        responses=MetricSerializer,
    )
    def get(self, request: Request, code: str, metric: int) -> Response:
        found = get_object_or_404(get_campaign(request, code).metrics, pk=metric)
        return Response(MetricSerializer(found).data)

    @extend_schema(
        operation_id="metrics_delete",
        summary="Delete a metric's scores; analyses that used them keep their copy",
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request, code: str, metric: int) -> Response:
        found = get_object_or_404(get_campaign(request, code).metrics, pk=metric)
        self.read_nothing()
        metric_jobs.delete_metric(found, by=user_of(request))
        return Response(status=204)


class MetricComputationView(View):
    @extend_schema(
        operation_id="metrics_computation",
        summary="One computation of metrics: its progress, or why it failed",
        responses=MetricComputationSerializer,
    )
    def get(self, request: Request, code: str, computation: int) -> Response:
        found = get_object_or_404(get_campaign(request, code).metric_computations, pk=computation)
        return Response(MetricComputationSerializer(found).data)
