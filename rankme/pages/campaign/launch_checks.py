"""Checks as organisers see them: damaged texts before the launch, and the quality of raters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from analysis.checks.forecast import Forecast, forecast
from analysis.checks.joint import Planned
from analysis.checks.rater_models import Scale
from rankme.actions.campaign import damaged_texts, launches
from rankme.corruptions import CORRUPTIONS
from rankme.designs.cost import Estimate
from rankme.errors import RankmeError
from rankme.models import Campaign, Output, RuleDecision
from rankme.permissions import Permission
from rankme.protocols.checks import CheckSpec
from rankme.protocols.definition import Definition
from rankme.queries.quality import QualityLine, quality_of, rule_counts
from rankme.queries.watching.answers import scale_of
from rankme.untrusted.whole_numbers import number_in

from .campaign_page import FORM, SAFE, act, campaign_page, render_campaign

TEXTS_ON_A_PAGE = 25
RATERS_ON_A_PAGE = 50
# Reading the checks of more raters takes too long for a page: the latest ones are put in order.
MOST_ORDERED = 300


@campaign_page(FORM, needs=Permission.EDIT)
def damaged(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Every damaged copy next to its output; each can be changed until the launch."""
    if not campaign.is_draft:
        return redirect("rankme:campaign", campaign.code)
    if request.method == "POST":
        return _change(request, campaign)
    context: dict[str, Any] = {"has_damages": damaged_texts.has_damages(campaign)}
    if launches.is_large(campaign):
        context["is_large"] = True
    elif context["has_damages"]:
        try:
            found = list(damaged_texts.damages_of(campaign))
        except RankmeError as refusal:
            context["refusal"] = str(refusal)
        else:
            page = Paginator(found, TEXTS_ON_A_PAGE).get_page(request.GET.get("page"))
            context |= {"page": page, "texts": [_drawn(check, text) for check, text in page]}
    return render_campaign(
        request, campaign, "organiser/setup/damaged.html", context, tab="campaign-launch"
    )


def _drawn(check: CheckSpec, damage: Any) -> dict[str, Any]:
    title = CORRUPTIONS[damage.kind].title if damage.kind else ""
    return {"check": check, "damage": damage, "what": _(title) if title else ""}


