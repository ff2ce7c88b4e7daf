"""Calls to a panel's API: time-outs, bounded repetition, and what is known after a failure."""

from __future__ import annotations

import random
import ssl
import time
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import httpx
from django.utils.translation import gettext as _

from rankme.errors import RankmeError

TIMEOUT = httpx.Timeout(15.0, connect=5.0)
REPEATABLE = ("GET", "HEAD")
SECONDS_BEFORE_REPEATING = 0.5
LONGEST_PAUSE = 20.0
TRIES = 4
# The request never left, or the panel says that it did nothing.
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


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
    """No answer came. Whether the panel did what it was asked is unknown."""


def new_client(base: str, headers: Mapping[str, str]) -> httpx.Client:
    """The one place where connections to panels are opened; tests put a panel here."""
    return httpx.Client(
        base_url=base,
        headers=dict(headers),
        timeout=TIMEOUT,
        trust_env=False,
        verify=_trusted_authorities(),
    )


@cache
def _trusted_authorities() -> ssl.SSLContext:
    """Read once: every connection would take 20 ms of a processor to read their certificates."""
    return httpx.create_ssl_context(trust_env=False)


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
    ) -> Any:
        """The panel's answer as JSON, None when it has no body.

        Only what may be repeated is asked again. By default these are the calls that change
        nothing. A call that moves money is asked once.

        Raises
        ------
        PanelRefused : the panel said no
        PanelAway : nothing has happened, because the panel is busy or cannot be reached
        AnswerLost : unknown
        """
        return self.respond(method, path, document, may_repeat=may_repeat, **query)[0]

    def respond(
        self,
        method: str,
        path: str,
        document: Any = None,
        *,
        may_repeat: bool | None = None,
        **query: Any,
    ) -> tuple[Any, Mapping[str, str]]:
        """The same with the answer's headers."""
        repeat = method in REPEATABLE if may_repeat is None else may_repeat
        tries = self.tries if repeat else 1
        for number in range(1, tries + 1):
            try:
                return self._once(method, path, document, query)
            except (PanelAway, AnswerLost) as failure:
                if number == tries:
                    raise
                self.sleep(self._pause(number, failure))
        raise AssertionError("unreachable")

    def _once(
        self, method: str, path: str, document: Any, query: Mapping[str, Any]
    ) -> tuple[Any, Mapping[str, str]]:
        if self._client is None:
            self._client = new_client(self.base, self.headers)
            weakref.finalize(self, self._client.close)
        try:
            response = self._client.request(method, path, json=document, params=dict(query))
        except NEVER_SENT as error:
            raise PanelAway(_("The panel cannot be reached.")) from error
        except httpx.TimeoutException as error:
            raise AnswerLost(_("The panel did not answer in time.")) from error
        except httpx.HTTPError as error:
            raise AnswerLost(_("The connection ended before the panel's answer came.")) from error
        return _read(response), response.headers

    def _pause(self, number: int, failure: PanelError) -> float:
        """What the panel asked for, or twice as long each time; never the same for two callers."""
        asked = failure.retry_after if isinstance(failure, PanelAway) else 0.0
        growing: float = SECONDS_BEFORE_REPEATING * 2**number
        return min(LONGEST_PAUSE, max(asked, growing * (0.5 + self.jitter())))


def _read(response: httpx.Response) -> Any:
    if response.status_code == 429:
        wait = _seconds(response.headers.get("Retry-After", ""))
        raise PanelAway(_("The panel has too much to do (429)."), wait)
    if response.status_code >= 500:
        raise AnswerLost(
            _("The panel had an error of its own (%(status)s).") % {"status": response.status_code}
        )
    if response.status_code >= 400:
        raise PanelRefused(response.status_code, _reason(response))
    if not response.content:
        return None
    try:
        return response.json()
    except ValueError as error:
        raise AnswerLost(_("The panel's answer cannot be read.")) from error


def _seconds(text: str) -> float:
    return float(text) if text.isdecimal() else 0.0


def _reason(response: httpx.Response) -> str:
    """The panel's own words, from any of the shapes in which it writes them."""
    try:
        document = response.json()
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
