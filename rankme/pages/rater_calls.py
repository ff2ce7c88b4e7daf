"""Small calls of the work page's scripts: feedback on the practice, and a renewed token."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.middleware.csrf import get_token
from django.views.decorators.http import require_GET, require_POST

from rankme.actions.judgements import LARGEST_PAYLOAD
from rankme.errors import InvalidAnswer
from rankme.models import Participant
from rankme.protocols.answers import read_answers
from rankme.protocols.definition import Definition
from rankme.protocols.texts import PracticeTrial
from rankme.queries.definitions import frozen_definition
from rankme.untrusted.documents import read_document
from rankme.untrusted.strict_json import InvalidJson

from .rater_pages import rater_call


@require_POST
@rater_call
def practice_feedback(request: HttpRequest, rater: Participant) -> JsonResponse:
    """What the authors say about a practice example, for a rater who has answered it.

    The body is `{"trial": INDEX, "screens": [ANSWERS, …]}`, with the answers of each screen as
    `submit` takes them. They are checked and not stored.
    """
    definition = frozen_definition(rater.campaign).definition
    if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST_PAYLOAD:
        return JsonResponse({"message": "too long"}, status=413)
    try:
        document = read_document(request.body)
        trial = _answered_practice(definition, document)
    except (InvalidJson, InvalidAnswer):
        trial = None
    if trial is None or not definition.practice_feedback:
        return JsonResponse({"message": "not an answer to a practice example"}, status=422)
    return JsonResponse({"feedback": trial.feedback})


def _answered_practice(definition: Definition, document: Any) -> PracticeTrial | None:
    """The practice trial that the document answers in full; None or an error if it does not."""
    if not isinstance(document, dict):
        return None
    number, screens = document.get("trial"), document.get("screens")
    if type(number) is not int or number not in range(len(definition.practice)):
        return None
    if not isinstance(screens, list) or len(screens) != len(definition.screens):
        return None
    trial = definition.practice[number]
    for screen, answers in enumerate(screens):
        read_answers(
            definition,
            screen,
            answers,
            outputs=len(trial.outputs),
            texts=trial.outputs,
            item_input=trial.input,
            item_reference=trial.reference,
        )
    return trial


@require_GET
@rater_call
def session(request: HttpRequest, rater: Participant) -> JsonResponse:
    """A token for further calls of a page whose cookies were lost while it was open."""
    return JsonResponse({"token": get_token(request)})
