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
from django.utils.translation import gettext_noop

from analysis.checks.forecast import MOST_BATCHES, Fate, Forecast, fates, forecast
from analysis.checks.joint import Planned
from analysis.checks.rater_models import Scale
from analysis.checks.rules import LONGEST, Rule
from rankme.actions.campaign import damaged_texts, launches
from rankme.corruptions import CORRUPTIONS
from rankme.designs.cost import Estimate
from rankme.errors import InvalidDefinition, RankmeError
from rankme.models import Campaign, Output, RuleDecision
from rankme.permissions import Permission
from rankme.protocols.checks import Action, CheckSpec
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_document
from rankme.queries.definitions import frozen_definition
from rankme.queries.quality import QualityLine, quality_of, rule_counts
from rankme.queries.watching.answers import scale_of
from rankme.queries.watching.rule_trials import try_rule
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
# A rule that keeps fewer careful raters has no cost that a page could name.
LEAST_KEPT = 0.01


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
    rules = (
        (_("Excluded if"), definition.rules.exclude_if),
        (_("Marked if"), definition.rules.flag_if),
        (_("Turned away if"), definition.rules.gate_if),
    )
    if not (definition.checks or any(text for _title, text in rules)):
        return {}
    checks = [(check, check.pages_in(n_trials), _(check.tool.title)) for check in definition.checks]
    check_pages = sum(pages for _check, pages, _title in checks)
    return {
        "checks": checks,
        "check_pages": check_pages,
        "check_pay": cost.cost * check_pages / (n_trials + check_pages)
        if cost and check_pages
        else 0,
        "currency": definition.crowd.currency,
        "has_damages": any(check.tool.damages for check in definition.checks),
        "rules": [(title, text) for title, text in rules if text],
    } | _forecasts(definition, n_trials, n_outputs, cost)


# In the order of `rater_models.MODELS`; the rules are the same for each.
KINDS = {
    "careful": gettext_noop("careful"),
    "half-asleep": gettext_noop("half asleep: reads every second page"),
    "careless": gettext_noop("careless: answers anywhere"),
    "scripted": gettext_noop("scripted: always about the same answer"),
}


def _forecasts(
    definition: Definition, n_trials: float, n_outputs: int, cost: Estimate | None
) -> dict[str, Any]:
    """Forecast each part of the exclusion rule, and what all rules cost and catch."""
    actions: tuple[Action, ...] = ("gate", "exclude", "flag")
    rules: dict[str, Rule] = {}
    for action in actions:
        if (rule := definition.rules.rule(action)) is not None:
            rules[action] = rule
    if not rules:
        return {}
    checks = [planned(check, definition, n_trials, n_outputs) for check in definition.checks]
    batches = definition.crowd.batches_per_rater if cost is None else cost.batches_per_rater
    found = fates(rules, checks, batches=batches)
    lost = 1 - found[0].kept
    context: dict[str, Any] = {
        "fates": [_fate_in_words(fate) for fate in found],
        "forecast_batches": min(batches, MOST_BATCHES),
        "loses_many": lost >= MANY_LOST,
        "careful_lost": _percent(lost),
        # The planner's raters have begun the work.
        "share_lost": found[0].excluded / max(1 - found[0].turned_away, LEAST_KEPT),
    }
    if "exclude" in rules:
        parts = forecast(rules["exclude"], checks, batches=batches).parts
        context["forecasts"] = [_in_words(part) for part in parts]
    if lost and cost is not None:
        context["lost"] = _losses(found[0], cost)
    return context


def _losses(careful: Fate, cost: Estimate) -> dict[str, Any]:
    """What rules cost if all raters are careful, until all batches are done by raters who count.

    Raters who come later are caught as often as the first ones.
    """
    if careful.kept < LEAST_KEPT:
        return {"nobody_is_left": True}
    comers = cost.sittings / (cost.batches_per_rater * careful.kept)
    return {
        "of": cost.raters,
        "comers": round(comers),
        "turned_away": round(comers * careful.turned_away),
        "excluded": round(comers * careful.excluded),
        "pay": comers * careful.paid_batches * cost.cost / cost.sittings,
    }


def _fate_in_words(fate: Fate) -> dict[str, Any]:
    return {
        "kind": _(KINDS[fate.kind]),
        "turned_away": _percent(fate.turned_away),
        "excluded": _percent(fate.excluded),
        "marked": _percent(fate.marked),
        "kept": _percent(fate.kept),
    }


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
    if check.kind == "quiz":
        accepted, tries = 1 / len(check.settings.choices), check.settings.tries
        return Planned(check.name, check.kind, 1, accepted, tries=tries)
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


@campaign_page(SAFE, needs=Permission.WATCH)
def try_rules(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """What a rule would have done on the answers so far, and at other bounds; nothing follows."""
    if campaign.is_draft:
        return redirect("rankme:campaign", campaign.code)
    frozen = frozen_definition(campaign).definition
    text = " ".join(request.GET.get("rule", frozen.rules.exclude_if).split())
    context: dict[str, Any] = {"text": text, "most_characters": LONGEST, "crowd": frozen.crowd}
    context["is_of_the_launch"] = text == frozen.rules.exclude_if
    document = {**campaign.definition}
    document["rules"] = {**document.get("rules", {}), "exclude_if": text}
    try:
        rules = definition_from_document(document).rules
    except InvalidDefinition as refusal:
        context["problems"] = [
            problem.message for problem in refusal.problems if problem.place == "rules.exclude_if"
        ]
    else:
        context["trial"] = try_rule(campaign, rules)
    return render_campaign(
        request, campaign, "organiser/quality/rule_trial.html", context, tab="campaign-quality"
    )


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
        request, campaign, "organiser/quality/quality.html", context, tab="campaign-quality"
    )
