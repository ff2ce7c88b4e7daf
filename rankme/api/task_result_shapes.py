"""The shapes of a shared task's results, disputes and history."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from rankme.models import Dispute, TaskEvent

from .view import LARGEST_ID, Strict

ENDS = "null: the report gives none."


class RankedSystemSerializer(serializers.Serializer[Any]):
    """A row of `results.csv`; systems without a rank, and those without a score, come last."""

    cluster = serializers.IntegerField(allow_null=True)
    rank_low = serializers.IntegerField(allow_null=True)
    rank_high = serializers.IntegerField(allow_null=True)
    system = serializers.CharField(help_text="The published name, or the code.")
    team = serializers.CharField(allow_null=True)
    constrained = serializers.CharField(allow_null=True)
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    letters = serializers.CharField(allow_null=True)
    judgements = serializers.IntegerField(allow_null=True)
    chrf = serializers.FloatField(allow_null=True)
    metrics = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="Scores of the metrics that the report compared with people, by name.",
    )
    remarks = serializers.CharField(allow_null=True)


class ResultTableSerializer(serializers.Serializer[Any]):
    track = serializers.CharField()
    criterion = serializers.CharField()
    unit = serializers.CharField()
    notes = serializers.ListField(child=serializers.CharField())
    systems = RankedSystemSerializer(many=True)


class TaskResultsSerializer(serializers.Serializer[Any]):
    """The results as the task publishes them; every number is that of the frozen report."""

    is_named = serializers.BooleanField(help_text="false: codes are in place of names.")
    teams_first_until = serializers.DateTimeField(
        allow_null=True, help_text="Until then, teams may object, and readers learn no names."
    )
    without_report = serializers.ListField(
        child=serializers.CharField(), help_text="Tracks without a finished report."
    )
    tables = ResultTableSerializer(many=True)
    files = serializers.ListField(
        child=serializers.CharField(), help_text="Names of the files below this address."
    )


class OwnPlaceSerializer(serializers.Serializer[Any]):
    """A system of the team on one criterion."""

    track = serializers.CharField(source="track.name")
    system = serializers.CharField()
    criterion = serializers.CharField()
    unit = serializers.CharField()
    is_withdrawn = serializers.BooleanField(help_text="true: judged, and not ranked.")
    rank_low = serializers.IntegerField(allow_null=True, help_text=ENDS)
    rank_high = serializers.IntegerField(allow_null=True, help_text=ENDS)
    systems = serializers.IntegerField(help_text="How many were ranked together.")
    value = serializers.FloatField(source="standing.value")
    low = serializers.FloatField(source="standing.low", allow_null=True)
    high = serializers.FloatField(source="standing.high", allow_null=True)


class OwnResultsSerializer(serializers.Serializer[Any]):
    may_object = serializers.BooleanField()
    teams_first_until = serializers.DateTimeField(allow_null=True)
    places = OwnPlaceSerializer(many=True)


class NewDisputeSerializer(Strict):
    track = serializers.IntegerField(min_value=1, max_value=LARGEST_ID)
    text = serializers.CharField(max_length=5_000, help_text="It stays as it is sent.")


class DisputeSerializer(serializers.ModelSerializer[Dispute]):
    track = serializers.CharField(source="track.name")

    class Meta:
        model = Dispute
        fields = ["id", "track", "text", "made_at", "answer", "answered_at"]


class HostedDisputeSerializer(DisputeSerializer):
    team = serializers.CharField(source="team.name")

    class Meta(DisputeSerializer.Meta):
        fields = ["team", *DisputeSerializer.Meta.fields]


class AnswerSerializer(Strict):
    text = serializers.CharField(max_length=5_000, help_text="The team reads it, and it stays.")


class TaskEventSerializer(serializers.ModelSerializer[TaskEvent]):
    """An act of a host or a team; of what changed, the former and the new values."""

    actor = serializers.CharField(source="actor.username", default="")
    team = serializers.CharField(source="team.name", default="")
    changed = serializers.DictField(source="detail.changed", default=dict)

    class Meta:
        model = TaskEvent
        fields = ["id", "happened_at", "actor", "team", "verb", "changed"]