def _change(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    number = request.POST.get("output", "")
    outputs = Output.objects.filter(item__campaign=campaign)
    output = get_object_or_404(outputs, pk=number_in(number))
    check = request.POST.get("check", "")
    text = "" if "reset" in request.POST else request.POST.get("text", "")
    act(
        request,
        _("The damaged text has been saved."),
        damaged_texts.change_damaged_text,
        campaign,
        check,
        output,
        text,
    )
    page = number_in(request.POST.get("page", ""))
    address = reverse("rankme:campaign-damaged", args=[campaign.code])
    return redirect(f"{address}?page={page}" if page else address)


# --- Rules before the launch ---------------------------------------------------------------------


# A launch asks for a tick of its own where a rule loses more careful raters than this.
MANY_LOST = 0.2


def checks_context(
    definition: Definition, n_trials: float, *, n_outputs: int = 1, cost: Estimate | None = None
) -> dict[str, Any]:
    """Build the launch page's words on checks and rules.

    Parameters
    ----------
    definition : of the campaign
    n_trials : in a batch
    n_outputs : on a page
    cost : of the campaign, where its plan is known
    """
    if not (definition.checks or definition.rules.exclude_if):
        return {}
    checks = [(check, check.pages_in(n_trials), _(check.tool.title)) for check in definition.checks]
    return {
        "checks": checks,
        "check_pages": sum(pages for _check, pages, _title in checks),
        "has_damages": any(check.tool.damages for check in definition.checks),
        "rules": [
            (title, text)
            for title, text in (
                (_("Excluded if"), definition.rules.exclude_if),
                (_("Marked if"), definition.rules.flag_if),
                (_("Turned away if"), definition.rules.gate_if),
            )
            if text
        ],
        "has_many_batches": definition.crowd.batches_per_rater > 1,
    } | _forecasts(definition, n_trials, n_outputs, cost)


def _forecasts(
    definition: Definition, n_trials: float, n_outputs: int, cost: Estimate | None
) -> dict[str, Any]:
    rule = definition.rules.rule("exclude")
    if rule is None:
        return {}
    checks = [planned(check, definition, n_trials, n_outputs) for check in definition.checks]
    found = forecast(rule, checks)
    lost = found.whole.careful_lost
    context: dict[str, Any] = {
        "forecasts": [_in_words(part) for part in found.parts]
        + [_in_words(found.whole) | {"is_whole": True}] * (len(found.parts) > 1),
        "loses_many": lost is not None and lost >= MANY_LOST,
        "careful_lost": _percent(lost),
        "share_lost": lost,
    }
    if lost and cost is not None:
        context["lost"] = {
            "raters": round(cost.raters * lost),
            "of": cost.raters,
            "pay": cost.cost * lost,
            "currency": cost.currency,
        }
    return context


def _in_words(found: Forecast) -> dict[str, Any]:
    return {
        "part": found.part,
        "careful_lost": _percent(found.careful_lost),
        "careless_kept": _percent(found.careless_kept),
        "warning": _(found.warning).format(**dict(found.values)) if found.warning else "",
    }


def planned(
    check: CheckSpec, definition: Definition, n_trials: float, n_outputs: int = 1
) -> Planned:
    """Describe a check of one batch for the forecast."""
    answers = check.pages_in(n_trials) or 1
    if not check.tool.needs_criterion:
        return Planned(check.name, check.kind, answers)
    criterion = definition.criterion(check.criterion)
    if check.kind == "repeat" and criterion.about == "output":
        answers *= n_outputs
    scale = scale_of(criterion)
    return Planned(check.name, check.kind, answers, _accepted(check, scale), scale)


def _accepted(check: CheckSpec, scale: Scale) -> float:
    """The chance that an answer anywhere on the scale is the right one."""
    options = check.settings
    if getattr(options, "in_order", False):
        return 1 / math.factorial(len(options.outputs))
    if getattr(options, "marks", ()):
        return 0.0
    if check.kind == "instructed":
        low, high = options.value - options.tolerance, options.value + options.tolerance
    elif check.kind == "known_answer":
        low = scale.low if options.at_least is None else options.at_least
        high = scale.high if options.at_most is None else options.at_most
    else:
        return 0.5
    line = scale.at(np.linspace(0, 100, 2_001))
    return float(np.mean((line >= low) & (line <= high)))


def _percent(share: float | None) -> str:
    if share is None:
        return "–"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


# --- Quality -------------------------------------------------------------------------------------


SHOWN = {
    "excluded": Q(exclusions__withdrawn_at=None, exclusions__isnull=False),
    "marked": Q(rule_decisions__action=RuleDecision.Action.FLAG),
}
# By column: its number for a line, from the most to the least conspicuous.
ORDERS: dict[str, Callable[[QualityLine], float | None]] = {
    "alarms": lambda line: negative(len(line.alarms)),
    "failed": lambda line: negative(line.failed_share),
    "seconds": lambda line: line.facts.median_seconds,
    "same": lambda line: negative(line.facts.same_answer_share),
    "agreement": lambda line: line.facts.agreement,
}


def negative(number: float | None) -> float | None:
    return None if number is None else -number


@campaign_page(SAFE, needs=Permission.WATCH)
def quality(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Each rater's checks, consistency, time, position bias and agreement, and what rules did."""
    if campaign.is_draft:
        return redirect("rankme:campaign", campaign.code)
    show, order = request.GET.get("show", ""), request.GET.get("sort", "arrival")
    raters = campaign.participants.filter(assignments__isnull=False)
    if show in SHOWN:
        raters = raters.filter(SHOWN[show])
    raters = raters.distinct().order_by("-arrived_at", "-id")
    found: Any = raters
    if order in ORDERS:
        by, found = ORDERS[order], quality_of(campaign, list(raters[:MOST_ORDERED]))
        found.sort(key=lambda line: (by(line) is None, by(line) or 0))
    lines = Paginator(found, RATERS_ON_A_PAGE).get_page(request.GET.get("page"))
    if order not in ORDERS:
        lines.object_list = quality_of(campaign, list(lines))
    context = {
        "lines": lines,
        "show": show,
        "order": order,
        "has_bias": any(line.facts.position_bias is not None for line in lines),
        "has_declined": any(line.declined[0] for line in lines),
        "counts": rule_counts(campaign),
        "alarmed": sum(bool(line.alarms) for line in lines),
    }
    return render_campaign(
        request, campaign, "organiser/campaign/quality.html", context, tab="campaign-quality"
    )
