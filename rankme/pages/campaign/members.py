"""The members of a campaign: links that invite, roles, removing, leaving, handing over."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from rankme.actions.campaign import members
from rankme.actions.campaign.invitation_mail import mail_invitation
from rankme.forms.organiser import InvitedMemberForm, RoleForm
from rankme.models import Campaign
from rankme.permissions import Permission, user_of
from rankme.queries.panel_books import newest_study

from .campaign_page import (
    FORM,
    POST,
    act,
    campaign_page,
    refusals_as_messages,
    refusals_in,
    render_campaign,
    sent,
)

TAB = "campaign-members"


@campaign_page(FORM, needs=Permission.SEE, to_send=Permission.OWN)
def list_members(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Who is in the campaign; its owner makes links that invite."""
    form, link = InvitedMemberForm(**sent(request)), ""
    if form.is_valid():
        with refusals_in(form):
            given = dict(form.cleaned_data)
            address = given.pop("mail", "")
            made, secret = members.invite_member(campaign, **given, by=user_of(request))
            # Shown once, so there is no redirect.
            link = request.build_absolute_uri(reverse("rankme:join", args=[secret]))
            form = InvitedMemberForm()
            if address:
                with refusals_as_messages(request):
                    mail_invitation(made, address, link)
                    messages.success(
                        request, _("The link was sent to %(mail)s.") % {"mail": address}
                    )
    rows = campaign.memberships.exclude(user=None).select_related("user")
    context: dict[str, Any] = {
        "form": form,
        "link": link,
        "memberships": [
            (each, RoleForm(initial={"role": each.role}, prefix=f"member-{each.pk}"))
            for each in rows.order_by("added_at", "pk")
        ],
        "invitations": members.open_invitations(campaign).select_related("made_by"),
        "study": newest_study(campaign),
    }
    page = "organiser/members/list.html"
    return render_campaign(request, campaign, page, context, tab=TAB)


@campaign_page(POST, needs=Permission.OWN)
def revoke_invitation(request: HttpRequest, campaign: Campaign, invitation: int) -> HttpResponse:
    found = get_object_or_404(campaign.member_invitations, pk=invitation)
    act(request, _("The link no longer works."), members.revoke_invitation, found)
    return redirect("rankme:campaign-members", campaign.code)


@campaign_page(POST, needs=Permission.OWN)
def change_role(request: HttpRequest, campaign: Campaign, member: int) -> HttpResponse:
    found = get_object_or_404(campaign.memberships, pk=member)
    form = RoleForm(request.POST, prefix=f"member-{found.pk}")
    if form.is_valid():
        done = _("The role of %(name)s is changed.") % {"name": found.username}
        act(request, done, members.change_role, found, role=form.cleaned_data["role"])
    else:
        messages.error(request, _("There is no such role."))
    return redirect("rankme:campaign-members", campaign.code)


@campaign_page(POST, needs=Permission.OWN)
def remove(request: HttpRequest, campaign: Campaign, member: int) -> HttpResponse:
    found = get_object_or_404(campaign.memberships, pk=member)
    act(
        request,
        _("%(name)s has been removed.") % {"name": found.username},
        members.remove_member,
        found,
    )
    return redirect("rankme:campaign-members", campaign.code)


@campaign_page(FORM, needs=Permission.OWN)
def hand_over(request: HttpRequest, campaign: Campaign, member: int) -> HttpResponse:
    """Asks before the campaign belongs to somebody else."""
    found = get_object_or_404(campaign.memberships.exclude(user=None), pk=member)
    if request.method == "POST":
        done = _("The campaign belongs to %(name)s now. You are an editor.")
        act(request, done % {"name": found.username}, members.hand_over, found)
        return redirect("rankme:campaign-members", campaign.code)
    page = "organiser/members/hand_over.html"
    return render_campaign(request, campaign, page, {"member": found}, tab=TAB)


@campaign_page(FORM, needs=Permission.SEE)
def leave(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Asks before somebody leaves, who comes back with a new link alone."""
    if request.method == "POST":
        done = act(request, _("You have left the campaign."), members.leave, campaign)
        return (
            redirect("rankme:campaigns")
            if done
            else redirect("rankme:campaign-members", campaign.code)
        )
    return render_campaign(request, campaign, "organiser/members/leave.html", tab=TAB)
