"""Calls to a panel's API: time-outs, bounded repetition, and what is known after a failure."""

from __future__ import annotations

import json
import logging
import math
import random
import ssl
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from threading import BoundedSemaphore
from typing import Any

import httpx
from django.utils.translation import gettext as _

from rankme.errors import RankmeError

SECONDS_TO_CONNECT, SECONDS_TO_ANSWER, SECONDS_IN_ALL = 5.0, 15.0, 120.0
# All calls of a page together.
SECONDS_FOR_A_PAGE = 12.0
TRIES_FOR_A_PAGE = 2
# A panel that hangs holds at most so many of a web process's threads; /healthz/ needs one too.
PAGES_AT_ONCE = BoundedSemaphore(2)
SECONDS_BEHIND_OTHERS = 0.5
MOST_BYTES = 50_000_000
REPEATABLE = ("GET", "HEAD")
SECONDS_BEFORE_REPEATING = 0.5
LONGEST_PAUSE = 20.0
TRIES = 4
# The request never left, or the panel says that it did nothing.
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)

log = logging.getLogger(__name__)


class PanelError(RankmeError):
    """A panel did not do what it was asked."""


class PanelRefused(PanelError):
    """The panel said no, and why. Nothing has happened there."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class PanelAway(PanelError):
    """The panel is busy or cannot be reached. Nothing has happened there."""

    def __init__(self, reason: str, retry_after: float = 0.0) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class AnswerLost(PanelError):
    """No answer came, or none that says yes or no. What the panel did is unknown."""


# When the page must be there for which this thread calls a panel; None in workers and commands.
_page_due: ContextVar[float | None] = ContextVar("page_due", default=None)


@contextmanager
def for_a_page() -> Iterator[None]:
    """Let the calls of one request take a bounded time in all, and few at once."""
    token = _page_due.set(time.monotonic() + SECONDS_FOR_A_PAGE)
    try:
        yield
    finally:
        _page_due.reset(token)


def new_client(base: str, headers: Mapping[str, str]) -> httpx.Client:
    """The one place where connections to panels are opened; tests put a panel here."""
    return httpx.Client(
        base_url=base,
        headers=dict(headers),
        timeout=httpx.Timeout(SECONDS_TO_ANSWER, connect=SECONDS_TO_CONNECT),
        trust_env=False,
        verify=_trusted_authorities(),
    )


@cache
def _trusted_authorities() -> ssl.SSLContext:
    """Read once: every connection would take 20 ms of a processor to read their certificates."""
    return httpx.create_ssl_context(trust_env=False)


@dataclass(frozen=True)
class Answer:
    """A panel's yes: its JSON, None without a body."""

    document: Any
    status: int
    headers: Mapping[str, str]


