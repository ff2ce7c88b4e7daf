"""Decisions about many people of a study: what was chosen, its total, and one yes."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from rankme.actions.audit import note_identities
from rankme.actions.panel import deciding, money
from rankme.actions.panel.bounds import LONGEST_REASON
from rankme.errors import RefusedAction
from rankme.forms.panel import BonusFileForm, BonusForm, HourlyBonusForm, ShareForm
from rankme.models import Campaign, PanelStudy
from rankme.pages.campaign.campaign_page import refusals_as_messages, render_campaign
from rankme.permissions import may_see_people, user_of
from rankme.untrusted.whole_numbers import number_in

from .drafts import TAB

TITLES = {
    deciding.APPROVE: gettext_lazy("Approve these rewards?"),
    deciding.SHARE: gettext_lazy("Pay these parts of the reward?"),
    deciding.BONUS: gettext_lazy("Pay these bonuses?"),
    deciding.RETURN: gettext_lazy("Ask these people to return their submissions?"),
}


def sees_people(request: HttpRequest, study: PanelStudy) -> bool:
    """Whether the page shows the panel's ids of people, which the history then says."""
    if is_shown := may_see_people(request, study):
        note_identities(study.campaign, "panel ids", by=user_of(request))
    return is_shown


def decide(request: HttpRequest, campaign: Campaign, study: PanelStudy) -> HttpResponse:
    """Show what a decision would do; after the yes, record it."""
    with refusals_as_messages(request):
        plan = _plan(request, study)
        if request.POST.get("sure"):
            return _carry_out(request, campaign, plan)
        context = {
            "study": study,
            "plan": plan,
            "title": TITLES[plan.kind],
            "reason": request.POST.get("reason", "")[:LONGEST_REASON],
            "sees_people": sees_people(request, study),
        }
        template = "organiser/panel/decision.html"
        return render_campaign(request, campaign, template, context, tab=TAB)
    return redirect("rankme:campaign-panel-books", campaign.code)


def _plan(request: HttpRequest, study: PanelStudy) -> deciding.Plan:
    """The people and amounts that were sent, or that follow from what was sent."""
    sent, kind = request.POST, request.POST.get("action", "")
    if kind == "hourly":
        per_hour = read_form(HourlyBonusForm(sent))["per_hour"]
        return deciding.plan_of_bonuses(study, money.bonuses_per_hour(study, per_hour))
    if kind == "file":
        form = BonusFileForm(sent)
        read_form(form)
        return deciding.plan_of_bonuses(study, money.bonuses_of_lines(study, form.rows()))
    if "pay" in sent:
        return deciding.plan_of_bonuses(study, _listed(study, sent.getlist("pay")))
    if kind not in TITLES:
        raise RefusedAction(_("Press one of the buttons."))
    people = [number_in(text) for text in sent.getlist("person")]
    amount = read_form(BonusForm(sent))["amount"] if kind == deciding.BONUS else 0
    percent = read_form(ShareForm(sent))["percent"] if kind == deciding.SHARE else 0
    return deciding.plan_for(study, people, kind, amount=amount, percent=percent)


def _listed(study: PanelStudy, sent: list[str]) -> money.Bonuses:
    """The confirmed bonuses of a page: `submission:amount` in minor units."""
    amounts = {}
    for pair in sent[: deciding.MOST_AT_ONCE]:
        submission, _colon, amount = pair.partition(":")
        amounts[number_in(submission)] = number_in(amount)
    found = study.submissions.filter(pk__in=amounts).select_related("participant", "study")
    return [(submission, amounts[submission.pk]) for submission in found]


def _carry_out(request: HttpRequest, campaign: Campaign, plan: deciding.Plan) -> HttpResponse:
    reason = request.POST.get("reason", "")[:LONGEST_REASON]
    done, refused = deciding.carry_out(plan, reason=reason, by=user_of(request))
    if done and plan.kind == deciding.RETURN:
        words = ngettext("%(count)s person is asked.", "%(count)s people are asked.", done)
        messages.success(request, words % {"count": done})
    elif done:
        words = ngettext(
            "%(count)s payment will be made within a minute.",
            "%(count)s payments will be made within a minute.",
            done,
        )
        messages.success(request, words % {"count": done})
    for problem in refused:
        messages.error(request, problem)
    return redirect("rankme:campaign-panel-books", campaign.code)


def read_form(form: forms.Form) -> dict[str, Any]:
    """Read the sent form; a refusal names the problem."""
    if form.is_valid():
        return form.cleaned_data
    problems = [
        f"{form.fields[name].label}: {' '.join(str(error) for error in errors)}"
        for name, errors in form.errors.items()
        if name in form.fields
    ]
    raise RefusedAction(" ".join(problems))
