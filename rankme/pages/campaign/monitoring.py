"""A running campaign: its progress, who works, and what to do about a rater."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from analysis.table_files import guarded
from rankme.actions.audit import note_identities, note_seen
from rankme.actions.sitting import (
    assignments,
    complaints,
    erasing,
    exclusions,
    participation,
)
from rankme.forms.organiser import ExclusionForm
from rankme.models import Campaign, Participant
from rankme.permissions import Permission, may, user_of
from rankme.protocols.files import stored_definition
from rankme.queries import coverage
from rankme.queries.check_answers import answers_of
from rankme.queries.complaints import complaints_of
from rankme.queries.definitions import frozen_definition
from rankme.queries.progress import pace_of, progress_of, screens_by_hour
from rankme.queries.rater_measures import agreements_by_criterion
from rankme.queries.raters import (
    PAYMENT_COLUMNS,
    RaterLine,
    alarming_first,
    comments_of,
    open_leases,
    payment_rows,
    rater_lines,
    raters_of,
    recent_raters,
    sittings_of,
)
from rankme.queries.watching.answers import (
    COLUMN,
    answered_by,
    before_newest,
    lanes_of,
    places_best,
    scale_use,
    strip_of,
    times_of,
)
from rankme.queries.watching.effect import (
    MOST_AT_ONCE,
    MOST_SCREENS,
    effect_of,
    has_more_screens,
)
from rankme.queries.watching.flagged import flagged_raters, why_paused
from rankme.queries.watching.limited_places import limited_places
from rankme.queries.watching.raters_of_systems import raters_of_systems
from rankme.queries.watching.traces import evidence_about
from rankme.untrusted.clean_text import storable

from .campaign_page import FORM, POST, SAFE, act, campaign_page, render_campaign, sent
from .items import is_blind, names_of
from .looking import looks_context

RATERS_ON_A_PAGE = 50
# Reading the answers of more raters takes too long for a page.
MOST_ORDERED = 300
MOST_COMPLAINTS = 100
SCREENS_ON_A_PAGE = 60
MOST_CHECKS = 100


@campaign_page(SAFE, needs=Permission.WATCH)
def watch(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Progress, pace, coverage, raters at work and leases; a script fetches it again and again."""
    if campaign.is_draft or campaign.is_archive:
        return redirect("rankme:campaign", campaign.code)
    progress = progress_of(campaign)
    in_codes = not may(request, Permission.SYSTEMS)
    lines = alarming_first(rater_lines(campaign, recent_raters(campaign)))
    _note_names(request, campaign, lines)
    takes_complaints = frozen_definition(campaign).definition.problem_button
    context = {
        "progress": progress,
        "pace": pace_of(campaign, progress),
        "hours": screens_by_hour(campaign),
        "systems": coverage.judged_by_system(campaign, in_codes=in_codes),
        "pairs": coverage.judged_by_pair(campaign, in_codes=in_codes),
        "raters": lines,
        "of_systems": raters_of_systems(campaign, in_codes=in_codes),
        "limited": limited_places(campaign) if may(request, Permission.IDENTITIES) else [],
        "alarmed": sum(bool(line.alarms) for line in lines),
        "stake": sum(line.stake for line in lines if line.alarms and not line.exclusion),
        "flagged": flagged_raters(campaign) if campaign.is_running else None,
        "why_paused": why_paused(campaign),
        **_currency(campaign),
        "leases": open_leases(campaign),
        "complaints": complaints_of(campaign)[:MOST_COMPLAINTS],
        "takes_complaints": takes_complaints,
        **looks_context(request, campaign),
    }
    return render_campaign(
        request, campaign, "organiser/campaign/monitor.html", context, tab="campaign-monitor"
    )


def _currency(campaign: Campaign) -> dict[str, Any]:
    """The currency, for the column of pay; without pay there is none."""
    crowd = stored_definition(campaign.definition).crowd
    return {"currency": crowd.currency if crowd.pay_per_batch else ""}


