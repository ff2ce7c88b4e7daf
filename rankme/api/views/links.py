"""The links under which raters come in."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.accounts.link_mails import (
    ask_to_remind,
    forget_address,
    mail_link,
    to_remind,
)
from rankme.actions.accounts.work_pages import make_work_page, revoke_work_page
from rankme.actions.audit import note_identities
from rankme.actions.campaign.campaigns import definition_of
from rankme.actions.campaign.invitation_mail import sends_mail
from rankme.api.rater_shapes import (
    InvitationSerializer,
    LinkMailSerializer,
    NewLinksSerializer,
    RemindersSerializer,
    WorkPageSerializer,
)
from rankme.api.view import PageQuery, View, operation
from rankme.links import entry_link, panel_link
from rankme.models import Campaign, Invitation
from rankme.permissions import Permission, get_campaign, open_campaigns, user_of


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
        edited = open_campaigns(request, Permission.EDIT)
        made = invite_raters(
            campaign, names, by=user_of(request), on_pages=given["on_pages"], within=edited
        )
        context = {"entry": entry_link(request._request, campaign)}
        found = InvitationSerializer(
            campaign.invitations.filter(pk__in=[each.pk for each in made]).order_by("id"),
            many=True,
            context=context,
        )
        return Response(found.data, status=201)


class LinkMailView(View):
    """A personal link, sent to an address that no answer shows again."""

    @operation(
        "links_mail",
        "Send a personal link by mail, and keep the address for reminders or not",
        needs=Permission.EDIT,
        takes=LinkMailSerializer,
    )
    def post(self, request: Request, code: str, link: int) -> None:
        found, given = _link_of(request, code, link), self.given
        mail_link(found, given["mail"], keep=given["keep"], by=user_of(request))

    @operation(
        "links_forget_address",
        "Forget the address that is kept with a personal link",
        needs=Permission.EDIT,
    )
    def delete(self, request: Request, code: str, link: int) -> None:
        forget_address(_link_of(request, code, link), by=user_of(request))


class RemindersView(View):
    @operation(
        "reminders_read",
        "How many people a reminder would be sent to now",
        needs=Permission.EDIT,
        gives=RemindersSerializer,
    )
    def get(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        return {"number": len(to_remind(campaign)) if sends_mail() else 0}

    @operation(
        "reminders_send",
        "Remind everybody whose address is kept and for whom work waits, by one mail each",
        needs=Permission.EDIT,
        gives=RemindersSerializer,
        status=202,
    )
    def post(self, request: Request, code: str) -> object:
        return {"number": ask_to_remind(get_campaign(request, code), by=user_of(request))}


class WorkPageView(View):
    @operation(
        "work_page_make",
        "Give a rater a lasting link to all their work, in place of an earlier one",
        needs=Permission.EDIT,
        gives=WorkPageSerializer,
        status=201,
    )
    def post(self, request: Request, code: str, link: int) -> object:
        edited = open_campaigns(request, Permission.EDIT)
        found = _link_of(request, code, link)
        secret = make_work_page(found, by=user_of(request), within=edited)
        return {"link": request.build_absolute_uri(reverse("rankme:my-work", args=[secret]))}

    @operation(
        "work_page_revoke",
        "End a rater's lasting link in all campaigns; personal links go on",
        needs=Permission.EDIT,
    )
    def delete(self, request: Request, code: str, link: int) -> None:
        revoke_work_page(_link_of(request, code, link), by=user_of(request))


def _link_of(request: Request, code: str, link: int) -> Invitation:
    links = get_campaign(request, code).invitations.select_related("campaign")
    return get_object_or_404(links, pk=link)
