"""The WSGI application that the web server runs."""

from collections.abc import Callable, Iterable
from typing import Any

from django.core.wsgi import get_wsgi_application

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def without_bodies_for_head(site: Application) -> Application:
    """Close the body of an answer to HEAD unread: neither Django nor waitress removes it.

    On a connection that is kept, the client would read it as the next answer (RFC 9110, 9.3.2).
    """

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        answer = site(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return answer
        if hasattr(answer, "close"):
            answer.close()
        return []

    return application


application = without_bodies_for_head(get_wsgi_application())

# Django would load the views at the first request, in every process again. Here they are loaded
# before the server forks, so a process that replaces a killed one answers at once.
import evalsite.urls  # noqa: E402, F401
