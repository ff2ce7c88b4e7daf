"""Extending the plan of a launched campaign: the balance before and after, then a reason."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from rankme.actions import extensions
from rankme.actions.campaigns import definition_of
from rankme.designs.plan import Balance, Spread
from rankme.errors import RankmeError
from rankme.forms.organiser import ExtensionForm, RatersForm
from rankme.models import Campaign
from rankme.permissions import get_campaign, user_of

from .campaign_page import render_campaign, sent


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def extend(request: HttpRequest, code: str) -> HttpResponse:
    """What an extension would add; storing it asks for a reason."""
    campaign = get_campaign(request, code)
    if campaign.is_draft or campaign.is_archive:
        return redirect("rankme:campaign", code)
    form = ExtensionForm(**sent(request))
    if not form.is_valid():
        return _page(request, campaign, form if form.is_bound else None)
    given = form.cleaned_data
    try:
        version = extensions.extend_campaign(
            campaign,
            raters_per_trial=given["raters_per_trial"],
            reason=given["reason"],
            by=user_of(request),
            base=given["version"],
            items=given["items"],
            systems=given["systems"],
        )
    except RankmeError as refusal:
        form.add_error(None, str(refusal))
        return _page(request, Campaign.objects.get(pk=campaign.pk), form, status=409)
    done = _("The plan is extended: %(sittings)s more sittings can be taken.")
    messages.success(request, done % {"sittings": version.extension["new_sittings"]})
    return redirect("rankme:campaign-edit", code)


def _page(
    request: HttpRequest, campaign: Campaign, form: ExtensionForm | None, *, status: int = 422
) -> HttpResponse:
    planned = definition_of(campaign).raters_per_trial
    asked = RatersForm(_raters_asked_for(request) or {"raters_per_trial": planned})
    raters = asked.cleaned_data["raters_per_trial"] if asked.is_valid() else planned
    covered = campaign.versions.get(number=campaign.version)
    context: dict[str, Any] = {
        "asked": asked,
        "planned": planned,
        "new_items": campaign.items.count() - covered.items,
        "new_systems": campaign.systems.count() - covered.systems,
        "form": form,
    }
    try:
        context |= _drawn(campaign, extensions.draw_extension(campaign, raters), form)
    except RankmeError as refusal:
        context["refusal"] = str(refusal)
    return render_campaign(
        request,
        campaign,
        "organiser/extend.html",
        context,
        tab="campaign-edit",
        status=status if form is not None else 200,
    )


def _raters_asked_for(request: HttpRequest) -> dict[str, str]:
    given = (request.POST if request.method == "POST" else request.GET).get("raters_per_trial")
    return {} if given is None else {"raters_per_trial": given}


def _drawn(
    campaign: Campaign, extension: extensions.Extension, form: ExtensionForm | None
) -> dict[str, Any]:
    crowd = extension.definition.crowd
    fresh = ExtensionForm(
        initial={
            "version": campaign.version,
            "raters_per_trial": extension.raters_after,
            "items": len(extension.material.items),
            "systems": len(extension.material.systems),
            "reason": form.data.get("reason", "") if form is not None else "",
        }
    )
    names = campaign.systems.order_by("position").values_list("name", flat=True)
    return {
        "extension": extension,
        "notes": [_(note) for note in extension.added.notes],
        "spreads": _spreads(extension.before, extension.after),
        "systems": _counts(list(names), extension),
        "cost": extension.new_sittings * crowd.pay_per_batch,
        "currency": crowd.currency,
        "confirm": fresh,
    }


def _counts(names: list[str], extension: extensions.Extension) -> list[tuple[str, int, int]]:
    """Outputs shown per system, before and after; a new system was not shown before."""
    before = [*extension.before.system_counts, *[0] * extension.growth.new_systems]
    return list(zip(names, before, extension.after.system_counts, strict=True))


def _spreads(before: Balance, after: Balance) -> list[tuple[str, Spread, Spread]]:
    rows = [
        (_("Trials per batch"), before.trials_per_batch, after.trials_per_batch),
        (_("Outputs per system"), before.per_system, after.per_system),
        (_("Outputs per item"), before.per_item, after.per_item),
        (_("Raters per output"), before.per_output, after.per_output),
        (_("Screens per pair of systems"), before.per_pair, after.per_pair),
    ]
    return [(title, old, new) for title, old, new in rows if old is not None and new is not None]
