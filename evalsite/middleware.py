"""Headers that every answer carries, also files and errors; and the answer when nothing works."""

import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

log = logging.getLogger(__name__)

ISOLATION = {
    # Together with COOP these isolate the page, and an isolated page has a 5 µs clock (R3).
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), browsing-topics=()",
}


def isolate(get_response: Callable[[HttpRequest], HttpResponse]):
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for header, value in ISOLATION.items():
            response.headers.setdefault(header, value)
        return response

    return middleware


class Unavailable:
    """503 while the database is away, full or too slow: a page that sent something keeps it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, OperationalError | InterfaceError):
            return None
        log.error("the database cannot do this now: %s", error, exc_info=error)
        sentence = _("The site cannot answer now. Try again in a minute: nothing is lost.")
        headers = {"Retry-After": "5", "Cache-Control": "no-store"}
        return HttpResponse(f"{sentence}\n", "text/plain; charset=utf-8", 503, headers=headers)
