"""A campaign's study at its panel: draft, cost, publish, and what it is doing."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from rankme.actions.panel import filters, groups, studies, sync
from rankme.errors import RankmeError, RefusedAction
from rankme.forms.panel import CeilingForm, PlacesForm, StudyForm
from rankme.models import Campaign, PanelAccount, PanelStudy, PanelSubmission
from rankme.panels.prolific import least_longest_minutes
from rankme.permissions import get_campaign, user_of
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition
from rankme.queries.documents import screens_of_batch
from rankme.queries.panel_books import books_of, money_of, newest_study, states_of
from rankme.queries.panel_places import places_missing

from .campaign_page import act, refusals_as_messages, render_campaign, tabs_of

TAB = "campaign-panel"
There = PanelSubmission.State
LONGEST_TIMES_EXPECTED = 4


def panel_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page of a launched campaign whose panel the site can talk to; others have none."""

    @wraps(view)
    def page(request: HttpRequest, code: str, **parts: Any) -> HttpResponse:
        campaign = get_campaign(request, code)
        if parts:
            found = PanelSubmission.objects.select_related("participant", "study__account")
            parts = {
                "person": get_object_or_404(found, pk=parts["submission"], study__campaign=campaign)
            }
        if "campaign-panel" not in [tab.name for tab in tabs_of(campaign)]:
            return redirect("rankme:campaign", campaign.code)
        return view(request, campaign, **parts)

    return page


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@panel_page
def show(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The study, or the form of a new one."""
    study = newest_study(campaign)
    if study is None or (study.is_over and "new" in request.GET):
        return _draft(request, campaign)
    return render_campaign(
        request, campaign, "organiser/panel_study.html", _study_context(study), tab=TAB
    )


def _study_context(study: PanelStudy) -> dict[str, Any]:
    context: dict[str, Any] = {
        "study": study,
        "money": money_of(study),
        "states": [(There(state).label, number) for state, number in states_of(study).items()],
        "places_form": PlacesForm(initial={"more": places_missing(study) or None}),
        "ceiling_form": CeilingForm(initial={"ceiling": study.ceiling / 100}),
        "missing": places_missing(study),
    }
    if study.is_published:
        context["open_questions"] = books_of(study).open_questions
    elif study.external_id:
        try:
            context["cost"] = studies.cost_of(study)
        except RankmeError as error:
            context["cost_problem"] = str(error)
    return context


# The draft ---------------------------------------------------------------------------------


def _draft(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    own = PanelAccount.objects.filter(owner=user_of(request))
    account = _chosen_account(request, list(own))
    context: dict[str, Any] = {"account": account}
    if account is None:
        return render_campaign(request, campaign, "organiser/panel_draft.html", context, tab=TAB)
    known = _filters(request, account)
    chosen = [offered for offered in known if offered.id in request.GET.getlist("filter")]
    form = StudyForm(
        request.POST if request.method == "POST" else None,
        accounts=own,
        studies=PanelStudy.objects.filter(
            pk__in=[earlier.pk for earlier in groups.earlier_studies(account)]
        ),
        filters=chosen,
        initial=_proposal(campaign, account),
    )
    if form.is_valid():
        done = _count_or_create(request, campaign, account, form)
        if done is not None:
            return done
    context |= {
        "form": form,
        "chosen": chosen,
        "others": [offered for offered in known if offered not in chosen],
    }
    status = 422 if form.is_bound and form.errors else 200
    return render_campaign(
        request, campaign, "organiser/panel_draft.html", context, tab=TAB, status=status
    )


def _chosen_account(request: HttpRequest, own: list[PanelAccount]) -> PanelAccount | None:
    named = request.POST.get("account") or request.GET.get("account")
    return next((account for account in own if str(account.pk) == named), own[0] if own else None)


def _filters(request: HttpRequest, account: PanelAccount) -> list[Any]:
    with refusals_as_messages(request):
        return filters.available_filters(account)
    return []


def _count_or_create(
    request: HttpRequest, campaign: Campaign, account: PanelAccount, form: StudyForm
) -> HttpResponse | None:
    """Count the people whom the filters leave, or draft the study; None: show the form again."""
    with refusals_as_messages(request):
        wanted = form.chosen_filters()
        for name, filter_id in (("keep_out", studies.BLOCKLIST), ("let_in", studies.ALLOWLIST)):
            wanted += groups.group_filter(filter_id, list(form.cleaned_data.get(name) or []))
        if request.POST.get("action") == "count":
            count = filters.count_eligible(account, wanted)
            message = ngettext(
                "%(count)s person can take part.", "%(count)s people can take part.", count
            )
            messages.info(request, message % {"count": count})
            return None
        lent = form.cleaned_data["account"]
        studies.draft_study(campaign, lent, form.plan(wanted), by=user_of(request))
        messages.success(request, _("The draft is ready. Check its cost, then publish it."))
        return redirect("rankme:campaign-panel", campaign.code)
    return None


def _proposal(campaign: Campaign, account: PanelAccount) -> dict[str, Any]:
    """What the campaign itself says about a study."""
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
        "minutes": minutes,
        "longest_minutes": max(minutes * LONGEST_TIMES_EXPECTED, least_longest_minutes(minutes)),
        "devices": ["desktop"] if crowd.devices == "desktop" else ["desktop", "tablet", "mobile"],
    }


def _minutes(campaign: Campaign, definition: Definition) -> int:
    batch = campaign.batches.first()
    if batch:
        screens = screens_of_batch(batch.pk, definition, trials=batch.trials.count())
    else:
        screens = len(definition.screens)
    seconds = screens * definition.crowd.expected_seconds_per_screen
    # Rounded up: a shorter time would promise more pay for an hour than there is.
    return max(1, math.ceil(seconds * definition.crowd.batches_per_rater / 60))


# Changes -----------------------------------------------------------------------------------


@login_required
@require_POST
@panel_page
def change(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Publish, pause, resume, stop, add places, change the ceiling, ask the panel, delete."""
    study = newest_study(campaign)
    if study is None:
        return redirect("rankme:campaign-panel", campaign.code)
    changes = _changes(request, study)
    name = request.POST.get("action", "")
    if name not in changes:
        messages.error(request, _("Press one of the buttons."))
        return redirect("rankme:campaign-panel", campaign.code)
    if name in ("publish", "stop", "delete") and not request.POST.get("sure"):
        messages.error(request, _("Tick the box first."))
        return redirect("rankme:campaign-panel", campaign.code)
    act(request, *changes[name])
    return redirect("rankme:campaign-panel", campaign.code)


def _changes(
    request: HttpRequest, study: PanelStudy
) -> dict[str, tuple[Callable[[], object], str]]:
    by = user_of(request)
    return {
        "publish": (
            lambda: studies.publish_study(study, by=by),
            _("The study is published. Raters can come now."),
        ),
        "pause": (lambda: studies.pause_study(study, by=by), _("The study is paused.")),
        "resume": (lambda: studies.resume_study(study, by=by), _("The study is active again.")),
        "stop": (lambda: studies.stop_study(study, by=by), _("The study is stopped.")),
        "delete": (lambda: studies.delete_study(study, by=by), _("The draft is deleted.")),
        "places": (
            lambda: studies.add_places(study, _number(PlacesForm(request.POST), "more"), by=by),
            _("The places are added."),
        ),
        "ceiling": (
            lambda: studies.change_ceiling(
                study, _number(CeilingForm(request.POST), "ceiling"), by=by
            ),
            _("The ceiling is changed."),
        ),
        "refresh": (lambda: sync.refresh(study), _("This is what the panel says now.")),
    }


def _number(form: PlacesForm | CeilingForm, name: str) -> int:
    if not form.is_valid():
        raise RefusedAction(_("Enter a positive number."))
    return int(form.cleaned_data[name])
