"""From the link to the work: consent, entry questions and instructions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from csp.constants import NONCE, SELF
from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_safe

from rankme.actions import rate_limits
from rankme.actions.sitting import participation
from rankme.actions.sitting.figures import figure_for
from rankme.actions.sitting.quiz import answer_quiz, figures_to_ask, quizzes_of
from rankme.forms.entry import FiguresForm, QuestionsForm, QuizForm
from rankme.models import Campaign, Participant, Slot
from rankme.networks import network_of
from rankme.panel_calls.calls import PanelError
from rankme.panel_calls.entry_tokens import UntrustedEntry
from rankme.panel_links.outcomes import Outcome
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition
from rankme.untrusted.whole_numbers import number_in

from . import rater_identity
from .endings import REASON_OF_OUTCOME
from .interface_language import remember_language
from .rater_pages import (
    SECONDS_UNTIL_ASKING_AGAIN,
    State,
    in_the_campaigns_language,
    rater_page,
    step_of,
    stop,
    turn_to,
    unstored,
)
from .terms import gate_of, statements_of, terms_of
from .work_files import work_scripts

LONGEST_LANGUAGE = 10  # of the column; codes of languages can be longer
# What the consent page found, where a study needs one of them (static/js/participant/device.js).
DESKTOP_DEVICES = ("mouse", "keyboard")


def with_script_inside(
    view: Callable[[HttpRequest, str], HttpResponse],
) -> Callable[[HttpRequest, str], HttpResponse]:
    """Let a page contain a script, so that it works from the first press on."""
    # Its decorator is typed for views of one argument.
    allowed: Any = csp_replace({"script-src": [SELF, NONCE]})
    entrance: Callable[[HttpRequest, str], HttpResponse] = allowed(view)
    return entrance


@with_script_inside
@gzip_page
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, code: str) -> HttpResponse:
    """The link that raters follow: known raters continue, others are asked for consent."""
    campaign = rater_identity.campaign_at(code)
    with in_the_campaigns_language(request, campaign):
        answer = _take_consent if request.method == "POST" else _come_in
        response = unstored(answer(request, campaign, frozen_definition(campaign).definition))
    remember_language(request, response, campaign)
    return response


def _come_in(request: HttpRequest, campaign: Campaign, definition: Definition) -> HttpResponse:
    try:
        arrival = rater_identity.named_arrival(request, campaign, definition.crowd)
    except UntrustedEntry:
        arrival = None  # the cookie of a rater who is known here still opens their work
    except PanelError:
        return stop(request, campaign, "busy", again=SECONDS_UNTIL_ASKING_AGAIN)
    here = rater_identity.rater_of(request, campaign.code)
    rater = here if arrival is None else rater_identity.known_rater(campaign, arrival)
    if rater is not None and rater == here and arrival and arrival.panel != "invitation":
        rater = here  # the cookie proves more than the panel's id in the link
    if rater is not None and rater.consented_at is not None:
        return _known(request, rater, definition)
    if rater is not None:
        arrival = rater_identity.Arrival(rater.panel, rater.external_id, rater.session_id)
    if not campaign.is_running:
        reason = "paused" if campaign.state == "paused" else "closed"
        return stop(request, campaign, reason, **_sent_by(arrival))
    if arrival is None and not definition.crowd.open_link:
        return stop(request, campaign, "no-name", status=403)
    if not campaign.slots.filter(state__in=[Slot.State.FREE, Slot.State.HELD]).exists():
        return stop(request, campaign, "complete", **_sent_by(arrival))
    return _ask(request, campaign, definition, arrival or rater_identity.anonymous_arrival())


def _ask(
    request: HttpRequest,
    campaign: Campaign,
    definition: Definition,
    arrival: rater_identity.Arrival,
) -> HttpResponse:
    """The consent page; again, with what is missing, if statements were not ticked."""
    is_again = request.method == "POST"
    context = {
        "campaign": campaign,
        "definition": definition,
        "terms": terms_of(campaign, definition),
        "statements": statements_of(definition, request.POST if is_again else None),
        "arrival": arrival.signed(campaign),
        "stored_name": rater_identity.stored_name(campaign, arrival),
        "modules": partial(work_scripts, definition),
    }
    page = "participant/arrival/consent.html"
    return render(request, page, context, status=422 if is_again else 200)


def _take_consent(request: HttpRequest, campaign: Campaign, definition: Definition) -> HttpResponse:
    arrival = rater_identity.signed_arrival(request.POST.get("arrival", ""), campaign)
    if arrival is None:
        return redirect("rankme:enter", campaign.code)
    known = rater_identity.known_rater(campaign, arrival)
    if request.POST.get("decision") != "agree" and not (known and known.consented_at):
        participation.count_refusal(campaign)
        return stop(request, campaign, "declined", **_sent_by(arrival))
    if known is None and not _has_the_device(request, definition):
        return stop(request, campaign, "device", status=403, **_sent_by(arrival))
    statements = statements_of(definition, request.POST)
    has_agreed = known is not None and known.consented_at is not None
    if not has_agreed and any(statement.is_missing for statement in statements):
        return _ask(request, campaign, definition, arrival)
    if known is None and not _may_come_in(request, campaign, arrival):
        return _crowded(request, campaign, arrival)
    rater = participation.enter(
        campaign,
        panel=arrival.panel,
        external_id=arrival.external_id,
        session_id=arrival.session_id,
        study_id=arrival.study_id,
        language=(translation.get_language() or "")[:LONGEST_LANGUAGE],
    )
    version = _version_shown(request, campaign)
    ticked = [statement.text for statement in statements]
    participation.give_consent(rater, browser=arrival.browser, version=version, ticked=ticked)
    return _known(request, rater_identity.recognised(rater, arrival), definition)


def _version_shown(request: HttpRequest, campaign: Campaign) -> int:
    """The version of the page that a form comes from; it may have changed since."""
    number = number_in(request.POST.get("version", ""))
    return number if 1 <= number <= campaign.version else campaign.version


def _sent_by(arrival: rater_identity.Arrival | None) -> dict[str, Any]:
    """The panel that sent a person, and its IDs for them."""
    return {"arrived_by": arrival.panel, "ids": arrival.ids} if arrival else {}


def _known(request: HttpRequest, rater: Participant, definition: Definition) -> HttpResponse:
    """Let a rater who has agreed continue where they were."""
    if rater.is_second_browser:
        participation.note_second_browser(rater)
    return turn_to(request, rater, step_of(rater, definition))


def _has_the_device(request: HttpRequest, definition: Definition) -> bool:
    return definition.crowd.devices == "any" or request.POST.get("device") in DESKTOP_DEVICES


def _may_come_in(request: HttpRequest, campaign: Campaign, arrival: rater_identity.Arrival) -> bool:
    """Whether a newcomer may enter now; people whom a panel sent or who were invited always may."""
    if arrival.panel not in ("open", "generic"):
        return True
    return rate_limits.take(rate_limits.NEW_RATERS, campaign.pk, network_of(request))


def _crowded(
    request: HttpRequest, campaign: Campaign, arrival: rater_identity.Arrival
) -> HttpResponse:
    """Too many at once from one address: the page sends the consent again automatically."""
    context = {
        "campaign": campaign,
        "reason": "crowded",
        "again": SECONDS_UNTIL_ASKING_AGAIN,
        "arrival": arrival.signed(campaign),
        "device": request.POST.get("device", ""),
        "statements": statements_of(frozen_definition(campaign).definition, request.POST),
        "version": _version_shown(request, campaign),
    }
    response = render(request, "participant/departure/stop.html", context, status=429)
    response.headers["Retry-After"] = str(SECONDS_UNTIL_ASKING_AGAIN)
    return response


@require_safe
def resume(request: HttpRequest, code: str, token: str) -> HttpResponse:
    """The personal link that the work page shows, for the same rater on another device."""
    return _resumed(code, token, "work", days=rater_identity.ACCESS_DAYS)


@require_safe
def resume_own_data(request: HttpRequest, code: str, token: str) -> HttpResponse:
    """The personal link to a rater's own data, which works as long as the data can be found."""
    return _resumed(code, token, "my-data", days=rater_identity.ALWAYS_DAYS)


