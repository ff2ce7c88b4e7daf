"""The shapes of uploads."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field, extend_schema_serializer
from rest_framework import serializers

from rankme.importing import READERS
from rankme.importing.encodings import ENCODINGS
from rankme.importing.tabular.reading import LAST_HEADER
from rankme.models import MaterialImport

from .shared_shapes import JOB_FIELDS
from .view import Strict


class ImportSerializer(serializers.ModelSerializer[MaterialImport]):
    problems = serializers.ListField(child=serializers.DictField())
    preview = serializers.DictField(help_text="What was found. Look at it before you import it.")
    labels = serializers.DictField(child=serializers.CharField())

    class Meta:
        model = MaterialImport
        fields = ["id", "kind", "phase", "format", "labels", "problems", "preview", *JOB_FIELDS]


@extend_schema_field(OpenApiTypes.BINARY)
class UploadField(serializers.FileField):
    """A file in a request; the document would otherwise say that it is an address."""


@extend_schema_serializer(deprecate_fields=["outputs"])
class NewImportSerializer(Strict):
    files = serializers.ListField(
        child=UploadField(),
        required=False,
        allow_empty=False,
        help_text="One or more files, or a zip, of the `kind`: outputs, judgements or scores.",
    )
    outputs = serializers.ListField(
        child=UploadField(),
        required=False,
        allow_empty=False,
        help_text="The earlier name of `files`; give one of them.",
    )
    items = UploadField(
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

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if ("files" in given) == ("outputs" in given):
            raise serializers.ValidationError({"files": ["Give one or more files."]})
        return given


class ColumnsSerializer(Strict):
    tables = serializers.ListField(
        child=serializers.DictField(),
        required=False,
        max_length=20,
        help_text='For each table, as {"layout": "long", "columns": {"system": "model", "item": '
        '"id", "output": "answer"}, "factors": []}; a wide table has "system_columns": '
        '{"column": "system"}, one of judgements "value_columns" or a "pattern".',
    )
    encoding = serializers.ChoiceField(sorted(ENCODINGS), required=False)
    sheet = serializers.CharField(
        required=False, max_length=200, help_text='The name of a sheet; "*": all sheets.'
    )
    header = serializers.IntegerField(
        required=False, min_value=1, max_value=LAST_HEADER, help_text="The row of the headings."
    )
