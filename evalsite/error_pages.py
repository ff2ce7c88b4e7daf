"""The site's own error pages. None of them needs the database, a session or a context processor.

Raters read them in the language and words of their campaign where the database can say which.

Paths of the API get JSON in the shape of its other errors.
"""

from __future__ import annotations

import logging
import sys

from csp.constants import SELF
from csp.decorators import csp_replace
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.log import log_response
from django.views.decorators.clickjacking import xframe_options_sameorigin

from rankme.api.errors import INTERNAL, SENTENCES, UNAVAILABLE, error_body
from rankme.database_errors import in_one_line, is_temporary
from rankme.pages.rater.interface_language import in_the_language_of_an_error

log = logging.getLogger(__name__)

SECONDS_UNTIL_RETRY = 5
TOO_LARGE = (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent)
WRONG_METHOD = "This address does not accept this method."


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if isinstance(exception, TOO_LARGE):
        return _too_large(request)
    return _answer(request, 400, "malformed", SENTENCES["malformed"])


@xframe_options_sameorigin
@csp_replace({"frame-ancestors": [SELF]})
def _too_large(request: HttpRequest) -> HttpResponse:
    """The preview next to a form shows this in its frame when the form is too large."""
    return _answer(request, 413, "too_large", SENTENCES["too_large"])


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 403, "permission_denied", SENTENCES["permission_denied"])


def forged(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form did not come from a page of this site, or its cookie is missing."""
    return _answer(request, 403, "permission_denied", reason, template="403_csrf")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _answer(request, 404, "not_found", SENTENCES["not_found"])


def wrong_method(request: HttpRequest) -> HttpResponse:
    return _answer(request, 405, "method_not_allowed", WRONG_METHOD)


def server_error(request: HttpRequest) -> HttpResponse:
    """503 while the database is away, full or too slow."""
    error = sys.exception()
    if error is not None and is_temporary(error):
        return _unavailable(request, error)
    return _answer(request, 500, "internal", INTERNAL)


def _unavailable(request: HttpRequest, error: BaseException) -> HttpResponse:
    """One line in the log and no traceback: during an outage every request gets this answer."""
    response = _answer(request, 503, "unavailable", UNAVAILABLE)
    response.headers["Retry-After"] = str(SECONDS_UNTIL_RETRY)
    # Otherwise Django would log the same error again.
    log_response(
        "%s %s: not available: %s",
        request.method,
        request.path,
        in_one_line(error),
        response=response,
        request=request,
        logger=log,
    )
    return response


def _answer(
    request: HttpRequest, status: int, code: str, message: str, *, template: str = ""
) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        response: HttpResponse = JsonResponse(error_body(code, message), status=status)
    else:
        page = _page(request, template or str(status), may_ask=status < 500)
        response = HttpResponse(page, status=status)
    response.headers["Cache-Control"] = "no-store"
    return response


def _page(request: HttpRequest, template: str, *, may_ask: bool) -> str:
    """The page in a language of its own, as the request may have failed before any was chosen."""
    with in_the_language_of_an_error(request, may_ask=may_ask):
        return render_to_string(
            f"errors/{template}.html",
            {
                "is_for_rater": request.path_info.startswith("/r/"),
                "again": SECONDS_UNTIL_RETRY if request.method in ("GET", "HEAD") else 0,
                "now": timezone.now(),
            },
        )
