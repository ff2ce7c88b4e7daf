"""Shared serializers of the API: errors, and the fields of every job."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

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
