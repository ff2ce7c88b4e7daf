"""The members of a campaign, its history, and its end."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.campaign import deleting, members
from rankme.api import campaign_shapes as shapes
from rankme.api.view import PageQuery, View, operation
from rankme.permissions import Permission, get_campaign, user_of


class MembersView(View):
    @operation(
        "members_list",
        "The members of a campaign, without its owner",
        needs=Permission.SEE,
        gives=shapes.MemberSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> object:
        rows = get_campaign(request, code).memberships.exclude(user=None)
        return rows.order_by("added_at", "pk")


class MemberView(View):
    @operation(
        "members_change",
        "Give a member another role (only the owner can)",
        needs=Permission.OWN,
        takes=shapes.RoleSerializer,
        gives=shapes.MemberSerializer,
    )
    def put(self, request: Request, code: str, member: int) -> object:
        found = get_object_or_404(get_campaign(request, code).memberships, pk=member)
        return members.change_role(found, role=self.given["role"], by=user_of(request))

    @operation("members_remove", "Remove a member (only the owner can)", needs=Permission.OWN)
    def delete(self, request: Request, code: str, member: int) -> None:
        found = get_object_or_404(get_campaign(request, code).memberships, pk=member)
        members.remove_member(found, by=user_of(request))


class InvitationsView(View):
    @operation(
        "invitations_list",
        "The links that still let somebody in (only the owner sees them)",
        needs=Permission.OWN,
        gives=shapes.MemberInvitationSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> object:
        return members.open_invitations(get_campaign(request, code))

    @operation(
        "invitations_create",
        "Make a link that lets one account in, once, with a role (only the owner can)",
        needs=Permission.OWN,
        takes=shapes.NewInvitationSerializer,
        gives=shapes.MadeInvitationSerializer,
        status=201,
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        made, secret = members.invite_member(campaign, **self.given, by=user_of(request))
        link = request.build_absolute_uri(reverse("rankme:join", args=[secret]))
        shown = shapes.MemberInvitationSerializer(made).data
        return Response({**shown, "link": link}, status=201)


class InvitationView(View):
    @operation("invitations_revoke", "End a link that nobody has used", needs=Permission.OWN)
    def delete(self, request: Request, code: str, invitation: int) -> None:
        rows = get_campaign(request, code).member_invitations
        members.revoke_invitation(get_object_or_404(rows, pk=invitation), by=user_of(request))


class OwnerView(View):
    @operation(
        "campaigns_hand_over",
        "Make a member the owner (only the owner can, who stays as an editor)",
        needs=Permission.OWN,
        takes=shapes.NewOwnerSerializer,
        gives=shapes.CampaignSerializer,
    )
    def put(self, request: Request, code: str) -> object:
        rows = get_campaign(request, code).memberships.exclude(user=None)
        found = get_object_or_404(rows, pk=self.given["member"])
        return members.hand_over(found, by=user_of(request))


class DeletionView(View):
    """Deleting a launched campaign: asked for with its title, and done after a wait."""

    @operation(
        "deletion_read",
        "Whether and when a launched campaign is deleted (only its owner sees it)",
        needs=Permission.OWN,
        gives=shapes.DeletionSerializer,
    )
    def get(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        found = deleting.waiting_deletion(campaign)
        return {
            "reason": deleting.why_not_deleted(campaign),
            "asked_at": found and found.asked_at,
            "due_at": found and found.due_at,
        }

    @operation(
        "deletion_ask",
        "Delete a closed campaign with everything about it, 14 days from now (only its owner can)",
        needs=Permission.OWN,
        takes=shapes.TypedTitleSerializer,
        gives=shapes.DeletionSerializer,
        status=201,
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        asked = deleting.ask_to_delete(campaign, title=self.given["title"], by=user_of(request))
        shown = {"reason": "", "asked_at": asked.asked_at, "due_at": asked.due_at}
        return Response(shapes.DeletionSerializer(shown).data, status=201)

    @operation("deletion_cancel", "Keep the campaign after all", needs=Permission.OWN)
    def delete(self, request: Request, code: str) -> None:
        deleting.keep_campaign(get_campaign(request, code), by=user_of(request))


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
