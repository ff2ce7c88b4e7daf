"""Headers of all responses except static files, pages for what has no page, bounds for calls."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from evalsite import error_pages
from evalsite.file_headers import ISOLATION
from evalsite.typing import GetResponse
from rankme.panel_calls.calls import for_a_page

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
