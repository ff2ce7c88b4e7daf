"""The shapes of judgements, and of what their files can be asked for."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from rankme.exporting.spans import FORMS
from rankme.exporting.texts import SHAPES

from .view import PageQuery


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
