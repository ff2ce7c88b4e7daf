"""The rater's way: consent, entry questions, instructions, work, and a code at the end."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from rankme.actions import assignments, judgements, participation, rate_limits
from rankme.actions.assignments import NoBatch
from rankme.crowd import PANELS
from rankme.errors import InvalidAnswer, KeyReused, RefusedAction, TooManySubmissions
from rankme.forms.entry import EntryForm
from rankme.models import Assignment, Campaign, Participant, Slot
from rankme.protocols import sent_screen
from rankme.protocols.definition import Definition
from rankme.protocols.sent_screen import SentScreen
from rankme.queries.definitions import frozen_definition
from rankme.untrusted import strict_json

from . import rater_identity
from .campaign_catalogue import in_plain_text
from .interface_language import in_the_language_of_raters, remember_language
from .participant_words import instrument_words, script_words
from .trial_page import page_document, screen_parts, trials_of
from .work_files import instrument_scripts, work_scripts, work_stylesheets

log = logging.getLogger(__name__)

SECONDS_UNTIL_ASKING_AGAIN = 15
LONGEST_LANGUAGE = 10  # of the column; codes of languages can be longer
# What the consent page found, where a study needs one of them (static/js/participant/device.js).
DESKTOP_DEVICES = ("mouse", "keyboard")
State = Participant.State


def in_the_campaigns_language(
    request: HttpRequest, campaign: Campaign, *, recorded: str = ""
) -> AbstractContextManager[None]:
    return in_the_language_of_raters(request, frozen_definition(campaign).definition, recorded)


def rater_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page for a known rater; anybody else is sent to the campaign's entry page."""

    @wraps(view)
    def page(request: HttpRequest, code: str) -> HttpResponse:
        rater = rater_identity.rater_of(request, code)
        if rater is None:
            return redirect("rankme:enter", code)
        with in_the_campaigns_language(request, rater.campaign, recorded=rater.language):
            response = _unstored(view(request, rater))
        remember_language(request, response, rater.campaign)
        return response

    return page


