"""A rater without a mouse: Tab through the page, and the keys that each control takes."""

from __future__ import annotations

from itertools import count

from playwright.sync_api import Page

texts = count(1)
STOP = """() => {
  const at = document.activeElement;
  return {
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


def rate_by_keyboard(page: Page, *, most_keys: int = 600) -> None:
    """From the consent page to the completion code with keys alone."""
    for _ in range(most_keys):
        if page.locator("#completion-code").count():
            return
        stop = page.evaluate(STOP)
        if not press_what_fits(page, stop):
            page.keyboard.press("Tab")
    raise AssertionError(f"no end by keyboard; the last stop was {stop}")


def press_what_fits(page: Page, stop: dict) -> bool:
    """Answer the control that has the focus; True when that led to another page or screen."""
    if stop["isUnplayed"]:
        page.keyboard.press("Space")
        page.wait_for_function("() => document.activeElement.ended")
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
    elif stop["isNext"] or stop["name"] in ("I agree to take part", "Continue", "Begin"):
        page.wait_for_timeout(300)
        page.keyboard.press("Enter")
        page.wait_for_timeout(700)
        return True
    return False
