"""A small browser without scripts: reads forms and the page's JSON."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from http.cookiejar import Cookie, CookieJar
from typing import Any
from urllib.parse import urlsplit

import httpx

MOST_REDIRECTS = 10
PATIENCE_SECONDS = 20.0  # as long as the rater's page itself waits
Timed = Callable[[str, float], None]


@dataclass
class Form:
    """The fields of one form: fixed values, and the options of those that are to be chosen."""

    values: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """One answer of the server, read as far as a rater needs it."""

    address: str
    status: int
    forms: tuple[Form, ...]
    document: dict[str, Any] | None
    csrf_token: str
    completion_code: str
    ask_again_seconds: float | None

    @property
    def step(self) -> str:
        """The last part of the address: which of the rater's pages this is."""
        return urlsplit(self.address).path.rstrip("/").rpartition("/")[2]


@dataclass(frozen=True)
class Reply:
    """The answer to a call that a page's script makes."""

    status: int
    document: Any


class ConnectionLost(Exception):
    """No complete answer came, so nobody knows whether the server did what was asked."""


class SentWithoutTls(CookieJar):
    """Cookies that go back also by HTTP: a site behind a proxy marks all of them Secure."""

    def set_cookie(self, cookie: Cookie) -> None:
        cookie.secure = False
        super().set_cookie(cookie)


class Browser:
    """One rater's browser; it reports to `timed` how long each request took, by the page's name."""

    def __init__(
        self,
        origin: str,
        timed: Timed = lambda name, seconds: None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.timed = timed
        self._client = httpx.Client(
            base_url=origin,
            headers={"Origin": origin},
            cookies=SentWithoutTls(),
            timeout=PATIENCE_SECONDS,
            trust_env=False,
            verify=_trusted_authorities(),
            transport=transport,
            follow_redirects=True,
            max_redirects=MOST_REDIRECTS,
        )

    def open(self, address: str, form: dict[str, str] | None = None) -> Page:
        """Follow a link, or send a form, to the page where it leads."""
        answer = self._ask("GET" if form is None else "POST", address, data=form)
        return _read_page(str(answer.url), answer.status_code, answer.text)

    def call(self, address: str, document: Any, csrf_token: str) -> Reply:
        """What the page's script sends: JSON out, JSON in."""
        headers = {"X-CSRFToken": csrf_token}
        answer = self._ask("POST", address, json=document, headers=headers)
        is_json = answer.headers.get("Content-Type", "").startswith("application/json")
        return Reply(answer.status_code, answer.json() if is_json else None)

    def close(self) -> None:
        self._client.close()

    def _ask(self, method: str, address: str, **sent: Any) -> httpx.Response:
        try:
            answer = self._client.request(method, address, **sent)
        except httpx.HTTPError as error:
            raise ConnectionLost(f"{type(error).__name__}: {error}") from error
        for each in (*answer.history, answer):
            self.timed(_name_of(each.request), each.elapsed.total_seconds())
        return answer


@cache
def _trusted_authorities() -> ssl.SSLContext:
    """Read once: every browser would take 20 ms of a processor to read their certificates."""
    return httpx.create_ssl_context(trust_env=False)


def _name_of(request: httpx.Request) -> str:
    parts = [part for part in request.url.path.split("/") if part]
    return f"{request.method} {parts[2] if len(parts) > 2 else 'enter'}"


def _read_page(address: str, status: int, text: str) -> Page:
    reader = _PageReader()
    reader.feed(text)
    return Page(
        reader.address or address,
        status,
        tuple(reader.forms),
        json.loads("".join(reader.document)) if reader.document else None,
        reader.csrf_token,
        "".join(reader.code).strip(),
        reader.ask_again_seconds,
    )


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.document: list[str] = []
        self.code: list[str] = []
        self.address = ""  # of a page that is the answer to the form of another one
        self.csrf_token = ""
        self.ask_again_seconds: float | None = None
        self._into: list[str] | None = None

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if given.get("data-again"):  # the button of a practice screen has no number
            self.ask_again_seconds = float(given["data-again"])
        if given.get("id") == "work-document":
            self._into = self.document
        elif given.get("id") == "completion-code":
            self._into = self.code
        elif tag == "meta" and given.get("name") == "csrf-token":
            self.csrf_token = given.get("content", "")
        elif tag == "meta" and given.get("name") == "address":
            self.address = given.get("content", "")
        elif tag == "form" and given.get("method", "").lower() == "post":
            self.forms.append(Form())
        elif self.forms and tag in ("input", "button", "textarea"):
            self._take_field(tag, given)

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._into.append(data)

    def handle_endtag(self, tag: str) -> None:
        self._into = None

    def _take_field(self, tag: str, given: dict[str, str]) -> None:
        form, name = self.forms[-1], given.get("name", "")
        if not name:
            return
        if tag == "button":
            form.buttons.append((name, given.get("value", "")))
        elif given.get("type") in ("radio", "checkbox"):
            form.choices.setdefault(name, []).append(given.get("value", "on"))
        else:
            form.values[name] = given.get("value", "")
