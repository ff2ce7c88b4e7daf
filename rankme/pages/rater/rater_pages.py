"""The shared frame of raters' pages: rater, language, next page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from copy import copy
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import get_script_prefix, resolve, reverse
from django.views.decorators.gzip import gzip_page

from rankme.actions.sitting.participation import must_read_again
from rankme.actions.sitting.quiz import is_pending
from rankme.models import Assignment, Campaign, Participant
from rankme.panel_links.base import NO_IDS
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition
from rankme.queries.words import in_plain_text

from . import rater_identity
from .endings import ENDED_REASONS, OUTCOME_OF_REASON, ending, ending_of_rater
from .interface_language import in_the_language_of_raters, remember_language

SECONDS_UNTIL_ASKING_AGAIN = 15
State = Participant.State


def in_the_campaigns_language(
    request: HttpRequest, campaign: Campaign, *, recorded: str = ""
) -> AbstractContextManager[None]:
    return in_the_language_of_raters(request, frozen_definition(campaign), recorded)


def rater_page(
    view: Callable[..., HttpResponse], *, days: int = rater_identity.ACCESS_DAYS
) -> Callable[..., HttpResponse]:
    """A page for a known rater; anybody else is sent to the campaign's entry page."""

    @gzip_page
    @wraps(view)
    def page(request: HttpRequest, code: str) -> HttpResponse:
        # A page that follows at once is for the rater whom the form was from.
        rater = getattr(request, "rater", None) or rater_identity.rater_of(request, code, days=days)
        if rater is None:
            return redirect("rankme:enter", code)
        request.has_own_data = rater.consented_at is not None  # type: ignore[attr-defined]
        with in_the_campaigns_language(request, rater.campaign, recorded=rater.language):
            response = unstored(view(request, rater))
        remember_language(request, response, rater.campaign)
        return response

    return page


def rater_call(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The same for what scripts call: 401 keeps their answers and asks to open the link again."""

    @wraps(view)
    def call(request: HttpRequest, code: str) -> HttpResponse:
        rater = rater_identity.rater_of(request, code)
        if rater is None:
            return unstored(JsonResponse({"message": "no rater"}, status=401))
        language = in_the_campaigns_language(request, rater.campaign, recorded=rater.language)
        with language, in_plain_text():
            return unstored(view(request, rater))

    return call


def unstored(response: HttpResponse) -> HttpResponse:
    # A page from a cache (or the back button's memory) may be out of date or another rater's.
    response.headers["Cache-Control"] = "no-store"
    return response


def step_of(rater: Participant, definition: Definition) -> str:
    """The address of the page on which this rater continues."""
    if rater.state == State.COMPLETED:
        step = "end-questions" if asks_at_the_end(rater, definition) else "done"
    elif rater.state == State.RETURNED:
        step = "give-back"
    elif rater.consented_at is None:
        step = "enter"
    elif rater.state == State.SCREENED_OUT or (
        definition.entry_questions and rater.entered_at is None
    ):
        step = "questions"
    elif rater.instructed_at is None or must_read_again(rater):
        step = "instructions"
    elif is_pending(rater, definition):
        step = "quiz"
    else:
        step = "work"
    return reverse(f"rankme:{step}", args=[rater.campaign.code])


def turn_to(request: HttpRequest, rater: Participant, address: str) -> HttpResponse:
    """Lead a rater to their next page: by a redirect, or at once where the form asks for it.

    The page itself saves a round trip; `static/js/participant/onward.js` corrects its address.
    """
    known = rater_identity.remember(redirect(address), rater)
    if request.POST.get("at_once") != "1":
        return known
    asked: Any = copy(request)
    asked.rater = rater
    asked.method = "GET"
    asked.path = address
    asked.path_info = f"/{address.removeprefix(get_script_prefix())}"
    found = resolve(asked.path_info)
    asked.GET = asked.POST = QueryDict()
    asked.COOKIES = request.COOKIES | {name: each.value for name, each in known.cookies.items()}
    page: HttpResponse = found.func(asked, *found.args, **found.kwargs)
    page.cookies.update(known.cookies)
    return page


def asks_at_the_end(rater: Participant, definition: Definition) -> bool:
    """Whether this rater has neither answered nor skipped the questions after the work."""
    is_done = rater.state == State.COMPLETED and not rater.is_second_browser
    is_asked = bool(definition.end_questions) and rater.withdrawn_at is None
    return is_asked and is_done and rater.end_answered_at is None


def stored_screens(assignment: Assignment) -> list[tuple[int, int]]:
    """(trial, screen) of what the server already has, by the trial's place in the batch."""
    place = {trial: index for index, (trial, _) in enumerate(assignment.presentation)}
    rows = assignment.submissions.filter(surplus=False).values_list("trial_id", "screen")
    return sorted((place[trial], screen) for trial, screen in set(rows))


def leftovers_of(rater: Participant) -> dict[str, str]:
    """Data with which a page without work sends the answers that this browser still keeps."""
    address = reverse("rankme:submit", args=[rater.campaign.code])
    return {"rater": rater_identity.browser_tag(rater), "submit": address}


def stop(
    request: HttpRequest,
    campaign: Campaign,
    reason: str,
    *,
    again: int = 0,
    status: int = 200,
    rater: Participant | None = None,
    arrived_by: str = "",
    ids: Mapping[str, str] = NO_IDS,
) -> HttpResponse:
    """A plain page that says why there is nothing to do, what happens next, and with which code."""
    definition = frozen_definition(campaign).definition
    context = {"campaign": campaign, "definition": definition, "reason": reason, "again": again}
    if rater is not None:
        context["leftovers"] = leftovers_of(rater)
        arrived_by = rater.panel
    if rater is not None and rater.outcome:
        context |= ending_of_rater(rater, definition)
    elif reason in OUTCOME_OF_REASON:
        outcome = OUTCOME_OF_REASON[reason]
        context |= ending(definition.crowd, outcome, arrived_by=arrived_by, ids=ids)
    context["ended_without_code"] = reason in ENDED_REASONS and not context.get("code")
    return render(request, "participant/departure/stop.html", context, status=status)
