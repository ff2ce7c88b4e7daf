"""Every error of the API in one shape: {"error": {"code", "message", "problems"}}."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.core.signals import got_request_exception
from django.db import DataError
from django.http import Http404, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.log import log_response
from rest_framework import status
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.response import Response
from rest_framework.views import set_rollback

from analysis.errors import AnalysisError
from rankme.actions.accounts.passwords import TooManyAttempts, WrongPassword
from rankme.database_errors import in_one_line, is_temporary
from rankme.errors import (
    ChangedMeanwhile,
    FilesInPreparation,
    InvalidInput,
    KeyReused,
    Problem,
    RankmeError,
)

log = logging.getLogger(__name__)

# What is raised, the status, the code; the first that fits counts. A refusal of an action is a
# conflict with the state that the campaign is in.
CODES: tuple[tuple[type[Exception], int, str], ...] = (
    (Http404, status.HTTP_404_NOT_FOUND, "not_found"),
    (PermissionDenied, status.HTTP_403_FORBIDDEN, "permission_denied"),
    (WrongPassword, status.HTTP_401_UNAUTHORIZED, "wrong_password"),
    (TooManyAttempts, status.HTTP_429_TOO_MANY_REQUESTS, "throttled"),
    (InvalidInput, status.HTTP_400_BAD_REQUEST, "invalid"),
    (AnalysisError, status.HTTP_400_BAD_REQUEST, "invalid"),
    (KeyReused, status.HTTP_409_CONFLICT, "key_reused"),
    (FilesInPreparation, status.HTTP_503_SERVICE_UNAVAILABLE, "in_preparation"),
    (ChangedMeanwhile, status.HTTP_409_CONFLICT, "changed_meanwhile"),
    (RankmeError, status.HTTP_409_CONFLICT, "refused"),
    (RequestDataTooBig, status.HTTP_413_REQUEST_ENTITY_TOO_LARGE, "too_large"),
    (SuspiciousOperation, status.HTTP_400_BAD_REQUEST, "malformed"),
    (BadRequest, status.HTTP_400_BAD_REQUEST, "malformed"),
    (MultiPartParserError, status.HTTP_400_BAD_REQUEST, "malformed"),
    (UnreadablePostError, status.HTTP_400_BAD_REQUEST, "malformed"),
)
SENTENCES = {
    "not_found": "There is nothing at this address, or you do not have access to it.",
    "permission_denied": "You do not have permission to do that.",
    "too_large": "The request is too large.",
    "malformed": "The request cannot be read.",
}
INTERNAL = "Something went wrong. The error was recorded in the site's log."
UNAVAILABLE = "The site cannot answer right now. Try again in a minute."


def handle(exc: Exception, context: Mapping[str, Any]) -> Response:
    """The exception handler of REST framework; nothing gets past it in another shape."""
    set_rollback()
    if isinstance(exc, APIException):
        return _api_error(exc)
    for exception, number, code in CODES:
        if isinstance(exc, exception):
            return _response(number, code, _sentence(exc, code), getattr(exc, "problems", ()))
    return _unforeseen(exc, context)


def error_body(
    code: str, message: str, problems: Iterator[Problem] | tuple[Problem, ...] = ()
) -> dict[str, Any]:
    listed = [{"place": problem.place, "message": problem.message} for problem in problems]
    return {"error": {"code": code, "message": message, "problems": listed}}


def _response(
    number: int, code: str, message: str, problems: Any = (), headers: dict[str, str] | None = None
) -> Response:
    response = Response(error_body(code, message, problems), status=number, headers=headers)
    if number == status.HTTP_429_TOO_MANY_REQUESTS:
        response.headers.setdefault("Retry-After", str(TooManyAttempts.seconds))
    elif code == "in_preparation":
        response.headers.setdefault("Retry-After", "5")
    return response


def _sentence(exc: Exception, code: str) -> str:
    if isinstance(exc, InvalidInput):
        return "The request is invalid."
    if isinstance(exc, RankmeError | AnalysisError | PermissionDenied) and str(exc):
        return str(exc)
    return SENTENCES[code]


def _api_error(exc: APIException) -> Response:
    headers = {}
    if auth_header := getattr(exc, "auth_header", None):
        headers["WWW-Authenticate"] = auth_header
    if wait := getattr(exc, "wait", None):
        headers["Retry-After"] = str(int(wait))
    if isinstance(exc, ValidationError):
        problems = tuple(_problems(exc.detail))
        return _response(exc.status_code, "invalid", "The request is invalid.", problems)
    code = exc.get_codes()
    code = code if isinstance(code, str) else exc.default_code
    return _response(exc.status_code, code, str(exc.detail), headers=headers)


def _problems(detail: Any, place: str = "") -> Iterator[Problem]:
    """REST framework's nested details as a flat list with places."""
    if isinstance(detail, Mapping):
        for name, part in detail.items():
            inner = place if name == "non_field_errors" else f"{place}.{name}".lstrip(".")
            yield from _problems(part, inner)
    elif isinstance(detail, list) and all(isinstance(part, str) for part in detail):
        yield from (Problem(place, str(part)) for part in detail)
    elif isinstance(detail, list):
        for number, part in enumerate(detail):
            yield from _problems(part, f"{place}[{number}]")
    else:
        yield Problem(place, str(detail))


def _unforeseen(exc: Exception, context: Mapping[str, Any]) -> Response:
    """An unexpected error: the details go to the log and not into the answer."""
    request = context.get("request")
    if isinstance(exc, DataError):
        log.error("a value was refused only by the database: %s", exc, exc_info=exc)
        return _response(400, "invalid", "A value is too long, too large or cannot be stored.")
    if is_temporary(exc):
        response = _response(503, "unavailable", UNAVAILABLE, headers={"Retry-After": "5"})
        # Marks the response as logged, so that Django does not log it again.
        log_response(
            "the database is not available: %s", in_one_line(exc), response=response, logger=log
        )
        return response
    log.error("error in the API", exc_info=exc)
    got_request_exception.send(sender=handle, request=getattr(request, "_request", request))
    return _response(500, "internal", INTERNAL)
