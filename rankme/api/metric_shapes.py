"""The shapes of metrics and of their computation."""

from __future__ import annotations

from rest_framework import serializers

from rankme.models import Metric, MetricComputation

from .shared_shapes import JOB_FIELDS
from .view import Strict


class MetricSerializer(serializers.ModelSerializer[Metric]):
    own_systems = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = Metric
        fields = [
            "id", "name", "kind", "source", "method", "lower_is_better", "is_judge",
            "own_systems", "systems", "outputs", "stored_at",
        ]  # fmt: skip


class NewMetricsSerializer(Strict):
    metrics = serializers.ListField(
        child=serializers.CharField(max_length=40),
        allow_empty=False,
        max_length=50,
        help_text="`bleu`, `chrf`, `chrf++`, `ter`, `nist`, `rouge-l`, `cider`, "
        "`accuracy`, `edit-distance`, `dice`, `masi`, `uniqueness`, `minimality`, "
        "`ser`, `copied`, `lengths`, `distinct`",
    )
    lowercase = serializers.BooleanField(default=False, help_text="BLEU and chrF in lower case.")


class MetricComputationSerializer(serializers.ModelSerializer[MetricComputation]):
    metrics = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = MetricComputation
        fields = ["id", "metrics", "lowercase", *JOB_FIELDS]
