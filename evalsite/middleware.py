"""Headers that every answer carries, also files and errors."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

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