def _note_names(request: HttpRequest, campaign: Campaign, lines: Iterable[RaterLine]) -> None:
    """The history says who saw names of links next to raters."""
    if may(request, Permission.IDENTITIES) and any(line.invitation for line in lines):
        note_identities(campaign, "names of raters", by=user_of(request))


@campaign_page(POST, needs=Permission.ATTEND)
def free_lease(request: HttpRequest, campaign: Campaign, assignment: int) -> HttpResponse:
    """Take a batch back from a rater who will not finish it."""
    held = get_object_or_404(campaign.assignments.select_related("participant"), pk=assignment)
    act(
        request,
        _("The batch of %(rater)s has been released.") % {"rater": held.participant.label},
        assignments.free_lease,
        held,
    )
    return redirect("rankme:campaign-monitor", campaign.code)


@campaign_page(POST, needs=Permission.ATTEND)
def deal_with_complaint(request: HttpRequest, campaign: Campaign, complaint: int) -> HttpResponse:
    """Note that what a rater reported is dealt with, or take that back."""
    found = get_object_or_404(campaign.complaints, pk=complaint)
    is_done = request.POST.get("done") != "no"
    act(
        request,
        _("The report is marked as dealt with.") if is_done else _("The report is open again."),
        complaints.deal_with,
        found,
        is_done=is_done,
    )
    return redirect("rankme:campaign-monitor", campaign.code)


