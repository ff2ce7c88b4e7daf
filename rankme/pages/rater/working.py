"""A rater's batch: the work page, and what its script sends."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from rankme.actions.sitting import assignments, complaints, judgements, participation
from rankme.actions.sitting.assignments import NoBatch
from rankme.actions.sitting.practice import is_past_the_gate
from rankme.errors import InvalidAnswer, KeyReused, RefusedAction, TooManySubmissions
from rankme.models import Assignment, Participant
from rankme.protocols.definition import Definition
from rankme.protocols.exchange import sent_screen
from rankme.protocols.exchange.page_shapes import PageDocument, Receipt
from rankme.protocols.exchange.sent_screen import OtherVersion, SentComplaint, read_sent
from rankme.queries.definitions import frozen_definition

from . import rater_identity
from .interface_language import RaterVisit, in_the_language_of_raters
from .page_document import as_json, page_document
from .participant_words import instrument_words, script_words
from .rater_pages import (
    SECONDS_UNTIL_ASKING_AGAIN,
    rater_call,
    rater_page,
    step_of,
    stop,
    stored_screens,
)
from .screen_parts import screen_parts
from .shortcuts import all_keys
from .shown_trials import trials_of
from .work_files import instrument_scripts, tells_answers, work_scripts, work_stylesheets

log = logging.getLogger(__name__)


@require_safe
@rater_page
def work(request: HttpRequest, rater: Participant) -> HttpResponse:
    """A whole batch on one page; asking again brings the same batch, as it was when it began."""
    definition = frozen_definition(rater.campaign).definition
    if step_of(rater, definition) != request.path:
        return redirect(step_of(rater, definition))
    assignment = assignments.claim_batch(rater)
    if isinstance(assignment, NoBatch):
        return _no_batch(request, rater, assignment)
    frozen = frozen_definition(rater.campaign, assignment.version)
    with in_the_language_of_raters(request, frozen, rater.language):
        context = work_context(request, rater, assignment, frozen.definition)
        return render(request, "participant/work/work.html", context)


def work_context(
    request: HttpRequest, rater: Participant, assignment: Assignment, definition: Definition
) -> dict[str, Any]:
    code = rater.campaign.code
    visit: RaterVisit = request.rater_visit  # type: ignore[attr-defined]
    trials = trials_of(assignment)
    shown = page_document(definition, trials, seed=assignment.pk)
    document: PageDocument = {
        **shown,
        "practice": [] if rater.practised_at is not None else shown["practice"],
        "preview": False,
        "version": sent_screen.VERSION,
        "assignment": assignment.pk,
        "rater": rater_identity.browser_tag(rater),
        "stored": [
            (place, screen) for place, trial in enumerate(trials) for screen in trial.answered
        ],
        "addresses": {
            "submit": reverse("rankme:submit", args=[code]),
            "practice_feedback": reverse("rankme:practice-feedback", args=[code]),
            "practised": reverse("rankme:practised", args=[code]),
            "session": reverse("rankme:session", args=[code]),
            "finish": reverse("rankme:finish", args=[code]),
            "work": reverse("rankme:work", args=[code]),
            "enter": reverse("rankme:enter", args=[code]),
        },
        "instruments": visit.once(instrument_scripts, lambda: instrument_scripts(definition)),
        "words": visit.once(script_words, lambda: script_words(definition)),
        "instrument_words": visit.once(instrument_words, lambda: instrument_words(definition)),
    }
    resume_link = reverse("rankme:resume", args=[code, rater_identity.resume_token(rater)])
    return screens_context(definition) | {
        "campaign": rater.campaign,
        "resume_link": request.build_absolute_uri(resume_link),
        "is_late": assignment.state != Assignment.State.HELD,
        "may_give_back": not rater.is_second_browser,
        "document": as_json(document),
    }


def screens_context(definition: Definition) -> dict[str, Any]:
    """What the templates of the screens need, for raters and for the organiser's preview.

    Templates call what is used only inside `{% once %}`.
    """
    return {
        "definition": definition,
        "screens": partial(screen_parts, definition),
        "all_keys": partial(all_keys, definition),
        "has_digest": not all(screen.timed for screen in definition.screens),
        "tells_answers": tells_answers(definition),
        "has_bell": any(screen.timed and screen.timed.bell for screen in definition.screens),
        "modules": partial(work_scripts, definition),
        "stylesheets": work_stylesheets(definition),
    }


def _no_batch(request: HttpRequest, rater: Participant, none: NoBatch) -> HttpResponse:
    """Say why there is no work; a rater who has done a batch and gets no more receives the code."""
    if none.ask_again:
        again = SECONDS_UNTIL_ASKING_AGAIN
        return stop(request, rater.campaign, none.reason, again=again, rater=rater)
    try:
        participation.complete_participation(rater)
    except RefusedAction:
        ran_out = rater.assignments.filter(state=Assignment.State.EXPIRED).exists()
        reason = "timed-out" if ran_out and none.reason == "complete" else none.reason
        return stop(request, rater.campaign, reason, rater=rater)
    rater.refresh_from_db()
    return redirect(step_of(rater, frozen_definition(rater.campaign).definition))


@require_POST
@rater_call
def submit(request: HttpRequest, rater: Participant) -> JsonResponse:
    """One screen's answers as JSON, or a report about the screen: 201 when stored, 200 when they
    already were.
    """
    if int(request.META.get("CONTENT_LENGTH") or 0) > judgements.LARGEST_PAYLOAD:
        return JsonResponse({"message": _("This answer is too long.")}, status=413)
    try:
        sent = read_sent(request.body)
        if isinstance(sent, OtherVersion):
            judgements.quarantine(rater, sent.body, reason=f"version {sent.version!r}"[:200])
            return JsonResponse({"quarantined": True}, status=202)
        if isinstance(sent, SentComplaint):
            is_new = complaints.record_complaint(rater, sent)
            return JsonResponse({}, status=201 if is_new else 200)
        receipt = judgements.record_submission(rater, sent)
    except InvalidAnswer as error:
        problems = [
            {"place": problem.place, "message": problem.message} for problem in error.problems
        ]
        return JsonResponse({"problems": problems}, status=422)
    except KeyReused as error:
        log.warning("key reused: %s of %s", error.key, rater.label)
        return JsonResponse({"code": "key_reused", "message": str(error)}, status=409)
    except TooManySubmissions as error:
        # The outbox keeps the answer and sends it again.
        return JsonResponse({}, status=429, headers={"Retry-After": str(error.seconds)})
    return _acknowledge(receipt)


def _acknowledge(receipt: judgements.Receipt) -> JsonResponse:
    answer: Receipt = {
        "key": str(receipt.key),
        "revision": receipt.revision,
        "late": receipt.late,
        "surplus": receipt.surplus,
        "answered_elsewhere": receipt.answered_elsewhere,
        "ends_the_work": receipt.ends_the_work,
        "try_again": receipt.try_again,
    }
    return JsonResponse(answer, status=201 if receipt.is_new else 200)


@require_POST
@rater_call
def practised(request: HttpRequest, rater: Participant) -> JsonResponse:
    if not is_past_the_gate(rater, frozen_definition(rater.campaign).definition):
        return JsonResponse({"message": "the practice is not over"}, status=409)
    participation.mark_practised(rater)
    return JsonResponse({})


@require_POST
@rater_call
def finish(request: HttpRequest, rater: Participant) -> JsonResponse:
    """End the sitting in which everything was answered, and say which page comes next."""
    code = rater.campaign.code
    try:
        done = participation.finish_work(rater)
    except RefusedAction as refusal:
        held = assignments.current_batch(rater)
        answer = {"message": str(refusal), "stored": stored_screens(held) if held else []}
        return JsonResponse(answer, status=409)
    if done.state in participation.HAVE_ENDED:
        done.is_second_browser = rater.is_second_browser
        return JsonResponse({"next": step_of(done, frozen_definition(rater.campaign).definition)})
    has_finished = rater.assignments.filter(state=Assignment.State.COMPLETED).exists()
    page = "rankme:more" if has_finished else "rankme:work"
    return JsonResponse({"next": reverse(page, args=[code])})
