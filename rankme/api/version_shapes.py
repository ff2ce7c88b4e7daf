"""The shapes of versions and extensions of a launched campaign."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from rankme.actions.campaign.extensions import MOST_RATERS
from rankme.actions.rows.versions import LONGEST_REASON
from rankme.designs.growth import MIXED_PERCENT, MOST_MIXED
from rankme.models import CampaignVersion, PlanExtension

from .shared_shapes import JOB_FIELDS
from .view import Strict


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
    mixed_percent = serializers.IntegerField(
        min_value=0,
        max_value=MOST_MIXED,
        default=MIXED_PERCENT,
        help_text="Percent of the screens in batches of new systems that show earlier ones, "
        "where a screen shows one output.",
    )


class NewExtensionSerializer(ReasonSerializer, ExtensionQuery):
    pass


class PlanExtensionSerializer(serializers.ModelSerializer[PlanExtension]):
    drawn = serializers.DictField(
        help_text="What it would add, with the balance before and after; empty until it is drawn."
    )

    class Meta:
        model = PlanExtension
        fields = [
            "id", "phase", "raters_per_trial", "mixed_percent", "base", "reason", "drawn",
            *JOB_FIELDS,
        ]  # fmt: skip


class VersionSerializer(serializers.ModelSerializer[CampaignVersion]):
    author = serializers.SerializerMethodField()

    class Meta:
        model = CampaignVersion
        fields = [
            "number", "change", "reason", "author", "created_at", "definition_sha256",
            "items", "systems", "extension",
        ]  # fmt: skip

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_author(self, version: CampaignVersion) -> str | None:
        return version.author.get_username() if version.author else None


class VersionLineSerializer(serializers.Serializer[Any]):
    version = VersionSerializer()
    raters = serializers.IntegerField(help_text="Who took a batch under this version.")
    judgements = serializers.IntegerField(help_text="Those that analyses use.")


class VersionDetailSerializer(VersionSerializer):
    definition = serializers.DictField()

    class Meta(VersionSerializer.Meta):
        fields = [*VersionSerializer.Meta.fields, "definition"]
