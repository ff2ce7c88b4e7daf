"""The form of a study that is not published: drafted, and changed until it is."""

from __future__ import annotations

import math
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rankme.actions.panel import filters, groups, studies
from rankme.actions.panel.bounds import MINOR_UNITS
from rankme.errors import RankmeError
from rankme.forms.panel import StudyForm, chosen_before
from rankme.models import Campaign, PanelAccount, PanelStudy
from rankme.pages.campaign.campaign_page import refusals_as_messages, render_campaign
from rankme.panel_calls.prolific import Filter, least_longest_minutes
from rankme.permissions import user_of
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition
from rankme.queries.documents import screens_of_batch

TAB = "campaign-panel"
TEMPLATE = "organiser/panel/draft.html"
LONGEST_TIMES_EXPECTED = 4


def draft(
    request: HttpRequest, campaign: Campaign, study: PanelStudy | None = None
) -> HttpResponse:
    """The form of a new study, or of one that is not published."""
    own = PanelAccount.objects.real().filter(owner=user_of(request))
    accounts = own if study is None else PanelAccount.objects.filter(pk=study.account_id)
    account = _chosen_account(request, list(accounts))
    if account is None:
        return render_campaign(request, campaign, TEMPLATE, {"account": None}, tab=TAB)
    known = _filters(request, account)
    chosen = _chosen(request, known, study)
    fixed = [] if study is None else ["account"]
    if study is not None and account.owner_id != user_of(request).pk:
        fixed.append("ceiling")
    options: dict[str, Any] = {
        "accounts": accounts,
        "studies": PanelStudy.objects.filter(
            pk__in=[earlier.pk for earlier in groups.earlier_studies(account)]
        ),
        "fixed": fixed,
        "initial": _values_of(study) if study else _proposal(campaign, account),
    }
    form = StudyForm(request.POST or None, filters=chosen, **options)
    if _changes_filters(request):
        chosen = _with_changes(request, known, chosen)
        options["initial"] |= form.typed()
        form = StudyForm(filters=chosen, **options)
    elif form.is_valid():
        done = _count_or_store(request, campaign, account, form, study)
        if done is not None:
            return done
    context = {
        "account": account,
        "study": study,
        "form": form,
        "chosen": chosen,
        "others": [offered for offered in known if offered not in chosen],
        **rules_about_checks(campaign),
    }
    status = 422 if form.is_bound and form.errors else 200
    return render_campaign(request, campaign, TEMPLATE, context, tab=TAB, status=status)


def rules_about_checks(campaign: Campaign) -> dict[str, Any]:
    """Whether raters can fail checks and finish, and what then follows."""
    definition = frozen_definition(campaign).definition
    quizzes_decide = bool(definition.rules.gate_if)
    checks = [check for check in definition.checks if check.kind != "quiz" or not quizzes_decide]
    return {"rules": definition.rules, "has_checks": bool(checks)}


def _chosen_account(request: HttpRequest, own: list[PanelAccount]) -> PanelAccount | None:
    named = request.POST.get("account") or request.GET.get("account")
    return next((account for account in own if str(account.pk) == named), own[0] if own else None)


# Filters -----------------------------------------------------------------------------------


def _filters(request: HttpRequest, account: PanelAccount) -> list[Filter]:
    with refusals_as_messages(request):
        return filters.available_filters(account)
    return []


def _chosen(request: HttpRequest, known: list[Filter], study: PanelStudy | None) -> list[Filter]:
    """The filters in the form: what was sent, or what the study has."""
    sent = request.POST if request.method == "POST" else request.GET
    names = sent.getlist("filter")
    if study is not None and request.method != "POST":
        names = [chosen["filter_id"] for chosen in study.filters]
    return [offered for offered in known if offered.id in names]


def _changes_filters(request: HttpRequest) -> bool:
    return request.POST.get("action") == "add-filter" or "drop" in request.POST


def _with_changes(request: HttpRequest, known: list[Filter], chosen: list[Filter]) -> list[Filter]:
    names = {offered.id for offered in chosen} - {request.POST.get("drop")}
    if request.POST.get("action") == "add-filter":
        names.add(request.POST.get("add", ""))
    return [offered for offered in known if offered.id in names]


def _wanted_filters(
    account: PanelAccount, form: StudyForm, study: PanelStudy | None
) -> list[dict[str, Any]]:
    """The chosen filters, those of groups, and those that the form cannot show."""
    wanted = form.chosen_filters()
    for name, filter_id in (("keep_out", studies.BLOCKLIST), ("let_in", studies.ALLOWLIST)):
        wanted += groups.group_filter(filter_id, list(form.cleaned_data.get(name) or []))
    shown = {offered.id for offered in filters.available_filters(account)}
    shown |= {studies.BLOCKLIST, studies.ALLOWLIST}
    kept = study.filters if study else []
    return wanted + [chosen for chosen in kept if chosen["filter_id"] not in shown]


