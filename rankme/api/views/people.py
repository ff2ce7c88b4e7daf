"""The members of a campaign, and its history."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.campaign.campaigns import add_member, remove_member
from rankme.api import campaign_shapes as shapes
from rankme.api.view import PageQuery, View, operation
from rankme.errors import RefusedAction
from rankme.permissions import Permission, get_campaign, user_of


class MembersView(View):
    @operation(
        "members_list",
        "The members of a campaign, without its owner",
        needs=Permission.SEE,
        gives=shapes.MemberSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> object:
        return get_campaign(request, code).memberships.order_by("added_at", "pk")

    @operation(
        "members_add",
        "Invite the account of this name (only the owner can). The answer is the same if "
        "there is none",
        needs=Permission.OWN,
        takes=shapes.NewMemberSerializer,
        gives=shapes.MemberSerializer,
        status=201,
    )
    def post(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        name = self.given["username"]
        if name == campaign.owner.get_username():
            raise RefusedAction("You own this campaign, so you are already in it.")
        return add_member(campaign, name, role=self.given["role"], by=user_of(request))


class MemberView(View):
    @operation(
        "members_remove",
        "Remove a member, or take an invitation back (only the owner can)",
        needs=Permission.OWN,
    )
    def delete(self, request: Request, code: str, member: int) -> None:
        found = get_object_or_404(get_campaign(request, code).memberships, pk=member)
        remove_member(found, by=user_of(request))


class HistoryView(View):
    @operation(
        "history_list",
        "Who did what to a campaign, the newest first",
        needs=Permission.HISTORY,
        lists=shapes.EventSerializer,
        query=PageQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        events = get_campaign(request, code).audit_events.select_related("actor")
        return self.paged(events, shapes.EventSerializer, newest_first=True)