def _resumed(code: str, token: str, page: str, *, days: int) -> HttpResponse:
    campaign = get_object_or_404(Campaign, code=code, launched_at__isnull=False)
    rater = rater_identity.resumed_rater(campaign, token, days=days)
    if rater is None:
        return redirect("rankme:my-data" if page == "my-data" else "rankme:enter", code)
    return unstored(rater_identity.remember(redirect(f"rankme:{page}", code), rater))


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def questions(request: HttpRequest, rater: Participant) -> HttpResponse:
    definition = frozen_definition(rater.campaign).definition
    if rater.state == State.SCREENED_OUT:
        reason = REASON_OF_OUTCOME[Outcome(rater.outcome or Outcome.SCREENED_OUT)]
        if reason == "screened-out" and rater.instructed_at:
            reason = "practice-failed"
        return stop(request, rater.campaign, reason, rater=rater)
    if not definition.entry_questions or rater.entered_at is not None:
        return redirect(step_of(rater, definition))
    answers = request.POST if request.method == "POST" else None
    form = QuestionsForm(definition.entry_questions, answers)
    if not form.is_valid():
        status = 422 if form.is_bound else 200
        context = {"campaign": rater.campaign, "definition": definition, "form": form}
        return render(request, "participant/arrival/questions.html", context, status=status)
    if rater.is_second_browser and (ended := participation.ended_by(rater, form.answers())):
        # Another browser does not end the visit of the rater whose id it brings.
        return stop(request, rater.campaign, REASON_OF_OUTCOME[ended], arrived_by=rater.panel)
    participation.answer_entry_questions(rater, form.answers())
    rater.refresh_from_db()
    return turn_to(request, rater, step_of(rater, definition))


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def instructions(request: HttpRequest, rater: Participant) -> HttpResponse:
    definition = frozen_definition(rater.campaign).definition
    if request.method == "POST" and rater.consented_at is not None:
        participation.mark_instructed(rater, version=_version_shown(request, rater.campaign))
        return turn_to(request, rater, step_of(rater, definition))
    if step_of(rater, definition) != request.path:
        return redirect(step_of(rater, definition))
    context = {
        "campaign": rater.campaign,
        "definition": definition,
        "modules": partial(work_scripts, definition),
        "has_changed": rater.instructed_at is not None,
        "gate": gate_of(definition),
    }
    return render(request, "participant/arrival/instructions.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def quiz(request: HttpRequest, rater: Participant) -> HttpResponse:
    """Questions about the instructions, which are on the page; no answer is marked as wrong."""
    definition = frozen_definition(rater.campaign).definition
    if step_of(rater, definition) != request.path:
        return redirect(step_of(rater, definition))
    sent = request.POST if request.method == "POST" else None
    form = QuizForm(quizzes_of(definition), sent)
    asked = figures_to_ask(rater, definition)
    figures = FiguresForm({each.name: (each, figure_for(rater, each)) for each in asked}, sent)
    if all([form.is_valid(), figures.is_valid()]):
        tried = answer_quiz(rater, form.cleaned_data | figures.cleaned_data)
        if tried.passed or not tried.tries_left:
            rater.refresh_from_db()
            return turn_to(request, rater, step_of(rater, definition))
        words = _("Not all answers are correct. Read the instructions again, then try once more.")
        form.add_error(None, words)
        figures = FiguresForm({}, sent)  # they are asked once
    context = {
        "campaign": rater.campaign,
        "definition": definition,
        "form": form,
        "figures": figures,
        "instructions": definition.texts.instructions,
    }
    status = 422 if form.is_bound else 200
    return render(request, "participant/arrival/questions.html", context, status=status)
