"""The shapes of looks at a campaign while it runs."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from analysis.report.stored import read_look
from analysis.sequential.sentences import proposal
from rankme.models import Look, LookRequest
from rankme.protocols.looking import MODES

from .shared_shapes import JOB_FIELDS


class LookRequestSerializer(serializers.ModelSerializer[LookRequest]):
    class Meta:
        model = LookRequest
        fields = ["id", *JOB_FIELDS]


class LookSerializer(serializers.ModelSerializer[Look]):
    sentences = serializers.SerializerMethodField(help_text="What the look saw, by criterion.")

    class Meta:
        model = Look
        fields = [
            "number",
            "taken_at",
            "raters",
            "proposes_to_stop",
            "sentences",
            "result",
            "data_sha256",
            "sha256",
        ]
        extra_kwargs = {"result": {"help_text": "The numbers behind the sentences, by criterion."}}

    @extend_schema_field(serializers.DictField(child=serializers.CharField()))
    def get_sentences(self, look: Look) -> dict[str, str]:
        return {name: proposal(read_look(found)) for name, found in look.result.items()}


class LooksSerializer(serializers.Serializer[Any]):
    mode = serializers.ChoiceField(tuple(MODES))
    raters = serializers.IntegerField(
        help_text="Raters with judgements up to the first whose sitting has not ended."
    )
    needed = serializers.IntegerField(help_text="Raters that the next look needs.")
    planned = serializers.IntegerField(help_text="Raters that the plan of the launch needs.")
    why_not_now = serializers.CharField(help_text="Empty where a look can be asked for.")
    request = LookRequestSerializer(
        allow_null=True, help_text="The newest request, unless it became a look."
    )
    looks = LookSerializer(many=True, help_text="The newest first.")
