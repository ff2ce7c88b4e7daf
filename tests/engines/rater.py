"""A rater at an engine: sees what is on the screen, and answers it by mouse, touch or keyboard."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.engines.drivers import KEYS, PATIENCE, Engine

SCREENSHOTS = os.environ.get("SCREENSHOTS")

# Where the middle of an element is, after it was scrolled into view; null when it is not shown.
MIDDLE = """
  const [selector, number, share, instrument] = arguments;
  const within = instrument === null
    ? document
    : document.querySelectorAll("form.screen [data-instrument]")[instrument];
  const found = [...within.querySelectorAll(selector)]
    .map((each) => each.closest("label") ?? each)
    .filter((each) => each.checkVisibility());
  const element = found.at(number);
  if (!element) return null;
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const box = element.getBoundingClientRect();
  return [Math.round(box.left + box.width * share), Math.round(box.top + box.height / 2)];
"""
STATE = """
  const seen = (selector) => {
    const found = document.querySelector(selector);
    return found !== null && found.checkVisibility();
  };
  const form = document.querySelector("form.screen[data-onset]");
  return {
    code: document.querySelector("#completion-code")?.textContent.trim() ?? "",
    message: seen("[data-go-on]") ? document.querySelector(".message-screen").textContent : "",
    onset: form?.dataset.onset ?? "",
    timed: form?.classList.contains("timed") ?? false,
    pictures: document.querySelectorAll("form.screen .picture").length,
    instruments: [...document.querySelectorAll("form.screen [data-instrument]")].map(
      (each) => each.dataset.instrument
    ),
    path: location.pathname,
    wide: document.documentElement.scrollWidth > innerWidth,
  };
"""
GROUPS = """
  const instruments = document.querySelectorAll("form.screen [data-instrument]");
  return instruments[arguments[0]].querySelectorAll("fieldset").length;
"""
FOCUS = """
  const at = document.activeElement;
  return {
    role: at.getAttribute("role") ?? at.type ?? at.tagName.toLowerCase(),
    value: at.value ?? "",
    instrument: at.closest("[data-instrument]")?.dataset.instrument ?? "",
    onward: at.matches("[data-next], [data-go-on], .picture, main button.primary"),
    last: at.type === "checkbox" && !at.closest("label").nextElementSibling,
    checked: at.checked ?? false,
    valued: at.hasAttribute("aria-valuenow"),
  };
"""
DEAF_SECONDS = 0.3  # a screen ignores what comes within a double click of its onset


class Hand:
    """Points at things, with a mouse or with a finger."""

    def __init__(self, engine: Engine, kind: str = "mouse") -> None:
        self.engine = engine
        self.kind = kind

    def press(
        self, selector: str, number: int = 0, *, share: float = 0.5, instrument: int | None = None
    ) -> None:
        at = self.engine.run(MIDDLE, selector, number, share, instrument)
        if at is None:
            keep(self.engine, "not-on-the-page")
            raise AssertionError(f"{selector} is not on the page")
        self.engine.perform(pointed(self.kind, *at))

    def write(self, text: str) -> None:
        self.engine.perform(typed(text))


def pointed(kind: str, x: int, y: int) -> list[dict[str, Any]]:
    move = {"type": "pointerMove", "x": x, "y": y}
    down, up = ({"type": each, "button": 0} for each in ("pointerDown", "pointerUp"))
    pause = {"type": "pause", "duration": 40}
    return [
        {
            "type": "pointer",
            "id": kind,
            "parameters": {"pointerType": kind},
            "actions": [move, down, pause, up],
        }
    ]


def typed(text: str) -> list[dict[str, Any]]:
    actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
    return [{"type": "key", "id": "keyboard", "actions": actions}]


def until(engine: Engine, wanted: Callable[[dict[str, Any]], object], what: str) -> dict[str, Any]:
    """Look at the page until it is as wanted; pages come and go meanwhile."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            state = engine.run(STATE)
        except RuntimeError:  # between two pages there is nothing to look at
            state = None
        if state is not None and wanted(state):
            return state
        if time.monotonic() > end:
            keep(engine, "waited-in-vain")
            raise AssertionError(f"waited in vain for {what}: {state}")
        time.sleep(0.05)


