"""The planner of the launch page: what other sizes of a campaign cost and find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.errors import AnalysisError
from analysis.planning.outlook import Plan
from rankme.actions.campaign.pilots import pilots_for
from rankme.actions.campaign.plan_simulations import (
    campaigns_for,
    simulation_of,
    start_simulation,
)
from rankme.actions.campaign.planned_work import PlannedWork
from rankme.actions.campaign.planner import (
    OWN,
    Planned,
    planned_of,
    planner_defaults,
    record_promise,
)
from rankme.errors import RefusedAction
from rankme.forms.planner import PlannerForm
from rankme.models import Campaign
from rankme.permissions import Permission, user_of

from .campaign_page import FORM, act, campaign_page, refusals_as_messages

LEAST_SYSTEMS = 2
HALF_WIDTH = gettext_lazy("Interval of a difference, ±")
FOUND = gettext_lazy("Share of the differences found")
ORDER = gettext_lazy("Chance that all come in the right order")
BOUNDARY = gettext_lazy("Chance of any claim if all are equal")
STABLE = gettext_lazy("Chance that a repetition reverses no claim")
SIMULATED = (
    ("half_width", HALF_WIDTH, 2),
    ("found", FOUND, 2),
    ("order", ORDER, 2),
    ("boundary", BOUNDARY, 3),
    ("stable", STABLE, 2),
)
Row = tuple[Any, list[str]]


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
    answer = _answer(request, campaign, form)
    with refusals_as_messages(request):
        answer |= _simulation(answer.get("planned"))
    return {"planner": form} | answer


@campaign_page(FORM, needs=Permission.EDIT)
def planner(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The planner's answer alone, which a script asks for while somebody moves a slider.

    A post has a worker check the answer to what was `asked` by simulation, or records it.
    """
    pilots = pilots_for(campaign, user_of(request))
    if request.method == "POST":
        do = _simulate if request.POST.get("do") == "simulate" else _record
        return do(request, campaign, PlannerForm(_asked(request), pilots=pilots))
    form = PlannerForm(request.GET, pilots=pilots)
    context = {"planner": form, "campaign": campaign} | _answer(request, campaign, form)
    status = 200 if form.is_valid() and not context.get("planner_refusal") else 422
    return render(request, "organiser/setup/_prospect.html", context, status=status)


def _asked(request: HttpRequest) -> QueryDict:
    return QueryDict(request.POST.get("asked", ""))


def _record(request: HttpRequest, campaign: Campaign, form: PlannerForm) -> HttpResponse:
    launch = reverse("rankme:campaign-launch", args=[campaign.code])
    answer = _answer(request, campaign, form)
    if "planned" not in answer:
        missing = _("Nothing was recorded: some numbers of the planner are missing.")
        messages.error(request, answer.get("planner_refusal", missing))
        return redirect(f"{launch}#planner")
    done = _("The answer of the planner is in the history, and in the texts for the paper.")
    act(request, done, record_promise, campaign, form.cleaned_data)
    return redirect(f"{launch}?{_asked(request).urlencode()}#planner")


def _answer(request: HttpRequest, campaign: Campaign, form: PlannerForm) -> dict[str, Any]:
    if not form.is_valid():
        return {}
    try:
        found = planned_of(campaign, form.cleaned_data, by=user_of(request))
    except (AnalysisError, RefusedAction) as error:
        return {"planner_refusal": str(error)}
    return {
        "planned": found,
        "outlook": found.outlook,
        "asked": urlencode({name: v for name, v in form.cleaned_data.items() if v is not None}),
        "plan_rows": list(_rows(found)),
        "in_residuals": found.pilot is None and form.cleaned_data["spreads"] != OWN,
        "pilot": found.pilot,
        "prediction": found.prediction,
    }


def _simulate(request: HttpRequest, campaign: Campaign, form: PlannerForm) -> HttpResponse:
    with refusals_as_messages(request):
        if planned := _answer(request, campaign, form).get("planned"):
            start_simulation(planned.outlook.plan.size, planned.spreads)
    launch = reverse("rankme:campaign-launch", args=[campaign.code])
    return redirect(f"{launch}?{_asked(request).urlencode()}#simulation")


def _simulation(planned: Planned | None) -> dict[str, Any]:
    """How far the simulation of this plan is, next to the formulas' answer once it is done."""
    if planned is None or planned.outlook.plan.prospect.detectable is None:
        return {}
    plan = planned.outlook.plan
    state = simulation_of(plan.size, planned.spreads)
    found = {"simulation": state, "simulation_campaigns": campaigns_for(plan.size)}
    if result := state.get("result"):
        rows = [
            (title, [_number(getattr(each, name), digits) for each in (plan.prospect, result)])
            for name, title, digits in SIMULATED
        ]
        size = _("%(campaigns)s simulated campaigns with %(raters)s raters and %(items)s items") % {
            "campaigns": _number(result.campaigns, 0),
            "raters": _number(plan.size.raters, 0),
            "items": _number(plan.size.items, 0),
        }
        found |= {"simulation_rows": rows, "simulation_size": size}
    return found


def _number(value: float | None, digits: int) -> str:
    if value is None:
        return "–"
    return str(number_format(value, digits, use_l10n=True, force_grouping=True))


def _rows(found: Planned) -> Iterator[Row]:
    """One row for each number, with its value in each plan."""
    plans = [each for each in (found.outlook.plan, found.outlook.best) if each]

    def row(title: Any, value: Callable[[Plan], float | None], digits: int = 0) -> Row:
        return title, [_number(value(plan), digits) for plan in plans]

    yield row(_("Raters"), lambda plan: plan.size.raters)
    yield row(_("Items"), lambda plan: plan.size.items)
    yield row(_("Raters of each output"), lambda plan: plan.size.repeats)
    yield row(_("Minutes of a rater"), lambda plan: plan.price.minutes_of_a_rater)
    yield row(_("Hours of all raters"), lambda plan: plan.price.hours, 1)
    yield row(_("Money, with fees and losses"), lambda plan: plan.price.money or None, 2)
    least = _("Smallest difference found in 80 %")
    yield row(least, lambda plan: found.on_the_scale(plan.prospect.detectable), 2)
    yield row(HALF_WIDTH, lambda plan: found.on_the_scale(plan.prospect.half_width), 2)
    yield row(FOUND, lambda plan: plan.prospect.found if found.has_order else None, 2)
    yield row(ORDER, lambda plan: plan.prospect.order if found.has_order else None, 2)
    yield row(BOUNDARY, lambda plan: plan.prospect.boundary, 3)
    yield row(STABLE, lambda plan: plan.prospect.stable, 2)
