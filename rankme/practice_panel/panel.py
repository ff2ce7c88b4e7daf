"""The practice panel as a whole: one function from a request to an answer."""

from __future__ import annotations

from . import control, published, routes
from .state import Noted, PanelState
from .wire import Refusal, Request, Response, not_found

API = "/api/v1/"
CONTROL = "/__control/"
JWKS = "/.well-known/study/jwks.json"


class PracticePanel(PanelState):
    """Answers calls. `handle` may be called from one thread at a time."""

    def handle(self, request: Request) -> Response:
        """Answer a call of the API or of the controls; the journal has those of the API."""
        if request.path.startswith(CONTROL):
            return _answered(lambda: control.answer(self, request))
        response = self.faults.before(request) or _answered(lambda: self._answer(request))
        response = self.faults.after(request, response)
        body = request.body.decode("utf-8", "replace")
        noted = Noted(request.method, request.path, response.status, response.lost, body)
        self.journal.append(noted)
        return response

    def _answer(self, request: Request) -> Response:
        if request.path == JWKS:
            return Response(200, self.keys.jwks())
        if not request.path.startswith(API):
            raise not_found()
        if request.headers.get("authorization") != f"Token {self.token}":
            raise Refusal(401, "Unauthorized", "Invalid token.")
        path = request.path.removeprefix(API).strip("/")
        published.check_call(request, path)
        return routes.answer(self, request, path)


def _answered(work: routes.Work) -> Response:
    try:
        return work()
    except Refusal as refusal:
        return refusal.response
    except (KeyError, ValueError, TypeError) as error:
        return Refusal(400, "Bad request", f"{type(error).__name__}: {error}").response
