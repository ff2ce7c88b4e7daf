"""The shapes of judgements, and of what their files can be asked for."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from rankme.exporting.spans import FORMS
from rankme.exporting.texts import SHAPES
from rankme.queries.judgement_table import screen_name
from rankme.queries.watching.own_words import text_with_words, words_of

from .view import PageQuery


class JudgementQuery(PageQuery):
    criterion = serializers.CharField(max_length=60, required=False)
    system = serializers.CharField(max_length=200, required=False)
    item = serializers.CharField(max_length=2000, required=False)
    rater = serializers.CharField(max_length=20, required=False)
    counted = serializers.BooleanField(allow_null=True, default=None)


class ScreenField(serializers.CharField):
    def to_representation(self, value: Any) -> str:
        return screen_name(value.assignment_id, value.trial_id, value.screen, value.revision)


class JudgementSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    rater = serializers.CharField(source="submission.assignment.participant.label")
    item = serializers.CharField(source="submission.trial.item.key")
    system = serializers.SerializerMethodField(help_text="Its name; a code for some roles.")
    criterion = serializers.CharField(source="criterion.name")
    value = serializers.FloatField(allow_null=True)
    text = serializers.SerializerMethodField()
    cannot_judge = serializers.CharField(
        allow_null=True,
        help_text="Why the rater could not judge: a reason's name or an empty text; else null.",
    )
    screen = ScreenField(source="submission")
    position = serializers.IntegerField(allow_null=True)
    time_ms = serializers.FloatField(allow_null=True)
    excluded = serializers.BooleanField(source="submission.is_excluded")
    late = serializers.BooleanField(source="submission.late")
    counted = serializers.BooleanField(source="submission.is_counted")
    version = serializers.IntegerField(
        source="submission.version", help_text="The version of the campaign that was shown."
    )
    revision = serializers.IntegerField(source="submission.revision")
    received_at = serializers.DateTimeField(source="submission.received_at")

    def get_text(self, judgement: Any) -> str:
        words, name = words_of(judgement.submission), judgement.criterion.name
        return text_with_words(judgement.text, words, name, judgement.position)

    def get_system(self, judgement: Any) -> str | None:
        output = judgement.output
        return self.context["names"][output.system_id] if output else None


class CsvQuery(serializers.Serializer[Any]):
    stored = serializers.BooleanField(
        default=False,
        help_text="Also include what is not counted, with the columns `counted` and `revision`.",
    )


class TextsQuery(serializers.Serializer[Any]):
    shape = serializers.ChoiceField(
        sorted(SHAPES),
        default="long",
        help_text="`long`: with item, rater and a mark for excluded raters; `e2e`: only `mr` and "
        "`ref`.",
    )


class SpansQuery(serializers.Serializer[Any]):
    criterion = serializers.CharField(
        max_length=60,
        allow_blank=True,
        default="",
        help_text="Its answers are marks in texts; without it, the first such criterion.",
    )
    form = serializers.ChoiceField(
        sorted(FORMS), default="json", help_text="Whose format the file has."
    )
