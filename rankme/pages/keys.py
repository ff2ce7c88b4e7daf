"""A person's keys for scripts: made, listed, revoked."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from rankme.actions.accounts.api_keys import make_key, revoke_key
from rankme.forms.api_keys import KeyForm
from rankme.models import ApiKey, Campaign
from rankme.permissions import open_campaigns, user_of

from .campaign.campaign_page import FORM, refusals_in, sent

MOST_SHOWN = 200


@login_required
@require_http_methods(FORM)
def list_keys(request: HttpRequest) -> HttpResponse:
    """The keys, and the form for another one."""
    # Not `distinct`, on which a form cannot filter.
    mine = Campaign.objects.filter(pk__in=open_campaigns(request).values("pk"))
    form, secret = KeyForm(**sent(request), campaigns=mine), ""
    if form.is_valid():
        with refusals_in(form):
            # Shown once, so there is no redirect.
            secret = make_key(user_of(request), form.plan()).secret
            form = KeyForm(campaigns=mine)
    keys = ApiKey.objects.filter(owner=user_of(request)).prefetch_related("campaigns")
    context = {"form": form, "secret": secret, "keys": keys[:MOST_SHOWN]}
    status = 422 if form.is_bound else 200
    return render(request, "organiser/keys.html", context, status=status)


@login_required
@require_POST
def revoke(request: HttpRequest, key: int) -> HttpResponse:
    """End one's own key; those of others are not there."""
    revoke_key(
        get_object_or_404(ApiKey.objects.select_related("owner"), pk=key, owner=user_of(request))
    )
    messages.success(request, _("The key no longer works."))
    return redirect("rankme:keys")
