"""A rater without a mouse: Tab through the page, and the keys that each control takes."""

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from tests.browser.waiting import within

Wait = Callable[[Page, float, str, Any], Any]
texts = count(1)
DEAF_MS = 260  # a little longer than a new screen ignores presses
POLL_MS = 50
MOST_LOOKS = 1_000
STOP = """() => {
  const at = document.activeElement;
  const form = document.querySelector("form.screen");
  const shown = form?.dataset.onset ?? document.querySelector(".message-screen")?.textContent;
  return {
    isCode: document.querySelector("#completion-code") !== null,
    isReady: document.readyState === "complete" && (!form || "onset" in form.dataset),
    place: `${performance.timeOrigin} ${location.pathname} ${shown}`,
    shownFor: Math.floor(performance.now() - (form?.dataset.onset ?? 0)),
    role: at.getAttribute("role") ?? at.type ?? at.tagName.toLowerCase(),
    value: at.value ?? "",
    name: at.textContent.trim(),
    instrument: at.closest("[data-instrument]")?.dataset.instrument ?? "",
    isNext: at.matches("[data-next], [data-go-on], .picture"),
    isUnplayed: at.matches("audio") && !at.ended,
    isMarkable: at.matches(".markable"),
    isUnchosen: at.tagName === "SELECT" && !at.value,
    isLastTick: at.type === "checkbox" && !at.closest("label").nextElementSibling,
  };
}"""
# Where the focus is once the page has gone on from a place.
STOP_AFTER = f"""(place) => {{
  const stop = document.activeElement && ({STOP})();  // there is nothing yet in a new page
  return stop?.isReady && stop.place !== place ? stop : null;
}}"""
# After a press that led nowhere the page says what is missing.
LONGEST_WAY_SECONDS = 0.7


def rate_by_keyboard(page: Page, *, most_keys: int = 600, wait: Wait = within) -> None:
    """From the consent page to the completion code with keys alone.

    A browser that is not Playwright's brings its own way to wait.
    """
    stop = look(page)
    for _ in range(most_keys):
        if stop["isCode"]:
            return
        if stop["isNext"] or stop["name"] in ("I agree to take part", "Continue", "Begin"):
            stop = press_enter(page, stop, wait)
            continue
        press_what_fits(page, stop)
        page.keyboard.press("Tab")
        stop = look(page)
    raise AssertionError(f"no end by keyboard; the last stop was {stop}")


def look(page: Page) -> dict:
    """Where the focus is; between two pages there is nothing to look at."""
    for _ in range(MOST_LOOKS):
        with suppress(PlaywrightError):
            return page.evaluate(STOP)
        page.wait_for_timeout(POLL_MS)
    raise AssertionError("no page comes")


def press_enter(page: Page, stop: dict, wait: Wait) -> dict:
    """Once the page listens; and wait for what it shows then."""
    if stop["shownFor"] < DEAF_MS:
        page.wait_for_timeout(DEAF_MS - stop["shownFor"])
    page.keyboard.press("Enter")
    return wait(page, LONGEST_WAY_SECONDS, STOP_AFTER, stop["place"]) or look(page)


def play_to_its_end(page: Page) -> None:
    """Press again while nothing plays: a new screen ignores what comes at once."""
    for _ in range(MOST_LOOKS):
        sound = page.evaluate(
            "() => (({ ended, paused }) => ({ ended, paused }))(document.activeElement)"
        )
        if sound["ended"]:
            return
        if sound["paused"]:
            page.keyboard.press("Space")
        page.wait_for_timeout(POLL_MS)
    raise AssertionError("the sound does not play to its end")


def press_what_fits(page: Page, stop: dict) -> None:
    """Answer the control that has the focus."""
    if stop["isUnplayed"]:
        play_to_its_end(page)
    elif stop["role"] == "slider":
        page.keyboard.press("ArrowRight")
    elif stop["isMarkable"]:
        page.keyboard.press("Enter")  # marks the word at the cursor
    elif stop["isUnchosen"]:
        page.keyboard.press("ArrowDown")
    elif stop["role"] == "radio":
        # One text cannot be the best and the worst: the second group goes one down.
        page.keyboard.press("ArrowDown" if stop["value"] == "worst" else "Space")
    elif stop["isLastTick"] and stop["instrument"] == "checklist":
        page.keyboard.press("Space")
    elif stop["instrument"] in ("count", "mr_coverage") and stop["role"] == "text":
        page.keyboard.type("1")
    elif stop["role"] == "textarea" and stop["instrument"]:
        page.keyboard.type(f"A fine place with soup and bread, number {next(texts)}.")
