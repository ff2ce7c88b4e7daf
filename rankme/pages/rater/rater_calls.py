"""Small calls of the work page's scripts: feedback on the practice, and a renewed token."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from django.http import HttpRequest, JsonResponse
from django.middleware.csrf import get_token
from django.views.decorators.http import require_POST, require_safe
from pydantic import TypeAdapter

from rankme.actions.sitting.assignments import current_batch
from rankme.actions.sitting.judgements import LARGEST_PAYLOAD
from rankme.actions.sitting.practice import try_example
from rankme.errors import InvalidAnswer
from rankme.models import Participant
from rankme.protocols.answers import read_answers
from rankme.protocols.definition import Definition
from rankme.protocols.exchange.page_shapes import Feedback
from rankme.protocols.expectations import ComparedAnswer, compared, passes
from rankme.protocols.texts import PracticeTrial
from rankme.queries.definitions import frozen_definition
from rankme.untrusted.clean_text import read_document
from rankme.untrusted.strict_json import InvalidJson

from .rater_pages import rater_call


@dataclass(frozen=True)
class Practised:
    """A practice example that was answered in full, and the answers."""

    number: int
    trial: PracticeTrial
    answers: list[ComparedAnswer]
    digest: str


@require_POST
@rater_call
def practice_feedback(request: HttpRequest, rater: Participant) -> JsonResponse:
    """Return the authors' feedback on an answered practice example.

    The body is `{"trial": INDEX, "screens": [ANSWERS, …]}`, with the answers of each screen as
    `submit` takes them. They are checked against what the example expects; only the number of tries
    and whether one passed are stored.
    """
    sitting = current_batch(rater)
    shown = None if sitting is None else sitting.version
    definition = frozen_definition(rater.campaign, shown).definition
    if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST_PAYLOAD:
        return JsonResponse({"message": "too long"}, status=413)
    try:
        practised = _practised(definition, read_document(request.body))
    except (InvalidJson, InvalidAnswer):
        practised = None
    may_ask = definition.practice_feedback or definition.practice_gate
    if practised is None or not may_ask or rater.state != Participant.State.WORKING:
        return JsonResponse({"message": "not an answer to a practice example"}, status=422)
    result = try_example(
        rater,
        definition,
        practised.number,
        passed=passes(practised.answers),
        digest=practised.digest,
    )
    is_told = definition.practice_feedback
    feedback: Feedback = {
        "feedback": practised.trial.feedback if is_told else "",
        "answers": practised.answers if is_told else [],
        "passed": result.passed,
        "may_try_again": result.may_try_again,
        "tries_left": result.tries_left,
        "ends_the_work": result.ends_the_work,
    }
    return JsonResponse(TypeAdapter(Feedback).dump_python(feedback))


def _practised(definition: Definition, document: object) -> Practised | None:
    """The practice trial that the document answers in full; None or an error if it does not."""
    if not isinstance(document, dict):
        return None
    number, screens = document.get("trial"), document.get("screens")
    if type(number) is not int or number not in range(len(definition.practice)):
        return None
    if not isinstance(screens, list) or len(screens) != len(definition.screens):
        return None
    trial = definition.practice[number]
    readings = [
        reading
        for screen, answers in enumerate(screens)
        for reading in read_answers(
            definition,
            screen,
            answers,
            outputs=len(trial.outputs),
            texts=trial.outputs,
            item_input=trial.input,
            item_reference=trial.reference,
        )
    ]
    digest = hashlib.sha256(json.dumps(screens, sort_keys=True).encode()).hexdigest()[:16]
    return Practised(number, trial, compared(trial, definition.criteria, readings), digest)


@require_safe
@rater_call
def session(request: HttpRequest, rater: Participant) -> JsonResponse:
    """A token for further calls of a page whose cookies were lost while it was open."""
    return JsonResponse({"token": get_token(request)})
