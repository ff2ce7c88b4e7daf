"""A small browser without scripts: cookies, redirects, forms and the page's JSON."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

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


class Browser:
    """One rater's browser; it reports to `timed` how long each request took, by the page's name."""

    def __init__(self, origin: str, timed: Timed = lambda name, seconds: None) -> None:
        self.origin = urlsplit(origin)
        self.cookies: dict[str, str] = {}
        self.timed = timed
        self._connection: http.client.HTTPConnection | None = None

    def open(self, address: str, form: dict[str, str] | None = None) -> Page:
        """Follow a link, or send a form, to the page where it leads."""
        body = None if form is None else urlencode(form).encode()
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
        for _ in range(MOST_REDIRECTS):
            status, answer, text = self._ask(address, body, headers)
            if status not in (301, 302, 303):
                return _read_page(address, status, text)
            address, body, headers = urljoin(address, answer.get("Location", "")), None, {}
        raise ConnectionLost(f"redirected in circles: {address}")

    def call(self, address: str, document: Any, csrf_token: str) -> Reply:
        """What the page's script sends: JSON out, JSON in."""
        headers = {"Content-Type": "application/json", "X-CSRFToken": csrf_token}
        status, answer, text = self._ask(address, json.dumps(document).encode(), headers)
        if not answer.get("Content-Type", "").startswith("application/json"):
            return Reply(status, None)
        return Reply(status, json.loads(text))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(
        self, address: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, http.client.HTTPMessage, str]:
        place = urlsplit(urljoin(self.origin.geturl(), address))
        target = place.path + (f"?{place.query}" if place.query else "")
        own = {
            "Accept-Encoding": "identity",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Origin": f"{self.origin.scheme}://{self.origin.netloc}",
            "Referer": place.geturl(),
        }
        began = time.perf_counter()
        try:
            connection = self._connected()
            connection.request("GET" if body is None else "POST", target, body, own | headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise ConnectionLost(f"{type(error).__name__}: {error}") from error
        self.timed(_name_of(place.path, body is not None), time.perf_counter() - began)
        self._keep_cookies(answer)
        return answer.status, answer.headers, text

    def _connected(self) -> http.client.HTTPConnection:
        if self._connection is None:
            secure = self.origin.scheme == "https"
            connection = http.client.HTTPSConnection if secure else http.client.HTTPConnection
            self._connection = connection(self.origin.netloc, timeout=PATIENCE_SECONDS)
        return self._connection

    def _keep_cookies(self, answer: http.client.HTTPResponse) -> None:
        for header in answer.headers.get_all("Set-Cookie", []):
            for name, morsel in SimpleCookie(header).items():
                self.cookies[name] = morsel.coded_value


def _name_of(path: str, is_post: bool) -> str:
    parts = [part for part in path.split("/") if part]
    return f"{'POST' if is_post else 'GET'} {parts[2] if len(parts) > 2 else 'enter'}"


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
