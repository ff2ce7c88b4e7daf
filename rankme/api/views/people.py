"""Who works on a campaign, and what they did."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.campaign.campaigns import add_member, remove_member
from rankme.api.campaign_shapes import (
    EventPageSerializer,
    EventSerializer,
    MemberSerializer,
    NewMemberSerializer,
)
from rankme.api.view import PageQuery, View
from rankme.errors import RefusedAction
from rankme.permissions import get_campaign, get_own_campaign, user_of


class MembersView(View):
    @extend_schema(
        operation_id="members_list",
        summary="The members of a campaign, without its owner",
        responses=MemberSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> Response:
        found = get_campaign(request, code).memberships.order_by("added_at", "pk")
        return Response(MemberSerializer(found, many=True).data)

    @extend_schema(
        operation_id="members_add",
        summary="Invite the account of this name (only the owner can). The answer is the same if "
        "there is none",
        request=NewMemberSerializer,
        responses={201: MemberSerializer},
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_own_campaign(request, code)
        name = self.read(NewMemberSerializer)["username"]
        if name == campaign.owner.get_username():
            raise RefusedAction("You own this campaign, so you are already in it.")
        member = add_member(campaign, name, by=user_of(request))
        return Response(MemberSerializer(member).data, status=201)


class MemberView(View):
    @extend_schema(
        operation_id="members_remove",
        summary="Remove a member, or take an invitation back (only the owner can)",
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request, code: str, member: int) -> Response:
        found = get_object_or_404(get_own_campaign(request, code).memberships, pk=member)
        self.read_nothing()
        remove_member(found, by=user_of(request))
        return Response(status=204)


class HistoryView(View):
    queries = {"GET": PageQuery}

    @extend_schema(
        operation_id="history_list",
        summary="Who did what to a campaign, the newest first",
        parameters=[PageQuery],
        responses=EventPageSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        events = get_campaign(request, code).audit_events.select_related("actor")
        return self.paged(events, EventSerializer, newest_first=True)
