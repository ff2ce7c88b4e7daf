"""What raters reported as wrong with items."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.sitting import complaints
from rankme.api.view import PageQuery, Strict, View
from rankme.models import Complaint
from rankme.permissions import get_campaign, user_of
from rankme.queries.complaints import complaints_of


class ComplaintSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    item = serializers.CharField(allow_null=True, help_text="Null for a practice example.")
    screen = serializers.IntegerField(help_text="Which screen of the trial, from 0.")
    rater = serializers.CharField()
    text = serializers.CharField()
    received_at = serializers.DateTimeField()
    dealt_with_at = serializers.DateTimeField(allow_null=True)


class ComplaintPageSerializer(serializers.Serializer[Any]):
    next = serializers.URLField(allow_null=True)
    results = ComplaintSerializer(many=True)


class DealtWithSerializer(Strict):
    dealt_with = serializers.BooleanField(required=False, default=True)


class ComplaintsView(View):
    queries = {"GET": PageQuery}

    @extend_schema(
        operation_id="problems_list",
        summary="What raters reported as wrong with items, the newest first",
        parameters=[PageQuery],
        responses=ComplaintPageSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        found = complaints_of(get_campaign(request, code))
        return self.paged(found, ComplaintRow, newest_first=True)


class ComplaintView(View):
    @extend_schema(
        operation_id="problems_deal_with",
        summary="Mark what a rater reported as dealt with, or open it again",
        request=DealtWithSerializer,
        responses=ComplaintSerializer,
    )
    def post(self, request: Request, code: str, complaint: int) -> Response:
        found = get_object_or_404(complaints_of(get_campaign(request, code)), pk=complaint)
        is_done = self.read(DealtWithSerializer)["dealt_with"]
        complaints.deal_with(found, by=user_of(request), is_done=is_done)
        found.refresh_from_db(fields=["dealt_with_at"])
        return Response(ComplaintRow(found).data)


class ComplaintRow(ComplaintSerializer):
    """A report with the names of what it is about."""

    def to_representation(self, complaint: Complaint) -> dict[str, Any]:
        return super().to_representation(
            {
                "id": complaint.pk,
                "item": complaint.trial.item.key if complaint.trial else None,
                "screen": complaint.screen,
                "rater": complaint.participant.label,
                "text": complaint.text,
                "received_at": complaint.received_at,
                "dealt_with_at": complaint.dealt_with_at,
            }
        )
