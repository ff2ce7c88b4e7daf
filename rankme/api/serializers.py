"""The shapes of the API: what it takes and returns, field by field."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from analysis.report.options import BY_CRITERION
from rankme.actions.extensions import MOST_RATERS
from rankme.actions.versions import LONGEST_REASON
from rankme.exporting.spans import FORMS
from rankme.exporting.texts import SHAPES
from rankme.importing import READERS
from rankme.importing.encodings import ENCODINGS
from rankme.models import (
    AnalysisRun,
    Campaign,
    CampaignVersion,
    MaterialImport,
    Metric,
    MetricComputation,
    PlanExtension,
    Report,
)
from rankme.models.jobs import Job

from .view import PageQuery, Strict

JOB_FIELDS = ["state", "progress", "step", "error", "requested_at", "finished_at"]


class ProblemSerializer(serializers.Serializer[Any]):
    place = serializers.CharField()
    message = serializers.CharField()


class ErrorDetailSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="A code for programs.")
    message = serializers.CharField(help_text="A sentence for people.")
    problems = ProblemSerializer(many=True, help_text="Every problem with its place.")


class ErrorSerializer(serializers.Serializer[Any]):
    """The shape of every error, with any status."""

    error = ErrorDetailSerializer()


# --- Tokens ------------------------------------------------------------------------------------


class CredentialsSerializer(Strict):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=4096, trim_whitespace=False)


class TokenSerializer(serializers.Serializer[Any]):
    token = serializers.CharField(help_text="Shown only once. The previous key no longer works.")


# --- Campaigns ---------------------------------------------------------------------------------


class CampaignQuery(PageQuery):
    state = serializers.ChoiceField(Campaign.State.choices, required=False)
    owned = serializers.BooleanField(
        required=False, allow_null=True, default=None, help_text="Only your own."
    )


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    owner = serializers.CharField(source="owner.get_username")

    class Meta:
        model = Campaign
        fields = [
            "id",
            "code",
            "title",
            "state",
            "is_archive",
            "version",
            "owner",
            "created_at",
            "launched_at",
            "closed_at",
        ]


class CampaignPageSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    results = CampaignSerializer(many=True)


class CampaignDetailSerializer(CampaignSerializer):
    definition = serializers.DictField(help_text="The campaign file as a document.")

    class Meta(CampaignSerializer.Meta):
        fields = [*CampaignSerializer.Meta.fields, "definition"]


class NewCampaignSerializer(Strict):
    """A preset's name, a definition, a campaign to copy, or an archive for judgements."""

    definition = serializers.DictField(required=False)
    preset = serializers.CharField(max_length=60, required=False)
    language = serializers.CharField(
        max_length=10,
        required=False,
        help_text="With `preset`: its texts in this language (de, cs or ar), if it has them.",
    )
    copy_of = serializers.CharField(
        max_length=60, required=False, help_text="The code of a campaign to duplicate."
    )
    material = serializers.BooleanField(
        required=False, help_text="With `copy_of`: copy its items and outputs, too."
    )
    archive = serializers.BooleanField(
        required=False, help_text="An empty campaign for an upload of judgements; needs a title."
    )
    title = serializers.CharField(
        max_length=200,
        required=False,
        help_text="The title of the archive or of the copy, or one that replaces the preset's.",
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        ways = ("definition", "preset", "copy_of", "archive")
        if sum(bool(given.get(way)) for way in ways) != 1:
            raise serializers.ValidationError(
                "Give a definition, a preset's name, copy_of, or archive."
            )
        if given.get("material") and "copy_of" not in given:
            raise serializers.ValidationError({"material": ["Only a copy takes material along."]})
        if "language" in given and "preset" not in given:
            raise serializers.ValidationError({"language": ["Only a preset has other languages."]})
        if "title" in given and "definition" in given:
            raise serializers.ValidationError({"title": ["A definition has its own title."]})
        if "title" not in given and given.get("archive"):
            raise serializers.ValidationError({"title": ["An archive needs a title."]})
        return given


class DefinitionSerializer(Strict):
    definition = serializers.DictField()


class ReasonSerializer(Strict):
    """Why a launched campaign changes, and the version on which that is based."""

    base = serializers.IntegerField(
        min_value=1,
        max_value=32_767,
        help_text="The `version` of the campaign that you read. If there is a newer one, the "
        "answer is 409 `changed_meanwhile`.",
    )
    reason = serializers.CharField(max_length=LONGEST_REASON, help_text="Appears in the report.")


class NewVersionSerializer(ReasonSerializer):
    definition = serializers.DictField(help_text="The whole campaign file as it is to be.")


class ExtensionQuery(serializers.Serializer[Any]):
    raters_per_trial = serializers.IntegerField(
        min_value=1, max_value=MOST_RATERS, required=False, help_text="By default as now."
    )


class NewExtensionSerializer(ReasonSerializer):
    raters_per_trial = serializers.IntegerField(
        min_value=1, max_value=MOST_RATERS, required=False, help_text="By default as now."
    )


class PlanExtensionSerializer(serializers.ModelSerializer[PlanExtension]):
    drawn = serializers.DictField(
        help_text="What it would add, with the balance before and after; empty until it is drawn."
    )

    class Meta:
        model = PlanExtension
        fields = ["id", "phase", "raters_per_trial", "base", "reason", "drawn", *JOB_FIELDS]


class VersionSerializer(serializers.ModelSerializer[CampaignVersion]):
    author = serializers.SerializerMethodField()

    class Meta:
        model = CampaignVersion
        fields = [
            *("number", "change", "reason", "author", "created_at", "definition_sha256"),
            *("items", "systems", "extension"),
        ]

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_author(self, version: CampaignVersion) -> str | None:
        return version.author.get_username() if version.author else None


class VersionLineSerializer(serializers.Serializer[Any]):
    version = VersionSerializer()
    raters = serializers.IntegerField(help_text="Who took a batch under this version.")
    judgements = serializers.IntegerField(help_text="Counted ones.")


class VersionDetailSerializer(VersionSerializer):
    definition = serializers.DictField()

    class Meta(VersionSerializer.Meta):
        fields = [*VersionSerializer.Meta.fields, "definition"]


class PresetSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()


class SystemProgressSerializer(serializers.Serializer[Any]):
    system = serializers.CharField(source="name")
    judged = serializers.IntegerField()
    planned = serializers.IntegerField()


class ProgressSerializer(serializers.Serializer[Any]):
    """The progress of a launched campaign, counted from the record at this moment."""

    batches = serializers.IntegerField(help_text="Each counted once per planned rater.")
    batches_done = serializers.IntegerField()
    batches_held = serializers.IntegerField()
    screens = serializers.IntegerField()
    screens_done = serializers.IntegerField()
    screens_per_hour = serializers.FloatField()
    expected_end = serializers.DateTimeField(allow_null=True)
    systems = SystemProgressSerializer(many=True)


# --- Material ----------------------------------------------------------------------------------


class ImportSerializer(serializers.ModelSerializer[MaterialImport]):
    problems = serializers.ListField(child=serializers.DictField())
    preview = serializers.DictField(help_text="What was found. Look at it before you import it.")
    labels = serializers.DictField(child=serializers.CharField())

    class Meta:
        model = MaterialImport
        fields = ["id", "kind", "phase", "format", "labels", "problems", "preview", *JOB_FIELDS]


class NewImportSerializer(Strict):
    outputs = serializers.ListField(
        child=serializers.FileField(), allow_empty=False, help_text="One or more files, or a zip."
    )
    items = serializers.FileField(
        required=False,
        help_text="Inputs, references, contexts and factors, if they are in a separate file.",
    )
    kind = serializers.ChoiceField(MaterialImport.Kind.choices, required=False)
    format = serializers.ChoiceField(
        sorted(READERS), required=False, help_text="Usually detected from the content."
    )
    columns = serializers.JSONField(
        required=False, help_text="What the columns are, if it is not what would be proposed."
    )
    keep_rater_names = serializers.BooleanField(
        required=False,
        help_text="For judgements: published reports show the raters' names as they are in the "
        "file. Otherwise raters get keyed labels.",
    )
    lower_is_better = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        help_text="For scores: the metrics that are better when lower.",
    )
    is_judge = serializers.BooleanField(
        required=False,
        help_text="For scores: they are a language model's, on the scale of the raters.",
    )
    own_systems = serializers.ListField(
        child=serializers.CharField(max_length=200),
        required=False,
        help_text="For scores and verdicts: the systems that the judge's own model wrote.",
    )


