"""The planner of the launch page: what other sizes of a campaign cost and find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from analysis.errors import AnalysisError
from analysis.planning.outlook import Outlook, Plan
from rankme.actions.campaign.pilots import pilots_for
from rankme.actions.campaign.planned_work import PlannedWork
from rankme.actions.campaign.planner import OWN, planned_of, planner_defaults
from rankme.errors import RefusedAction
from rankme.forms.planner import PlannerForm
from rankme.models import Campaign
from rankme.permissions import user_of

from .campaign_page import SAFE, campaign_page

LEAST_SYSTEMS = 2
Row = tuple[str, list[str]]


def planner_context(
    request: HttpRequest,
    campaign: Campaign,
    work: PlannedWork | None = None,
    *,
    lost: float = 0.0,
) -> dict[str, Any]:
    """Build the planner's form and its answer; nothing where there are no systems to compare.

    Parameters
    ----------
    work : of a plan that has been drawn
    lost : the share of careful raters that the rule excludes
    """
    if campaign.systems.count() < LEAST_SYSTEMS:
        return {}
    defaults = planner_defaults(campaign, work, lost=lost)
    pilots = pilots_for(campaign, user_of(request))
    form = PlannerForm(defaults | request.GET.dict(), pilots=pilots)
    return {"planner": form} | _answer(request, campaign, form)


@campaign_page(SAFE)
def planner(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The planner's answer alone, which a script asks for while somebody moves a slider."""
    form = PlannerForm(request.GET, pilots=pilots_for(campaign, user_of(request)))
    context = {"planner": form, "campaign": campaign} | _answer(request, campaign, form)
    status = 200 if form.is_valid() and not context.get("planner_refusal") else 422
    return render(request, "organiser/setup/_prospect.html", context, status=status)


def _answer(request: HttpRequest, campaign: Campaign, form: PlannerForm) -> dict[str, Any]:
    if not form.is_valid():
        return {}
    try:
        found = planned_of(campaign, form.cleaned_data, by=user_of(request))
    except (AnalysisError, RefusedAction) as error:
        return {"planner_refusal": str(error)}
    return {
        "outlook": found.outlook,
        "plan_rows": list(_rows(found.outlook)),
        "in_residuals": found.pilot is None and form.cleaned_data["spreads"] != OWN,
        "pilot": found.pilot,
        "prediction": found.prediction,
    }


def _rows(found: Outlook) -> Iterator[Row]:
    """One row for each number, with its value in each plan."""
    plans = [found.plan, *([found.best] if found.best else [])]

    def row(title: str, value: Callable[[Plan], float | None], digits: int = 0) -> Row:
        numbers = (value(plan) for plan in plans)
        return title, [
            "–" if each is None else number_format(each, digits, use_l10n=True, force_grouping=True)
            for each in numbers
        ]

    yield row(_("Raters"), lambda plan: plan.size.raters)
    yield row(_("Items"), lambda plan: plan.size.items)
    yield row(_("Raters of each output"), lambda plan: plan.size.repeats)
    yield row(_("Minutes of a rater"), lambda plan: plan.price.minutes_of_a_rater)
    yield row(_("Hours of all raters"), lambda plan: plan.price.hours, 1)
    yield row(_("Money, with fees and losses"), lambda plan: plan.price.money or None, 2)
    yield row(_("Smallest difference found in 80 %"), lambda plan: plan.prospect.detectable, 2)
    yield row(_("Interval of a difference, ±"), lambda plan: plan.prospect.half_width, 2)
    yield row(_("Share of the differences found"), lambda plan: plan.prospect.found, 2)
    yield row(_("Chance that all come in the right order"), lambda plan: plan.prospect.order, 2)
    yield row(_("Chance of any claim if all are equal"), lambda plan: plan.prospect.boundary, 3)
    yield row(_("Chance that a repetition reverses no claim"), lambda plan: plan.prospect.stable, 2)
