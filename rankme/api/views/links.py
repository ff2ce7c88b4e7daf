"""The links under which raters come in."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.audit import note_identities
from rankme.actions.campaign.campaigns import definition_of
from rankme.api.rater_shapes import InvitationSerializer, NewLinksSerializer
from rankme.api.view import PageQuery, View, operation
from rankme.links import entry_link, panel_link
from rankme.models import Campaign
from rankme.permissions import Permission, get_campaign, user_of


class AddressesSerializer(serializers.Serializer[Any]):
    """Where raters come in; they work while the campaign runs."""

    open_link = serializers.CharField(help_text="Empty: switched off in the definition.")
    panel_link = serializers.CharField(help_text="With the panel's placeholders, or empty.")


def addresses_of(request: Request, campaign: Campaign) -> dict[str, str]:
    definition = definition_of(campaign)
    entry = entry_link(request._request, campaign)
    return {
        "open_link": entry if definition.crowd.open_link else "",
        "panel_link": panel_link(entry, definition),
    }


class AddressesView(View):
    @operation(
        "links_read",
        "The open link and the panel's link",
        needs=Permission.IDENTITIES,
        gives=AddressesSerializer,
    )
    def get(self, request: Request, code: str) -> object:
        return addresses_of(request, get_campaign(request, code))


class PersonalLinksView(View):
    @operation(
        "links_personal",
        "The personal links of a campaign, the newest first",
        needs=Permission.IDENTITIES,
        lists=InvitationSerializer,
        query=PageQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        note_identities(campaign, "API: names of links", by=user_of(request))
        entry = entry_link(request._request, campaign)
        links = campaign.invitations.all()
        return self.paged(links, InvitationSerializer, newest_first=True, entry=entry)

    @operation(
        "links_create",
        "Create personal links, for names or without",
        needs=Permission.EDIT,
        takes=NewLinksSerializer,
        gives=InvitationSerializer(many=True),
        status=201,
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        given = self.given
        names = [*given["names"], *[""] * given["unnamed"]]
        made = invite_raters(campaign, names, by=user_of(request))
        context = {"entry": entry_link(request._request, campaign)}
        found = InvitationSerializer(
            campaign.invitations.filter(pk__in=[each.pk for each in made]).order_by("id"),
            many=True,
            context=context,
        )
        return Response(found.data, status=201)
