"""A real browser before the running site, and a fresh page of it for each test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from django.db import connections

from tests.live import PATIENCE, LiveSite

if TYPE_CHECKING:  # this is imported at the start of every test run, with or without a browser
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A process less. And no page of a test lives long enough for what compiles a script a third
    # time; the second, quick one is worth it: for axe, and for a sitting of many screens.
    "--in-process-gpu",
    "--js-flags=--no-turbofan",
]
# The shell first: it draws no windows of its own, which takes the others more than our pages do.
CHROMIUM_NAMES = (
    "chromium-headless-shell",
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
)
BROWSER_PATIENCE_MS = 1_000 * PATIENCE


def installed_chromium() -> str | None:
    named = os.environ.get("CHROMIUM")
    names = [named] if named else CHROMIUM_NAMES
    return next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """An installed Chromium; where there is none the test is skipped loudly, and in CI it fails."""
    chromium = installed_chromium()
    if chromium is None:
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say("NO CHROMIUM FOUND: the browser tests did not run. Install one, or name it: CHROMIUM=")
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=BROWSER_PATIENCE_MS)

    # Playwright keeps an event loop in this thread, and Django takes that for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium_browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        yield chromium_browser
        chromium_browser.close()
        # Without the loop, Django has other connections: these would keep the database in use.
        connections.close_all()


LAPTOP: dict[str, Any] = {"viewport": {"width": 1366, "height": 768}}
TOUCH_PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def new_context(
    browser: Browser, site: LiveSite, device: dict[str, Any], language: str = "en"
) -> BrowserContext:
    context = browser.new_context(base_url=site.url, locale=language, **device)
    context.set_default_timeout(BROWSER_PATIENCE_MS)
    return context


@pytest.fixture
def page(browser: Browser, live_site: LiveSite, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A fresh page on the live site, in which no script may fail and no policy be broken.

    It is a laptop's unless the test is parametrized with another device.
    """
    problems: list[str] = []
    with new_context(browser, live_site, getattr(request, "param", LAPTOP)) as context:
        fresh = context.new_page()
        fresh.on("pageerror", lambda error: problems.append(str(error)))
        fresh.on("console", lambda message: problems.extend(broken_policies(message.text)))
        yield fresh
    assert problems == []


def broken_policies(message: str) -> list[str]:
    return [message] if "Content Security Policy" in message or "TrustedHTML" in message else []


def wait_for_path(page: Page, pattern: str) -> None:
    """Wait for a page whose path is like this; `*` is any text.

    Playwright's own patterns are of the whole address, and the login page has the next one's path
    at its end: "**/doctor/" is also like /login/?next=/doctor/.
    """
    page.wait_for_url(lambda address: fnmatchcase(urlsplit(address).path, pattern))