class ColumnsSerializer(Strict):
    tables = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        max_length=20,
        help_text='For each table, as {"layout": "long", "columns": {"system": "model", "item": '
        '"id", "output": "answer"}, "factors": []}; a wide table has "system_columns": '
        '{"column": "system"}.',
    )
    encoding = serializers.ChoiceField(sorted(ENCODINGS), required=False)
    sheet = serializers.CharField(required=False, max_length=200)


class ImportPageSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    results = ImportSerializer(many=True)


# --- Metrics -----------------------------------------------------------------------------------


class MetricSerializer(serializers.ModelSerializer[Metric]):
    own_systems = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Metric
        fields = [
            *("id", "name", "kind", "source", "method", "lower_is_better", "is_judge"),
            *("own_systems", "systems", "outputs", "stored_at"),
        ]


class NewMetricsSerializer(Strict):
    metrics = serializers.ListField(
        child=serializers.CharField(max_length=40),
        allow_empty=False,
        max_length=50,
        help_text="`bleu`, `chrf`, `chrf++`, `ter`, `nist`, `rouge-l`, `cider`, "
        "`accuracy`, `edit-distance`, `dice`, `masi`, `uniqueness`, `minimality`, "
        "`ser`, `copied`, `lengths`, `distinct`",
    )
    lowercase = serializers.BooleanField(
        required=False, default=False, help_text="BLEU and chrF in lower case."
    )


