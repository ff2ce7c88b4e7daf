"""Trying a draft with simulated raters: the click, the progress, and the pages made up."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from rankme.actions.campaign import tryouts
from rankme.models import Campaign
from rankme.permissions import Permission, user_of

from .campaign_page import FORM, SAFE, campaign_page, refusals_as_messages, render_campaign


@campaign_page(FORM, needs=Permission.EDIT)
def show_tryout(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """How far the try is, and its pages; a post starts one or throws it away."""
    if request.method == "POST":
        with refusals_as_messages(request):
            if request.POST.get("do") == "end":
                tryouts.throw_away(campaign.code)
                return redirect("rankme:campaign", campaign.code)
            tryouts.start_tryout(campaign, by=user_of(request))
        return redirect("rankme:campaign-tryout", campaign.code)
    state: dict[str, Any] = {}
    with refusals_as_messages(request):
        state = tryouts.tryout_state(campaign.code)
    titles = {
        "monitor/": _("Monitor"),
        "raters/": _("Raters"),
        "quality/": _("Quality"),
        "items/": _("Items"),
    }
    paths = [path for path in state.get("paths", ()) if path.endswith("/")]
    context = {"state": state, "links": [(path, titles.get(path, _("Report"))) for path in paths]}
    return render_campaign(
        request, campaign, "organiser/setup/tryout.html", context, tab="campaign-launch"
    )


@campaign_page(SAFE, needs=Permission.EDIT)
def show_made_up(request: HttpRequest, campaign: Campaign, path: str = "") -> HttpResponse:
    """A page of the try as it was made; what it does not have leads to the list of its pages."""
    with refusals_as_messages(request):
        if found := tryouts.kept_page(campaign.code, path):
            kind, content = found
            return HttpResponse(content, content_type=kind)
    return redirect("rankme:campaign-tryout", campaign.code)
