"""Headers of all responses except static files, pages for what has no page, bounds for calls, and a
line in the log for each request.
"""

import logging
import secrets
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from evalsite import error_pages
from evalsite.file_headers import ISOLATION
from evalsite.operation.metrics import REQUEST_SECONDS
from evalsite.privacy import number_of_request
from rankme.panel_calls.calls import for_a_page

# What a middleware is given and what it becomes: everything that comes after it.
GetResponse = Callable[[HttpRequest], HttpResponseBase]

log = logging.getLogger(__name__)
PROBES = ("alive", "ready", "metrics")  # asked for every few seconds
ON_EVERY_RESPONSE = ISOLATION | {
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), browsing-topics=()",
    # Every response shows one person's work, or may change.
    "Cache-Control": "private, no-store",
}


def isolate(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        for header, value in ON_EVERY_RESPONSE.items():
            response.headers.setdefault(header, value)
        return response

    return middleware


def bound_calls_to_panels(get_response: GetResponse) -> GetResponse:
    """Let no panel that hangs hold up a page for long, or many pages at once."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        with for_a_page():
            return get_response(request)

    return middleware


def explain_wrong_methods(get_response: GetResponse) -> GetResponse:
    """Give the empty 405 of Django's decorators a page: people reload addresses of forms."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code != 405 or not isinstance(response, HttpResponse):
            return response
        if response.content:
            return response
        page = error_pages.wrong_method(request)
        page.headers["Allow"] = response.headers["Allow"]
        return page

    return middleware


def observe_requests(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponseBase:
        number = secrets.token_hex(6)
        reset = number_of_request.set(number)
        began = time.perf_counter()
        try:
            response = get_response(request)
            if request.resolver_match or response.status_code >= 400:
                response.headers["X-Request-ID"] = number  # files are many, and are not logged
            _note(request, response, time.perf_counter() - began)
        finally:
            number_of_request.reset(reset)
        return response

    return middleware


def _note(request: HttpRequest, response: HttpResponseBase, seconds: float) -> None:
    """Count a request, and log its route and campaign: an address can have a rater's tokens."""
    found = request.resolver_match
    # Files are served before an address is resolved, and addresses of no page are anybody's.
    route = "none" if found is None else found.view_name or "unnamed"
    REQUEST_SECONDS.labels(route, response.status_code).observe(seconds)
    if found is None or route in PROBES:
        return
    campaign = found.kwargs.get("code", "") if route.startswith("rankme:") else ""
    log.info(
        "%s %s %s %.1f ms%s",
        request.method,
        route,
        response.status_code,
        1000 * seconds,
        f" campaign={campaign}" if campaign else "",
    )