@campaign_page(SAFE, needs=Permission.WATCH)
def raters(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The raters: those with alarms first, unless there are too many to look at for a page."""
    found: Any = raters_of(campaign)
    is_ordered = found.count() <= MOST_ORDERED
    if is_ordered:
        found = alarming_first(rater_lines(campaign, list(found)))
    page: Page[Any] = Paginator(found, RATERS_ON_A_PAGE).get_page(request.GET.get("page"))
    if not is_ordered:
        page.object_list = alarming_first(rater_lines(campaign, list(page)))
    _note_names(request, campaign, page)
    context = {"raters": page, **_currency(campaign)}
    return render_campaign(
        request, campaign, "organiser/campaign/raters.html", context, tab="campaign-raters"
    )


def _rater(campaign: Campaign, label: str) -> Participant:
    if not storable(label):  # an address may contain NUL, which no database can look for
        raise Http404
    return get_object_or_404(campaign.participants.select_related("campaign"), label=label)


@campaign_page(FORM, needs=Permission.WATCH, to_send=Permission.EDIT)
def show_rater(request: HttpRequest, campaign: Campaign, label: str) -> HttpResponse:
    """One rater's work, and the decision to leave it out of analyses."""
    rater = _rater(campaign, label)
    form = ExclusionForm(**sent(request))
    if form.is_valid():
        reason = form.cleaned_data["reason"]
        exclude = partial(exclusions.exclude_rater, reason=reason)
        return _decided(request, rater, exclude, _("%(rater)s is excluded from future analyses."))
    note_seen(campaign, "a rater's answers", by=user_of(request))
    line = rater_lines(campaign, [rater])[0]
    _note_names(request, campaign, [line])
    if may(request, Permission.IDENTITIES) and (rater.entry_answers or rater.end_answers):
        note_identities(campaign, "raters' own answers", by=user_of(request))
    context = {
        "line": line,
        "form": form,
        "assignments": sittings_of(rater),
        "comments": comments_of(rater),
        "past_exclusions": rater.exclusions.exclude(withdrawn_at=None).select_related("decided_by"),
        "is_blind": is_blind(request, campaign),
    }
    if stored_definition(campaign.definition).crowd.traces:
        context["evidence"] = evidence_about(rater)
    context |= _answers(request, rater) | _effect(request, rater)
    return render_campaign(
        request, campaign, "organiser/campaign/rater.html", context, tab="campaign-raters"
    )


def _answers(request: HttpRequest, rater: Participant) -> dict[str, Any]:
    """A page of what the rater answered, and how all of it is distributed."""
    campaign = rater.campaign
    definition = stored_definition(campaign.definition)
    page: Page[Any] = Paginator(answered_by(rater), SCREENS_ON_A_PAGE).get_page(
        request.GET.get("page")
    )
    page.object_list = screens = strip_of(page.object_list, page.start_index(), definition)
    criteria = dict(campaign.criteria.values_list("pk", "name"))
    since = before_newest(rater)
    agreement = agreements_by_criterion(campaign, [rater.pk], since=since).get(rater.pk, {})
    return {
        "screens": page,
        "lanes": lanes_of(screens),
        "times": times_of(screens),
        "width": COLUMN * len(screens),
        "agreement": [(criteria[pk], *found) for pk, found in agreement.items()],
        "places_best": places_best(rater, since),
        "scale_use": scale_use(rater, definition, since),
        "checks": answers_of(campaign, [rater.pk])[:MOST_CHECKS],
        "has_figures": any(check.kind == "figure" for check in definition.checks),
    }


def _effect(request: HttpRequest, rater: Participant) -> dict[str, Any]:
    """The ranking with and without the rater: at once if it is small, else if it is asked for."""
    campaign = rater.campaign
    is_asked = request.GET.get("effect") == "yes"
    most = MOST_SCREENS if is_asked else MOST_AT_ONCE
    if has_more_screens(campaign, most):
        return {"effect_is_large": is_asked, "effect_can_be_asked_for": not is_asked}
    codes = names_of(request, campaign)
    names = {name: codes[pk] for pk, name in campaign.systems.values_list("pk", "name")}
    return {"effects": effect_of(campaign, rater, names)}


def _decided(
    request: HttpRequest, rater: Participant, decision: Callable[..., object], said: str
) -> HttpResponse:
    """Carry out a decision about a rater, and say so on the rater's page."""
    act(request, said % {"rater": rater.label}, decision, rater)
    return redirect("rankme:campaign-rater", rater.campaign.code, rater.label)


@campaign_page(POST, needs=Permission.EDIT)
def end_access(request: HttpRequest, campaign: Campaign, label: str) -> HttpResponse:
    """End the cookies and personal links of a rater, when one got into other hands."""
    rater = _rater(campaign, label)
    return _decided(
        request, rater, participation.end_access, _("Every browser of %(rater)s is signed out.")
    )


@campaign_page(POST, needs=Permission.EDIT)
def erase_answers(request: HttpRequest, campaign: Campaign, label: str) -> HttpResponse:
    """Forget what a rater said about themselves, because the rater asks for it."""
    rater = _rater(campaign, label)
    return _decided(
        request,
        rater,
        participation.erase_answers,
        _("The answers of %(rater)s to your questions are erased."),
    )


@campaign_page(POST, needs=Permission.OWN)
def erase_rater(request: HttpRequest, campaign: Campaign, label: str) -> HttpResponse:
    """Forget who one rater is, because the rater asks for it."""
    rater = _rater(campaign, label)
    return _decided(request, rater, erasing.erase_rater, _("The identity of %(rater)s is erased."))


@campaign_page(SAFE, needs=Permission.IDENTITIES)
def download_raters(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Download raters with outcomes and completion codes, for paying them. Never published."""
    note_identities(campaign, "file of raters", by=user_of(request))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="raters-{campaign.code}.csv"'
    rows = csv.writer(response)
    rows.writerow(PAYMENT_COLUMNS)
    for row in payment_rows(campaign):
        rows.writerow([guarded(str(value)) for value in row])
    return response


@campaign_page(POST, needs=Permission.EDIT)
def readmit(request: HttpRequest, campaign: Campaign, label: str) -> HttpResponse:
    rater = _rater(campaign, label)
    return _decided(
        request,
        rater,
        exclusions.readmit_rater,
        _("%(rater)s is included in future analyses again."),
    )