@dataclass
class Calls:
    """A panel's API under one token. `sleep` and `jitter` are there for tests."""

    base: str
    headers: Mapping[str, str]
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random
    tries: int = TRIES
    _client: httpx.Client | None = field(default=None, repr=False)

    def ask(
        self,
        method: str,
        path: str,
        document: Any = None,
        *,
        may_repeat: bool | None = None,
        **query: Any,
    ) -> Answer:
        """Make a call.

        Only what may be repeated is asked again. By default these are the calls that change
        nothing. A call that moves money is asked once.

        Raises
        ------
        PanelRefused : the panel said no
        PanelAway : nothing has happened, because the panel is busy or cannot be reached
        AnswerLost : unknown
        """
        repeat = method in REPEATABLE if may_repeat is None else may_repeat
        due = _page_due.get()
        tries = self.tries if repeat else 1

        def send() -> Answer:
            ends_at = due or time.monotonic() + SECONDS_IN_ALL
            return self._send(method, path, document, query, ends_at)

        if due is None:
            return self._patiently(send, tries, math.inf)
        # A page does not wait behind others that wait.
        if time.monotonic() > due or not PAGES_AT_ONCE.acquire(timeout=SECONDS_BEHIND_OTHERS):
            raise PanelAway(_("The panel takes too long to answer. Try again in a minute."))
        try:
            return self._patiently(send, min(tries, TRIES_FOR_A_PAGE), due)
        finally:
            PAGES_AT_ONCE.release()

    def _patiently(self, send: Callable[[], Answer], tries: int, due: float) -> Answer:
        """Ask up to `tries` times, while there is time."""
        for number in range(1, tries + 1):
            try:
                return send()
            except (PanelAway, AnswerLost) as failure:
                if number == tries:
                    raise
                pause = self._pause(number, failure)
                if time.monotonic() + pause > due:
                    raise
                self.sleep(pause)
        raise AssertionError("unreachable")

    def _send(
        self, method: str, path: str, document: Any, query: Mapping[str, Any], ends_at: float
    ) -> Answer:
        if self._client is None:
            self._client = new_client(self.base, self.headers)
            # A page or task forgets its calls without closing them.
            weakref.finalize(self, self._client.close)
        left = max(0.1, ends_at - time.monotonic())
        timeout = httpx.Timeout(min(left, SECONDS_TO_ANSWER), connect=min(left, SECONDS_TO_CONNECT))
        body = bytearray()
        try:
            with self._client.stream(
                method, path, json=document, params=dict(query), timeout=timeout
            ) as response:
                # httpx limits the wait for each part, and a panel may send one byte at a time.
                for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > MOST_BYTES or time.monotonic() > ends_at:
                        raise AnswerLost(_("The panel's answer is too long."))
        except NEVER_SENT as error:
            log.info("%s %s: %r", method, path, error)
            raise PanelAway(_("The panel cannot be reached.")) from error
        except httpx.TimeoutException as error:
            log.info("%s %s: %r", method, path, error)
            raise AnswerLost(_("The panel did not answer in time.")) from error
        except httpx.HTTPError as error:
            log.info("%s %s: %r", method, path, error)
            raise AnswerLost(_("The connection ended before the panel's answer came.")) from error
        return Answer(_read(response, bytes(body)), response.status_code, response.headers)

    def _pause(self, number: int, failure: PanelError) -> float:
        """Wait as long as the panel asked, or twice as long each time, with jitter."""
        asked = failure.retry_after if isinstance(failure, PanelAway) else 0.0
        growing: float = SECONDS_BEFORE_REPEATING * 2**number
        return min(LONGEST_PAUSE, max(asked, growing * (0.5 + self.jitter())))


def _read(response: httpx.Response, body: bytes) -> Any:
    """The answer's JSON. Only 2xx says that the panel did something, only 4xx that it did not."""
    if response.status_code == 429:
        wait = _seconds(response.headers.get("Retry-After", ""))
        raise PanelAway(_("The panel has too much to do (429)."), wait)
    if 400 <= response.status_code < 500:
        raise PanelRefused(response.status_code, _reason(response, body))
    if response.status_code >= 500:
        raise AnswerLost(
            _("The panel had an error of its own (%(status)s).") % {"status": response.status_code}
        )
    if not response.is_success:
        raise AnswerLost(
            _("The panel answered neither yes nor no (%(status)s).")
            % {"status": response.status_code}
        )
    if not body:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise AnswerLost(_("The panel's answer cannot be read.")) from error


def _seconds(text: str) -> float:
    return float(text) if text.isdecimal() and len(text) < 10 else 0.0


def _reason(response: httpx.Response, body: bytes) -> str:
    """The panel's own words, from any of the shapes in which it writes them."""
    try:
        document = json.loads(body)
    except ValueError:
        return f"{response.status_code} {response.reason_phrase}"
    if not isinstance(document, dict):
        return str(document)[:500]
    error = document.get("error", document)
    if not isinstance(error, dict):
        return str(error)[:500]
    words = [str(error.get("title") or error.get("message") or ""), _flat(error.get("detail"))]
    return ": ".join(word for word in words if word)[:500] or str(response.status_code)


def _flat(detail: Any) -> str:
    """A detail is a sentence, a list of them, or a list for each field."""
    if isinstance(detail, dict):
        return "; ".join(f"{name}: {_flat(value)}" for name, value in detail.items())
    if isinstance(detail, list):
        return ", ".join(_flat(each) for each in detail)
    return "" if detail is None else str(detail)
