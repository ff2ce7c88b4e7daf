"""A campaign's study at its panel: draft, cost, publish, and what it is doing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from rankme.actions.panel import filters, money, studies, sync
from rankme.errors import RankmeError, RefusedAction
from rankme.forms.panel import DEVICES, CeilingForm, CostForm, PlacesForm
from rankme.models import Campaign, PanelStudy, PanelSubmission
from rankme.pages.campaign.campaign_page import (
    FORM,
    POST,
    act,
    campaign_page,
    render_campaign,
)
from rankme.permissions import Permission
from rankme.queries.panel_books import books_of, has_panel, money_of, newest_study, states_of
from rankme.queries.panel_places import places_missing

from . import drafts
from .drafts import TAB

There = PanelSubmission.State


def panel_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page of a launched campaign whose panel the site can talk to; others have none."""

    @wraps(view)
    def page(request: HttpRequest, campaign: Campaign, **parts: Any) -> HttpResponse:
        if parts:
            found = PanelSubmission.objects.select_related("participant", "study__account")
            parts = {
                "person": get_object_or_404(found, pk=parts["submission"], study__campaign=campaign)
            }
        if campaign.is_draft or not has_panel(campaign):
            return redirect("rankme:campaign", campaign.code)
        return view(request, campaign, **parts)

    return page


@campaign_page(FORM, needs=Permission.IDENTITIES, to_send=Permission.EDIT)
@panel_page
def show(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The study, or the form of a new one."""
    study = newest_study(campaign)
    if study is None or (study.is_over and "new" in request.GET):
        return drafts.draft(request, campaign)
    if study.state == PanelStudy.State.UNPUBLISHED and "edit" in request.GET:
        return drafts.draft(request, campaign, study)
    return render_campaign(
        request, campaign, "organiser/panel/study.html", _study_context(study), tab=TAB
    )


def _study_context(study: PanelStudy) -> dict[str, Any]:
    context: dict[str, Any] = {
        "study": study,
        "money": money_of(study),
        "states": [(There(state).label, number) for state, number in states_of(study).items()],
        "places_form": PlacesForm(initial={"more": places_missing(study) or None}),
        "ceiling_form": CeilingForm(initial={"ceiling": studies.in_major_units(study.ceiling)}),
        "missing": places_missing(study),
        "place_cost": money.likely_cost(study, study.reward),
        **drafts.rules_about_checks(study.campaign),
        "devices": [title for device, title in DEVICES if device in study.devices],
        "filters": filters.described(study.account, study.filters),
    }
    if study.is_published:
        context["open_questions"] = books_of(study).open_questions
    elif study.external_id:
        try:
            context["cost"] = studies.cost_of(study)
        except RankmeError as error:
            context["cost_problem"] = str(error)
    return context


# Changes -----------------------------------------------------------------------------------


@campaign_page(POST, needs=Permission.EDIT)
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
    back = "campaign-panel-books" if request.POST.get("back") == "books" else "campaign-panel"
    return redirect(f"rankme:{back}", campaign.code)


def _changes(
    request: HttpRequest, study: PanelStudy
) -> dict[str, tuple[str, Callable[..., object]]]:
    def publish(by: User) -> None:
        studies.publish_study(study, by=by, agreed=_number(CostForm(request.POST), "cost"))

    def add_places(by: User) -> None:
        studies.add_places(study, _number(PlacesForm(request.POST), "more"), by=by)

    def change_ceiling(by: User) -> None:
        studies.change_ceiling(study, _number(CeilingForm(request.POST), "ceiling"), by=by)

    return {
        "publish": (_("The study is published. Raters can come now."), publish),
        "pause": (_("The study is paused."), partial(studies.pause_study, study)),
        "resume": (_("The study is active again."), partial(studies.resume_study, study)),
        "stop": (_("The study is stopped."), partial(studies.stop_study, study)),
        "delete": (_("The draft is deleted."), partial(studies.delete_study, study)),
        "places": (_("The places are added."), add_places),
        "ceiling": (_("The ceiling is changed."), change_ceiling),
        "refresh": (_("This is what the panel says now."), lambda by: sync.refresh(study)),
    }


def _number(form: PlacesForm | CeilingForm | CostForm, name: str) -> int:
    if not form.is_valid():
        raise RefusedAction(_("Enter a positive number."))
    return int(form.cleaned_data[name])
