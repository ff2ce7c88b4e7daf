"""The shapes of items, of what raters said about them, and of settled disagreements."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from .view import PageQuery, Strict


class ItemQuery(PageQuery):
    search = serializers.CharField(
        max_length=200, required=False, help_text="Only items whose name or texts contain this."
    )


class ItemLineSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="item.pk")
    number = serializers.IntegerField(
        source="number_in_upload", help_text="Its place in the upload, from 1."
    )
    item = serializers.CharField(source="item.key")
    input = serializers.CharField(source="item.input")
    reference = serializers.CharField(source="item.reference")
    # REST framework takes fields out of the class, so that its own `context` stays what it is.
    context = serializers.CharField(source="item.context")  # type: ignore[assignment]
    factors = serializers.DictField(source="item.factors")
    raters = serializers.IntegerField(help_text="Whose answers count.")
    reports = serializers.IntegerField(help_text="Problems that raters reported.")


class SaidSerializer(serializers.Serializer[Any]):
    words = serializers.CharField()
    number = serializers.FloatField(allow_null=True)


class RaterAnswersSerializer(serializers.Serializer[Any]):
    """What one rater said about one output, or about the item."""

    rater = serializers.CharField()
    counted = serializers.BooleanField(source="is_counted")
    excluded = serializers.BooleanField(source="is_excluded")
    seconds = serializers.FloatField()
    said = serializers.DictField(child=SaidSerializer(), help_text="By criterion.")
    comments = serializers.ListField(child=serializers.CharField())
    marks = serializers.ListField(child=serializers.DictField())


class SettledSerializer(serializers.Serializer[Any]):
    criterion = serializers.CharField(source="criterion.name")
    value = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()
    decided_by = serializers.CharField(source="decided_by.get_username")
    decided_at = serializers.DateTimeField()


class AboutSerializer(serializers.Serializer[Any]):
    """An output with everything that was said about it."""

    system = serializers.CharField(allow_null=True, help_text="Null: the item as a whole.")
    text = serializers.CharField()
    answers = RaterAnswersSerializer(many=True)
    settled = SettledSerializer(many=True)


class ItemDetailSerializer(ItemLineSerializer):
    outputs = AboutSerializer(many=True)
    is_cut = serializers.BooleanField(help_text="There are more answers; the exports have all.")


class NewSettlementSerializer(Strict):
    system = serializers.CharField(
        max_length=200,
        allow_null=True,
        default=None,
        help_text="Without it, the values are of the item as a whole.",
    )
    values = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="By criterion; null leaves it open again.",
    )
    reason = serializers.CharField(max_length=500)


class DisagreementQuery(serializers.Serializer[Any]):
    criterion = serializers.CharField(
        max_length=60, required=False, help_text="Without it, the first whose values compare."
    )
    limit = serializers.IntegerField(min_value=1, max_value=1000, default=100)


class DisagreementSerializer(serializers.Serializer[Any]):
    """An output on which raters differ."""

    number = serializers.IntegerField(source="number_in_upload", help_text="Of its item.")
    item = serializers.CharField(source="item.key")
    system = serializers.CharField(source="name", help_text="Empty: the item as a whole.")
    values = serializers.ListField(source="said", child=serializers.CharField())
    settled = serializers.CharField(help_text="The value that applies, or empty.")


class DamagedTextSerializer(serializers.Serializer[Any]):
    """A damaged copy of an output that a check would show."""

    check = serializers.CharField()
    output = serializers.IntegerField(help_text="Its `id`.")
    original = serializers.CharField()
    text = serializers.CharField()
    damage = serializers.CharField(help_text="Its kind; empty if you wrote the text.")


class NewDamagedTextSerializer(Strict):
    check = serializers.CharField(max_length=60)
    output = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    text = serializers.CharField(
        max_length=100_000, allow_blank=True, help_text="Empty: the damage that the site drew."
    )
