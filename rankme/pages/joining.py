"""The page to which an invitation of a member leads."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import BaseUserCreationForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from rankme.actions.accounts.site_words import SiteWordsValidator
from rankme.actions.campaign import members
from rankme.errors import RefusedAction
from rankme.models import Campaign, MemberInvitation

from .campaign.campaign_page import FORM, refusals_in, sent


class NewAccountForm(BaseUserCreationForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("username",)

    def __init__(self, *arguments: Any, campaign: Campaign, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.campaign = campaign

    def clean_password2(self) -> str:
        """Refuse the title of the campaign, which the account does not belong to yet."""
        password = str(self.cleaned_data["password2"])
        SiteWordsValidator().refuse_words_of(password, self.campaign.title)
        return password


@require_http_methods(FORM)
def join(request: HttpRequest, secret: str) -> HttpResponse:
    """Say what the link invites to; accept it, or make an account with it if the site allows."""
    try:
        invitation = members.invitation_of(secret)
    except RefusedAction as refusal:
        return render(request, "organiser/members/join.html", {"refusal": str(refusal)}, status=410)
    if isinstance(request.user, User):
        return _accept(request, secret, invitation, request.user)
    form = None
    if settings.SIGN_UP_BY_INVITATION:
        form = NewAccountForm(**sent(request), campaign=invitation.campaign)
    if form is not None and form.is_valid():
        with refusals_in(form):
            name, password = form.cleaned_data["username"], form.cleaned_data["password1"]
            members.join_with_new_account(secret, name=name, password=password)
            messages.success(request, _("Your account is made. Log in with it."))
            return redirect("account_login")
    status = 422 if form is not None and form.is_bound else 200
    context = {"invitation": invitation, "form": form}
    return render(request, "organiser/members/join.html", context, status=status)


def _accept(
    request: HttpRequest, secret: str, invitation: MemberInvitation, user: User
) -> HttpResponse:
    context: dict[str, object] = {"invitation": invitation}
    if request.method == "POST":
        try:
            members.accept_invitation(secret, by=user)
        except RefusedAction as refusal:
            context = {"refusal": str(refusal)}
        else:
            messages.success(request, _("You are a member of this campaign now."))
            return redirect("rankme:campaign", invitation.campaign.code)
    status = 409 if "refusal" in context else 200
    return render(request, "organiser/members/join.html", context, status=status)
