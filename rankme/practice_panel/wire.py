"""Requests, responses and refusals of the practice panel."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

Found = TypeVar("Found")


@dataclass(frozen=True)
class Request:
    """One call of the site. `headers` are in lower case."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def document(self) -> dict[str, Any]:
        """The body as an object; anything else is answered as a wrong request."""
        try:
            document = json.loads(self.body or b"{}")
        except ValueError:
            raise Refusal(400, "Bad request", "The body is not JSON.") from None
        if not isinstance(document, dict):
            raise Refusal(400, "Bad request", "The body is not an object.")
        return document


@dataclass(frozen=True)
class Response:
    """The panel's answer. `lost` says that it never arrives, although the work is done: the
    connection breaks ("cut") or stays silent until the caller gives up ("silent").
    """

    status: int
    document: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    lost: str = ""

    @property
    def body(self) -> bytes:
        return b"" if self.document is None else json.dumps(self.document).encode()


class Refusal(Exception):
    """An error in the shape that Prolific publishes."""

    def __init__(self, status: int, title: str, detail: Any, code: int = 140000) -> None:
        super().__init__(f"{status} {title}: {detail}")
        self.response = Response(
            status,
            {
                "error": {
                    "status": status,
                    "title": title,
                    "error_code": code,
                    "detail": detail,
                    "additional_information": "/api/v1/errors/",
                    "traceback": None,
                    "interactive": False,
                }
            },
        )


def not_found() -> Refusal:
    return Refusal(404, "Not found", "No such object.", 140404)


def find(things: Mapping[str, Found], pk: str) -> Found:
    """The thing with this id; a call about another one is answered with 404."""
    if pk not in things:
        raise not_found()
    return things[pk]