def keep(engine: Engine, name: str) -> None:
    if SCREENSHOTS:
        Path(SCREENSHOTS, f"{name}.png").write_bytes(engine.picture())


def come_in(hand: Hand, address: str, accepted: dict[str, str]) -> None:
    """From the link to the button that begins the work."""
    hand.engine.goto(address)
    path = leave(hand, "main form button.primary")
    if "/questions/" in path:
        for name, value in accepted.items():
            hand.press(f"[name='entry-{name}'][value='{value}']")
        leave(hand, "main form button.primary")
    leave(hand, "main form button.primary, main a.button.primary")


def leave(hand: Hand, selector: str) -> str:
    """Press what leads to another page, and give that page's path."""
    before = until(hand.engine, lambda state: True, "a page")["path"]
    hand.press(selector)
    return until(hand.engine, lambda state: state["path"] != before, "the next page")["path"]


def rate_by_pointer(hand: Hand, name: str, *, most: int = 80) -> int:
    """Answer everything to the completion code; return the number of screens."""
    screens = 0
    for _ in range(most):
        state = until(
            hand.engine, lambda seen: seen["code"] or seen["message"] or seen["onset"], "a screen"
        )
        if state["code"]:
            return screens
        if state["message"]:
            time.sleep(DEAF_SECONDS)
            hand.press("[data-go-on]")
            said = state["message"]
            until(hand.engine, lambda seen, said=said: seen["message"] != said, "its end")
            continue
        screens += 1
        time.sleep(DEAF_SECONDS)
        keep(hand.engine, f"{name}-{screens}")
        assert not state["wide"], "the page scrolls sideways"
        answer(hand, state, screens)
        onset = state["onset"]
        until(hand.engine, lambda seen, onset=onset: seen["onset"] != onset, "the next screen")
    raise AssertionError("the sitting has no end")


def answer(hand: Hand, state: dict[str, Any], screen: int) -> None:
    if state["pictures"]:
        hand.press("form.screen .picture")
        return
    if not state["timed"]:
        for number, instrument in enumerate(state["instruments"]):
            answer_instrument(hand, instrument, number, screen)
    hand.press("form.screen [data-next]")


def answer_instrument(hand: Hand, kind: str, number: int, screen: int) -> None:
    press = partial(hand.press, instrument=number)
    if kind in ("rankme", "slider"):
        press("[role='slider']", share=0.2 + 0.15 * (number % 5))
    elif kind in ("likert", "choice"):
        press("[type='radio']", 1)
    elif kind == "checklist":
        press("[type='checkbox']", -1)
    elif kind == "count":
        press("button", -1)
    elif kind == "text":
        press("textarea")
        hand.write(f"A fine place with soup and bread, number {screen}.")
    elif kind == "preference":
        if number == 0:
            press("[type='radio']")
    elif kind == "best_worst":
        if number < 2:
            press("[type='radio']", number)
    elif kind == "mr_coverage":
        for group in range(hand.engine.run(GROUPS, number)):
            press(f"fieldset:nth-of-type({group + 1}) [type='radio']")
    else:
        raise AssertionError(f"nobody has said how to answer {kind}")


def rate_by_keyboard(engine: Engine, *, most_keys: int = 900) -> None:
    """From the first screen to the completion code, with Tab and the keys of each control."""
    for _ in range(most_keys):
        state = until(engine, lambda seen: seen["code"] or seen["message"] or seen["onset"], "it")
        if state["code"]:
            return
        focus = engine.run(FOCUS)
        if focus["role"] == "slider" and not focus["valued"]:
            engine.perform(typed(KEYS["Right"] * 3))
        elif focus["role"] == "radio" and not focus["checked"]:
            engine.perform(typed(KEYS["Space"]))
        elif focus["role"] == "textarea" and focus["instrument"] and not focus["value"]:
            engine.perform(typed("A fine place with soup and bread."))
        elif focus["onward"]:
            time.sleep(DEAF_SECONDS)
            engine.perform(typed(KEYS["Enter"]))
            time.sleep(0.5)
        else:
            engine.perform(typed(KEYS["Tab"]))
    raise AssertionError(f"no end by keyboard; the last stop was {focus}")