# What is asked for -------------------------------------------------------------------------


def _count_or_store(
    request: HttpRequest,
    campaign: Campaign,
    account: PanelAccount,
    form: StudyForm,
    study: PanelStudy | None,
) -> HttpResponse | None:
    """Count people and cost, or store the draft; None: show the form again."""
    with refusals_as_messages(request):
        wanted = _wanted_filters(account, form, study)
        if request.POST.get("action") == "count":
            _tell_count(request, campaign, account, form, wanted)
            return None
        by, plan = user_of(request), studies.StudyPlan.of(form.cleaned_data, wanted)
        if study is None:
            lent = form.cleaned_data["account"]
            studies.draft_study(campaign, lent, plan, by=by)
            messages.success(request, _("The draft is ready. Check its cost, then publish it."))
        else:
            studies.change_draft(study, plan, by=by)
            messages.success(request, _("The draft is changed, here and at the panel."))
        return redirect("rankme:campaign-panel", campaign.code)
    return None


def _tell_count(
    request: HttpRequest,
    campaign: Campaign,
    account: PanelAccount,
    form: StudyForm,
    wanted: list[dict[str, Any]],
) -> None:
    count = filters.count_eligible(account, wanted)
    sent = form.cleaned_data
    cost = studies.cost_of_places(campaign, account, places=sent["places"], reward=sent["reward"])
    people = ngettext("%(count)s person can take part.", "%(count)s people can take part.", count)
    money = _("With fees and tax, these places cost %(cost)s.") % {
        "cost": studies.amount_in_words(cost, account.currency)
    }
    messages.info(request, f"{people % {'count': count}} {money}")
    if cost > sent["ceiling"]:
        messages.warning(request, _("This is more than the ceiling."))


def _values_of(study: PanelStudy) -> dict[str, Any]:
    """The study in the form's fields."""
    of_groups = {
        name: {
            group
            for chosen in study.filters
            if chosen["filter_id"] == filter_id
            for group in chosen["selected_values"]
        }
        for name, filter_id in (("keep_out", studies.BLOCKLIST), ("let_in", studies.ALLOWLIST))
    }
    earlier = [each for each in groups.earlier_studies(study.account) if each.group]
    same = ("name", "description", "places", "minutes", "longest_minutes", "devices")
    return {
        **{name: getattr(study, name) for name in (*same, "is_secure", "approval", "tops_up")},
        "account": study.account_id,
        "reward": studies.in_major_units(study.reward),
        "ceiling": studies.in_major_units(study.ceiling),
        "pays_shares": bool(study.codes.get("share")),
        **{
            name: [each.pk for each in earlier if each.group in wanted]
            for name, wanted in of_groups.items()
        },
        **chosen_before(study.filters),
    }


def _proposal(campaign: Campaign, account: PanelAccount) -> dict[str, Any]:
    """Propose a study from the campaign's own settings."""
    definition = frozen_definition(campaign).definition
    crowd = definition.crowd
    free = campaign.slots.filter(state="free").count()
    places = max(1, -(-free // crowd.batches_per_rater))
    reward = round(crowd.pay_per_batch * crowd.batches_per_rater, 2)
    minutes = _minutes(campaign, definition)
    return {
        "account": account.pk,
        "name": campaign.title[:120],
        "places": places,
        "reward": reward or None,
        "ceiling": _proposed_ceiling(campaign, account, places, reward),
        "minutes": minutes,
        "longest_minutes": max(minutes * LONGEST_TIMES_EXPECTED, least_longest_minutes(minutes)),
        "devices": ["desktop"] if crowd.devices == "desktop" else ["desktop", "tablet", "mobile"],
    }


def _proposed_ceiling(
    campaign: Campaign, account: PanelAccount, places: int, reward: float
) -> int | None:
    """The cost of the proposed places, as a whole amount; None while the panel is away."""
    if not reward:
        return None
    try:
        cost = studies.cost_of_places(
            campaign, account, places=places, reward=round(reward * MINOR_UNITS)
        )
    except RankmeError:
        return None
    return math.ceil(cost / MINOR_UNITS)


def _minutes(campaign: Campaign, definition: Definition) -> int:
    batch = campaign.batches.first()
    if batch:
        screens = screens_of_batch(batch.pk, definition, trials=batch.trials.count())
    else:
        screens = len(definition.screens)
    seconds = screens * definition.crowd.expected_seconds_per_screen
    # Rounded up: a shorter time would promise more pay for an hour than there is.
    return max(1, math.ceil(seconds * definition.crowd.batches_per_rater / 60))