class MetricComputationSerializer(serializers.ModelSerializer[MetricComputation]):
    metrics = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = MetricComputation
        fields = ["id", "metrics", "lowercase", *JOB_FIELDS]


# --- Judgements --------------------------------------------------------------------------------


class JudgementQuery(PageQuery):
    criterion = serializers.CharField(max_length=60, required=False)
    system = serializers.CharField(max_length=200, required=False)
    item = serializers.CharField(max_length=2000, required=False)
    rater = serializers.CharField(max_length=20, required=False)
    counted = serializers.BooleanField(required=False, allow_null=True, default=None)


class JudgementSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    rater = serializers.CharField()
    item = serializers.CharField()
    system = serializers.CharField(allow_null=True)
    criterion = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    text = serializers.CharField()
    cannot_judge = serializers.CharField(
        allow_null=True,
        help_text="Why the rater could not judge: a reason's name or an empty text; else null.",
    )
    screen = serializers.CharField()
    position = serializers.IntegerField(allow_null=True)
    time_ms = serializers.FloatField(allow_null=True)
    excluded = serializers.BooleanField()
    late = serializers.BooleanField()
    counted = serializers.BooleanField()
    version = serializers.IntegerField(help_text="The version of the campaign that was shown.")
    revision = serializers.IntegerField()
    received_at = serializers.DateTimeField()


class JudgementPageSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    results = JudgementSerializer(many=True)


class CsvQuery(serializers.Serializer[Any]):
    stored = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Also include what is not counted, with the columns `counted` and `revision`.",
    )


class TextsQuery(serializers.Serializer[Any]):
    shape = serializers.ChoiceField(
        sorted(SHAPES),
        required=False,
        default="long",
        help_text="`long`: with item, rater and a mark for excluded raters; `e2e`: only `mr` and "
        "`ref`.",
    )


class SpansQuery(serializers.Serializer[Any]):
    criterion = serializers.CharField(
        max_length=60,
        required=False,
        default="",
        help_text="Its answers are marks in texts; without it, the first such criterion.",
    )
    form = serializers.ChoiceField(
        sorted(FORMS), required=False, default="json", help_text="Whose format the file has."
    )


# --- Analyses and reports ----------------------------------------------------------------------


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
        """What goes by criterion as a mapping, in the order that the database kept as pairs."""
        by_criterion = {name: dict(run.options.get(name) or {}) for name in BY_CRITERION}
        return {**run.options, **by_criterion}

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_report(self, run: AnalysisRun) -> str | None:
        report = getattr(run, "report", None)
        return report.code if report is not None and report.withdrawn_at is None else None


class RunPageSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    results = RunSerializer(many=True)


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
