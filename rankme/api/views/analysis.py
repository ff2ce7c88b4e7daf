"""Analysis runs and the reports that they became."""

from __future__ import annotations

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.audit import note_seen
from rankme.actions.campaign.paper_files import paper_file
from rankme.actions.runs import analysis_runs, publishing
from rankme.actions.runs.report_files import require_files
from rankme.api import analysis_shapes as shapes
from rankme.api.view import View, operation
from rankme.downloads import attachment, tagged
from rankme.exporting.bundle import report_file
from rankme.models import AnalysisRun, Report
from rankme.permissions import Permission, get_campaign, open_campaigns, user_of


class RunsView(View):
    @operation(
        "runs_list",
        "The analyses of a campaign, newest first",
        needs=Permission.REPORTS,
        lists=shapes.RunSerializer,
        query=shapes.RunQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        runs = get_campaign(request, code).analysis_runs.select_related("report")
        if "state" in self.query:
            runs = runs.filter(state=self.query["state"])
        return self.paged(
            runs.defer("table_csv_gz", "result"), shapes.RunSerializer, newest_first=True
        )

    @operation(
        "runs_create",
        "Request an analysis; workers compute it",
        needs=Permission.ANALYSE,
        takes=shapes.NewRunSerializer,
        gives=shapes.RunSerializer,
        status=202,
    )
    def post(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        options = self.given["options"]
        run = analysis_runs.request_run(campaign, options, by=user_of(request))
        run.refresh_from_db()
        return run


class RunView(View):
    @operation(
        "runs_read",
        "One analysis: its progress, and its report once it is done",
        needs=Permission.REPORTS,
        gives=shapes.RunDetailSerializer,
    )
    def get(self, request: Request, code: str, run: int) -> object:
        return _seen_run(request, code, run)


class RunFileView(View):
    @operation(
        "runs_file",
        "A file of a report: `bundle.zip`, or a file from the bundle by its name",
        needs=Permission.REPORTS,
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, code: str, run: int, name: str) -> HttpResponseBase:
        found = _seen_run(request, code, run)
        require_files(found)
        return tagged(request._request, report_file(found, name))


class PaperFileView(View):
    @operation(
        "paper_file",
        "A file for a paper: `heds.json`, `heds.tex`, `methods.md`, `methods.tex`, `data.zip`, "
        "`earlier.csv`, `earlier.tex`, or the `preregistration` as `.json`, `.md` or `.tex`",
        needs=Permission.FILES,
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, code: str, name: str) -> HttpResponseBase:
        campaign = get_campaign(request, code)
        return attachment(paper_file(campaign, name, by=user_of(request)))


class CancelRunView(View):
    @operation(
        "runs_cancel",
        "Stop a running analysis",
        needs=Permission.ANALYSE,
        gives=shapes.RunSerializer,
    )
    def post(self, request: Request, code: str, run: int) -> object:
        found = get_run(request, code, run)
        analysis_runs.cancel_run(found, by=user_of(request))
        return get_run(request, code, run)


class PublishView(View):
    @operation(
        "runs_publish",
        "Publish an analysis on a page that anyone with its address can read",
        needs=Permission.EDIT,
        gives=shapes.ReportSerializer,
    )
    def post(self, request: Request, code: str, run: int) -> object:
        found = get_run(request, code, run)
        return publishing.publish_report(found, by=user_of(request))

    @operation(
        "runs_withdraw", "Withdraw the public page; the analysis stays", needs=Permission.EDIT
    )
    def delete(self, request: Request, code: str, run: int) -> None:
        found = get_run(request, code, run)
        report = getattr(found, "report", None)
        if report is None:
            raise Http404
        publishing.withdraw_report(report, by=user_of(request))


class ReportsView(View):
    @operation(
        "reports_list",
        "The published reports of your campaigns",
        needs=Permission.SEE,
        gives=shapes.ReportSerializer(many=True),
    )
    def get(self, request: Request) -> object:
        mine = open_campaigns(request).values("pk")
        return (
            Report.objects.filter(run__campaign__in=mine, withdrawn_at=None)
            .select_related("run__campaign")
            .defer("run__table_csv_gz", "run__result", "run__campaign__definition")
        )


class ReportView(View):
    permission_classes = [AllowAny]

    @operation(
        "reports_read",
        "A published report; anyone may read it",
        needs=None,
        gives=shapes.ReportDetailSerializer,
        auth=[{}],
    )
    def get(self, request: Request, report: str) -> object:
        return get_object_or_404(
            Report.objects.filter(withdrawn_at=None)
            .select_related("run__campaign")
            .defer("run__table_csv_gz"),
            code=report,
        )


def get_run(request: Request, code: str, run: int) -> AnalysisRun:
    """A run of a campaign that is open to this user; 404 for everybody else."""
    campaign = get_campaign(request, code)
    runs = AnalysisRun.objects.select_related("report", "campaign").defer("table_csv_gz")
    return get_object_or_404(runs, campaign=campaign, pk=run)


def _seen_run(request: Request, code: str, run: int) -> AnalysisRun:
    """A run, with a note that somebody reads its report."""
    found = get_run(request, code, run)
    if found.state == AnalysisRun.State.DONE:
        note_seen(found.campaign, "API: a report", by=user_of(request))
    return found
