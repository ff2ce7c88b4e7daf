"""What every browser test ends with."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import BrowserContext, Error, Page, Request

MOST_WAITS = 500
EACH_SECONDS = 0.02


@pytest.fixture(autouse=True)
def nothing_under_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """A request that the site still works on would meet the sweeping of its tables (deadlock)."""
    if "page" not in request.fixturenames:
        yield
        return
    context = request.getfixturevalue("page").context
    with requests_under_way(context) as under_way:
        yield
        wait_for_answers(context, under_way)


@contextmanager
def requests_under_way(context: BrowserContext) -> Iterator[set[Request]]:
    """The requests of all pages that wait for their answer, as the events tell of them."""
    found: set[Request] = set()

    def begins(request: Request) -> None:
        found.add(request)

    def ends(request: Request) -> None:
        found.discard(request)

    changes = {"request": begins, "requestfinished": ends, "requestfailed": ends}
    for event, change in changes.items():
        context.on(event, change)
    yield found
    for event, change in changes.items():
        context.remove_listener(event, change)


def wait_for_answers(context: BrowserContext, under_way: set[Request]) -> None:
    """Bounded, for a request that a test holds back itself never comes to an end."""
    for _ in range(MOST_WAITS):
        heard = [has_told_all(window) for window in context.pages]
        if all(heard) and not (heard and under_way):  # closed pages tell nothing more
            return
        time.sleep(EACH_SECONDS)


def has_told_all(window: Page) -> bool:
    """A question to a page brings the news that are on their way; one that leaves cannot answer."""
    try:
        window.evaluate("0")
    except Error:
        return False
    return True
