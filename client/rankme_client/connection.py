"""What every request to a site has in common: the key, time limits, repetition, errors."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import httpx

from .errors import ApiError, JobFailed, NoSite, Problem, SiteAway, StillWaiting

Document = dict[str, Any]

SECONDS_TO_CONNECT, SECONDS_TO_ANSWER = 10.0, 120.0
TRIES, LONGEST_PAUSE = 6, 30.0
REPEATABLE = ("GET", "PUT", "DELETE")
# The request never left.
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
BUSY, UNAVAILABLE = 429, 503
MOST_PAGES = 100_000
ON_THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
NO_SITE = (
    "Say which site to use: rankme_client.log_in(url, name, password), Site(url, token), or the "
    "environment variables RANKME_URL and RANKME_TOKEN."
)


class Connection:
    """A site and the key of an account there.

    Parameters
    ----------
    url : such as `https://rankme.example.org`; by default RANKME_URL
    token : the key that `log_in` gives; by default RANKME_TOKEN
    transport : takes the place of the network, for tests
    sleep : pauses between two tries
    """

    def __init__(
        self,
        url: str = "",
        token: str = "",
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        url = (url or os.environ.get("RANKME_URL", "")).rstrip("/")
        self._token = token or os.environ.get("RANKME_TOKEN", "")
        if not (url and self._token):
            raise NoSite(NO_SITE)
        refuse_open_line(url)
        self.url, self.sleep = url, sleep
        self._client = new_client(url, transport)
        self._client.headers["Authorization"] = f"Token {self._token}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"

    # --- Requests ---------------------------------------------------------------------------

    def call(
        self, method: str, path: str, *, may_repeat: bool | None = None, **request: Any
    ) -> httpx.Response:
        """Ask, and ask again while the site is busy; what changes something is sent once.

        Raises
        ------
        ApiError : the site refused
        SiteAway : no answer came, or the site stays busy
        """
        repeat = method in REPEATABLE if may_repeat is None else may_repeat
        for number in range(1, TRIES + 1):
            is_last = number == TRIES
            try:
                response = self._client.request(method, path, **request)
            except httpx.TransportError as error:
                if is_last or not (repeat or isinstance(error, NEVER_SENT)):
                    raise SiteAway(f"{self.url} cannot be reached: {error}") from error
                self.sleep(pause(number))
                continue
            is_busy = response.status_code == BUSY
            if is_last or not (is_busy or (repeat and response.status_code == UNAVAILABLE)):
                return checked(response)
            self.sleep(pause(number, response.headers.get("Retry-After", "")))
        raise AssertionError("unreachable")

    def get(self, path: str, **parameters: Any) -> Any:
        """The answer's document."""
        given = {name: value for name, value in parameters.items() if value is not None}
        return self.call("GET", path, params=given).json()

    def send(self, method: str, path: str, document: object = None) -> Any:
        """Send a document; the answer's document, or None."""
        response = (
            self.call(method, path, json=document)
            if document is not None
            else self.call(method, path)
        )
        return response.json() if response.content else None

    def pages(self, path: str, **parameters: Any) -> Iterator[Document]:
        """Every row of a list, page by page."""
        asked: dict[str, Any] = {"limit": 1000} | {
            name: value for name, value in parameters.items() if value is not None
        }
        for _page in range(MOST_PAGES):
            page = self.get(path, **asked)
            yield from page["results"]
            if page["next"] is None:
                return
            # Only the parameters are taken: a key goes nowhere but to the site's own address.
            asked = dict(parse_qsl(urlsplit(page["next"]).query))

    def wait_for_job(
        self, path: str, *, timeout: float, told: Callable[[Document], None] | None = None
    ) -> Document:
        """The job's row when a worker has done it."""
        end = time.monotonic() + timeout
        waited = 0.1
        while True:
            row: Document = self.get(path)
            if told is not None:
                told(row)
            if row["state"] == "done":
                return row
            if row["state"] in ("failed", "cancelled"):
                raise JobFailed(row["error"] or f"This was {row['state']}.")
            if time.monotonic() > end:
                raise StillWaiting(f"After {timeout:g} s: {row['step'] or row['state']}.")
            self.sleep(waited)
            waited = min(2.0, 1.5 * waited)


def new_client(url: str, transport: httpx.BaseTransport | None) -> httpx.Client:
    return httpx.Client(
        base_url=f"{url}/api/v1/",
        timeout=httpx.Timeout(SECONDS_TO_ANSWER, connect=SECONDS_TO_CONNECT),
        transport=transport,
        headers={"Accept": "application/json"},
    )


def refuse_open_line(url: str) -> None:
    """Refuse to send a key or a password where others can read it on its way."""
    address = urlsplit(url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise NoSite(f"“{url}” is not the address of a site, such as https://rankme.example.org.")
    if address.scheme == "http" and address.hostname not in ON_THIS_MACHINE:
        raise NoSite(f"“{url}” would send your key unencrypted. Write https://.")


def pause(number: int, asked: str = "") -> float:
    """Wait as long as the site asked, or twice as long each time."""
    if asked.isdecimal() and len(asked) < 6:
        return min(LONGEST_PAUSE, float(asked))
    return min(LONGEST_PAUSE, 0.25 * 2.0**number)


def checked(response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    try:
        error = response.json()["error"]
        problems = tuple(Problem(**problem) for problem in error["problems"])
        raise ApiError(response.status_code, error["code"], error["message"], problems)
    except (ValueError, KeyError, TypeError):
        message = f"{response.url} answered {response.status_code} {response.reason_phrase}."
        raise ApiError(response.status_code, "unknown", message) from None


def quoted(part: str) -> str:
    """A part of an address; a rater's or a file's name may contain anything."""
    return quote(part, safe="/")
