"""The shapes of campaigns, presets and progress."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from rankme.models import (
    Campaign,
)

from .view import PageQuery, Strict


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
