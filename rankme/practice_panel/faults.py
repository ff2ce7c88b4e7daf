"""Faults on order: what the practice panel does wrong, how often, and with which calls."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from .wire import Refusal, Request, Response

# Before anything happens; after everything has happened; or in the list of pages.
BEFORE = ("too_many", "too_many_wait", "server_error", "revoked_token")
AFTER = ("silent", "cut")
KINDS = (*BEFORE, *AFTER, "page_past_end")
RETRY_AFTER_SECONDS = "1"


@dataclass
class Fault:
    """One kind of fault for the next `times` calls whose method and path match."""

    kind: str
    path: str = ""
    method: str = ""
    times: int = 1

    @classmethod
    def read(cls, document: dict[str, Any]) -> Fault:
        fault = cls(**document)
        if fault.kind not in KINDS:
            raise Refusal(400, "Unknown fault", f"Choose one of {', '.join(KINDS)}.")
        return fault

    def meets(self, request: Request) -> bool:
        is_method = self.method in ("", request.method)
        return self.times > 0 and is_method and re.search(self.path, request.path) is not None


class Faults:
    """The faults that are still to happen, in the order in which they were ordered."""

    def __init__(self) -> None:
        self.ordered: list[Fault] = []

    def take(self, request: Request, kinds: tuple[str, ...]) -> str:
        """The kind of fault that this call meets now; empty if none. It is used up."""
        for fault in self.ordered:
            if fault.kind in kinds and fault.meets(request):
                fault.times -= 1
                return fault.kind
        return ""

    def before(self, request: Request) -> Response | None:
        """The answer to a call that does not get as far as doing anything."""
        kind = self.take(request, BEFORE)
        if not kind:
            return None
        if kind == "server_error":
            return Response(500, {"message": "Internal server error"})
        if kind == "revoked_token":
            return Refusal(401, "Unauthorized", "Invalid token.").response
        answer = Refusal(429, "Too many requests", "Slow down.").response
        wait = {"Retry-After": RETRY_AFTER_SECONDS} if kind == "too_many_wait" else {}
        return replace(answer, headers=wait)

    def after(self, request: Request, response: Response) -> Response:
        """Lose the answer to a call that has done its work."""
        return replace(response, lost=self.take(request, AFTER))