def rater_call(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The same for what scripts call: 401 keeps their answers and asks to open the link again."""

    @wraps(view)
    def call(request: HttpRequest, code: str) -> HttpResponse:
        rater = rater_identity.rater_of(request, code)
        if rater is None:
            return _unstored(JsonResponse({"message": "no rater"}, status=401))
        language = in_the_campaigns_language(request, rater.campaign, recorded=rater.language)
        with language, in_plain_text():
            return _unstored(view(request, rater))

    return call


def _unstored(response: HttpResponse) -> HttpResponse:
    # A page from a cache (or the back button's memory) may be out of date or another rater's.
    response.headers["Cache-Control"] = "no-store"
    return response


# Coming in ---------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: HttpRequest, code: str) -> HttpResponse:
    """The link that raters follow: known raters continue, others are asked for consent."""
    campaign = get_object_or_404(Campaign, code=code, launched_at__isnull=False, is_archive=False)
    with in_the_campaigns_language(request, campaign):
        answer = _take_consent if request.method == "POST" else _come_in
        response = _unstored(answer(request, campaign, frozen_definition(campaign).definition))
    remember_language(request, response, campaign)
    return response


def _come_in(request: HttpRequest, campaign: Campaign, definition: Definition) -> HttpResponse:
    arrival = rater_identity.named_arrival(request, campaign, definition.crowd)
    here = rater_identity.rater_of(request, campaign.code)
    rater = here if arrival is None else rater_identity.known_rater(campaign, arrival)
    if rater is not None and rater == here and arrival and arrival.panel != "invitation":
        rater = here  # the cookie proves more than the panel's id in the link
    if rater is not None and rater.consented_at is not None:
        return _known(rater, definition)
    if rater is not None:
        arrival = rater_identity.Arrival(rater.panel, rater.external_id, rater.session_id)
    if not campaign.is_running:
        return _stop(request, campaign, "paused" if campaign.state == "paused" else "closed")
    if arrival is None and not definition.crowd.open_link:
        return _stop(request, campaign, "no-name", status=403)
    if not campaign.slots.filter(state__in=[Slot.State.FREE, Slot.State.HELD]).exists():
        return _stop(request, campaign, "complete")
    arrival = arrival or rater_identity.anonymous_arrival()
    return render(
        request,
        "participant/consent.html",
        {"campaign": campaign, "definition": definition, "arrival": arrival.signed(campaign)},
    )


def _take_consent(request: HttpRequest, campaign: Campaign, definition: Definition) -> HttpResponse:
    arrival = rater_identity.signed_arrival(request.POST.get("arrival", ""), campaign)
    if arrival is None:
        return redirect("rankme:enter", campaign.code)
    known = rater_identity.known_rater(campaign, arrival)
    if request.POST.get("decision") != "agree" and not (known and known.consented_at):
        participation.count_refusal(campaign)
        return _stop(request, campaign, "declined")
    if known is None and not _has_the_device(request, definition):
        return _stop(request, campaign, "device", status=403)
    if known is None and not _may_come_in(request, campaign, arrival):
        return _crowded(request, campaign, arrival)
    rater = participation.enter(
        campaign,
        panel=arrival.panel,
        external_id=arrival.external_id,
        session_id=arrival.session_id,
        language=(translation.get_language() or "")[:LONGEST_LANGUAGE],
    )
    participation.give_consent(rater, browser=arrival.browser)
    # If two browsers agree in one rater's name, the first one is the rater's.
    rater = rater_identity.known_rater(campaign, arrival) or rater
    return _known(rater, definition)


def _known(rater: Participant, definition: Definition) -> HttpResponse:
    """Let a rater who has agreed continue where they were."""
    if rater.is_second_browser:
        participation.note_second_browser(rater)
    return rater_identity.remember(redirect(_step_of(rater, definition)), rater)


def _has_the_device(request: HttpRequest, definition: Definition) -> bool:
    return definition.crowd.devices == "any" or request.POST.get("device") in DESKTOP_DEVICES


def _may_come_in(request: HttpRequest, campaign: Campaign, arrival: rater_identity.Arrival) -> bool:
    """Whether a newcomer may enter now; people whom a panel sent or who were invited always may."""
    if arrival.panel not in ("open", "generic"):
        return True
    return rate_limits.take(rate_limits.NEW_RATERS, campaign.pk, request.META["REMOTE_ADDR"])


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
    }
    response = render(request, "participant/stop.html", context, status=429)
    response.headers["Retry-After"] = str(SECONDS_UNTIL_ASKING_AGAIN)
    return response


@require_GET
def resume(request: HttpRequest, code: str, token: str) -> HttpResponse:
    """The personal link that the work page shows, for the same rater on another device."""
    campaign = get_object_or_404(Campaign, code=code, launched_at__isnull=False)
    rater = rater_identity.resumed_rater(campaign, token)
    if rater is None:
        return redirect("rankme:enter", code)
    return _unstored(rater_identity.remember(redirect("rankme:work", code), rater))


def _step_of(rater: Participant, definition: Definition) -> str:
    """The address of the page on which this rater continues."""
    if rater.state == State.COMPLETED:
        step = "done"
    elif rater.state == State.RETURNED:
        step = "give-back"
    elif rater.consented_at is None:
        step = "enter"
    elif rater.state == State.SCREENED_OUT or (
        definition.entry_questions and rater.entered_at is None
    ):
        step = "questions"
    elif rater.instructed_at is None:
        step = "instructions"
    else:
        step = "work"
    return reverse(f"rankme:{step}", args=[rater.campaign.code])


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def questions(request: HttpRequest, rater: Participant) -> HttpResponse:
    definition = frozen_definition(rater.campaign).definition
    if rater.state == State.SCREENED_OUT:
        # Only somebody who was too fast is screened out after the work has begun.
        reason = "too-fast" if rater.instructed_at else "screened-out"
        return _stop(request, rater.campaign, reason, rater=rater)
    if not definition.entry_questions or rater.entered_at is not None:
        return redirect(_step_of(rater, definition))
    answers = request.POST if request.method == "POST" else None
    form = EntryForm(definition.entry_questions, answers)
    if not form.is_valid():
        status = 422 if form.is_bound else 200
        context = {"campaign": rater.campaign, "definition": definition, "form": form}
        return render(request, "participant/questions.html", context, status=status)
    if rater.is_second_browser and not participation.is_admitted(definition, form.answers()):
        # Another browser does not end the visit of the rater whose id it brings.
        return _stop(request, rater.campaign, "screened-out")
    participation.answer_entry_questions(rater, form.answers())
    rater.refresh_from_db()
    return redirect(_step_of(rater, definition))


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def instructions(request: HttpRequest, rater: Participant) -> HttpResponse:
    definition = frozen_definition(rater.campaign).definition
    if request.method == "POST" and rater.consented_at is not None:
        participation.mark_instructed(rater)
        return redirect("rankme:work", rater.campaign.code)
    if _step_of(rater, definition) != request.path:
        return redirect(_step_of(rater, definition))
    context = {
        "campaign": rater.campaign,
        "definition": definition,
        "modules": work_scripts(definition),
    }
    return render(request, "participant/instructions.html", context)


# Work --------------------------------------------------------------------------------------


@gzip_page
@require_GET
@rater_page
def work(request: HttpRequest, rater: Participant) -> HttpResponse:
    """A whole batch on one page; asking again brings the same batch."""
    definition = frozen_definition(rater.campaign).definition
    if _step_of(rater, definition) != request.path:
        return redirect(_step_of(rater, definition))
    assignment = assignments.claim_batch(rater)
    if isinstance(assignment, NoBatch):
        return _no_batch(request, rater, assignment)
    return render(
        request, "participant/work.html", work_context(request, rater, assignment, definition)
    )


def work_context(
    request: HttpRequest, rater: Participant, assignment: Assignment, definition: Definition
) -> dict[str, Any]:
    code = rater.campaign.code
    document = page_document(definition, trials_of(assignment), seed=assignment.pk)
    if rater.practised_at is not None:
        document["practice"] = []
    resume_link = reverse("rankme:resume", args=[code, rater_identity.resume_token(rater)])
    return screens_context(definition) | {
        "campaign": rater.campaign,
        "resume_link": request.build_absolute_uri(resume_link),
        "is_late": assignment.state != Assignment.State.HELD,
        "may_give_back": not rater.is_second_browser,
        "document": document
        | {
            "version": sent_screen.VERSION,
            "assignment": assignment.pk,
            "devices": definition.crowd.devices,
            "rater": rater_identity.browser_tag(rater),
            "stored": _stored_screens(assignment),
            "addresses": {
                name: reverse(f"rankme:{name}", args=[code])
                for name in (
                    *("submit", "practice-feedback", "practised", "session", "finish"),
                    *("work", "enter"),
                )
            },
            "instruments": instrument_scripts(definition),
            "words": script_words(),
            "instrument_words": instrument_words(definition),
        },
    }


def screens_context(definition: Definition) -> dict[str, Any]:
    """What the templates of the screens need, for raters and for the organiser's preview."""
    return {
        "definition": definition,
        "screens": screen_parts(definition),
        "has_bell": any(screen.timed and screen.timed.bell for screen in definition.screens),
        "modules": work_scripts(definition),
        "stylesheets": work_stylesheets(definition),
    }


def _stored_screens(assignment: Assignment) -> list[list[int]]:
    """[trial, screen] of what the server already has, by the trial's place in the batch."""
    place = {trial: index for index, (trial, _) in enumerate(assignment.presentation)}
    rows = assignment.submissions.filter(surplus=False).values_list("trial_id", "screen")
    return sorted([place[trial], screen] for trial, screen in set(rows))


def _no_batch(request: HttpRequest, rater: Participant, none: NoBatch) -> HttpResponse:
    """Say why there is no work; a rater who has done a batch and gets no more receives the code."""
    if none.ask_again:
        again = SECONDS_UNTIL_ASKING_AGAIN
        return _stop(request, rater.campaign, none.reason, again=again, rater=rater)
    try:
        participation.complete_participation(rater)
    except RefusedAction:
        return _stop(request, rater.campaign, none.reason, rater=rater)
    return redirect("rankme:done", rater.campaign.code)


@require_POST
@rater_call
def submit(request: HttpRequest, rater: Participant) -> JsonResponse:
    """One screen's answers as JSON: 201 when stored, 200 when they already were."""
    if int(request.META.get("CONTENT_LENGTH") or 0) > judgements.LARGEST_PAYLOAD:
        return JsonResponse({"message": _("This answer is too long.")}, status=413)
    try:
        payload = strict_json.parse(request.body)
    except strict_json.InvalidJson as error:
        return _problems("", str(error))
    if not isinstance(payload, dict):
        return _problems("", "a submission is a JSON object")
    try:
        if payload.get("version") != sent_screen.VERSION:
            return _quarantine(rater, request.body, payload.get("version"))
        return _record(rater, SentScreen.read(payload))
    except InvalidAnswer as error:
        problems = [
            {"place": problem.place, "message": problem.message} for problem in error.problems
        ]
        return JsonResponse({"problems": problems}, status=422)
    except TooManySubmissions as error:
        # The outbox keeps the answer and sends it again.
        return JsonResponse({}, status=429, headers={"Retry-After": str(error.seconds)})


def _quarantine(rater: Participant, body: bytes, version: object) -> JsonResponse:
    text = body.decode("utf-8", "replace")
    judgements.quarantine(rater, text, reason=f"version {version!r}"[:200])
    return JsonResponse({"quarantined": True}, status=202)


def _record(rater: Participant, screen: SentScreen) -> JsonResponse:
    try:
        receipt = judgements.record_submission(rater, screen)
    except KeyReused as error:
        log.warning("key reused: %s of %s", screen.key, rater.label)
        return JsonResponse({"code": "key_reused", "message": str(error)}, status=409)
    answer = {
        "key": str(receipt.key),
        "revision": receipt.revision,
        "late": receipt.late,
        "surplus": receipt.surplus,
        "answered_elsewhere": receipt.answered_elsewhere,
        "ends_the_work": receipt.ends_the_work,
    }
    return JsonResponse(answer, status=201 if receipt.is_new else 200)


def _problems(place: str, message: str) -> JsonResponse:
    return JsonResponse({"problems": [{"place": place, "message": message}]}, status=422)


@require_POST
@rater_call
def practised(request: HttpRequest, rater: Participant) -> JsonResponse:
    participation.mark_practised(rater)
    return JsonResponse({})


@require_POST
@rater_call
def finish(request: HttpRequest, rater: Participant) -> JsonResponse:
    """End the sitting in which everything was answered, and say which page comes next."""
    code = rater.campaign.code
    assignment = assignments.current_batch(rater)
    if assignment is not None:
        try:
            assignments.finish_batch(assignment)
        except RefusedAction as refusal:
            answer = {"message": str(refusal), "stored": _stored_screens(assignment)}
            return JsonResponse(answer, status=409)
    crowd = frozen_definition(rater.campaign).definition.crowd
    finished = rater.assignments.filter(state=Assignment.State.COMPLETED).count()
    if rater.state != State.COMPLETED and 0 < finished < crowd.batches_per_rater:
        return JsonResponse({"next": reverse("rankme:more", args=[code])})
    try:
        participation.complete_participation(rater)
    except RefusedAction:
        return JsonResponse({"next": reverse("rankme:work", args=[code])})
    return JsonResponse({"next": reverse("rankme:done", args=[code])})


# The end -----------------------------------------------------------------------------------


@require_GET
@rater_page
def more(request: HttpRequest, rater: Participant) -> HttpResponse:
    """After a batch, where the campaign allows several: another one, or the code."""
    if rater.state == State.COMPLETED:
        return redirect("rankme:done", rater.campaign.code)
    finished = rater.assignments.filter(state=Assignment.State.COMPLETED).count()
    return render(
        request, "participant/more.html", {"campaign": rater.campaign, "finished": finished}
    )


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def done(request: HttpRequest, rater: Participant) -> HttpResponse:
    """The code, the way back to the panel, and room for a comment."""
    definition = frozen_definition(rater.campaign).definition
    if request.method == "POST":
        return _take_leave(request, rater)
    if rater.state != State.COMPLETED:
        return redirect(_step_of(rater, definition))
    return render(request, "participant/done.html", done_context(rater, definition))


def done_context(rater: Participant, definition: Definition) -> dict[str, Any]:
    crowd = definition.crowd
    url = ""
    if rater.panel == crowd.panel:
        url = PANELS[crowd.panel].completion_url(crowd.return_url, rater.completion_code)
    return {
        "campaign": rater.campaign,
        "definition": definition,
        "code": rater.completion_code,
        "return_url": url if rater.completion_code else "",
        "comment": "" if rater.is_second_browser else rater.comment,
        "is_late": rater.outcome == Participant.Outcome.LATE,
        "pay": _pay(rater, definition),
        "leftovers": leftovers_of(rater),
    }


def _pay(rater: Participant, definition: Definition) -> str:
    """What the organiser pays for an unusual outcome, as the rater reads it; empty: nothing said"""
    amounts: dict[str, float | None] = {
        Participant.Outcome.LATE: definition.crowd.late_pay,
        Participant.Outcome.PARTIAL: definition.crowd.partial_pay,
    }
    amount = amounts.get(rater.outcome)
    return f"{number_format(amount, 2)} {definition.crowd.currency}" if amount else ""


def leftovers_of(rater: Participant) -> dict[str, str]:
    """What a page without work needs to send the answers that this browser still keeps."""
    address = reverse("rankme:submit", args=[rater.campaign.code])
    return {"rater": rater_identity.browser_tag(rater), "submit": address}


@require_http_methods(["GET", "HEAD", "POST"])
@rater_page
def give_back(request: HttpRequest, rater: Participant) -> HttpResponse:
    """Where a rater stops before the end of a batch, after being asked, or takes that back."""
    definition = frozen_definition(rater.campaign).definition
    if request.method == "POST" and not rater.is_second_browser:
        if request.POST.get("decision") == "go-on":
            participation.go_on_after_all(rater)
        elif request.POST.get("decision") == "give-back":
            participation.give_back(rater)
        rater.refresh_from_db()
        return redirect(_step_of(rater, definition))
    if rater.state == State.RETURNED:
        context = done_context(rater, definition)
        return render(request, "participant/returned.html", context)
    assignment = assignments.current_batch(rater) if rater.state == State.WORKING else None
    if assignment is None or rater.is_second_browser:
        return redirect(_step_of(rater, definition))
    screens = len(assignment.presentation) * len(definition.screens)
    context = {
        "campaign": rater.campaign,
        "answered": len(_stored_screens(assignment)),
        "screens": screens,
        "partial_pay": definition.crowd.partial_pay,
        "currency": definition.crowd.currency,
    }
    return render(request, "participant/give_back.html", context)


def _take_leave(request: HttpRequest, rater: Participant) -> HttpResponse:
    """Ends the visit when it has not ended yet, and keeps a last comment."""
    try:
        participation.complete_participation(rater)
    except RefusedAction:
        return redirect("rankme:work", rater.campaign.code)
    # PostgreSQL cannot hold NUL, and nobody writes one on purpose.
    comment = request.POST.get("comment", "").replace("\x00", "")
    if comment and not (rater.is_second_browser and rater.comment):
        participation.leave_comment(rater, comment)
    return redirect("rankme:done", rater.campaign.code)


def _stop(
    request: HttpRequest,
    campaign: Campaign,
    reason: str,
    *,
    again: int = 0,
    status: int = 200,
    rater: Participant | None = None,
) -> HttpResponse:
    """A plain page that says why there is nothing to do, and what happens next."""
    context = {"campaign": campaign, "reason": reason, "again": again}
    if rater is not None:
        context["leftovers"] = leftovers_of(rater)
    return render(request, "participant/stop.html", context, status=status)
