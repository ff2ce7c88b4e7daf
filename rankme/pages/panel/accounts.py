"""Accounts at panels: added with a token that is never shown again."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from rankme.actions.panel import accounts
from rankme.forms.panel import AccountForm, TokenForm
from rankme.models import PanelAccount
from rankme.pages.campaign.campaign_page import act, sent
from rankme.permissions import user_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def list_accounts(request: HttpRequest) -> HttpResponse:
    """One's own accounts, and a form for another."""
    form = AccountForm(**sent(request))
    if form.is_valid():
        given = form.cleaned_data
        if act(
            request,
            _("The account was added."),
            lambda by: accounts.add_account(owner=by, **given),
        ):
            return redirect("rankme:panel-accounts")
    context = {"form": form, "token_form": TokenForm(), "accounts": _own(request)}
    status = 422 if form.is_bound else 200
    return render(request, "organiser/panel/accounts.html", context, status=status)


def _own(request: HttpRequest) -> list[PanelAccount]:
    return list(PanelAccount.objects.real().filter(owner=user_of(request)))


@login_required
@require_POST
def change_account(request: HttpRequest, account: int) -> HttpResponse:
    """Another token, webhooks, or the end of an account."""
    mine = get_object_or_404(PanelAccount.objects.real(), pk=account, owner=user_of(request))
    token = request.POST.get("token", "").strip()
    changes: dict[str, tuple[str, Callable[..., object]]] = {
        "hooks": (
            _("The panel now calls this site when something changes."),
            lambda by: accounts.connect_webhooks(mine),
        ),
        "remove": (_("The account was removed."), lambda by: accounts.remove_account(mine)),
        "token": (_("The new token is stored."), lambda by: accounts.replace_token(mine, token)),
    }
    if request.POST.get("action") in changes:
        act(request, *changes[request.POST["action"]])
    else:
        messages.error(request, _("Press one of the buttons."))
    return redirect("rankme:panel-accounts")
