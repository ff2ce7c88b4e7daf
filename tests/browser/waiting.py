"""Waiting in the page itself.

For its own ways to wait Playwright brings a script of a third of a megabyte to every page, which
on most of our pages takes longer than what they do themselves.
"""

import time
from typing import Any

from playwright.sync_api import Error, Page

from tests.live import PATIENCE

# Every look at the page is work for it; one in each frame is more than what it does itself.
POLL_MS = 30
UNTIL = """async ([given, longest]) => {
  const end = performance.now() + longest;
  const isTrue = CONDITION;
  for (;;) {
    const found = isTrue(given);
    if (found || performance.now() > end) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}"""
# What somebody needs to know who was not there: whether the page still draws, and what it shows.
STATE = """async () => {
  const drawn = new Promise((resolve) => requestAnimationFrame(() => resolve("draws")));
  const late = new Promise((resolve) => setTimeout(resolve, 2_000, "DRAWS NOTHING"));
  const state = [location.href, document.visibilityState, await Promise.race([drawn, late])];
  const shown = document.querySelector("#stage") ?? document.body;
  return `${state.join(", ")}\\n${shown.outerHTML.slice(0, 6_000)}`;
}"""
HAS_LEFT = "Execution context was destroyed"


def until(page: Page, condition: str, given: Any = None) -> Any:
    """Wait until the function gives something true, on this page or on one that follows it."""
    found = within(page, PATIENCE, condition, given)
    assert found, f"waited {PATIENCE} s in vain: {condition}\n{page.evaluate(STATE)}"
    return found


def within(page: Page, seconds: float, condition: str, given: Any = None) -> Any:
    """What the function gives as soon as that is true, or at the end of this time."""
    asked = UNTIL.replace("CONDITION", condition).replace("POLL_MS", str(POLL_MS))
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        try:
            return page.evaluate(asked, [given, 1_000 * left])
        except Error as error:
            if HAS_LEFT not in error.message:
                raise
    return None
