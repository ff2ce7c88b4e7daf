"""An organiser at a site that other processes run: links, forms and uploads, without a browser."""

import http.client
import json
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from http.cookies import SimpleCookie
from urllib.parse import urldefrag, urlencode, urljoin, urlsplit
from uuid import uuid4

from tests.live import PATIENCE
from tests.pages.sent_forms import Form, forms_of

MOST_REDIRECTS = 10
MOST_PAGES = 600
# A site that was just installed compiles its statistics and lists fonts, with an empty cache.
TIMES_AS_PATIENT = 3
Files = dict[str, tuple[str, str]]  # name and content by the field of the form
REDIRECTS = {301, 302, 303}


@dataclass(frozen=True)
class Answer:
    address: str
    status: int
    text: str

    def form(self, part: str) -> Form:
        """Return the last form with this in its address or among its fields."""
        found = [
            form
            for form in reversed(forms_of(self.text))
            if part in form.action or part in form.fields or part in form.files
        ]
        assert found, f"{self.address} has no form {part!r}:\n{self.text}"
        return found[0]


class Visitor:
    """Keeps cookies like a browser that met the site over https, whatever leads there."""

    def __init__(self, origin: str, **headers: str) -> None:
        self.origin, self.headers = origin, headers
        self.cookies: dict[str, str] = {}

    def get(self, address: str) -> Answer:
        return self._follow("GET", address, None, {})

    def send(
        self,
        page: Answer,
        part: str = "",
        files: dict[str, list[str]] | None = None,
        **changes: str,
    ) -> Answer:
        """Send a form of this page, with these fields changed and these files chosen."""
        form = page.form(part)
        fields = form.fields | changes
        address = urljoin(page.address, form.action or page.address)
        if files is None:
            kind, body = "application/x-www-form-urlencoded", urlencode(fields, doseq=True).encode()
        else:
            kind, body = multipart(fields, files)
        referrer = {"Referer": urljoin(self.headers.get("Origin", self.origin), page.address)}
        return self._follow("POST", address, body, {"Content-Type": kind} | referrer)

    def wait_for(self, address: str, condition: Callable[[Answer], bool]) -> Answer:
        end = time.monotonic() + TIMES_AS_PATIENT * PATIENCE
        while not condition(page := self.get(address)):
            assert time.monotonic() < end, f"waited in vain at {address}:\n{page.text[-3000:]}"
            time.sleep(0.5)
        return page

    def crawl(self, start: str, wanted: Callable[[str], bool]) -> dict[str, int]:
        """Follow every link from a page on; return the status of each address."""
        seen: dict[str, int] = {}
        waiting = deque([start])
        while waiting and len(seen) < MOST_PAGES:
            address = waiting.popleft()
            if address in seen:
                continue
            page = self.get(address)
            seen[address] = page.status
            for link in links_of(page.text):
                target = urldefrag(urljoin(page.address, link)).url
                parts = urlsplit(target)
                path = parts.path + (f"?{parts.query}" if parts.query else "")
                is_ours = not parts.netloc or parts.netloc == urlsplit(self.origin).netloc
                if is_ours and path.startswith("/") and wanted(path):
                    waiting.append(path)
        return seen

    def _follow(
        self, method: str, address: str, body: bytes | None, headers: dict[str, str]
    ) -> Answer:
        for _ in range(MOST_REDIRECTS):
            status, answer, content = self._ask(method, address, body, headers)
            if status not in REDIRECTS:
                return Answer(address, status, content.decode("utf-8", "replace"))
            address = urljoin(address, answer["Location"])
            method, body, headers = "GET", None, {}
        raise AssertionError(f"redirected in circles: {address}")

    def _ask(
        self, method: str, address: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        parts = urlsplit(urljoin(self.origin, address))
        connection = http.client.HTTPConnection(urlsplit(self.origin).netloc, timeout=PATIENCE)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, path, body, self.headers | {"Cookie": cookies} | headers)
        answer = connection.getresponse()
        for line in answer.headers.get_all("Set-Cookie", []):
            for name, morsel in SimpleCookie(line).items():
                self.cookies[name] = morsel.value
        content = answer.read()
        connection.close()
        return answer.status, answer.headers, content


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "a" and (link := dict(attributes).get("href")):
            self.found.append(link)


def links_of(page: str) -> list[str]:
    reader = _Links()
    reader.feed(page)
    return reader.found


def multipart(fields: dict[str, str | list[str]], files: Files) -> tuple[str, bytes]:
    """Encode a form with text files, given as (name, content) below their field."""
    boundary = uuid4().hex
    lines = [
        f"--{boundary}\r\nContent-Disposition: form-data; name={json.dumps(name)}\r\n\r\n{value}"
        for name, value in fields.items()
    ]
    for field, (name, content) in files.items():
        disposition = f"form-data; name={json.dumps(field)}; filename={json.dumps(name)}"
        lines.append(
            f"--{boundary}\r\nContent-Disposition: {disposition}\r\n"
            f"Content-Type: text/plain\r\n\r\n{content}"
        )
    body = "\r\n".join([*lines, f"--{boundary}--\r\n"]).encode()
    return f"multipart/form-data; boundary={boundary}", body
