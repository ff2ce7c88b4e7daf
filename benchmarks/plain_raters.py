"""Raters that cost next to nothing: they repeat over plain sockets what one simulated rater did.

A simulated rater parses each page, and takes as much of a processor as the server does. On one
machine the figures would then be those of the raters. A `PlainRater` follows the same way, with a
session, a batch and keys of its own.
"""

from __future__ import annotations

import copy
import gzip
import html
import http.client
import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

PATIENCE_SECONDS = 60.0
HIDDEN = re.compile(rb'<input type="hidden" name="(\w+)" value="([^"]*)"')
ASSIGNMENT = re.compile(rb'"assignment": ?(\d+)')
REDIRECTS = (302, 303)


@dataclass(frozen=True)
class Step:
    method: str
    path: str
    form: dict[str, str] | None = None
    document: dict[str, Any] | None = None

    @property
    def is_submission(self) -> bool:
        return self.document is not None and "answers" in self.document


def way_of_one_rater(link: str) -> list[Step]:
    """Let one simulated rater take part, and note what it sent."""
    from rankme.simulation.browser import Browser
    from rankme.simulation.raters import Cohort, Latencies, Rater

    steps: list[Step] = []

    class NotingBrowser(Browser):
        def open(self, address: str, form: dict[str, str] | None = None) -> Any:
            steps.append(Step("GET" if form is None else "POST", urlsplit(address).path, form))
            return super().open(address, form)

        def call(self, address: str, document: Any, csrf_token: str) -> Any:
            steps.append(Step("POST", urlsplit(address).path, document=copy.deepcopy(document)))
            return super().call(address, document, csrf_token)

    rater = Rater(Cohort(link), 0, Latencies())
    rater.browser.close()
    parts = urlsplit(link)
    rater.browser = NotingBrowser(f"{parts.scheme}://{parts.netloc}")
    assert rater.take_part() == "completed"
    rater.browser.close()
    return steps


class PlainRater:
    """One connection with one session. `timed` is told each request's name and seconds."""

    def __init__(self, origin: str, number: int, timed: Callable[[str, float], None]) -> None:
        self.origin, self.timed = origin, timed
        # A site limits how many arrive at once from one address.
        here = f"127.0.{1 + number // 200}.{1 + number % 200}"
        self.connection = http.client.HTTPConnection(
            urlsplit(origin).netloc, timeout=PATIENCE_SECONDS, source_address=(here, 0)
        )
        self.cookies: dict[str, str] = {}
        self.assignment = 0
        self.hidden: dict[str, str] = {}  # the fields of the last page's forms

    def take(self, step: Step) -> None:
        """Send what the step says, follow where it leads, and fail unless all of it went well."""
        if step.document is not None:
            own = {"key": str(uuid4()), "assignment": self.assignment}
            document = step.document | (own if step.is_submission else {})
            body, kind = json.dumps(document), "application/json"
        elif step.form is not None:
            own = {name: text for name, text in self.hidden.items() if name in step.form}
            body = urlencode(step.form | own)
            kind = "application/x-www-form-urlencoded"
        else:
            body, kind = None, ""
        where = self._ask(step.method, step.path, body, kind)
        while where:
            where = self._ask("GET", urlsplit(where).path, None, "")

    def _ask(self, method: str, path: str, body: str | None, kind: str) -> str:
        """Send one request; return where its answer leads, or nothing."""
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Origin": self.origin,
            "X-CSRFToken": self.cookies.get("csrftoken", ""),
            "Accept-Encoding": "gzip",
        }
        if body is not None:
            headers["Content-Type"] = kind
        began = time.perf_counter()
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        parts = path.strip("/").split("/")
        self.timed(
            f"{method} {parts[2] if len(parts) > 2 else 'enter'}", time.perf_counter() - began
        )
        if answer.status >= 400:
            raise AssertionError(f"{method} {path} answered {answer.status}: {text[:300]!r}")
        for set_cookie in answer.headers.get_all("Set-Cookie", []):
            self.cookies |= {key: morsel.value for key, morsel in SimpleCookie(set_cookie).items()}
        if answer.headers.get("Content-Encoding") == "gzip":
            text = gzip.decompress(text)
        self.hidden |= {
            name.decode(): html.unescape(own.decode()) for name, own in HIDDEN.findall(text)
        }
        if found := ASSIGNMENT.search(text):
            self.assignment = int(found[1])
        return answer.headers.get("Location", "") if answer.status in REDIRECTS else ""

    def close(self) -> None:
        self.connection.close()
