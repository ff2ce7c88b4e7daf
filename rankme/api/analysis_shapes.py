"""The shapes of analysis runs and reports."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from analysis.report.options import BY_CRITERION
from rankme.models import AnalysisRun, Report
from rankme.models.jobs import Job

from .shared_shapes import JOB_FIELDS
from .view import PageQuery, Strict


class RunQuery(PageQuery):
    state = serializers.ChoiceField(Job.State.choices, required=False)


class RunSerializer(serializers.ModelSerializer[AnalysisRun]):
    options = serializers.SerializerMethodField()
    report = serializers.SerializerMethodField(help_text="The code of its published report.")

    class Meta:
        model = AnalysisRun
        fields = [
            "id",
            *JOB_FIELDS,
            "options",
            "seed",
            "data_sha256",
            "judgements",
            "signature",
            "report",
        ]

    @extend_schema_field(serializers.DictField())
    def get_options(self, run: AnalysisRun) -> dict[str, Any]:
        """Show options by criterion as mappings, in the order that the database kept as pairs."""
        by_criterion = {name: dict(run.options.get(name) or {}) for name in BY_CRITERION}
        return {**run.options, **by_criterion}

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_report(self, run: AnalysisRun) -> str | None:
        report = getattr(run, "report", None)
        return report.code if report is not None and report.withdrawn_at is None else None


class RunDetailSerializer(RunSerializer):
    result = serializers.DictField(allow_null=True, help_text="The report, once the run is done.")

    class Meta(RunSerializer.Meta):
        fields = [*RunSerializer.Meta.fields, "result"]


class NewRunSerializer(Strict):
    options = serializers.DictField(
        default=dict,
        help_text="Options that replace the campaign's default options: `criteria`, `method`, "
        "`resample`, `runs`, `alpha`, `factors`, `model`, `outliers`, `exclude_raters` (with an "
        "`exclusion_reason`), `metrics`, `seed`, …",
    )


class ReportSerializer(serializers.ModelSerializer[Report]):
    title = serializers.CharField(source="run.campaign.title")
    signature = serializers.CharField(source="run.signature")
    data_sha256 = serializers.CharField(source="run.data_sha256")
    page = serializers.SerializerMethodField()

    class Meta:
        model = Report
        fields = ["code", "title", "published_at", "signature", "data_sha256", "page"]

    @extend_schema_field(serializers.URLField())
    def get_page(self, report: Report) -> str:
        address = reverse("rankme:report-public", args=[report.code])
        request = self.context.get("request")
        return request.build_absolute_uri(address) if request else address


class ReportDetailSerializer(ReportSerializer):
    result = serializers.DictField(source="run.result")

    class Meta(ReportSerializer.Meta):
        fields = [*ReportSerializer.Meta.fields, "result"]
