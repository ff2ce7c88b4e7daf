"""Raters that cost next to nothing: they repeat over plain sockets what one simulated rater did.

A simulated rater parses each page, and takes as much of a processor as the server does. On one
machine the figures would then be those of the raters. A `PlainRater` follows the same way, with a
session, a batch and keys of its own. All of them share one thread: two thousand threads would wait
for each other, and their waiting would look like the server's.
"""

from __future__ import annotations

import asyncio
import copy
import html
import json
import re
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit
from uuid import uuid4

PATIENCE_SECONDS = 60.0
HIDDEN = re.compile(rb'<input type="hidden" name="(\w+)" value="([^"]*)"')
ASSIGNMENT = re.compile(rb'"assignment": ?(\d+)')
HEADER = re.compile(rb"^([\w-]+): *(.*?)\r$", re.MULTILINE)
GZIP = 16 + zlib.MAX_WBITS
REDIRECTS = (b"302", b"303")


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
        self.origin, self.number, self.timed = origin, number, timed
        self.cookies: dict[str, str] = {}
        self.assignment = 0
        self.hidden: dict[str, str] = {}  # the fields of the last page's forms

    async def connect(self) -> None:
        # A site limits how many arrive at once from one address.
        here = f"127.0.{1 + self.number // 200}.{1 + self.number % 200}"
        parts = urlsplit(self.origin)
        self.reader, self.writer = await asyncio.open_connection(
            parts.hostname, parts.port, local_addr=(here, 0)
        )

    async def take(self, step: Step) -> None:
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
            body, kind = "", ""
        where = await self._ask(step.method, step.path, body.encode(), kind)
        while where:
            where = await self._ask("GET", urlsplit(where).path, b"", "")

    async def _ask(self, method: str, path: str, body: bytes, kind: str) -> str:
        """Send one request; return where its answer leads, or nothing."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {urlsplit(self.origin).netloc}\r\n"
            f"Origin: {self.origin}\r\nCookie: {cookies}\r\nAccept-Encoding: gzip\r\n"
            f"X-CSRFToken: {self.cookies.get('csrftoken', '')}\r\n"
        )
        if method == "POST":
            head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        parts = path.strip("/").split("/")
        began = time.perf_counter()
        async with asyncio.timeout(PATIENCE_SECONDS):
            self.writer.write(f"{head}\r\n".encode() + body)
            head_of_answer = await self.reader.readuntil(b"\r\n\r\n")
            headers = [(name.lower(), text) for name, text in HEADER.findall(head_of_answer)]
            found = dict(headers)
            text = await self.reader.readexactly(int(found.get(b"content-length", 0)))
        name = f"{method} {parts[2] if len(parts) > 2 else 'enter'}"
        self.timed(name, time.perf_counter() - began)
        status = head_of_answer[9:12]
        assert status < b"400", f"{method} {path} answered {head_of_answer!r}: {text[:300]!r}"
        for name, value in headers:
            if name == b"set-cookie":
                cookie, _, kept = value.decode().partition(";")[0].partition("=")
                self.cookies[cookie] = kept
        if found.get(b"content-encoding") == b"gzip":
            text = zlib.decompress(text, GZIP)
        self.hidden |= {
            name.decode(): html.unescape(own.decode()) for name, own in HIDDEN.findall(text)
        }
        if assignment := ASSIGNMENT.search(text):
            self.assignment = int(assignment[1])
        return found.get(b"location", b"").decode() if status in REDIRECTS else ""

    async def close(self) -> None:
        self.writer.close()
        await self.writer.wait_closed()
