"""A real browser before the running site, and a fresh page of it for each test."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.live import PATIENCE, LiveSite

if TYPE_CHECKING:  # this is imported at the start of every test run, with or without a browser
    from playwright.sync_api import Browser, BrowserContext, CDPSession, Page

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
# Small, without scripts, and of the same origin as all pages of raters and organisers.
OPENER = "/healthz/"
CLOSING_MS = 500
MOST_REQUESTS_TO_CLOSE = BROWSER_PATIENCE_MS // CLOSING_MS


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


def new_context(browser: Browser, site: LiveSite) -> BrowserContext:
    context = browser.new_context(
        base_url=site.url, viewport={"width": 1366, "height": 768}, locale="en"
    )
    context.set_default_timeout(BROWSER_PATIENCE_MS)
    return context


@pytest.fixture(scope="session")
def opener(browser: Browser, site_of_the_session: LiveSite) -> Iterator[Page]:
    """The page that opens those of the tests, which then live in its process.

    For a page in a new context Chromium starts two processes, and each has to compile all scripts
    and load all files again. That takes as long as what many tests do on their page.
    """
    context = new_context(browser, site_of_the_session)
    first = context.new_page()
    site_of_the_session.start_web()
    first.goto(OPENER)
    yield first
    context.close()


@contextlib.contextmanager
def opened_page(opener: Page) -> Iterator[Page]:
    """Of a browser that remembers nothing of the site, but has its files in its cache."""
    context = opener.context
    with context.expect_page() as opened:
        opener.evaluate("void open()")
    yield opened.value
    close_windows(opener)
    forget(opener)


def close_windows(opener: Page) -> None:
    """Close the pages of a test, and ask again for one that stays.

    A page that is just leaving for another loses the question, and `Page.close` would ask once and
    wait forever.
    """
    from playwright.sync_api import TimeoutError as StaysOpen

    opened = windows_of(opener.context)
    for _ in range(MOST_REQUESTS_TO_CLOSE):
        ask_to_close(opener)
        for each in opened:
            with contextlib.suppress(StaysOpen):
                each.is_closed() or each.wait_for_event("close", timeout=CLOSING_MS)
        if all(each.is_closed() for each in opened):
            return
    pytest.fail(f"These pages stay open: {[each.url for each in opened if not each.is_closed()]}")


def ask_to_close(opener: Page) -> None:
    line = line_to(opener)
    mine = line.send("Target.getTargetInfo")["targetInfo"]
    for target in line.send("Target.getTargets")["targetInfos"]:
        is_mine = target.get("browserContextId") == mine["browserContextId"]
        if is_mine and target["type"] == "page" and target["targetId"] != mine["targetId"]:
            line.send("Target.closeTarget", {"targetId": target["targetId"]})


def forget(opener: Page) -> None:
    """Only once all pages are closed, for they could still write something."""
    context = opener.context
    context.set_offline(False)
    context.clear_cookies()
    origin = opener.url.removesuffix(OPENER)
    line_to(opener).send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})


@functools.cache
def line_to(opener: Page) -> CDPSession:
    """Kept for all tests: to make one takes longer than to forget."""
    return opener.context.new_cdp_session(opener)


def windows_of(context: BrowserContext) -> list[Page]:
    """The pages of a test: all but the one that opens the others."""
    return [each for each in context.pages if not each.url.endswith(OPENER)]


@contextlib.contextmanager
def first_page(browser: Browser, site: LiveSite) -> Iterator[Page]:
    """Of a browser that has never seen the site."""
    context = new_context(browser, site)
    yield context.new_page()
    context.close()


@pytest.fixture
def page(
    request: pytest.FixtureRequest, browser: Browser, opener: Page, live_site: LiveSite
) -> Iterator[Page]:
    """A fresh page on the live site, in which no script may fail and no policy be broken."""
    is_first = request.node.get_closest_marker("first_visit")
    problems: list[str] = []
    with first_page(browser, live_site) if is_first else opened_page(opener) as fresh:
        fresh.on("pageerror", lambda error: problems.append(str(error)))
        fresh.on("console", lambda message: problems.extend(broken_policies(message.text)))
        yield fresh
    assert problems == []


def broken_policies(message: str) -> list[str]:
    return [message] if "Content Security Policy" in message or "TrustedHTML" in message else []
