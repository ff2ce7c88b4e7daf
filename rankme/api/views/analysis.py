"""Analysis runs and the reports that they became."""

from __future__ import annotations

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.runs import analysis_runs, publishing
from rankme.actions.runs.report_files import require_files
from rankme.api.analysis_shapes import (
    NewRunSerializer,
    ReportDetailSerializer,
    ReportSerializer,
    RunDetailSerializer,
    RunPageSerializer,
    RunQuery,
    RunSerializer,
)
from rankme.api.view import View
from rankme.downloads import attachment
from rankme.exporting.bundle import report_file
from rankme.models import AnalysisRun, Campaign, Report
from rankme.permissions import get_campaign, user_of


class RunsView(View):
    queries = {"GET": RunQuery}

    @extend_schema(
        operation_id="runs_list",
        summary="The analyses of a campaign, newest first",
        parameters=[RunQuery],
        responses=RunPageSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        runs = get_campaign(request, code).analysis_runs.select_related("report")
        if "state" in self.query:
            runs = runs.filter(state=self.query["state"])
        return self.paged(runs.defer("table_csv_gz", "result"), RunSerializer, newest_first=True)

    @extend_schema(
        operation_id="runs_create",
        summary="Request an analysis; workers compute it",
        request=NewRunSerializer,
        responses={202: RunSerializer},
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        options = self.read(NewRunSerializer)["options"]
        run = analysis_runs.request_run(campaign, options, by=user_of(request))
        run.refresh_from_db()
        return Response(RunSerializer(run).data, status=202)


class RunView(View):
    @extend_schema(
        operation_id="runs_read",
        summary="One analysis: its progress, and its report once it is done",
        responses=RunDetailSerializer,
    )
    def get(self, request: Request, code: str, run: int) -> Response:
        return Response(RunDetailSerializer(get_run(request, code, run)).data)


class RunFileView(View):
    @extend_schema(
        operation_id="runs_file",
        summary="A file of a report: `bundle.zip`, or a file from the bundle by its name",
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, code: str, run: int, name: str) -> HttpResponseBase:
        found = get_run(request, code, run)
        require_files(found)
        return attachment(report_file(found, name))


class CancelRunView(View):
    @extend_schema(
        operation_id="runs_cancel",
        summary="Stop a running analysis",
        request=None,
        responses=RunSerializer,
    )
    def post(self, request: Request, code: str, run: int) -> Response:
        found = get_run(request, code, run)
        self.read_nothing()
        analysis_runs.cancel_run(found, by=user_of(request))
        return Response(RunSerializer(get_run(request, code, run)).data)


class PublishView(View):
    @extend_schema(
        operation_id="runs_publish",
        summary="Publish an analysis on a page that anyone with its address can read",
        request=None,
        responses=ReportSerializer,
    )
    def post(self, request: Request, code: str, run: int) -> Response:
        found = get_run(request, code, run)
        self.read_nothing()
        report = publishing.publish_report(found, by=user_of(request))
        return Response(ReportSerializer(report, context={"request": request}).data)

    @extend_schema(
        operation_id="runs_withdraw",
        summary="Withdraw the public page; the analysis stays",
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request, code: str, run: int) -> Response:
        found = get_run(request, code, run)
        self.read_nothing()
        report = getattr(found, "report", None)
        if report is None:
            raise Http404
        publishing.withdraw_report(report, by=user_of(request))
        return Response(status=204)


class ReportsView(View):
    @extend_schema(
        operation_id="reports_list",
        summary="The published reports of your campaigns",
        responses=ReportSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        mine = Campaign.objects.open_to(request.user).values("pk")
        found = (
            Report.objects.filter(run__campaign__in=mine, withdrawn_at=None)
            .select_related("run__campaign")
            .defer("run__table_csv_gz", "run__result", "run__campaign__definition")
        )
        return Response(ReportSerializer(found, many=True, context={"request": request}).data)


class ReportView(View):
    permission_classes = [AllowAny]

    @extend_schema(
        operation_id="reports_read",
        summary="A published report; anyone may read it",
        responses=ReportDetailSerializer,
        auth=[{}],  # type: ignore[list-item]  # drf-spectacular also takes OpenAPI's own objects
    )
    def get(self, request: Request, report: str) -> Response:
        found = get_object_or_404(
            Report.objects.filter(withdrawn_at=None)
            .select_related("run__campaign")
            .defer("run__table_csv_gz"),
            code=report,
        )
        return Response(ReportDetailSerializer(found, context={"request": request}).data)


def get_run(request: Request, code: str, run: int) -> AnalysisRun:
    """A run of a campaign that is open to this user; 404 for everybody else."""
    campaign = get_campaign(request, code)
    runs = AnalysisRun.objects.select_related("report", "campaign").defer("table_csv_gz")
    return get_object_or_404(runs, campaign=campaign, pk=run)
