"""Extending the plan of a launched campaign: the balance before and after, then a reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from rankme.actions.campaign import extensions, large_extensions
from rankme.actions.campaign.campaigns import definition_of
from rankme.designs.growth import MIXED_PERCENT
from rankme.errors import ChangedMeanwhile, RankmeError
from rankme.forms.organiser import ExtensionForm, RatersForm
from rankme.models import Campaign, PlanExtension
from rankme.permissions import Permission, user_of

from .campaign_page import FORM, act, campaign_page, render_campaign, sent


@campaign_page(FORM, needs=Permission.EDIT)
def extend(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Preview an extension; storing it asks for a reason."""
    if campaign.is_draft or campaign.is_archive:
        return redirect("rankme:campaign", campaign.code)
    if request.method == "POST" and request.POST.get("do") == "draw":
        return _let_draw(request, campaign)
    form = ExtensionForm(**sent(request))
    if not form.is_valid():
        return _page(request, campaign, form if form.is_bound else None)
    given = form.cleaned_data
    try:
        if extensions.is_large(campaign):
            return _let_store(request, campaign, given["reason"])
        version = extensions.extend_campaign(
            campaign,
            raters_per_trial=given["raters_per_trial"],
            reason=given["reason"],
            by=user_of(request),
            base=given["version"],
            mixed_percent=given["mixed_percent"],
            items=given["items"],
            systems=given["systems"],
        )
    except RankmeError as refusal:
        form.add_error(None, str(refusal))
        return _page(request, Campaign.objects.get(pk=campaign.pk), form, status=409)
    done = _("The plan is extended: %(sittings)s more sittings can be taken.")
    messages.success(request, done % {"sittings": version.extension["new_sittings"]})
    return redirect("rankme:campaign-edit", campaign.code)


def _let_draw(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """A plan that is too large for a request is drawn by a worker."""
    asked = RatersForm(request.POST)
    if asked.is_valid():
        raters, mixed = asked.sizes()
        started = _("The extension is being drawn.")
        act(
            request,
            started,
            large_extensions.request_drawing,
            campaign,
            raters,
            mixed_percent=mixed,
        )
    return redirect("rankme:campaign-extend", campaign.code)


def _let_store(request: HttpRequest, campaign: Campaign, reason: str) -> HttpResponse:
    row = large_extensions.newest_extension(campaign)
    if row is None:
        raise ChangedMeanwhile(_("Somebody has changed the campaign in the meantime."))
    large_extensions.request_storing(row, reason=reason, by=user_of(request))
    return redirect("rankme:campaign-extend", campaign.code)


def _page(
    request: HttpRequest,
    campaign: Campaign,
    form: ExtensionForm | None,
    *,
    status: int | None = None,
) -> HttpResponse:
    definition = definition_of(campaign)
    planned = definition.raters_per_trial
    is_large = extensions.is_large(campaign)
    row = large_extensions.newest_extension(campaign) if is_large else None
    likely = {
        "raters_per_trial": row.raters_per_trial if row else planned,
        "mixed_percent": row.mixed_percent if row else MIXED_PERCENT,
    }
    asked = RatersForm(likely | _asked_for(request))
    raters, mixed = asked.sizes() if asked.is_valid() else (planned, MIXED_PERCENT)
    covered = campaign.versions.get(number=campaign.version)
    context: dict[str, Any] = {
        "asked": asked,
        "planned": planned,
        "new_items": campaign.items.count() - covered.items,
        "new_systems": campaign.systems.count() - covered.systems,
        "form": form,
        "is_large": is_large,
        "stored": large_extensions.stored_as(campaign),
    }
    if is_large:
        context |= _by_a_worker(campaign, row, (raters, mixed), form)
    else:
        try:
            drawn = extensions.draw_extension(campaign, raters, mixed).as_document()
            context |= _drawn(campaign, drawn, form)
        except RankmeError as refusal:
            context["refusal"] = str(refusal)
    return render_campaign(
        request,
        campaign,
        "organiser/setup/extend.html",
        context,
        tab="campaign-edit",
        status=status,
    )


def _by_a_worker(
    campaign: Campaign,
    row: PlanExtension | None,
    sizes: tuple[int, int],
    form: ExtensionForm | None,
) -> dict[str, Any]:
    """Show the worker's progress, then the plan that it has drawn."""
    if row is None:
        return {}
    if not row.is_over:
        return {"job": row, "percent": round(100 * row.progress)}
    if row.state == PlanExtension.State.FAILED:
        return {"refusal": row.error}
    is_asked = (row.raters_per_trial, row.mixed_percent) == sizes
    return _drawn(campaign, row.drawn, form) if is_asked else {}


def _asked_for(request: HttpRequest) -> dict[str, str]:
    given = request.POST if request.method == "POST" else request.GET
    return {name: given[name] for name in RatersForm.base_fields if name in given}


def _drawn(campaign: Campaign, drawn: dict[str, Any], form: ExtensionForm | None) -> dict[str, Any]:
    """Context of the page for `Extension.as_document`."""
    crowd = definition_of(campaign).crowd
    fresh = ExtensionForm(
        initial={
            "version": campaign.version,
            "raters_per_trial": drawn["raters_per_trial"][1],
            "mixed_percent": drawn.get("mixed_percent", 0),
            "items": campaign.items.count(),
            "systems": campaign.systems.count(),
            "reason": form.data.get("reason", "") if form is not None else "",
        }
    )
    before, after = drawn["balance_before"], drawn["balance_after"]
    names = campaign.systems.order_by("position").values_list("name", flat=True)
    return {
        "extension": drawn,
        "notes": [_(note) for note in drawn["notes"]],
        "spreads": _spreads(before, after),
        "systems": _counts(list(names), before["system_counts"], after["system_counts"]),
        "cost": drawn["new_sittings"] * crowd.pay_per_batch,
        "currency": crowd.currency,
        "confirm": fresh,
    }


def _counts(
    names: Sequence[str], before: Sequence[int], after: Sequence[int]
) -> list[tuple[str, int, int]]:
    """Outputs shown per system, before and after; a new system was not shown before."""
    none = [0] * (len(after) - len(before))
    return list(zip(names, [*before, *none], after, strict=True))


def _spreads(
    before: dict[str, Any], after: dict[str, Any]
) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    titles = {
        "trials_per_batch": _("Trials per batch"),
        "per_system": _("Outputs per system"),
        "per_item": _("Outputs per item"),
        "per_output": _("Raters per output"),
        "per_pair": _("Screens per pair of systems"),
    }
    return [
        (title, before[name], after[name])
        for name, title in titles.items()
        if before[name] and after[name]
    ]
