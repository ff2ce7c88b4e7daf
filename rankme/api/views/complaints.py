"""Reported problems of items: list them, and mark them as dealt with."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.sitting import complaints
from rankme.api.view import PageQuery, Strict, View, operation
from rankme.permissions import Permission, get_campaign, user_of
from rankme.queries.complaints import complaints_of


class ComplaintSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    item = serializers.CharField(
        source="trial.item.key", allow_null=True, help_text="Null for a practice example."
    )
    screen = serializers.IntegerField(help_text="Which screen of the trial, from 0.")
    rater = serializers.CharField(source="participant.label")
    text = serializers.CharField()
    received_at = serializers.DateTimeField()
    dealt_with_at = serializers.DateTimeField(allow_null=True)


class DealtWithSerializer(Strict):
    dealt_with = serializers.BooleanField(default=True)


class ComplaintsView(View):
    @operation(
        "problems_list",
        "What raters reported as wrong with items, the newest first",
        needs=Permission.WATCH,
        lists=ComplaintSerializer,
        query=PageQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        found = complaints_of(get_campaign(request, code))
        return self.paged(found, ComplaintSerializer, newest_first=True)


class ComplaintView(View):
    @operation(
        "problems_deal_with",
        "Mark what a rater reported as dealt with, or open it again",
        needs=Permission.ATTEND,
        takes=DealtWithSerializer,
        gives=ComplaintSerializer,
    )
    def post(self, request: Request, code: str, complaint: int) -> object:
        found = get_object_or_404(complaints_of(get_campaign(request, code)), pk=complaint)
        is_done = self.given["dealt_with"]
        complaints.deal_with(found, by=user_of(request), is_done=is_done)
        found.refresh_from_db(fields=["dealt_with_at"])
        return found
