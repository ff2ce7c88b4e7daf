"""A rater at an engine: sees what is on the screen, and answers it by mouse, touch or keyboard."""

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rankme.models import Campaign
from tests.browser import pressing, rating
from tests.engines.drivers import KEYS, PATIENCE, Engine

SCREENSHOTS = os.environ.get("SCREENSHOTS")

PLACE = f"return ({pressing.PLACE})(...arguments);"
CHOOSE = f"return ({pressing.CHOOSE})(...arguments);"
HAS_CHOSEN = f"return ({rating.HAS_CHOSEN})();"
STATE = """
  const seen = (selector) =>
    [...document.querySelectorAll(selector)].some((each) => each.checkVisibility());
  const form = document.querySelector("form.screen[data-onset]");
  return {
    code: document.querySelector("#completion-code")?.textContent.trim() ?? "",
    message: seen("[data-go-on]:enabled, button[data-again]")
      ? document.querySelector(".message-screen").textContent : "",
    again: seen("button[data-again]"),
    asksMore: seen("[name^='end-']"),
    onset: form?.dataset.onset ?? "",
    timed: form?.classList.contains("timed") ?? false,
    pictures: document.querySelectorAll("form.screen .picture").length,
    sounds: document.querySelectorAll("form.screen audio").length,
    instruments: [...document.querySelectorAll("form.screen [data-instrument]")].map(
      (each) => each.dataset.instrument
    ),
    onward: seen("main form button.primary, main a.button.primary"),
    path: location.pathname,
    problem: document.querySelector("[data-problem]")?.textContent ?? "",
    wide: document.documentElement.scrollWidth > innerWidth,
  };
"""
GROUPS = """
  const instruments = document.querySelectorAll("form.screen [data-instrument]");
  return instruments[arguments[0]].querySelectorAll("fieldset").length;
"""
HAS_ENDED = "return document.querySelectorAll('form.screen audio')[arguments[0]].ended;"
PLAY_BUTTONS = (20, 56)  # pixels from the left end of a sound's controls; WebKit has others first
SOUND_SECONDS = 6  # more than any of the demonstration's takes
MOST_MOVES = 40
DEAF_SECONDS = 0.3  # a screen ignores what comes within a double click of its onset


class Hand:
    """Points at things, with a mouse or with a finger."""

    def __init__(self, engine: Engine, kind: str = "mouse") -> None:
        self.engine = engine
        self.kind = kind

    def press(
        self, selector: str, number: int = 0, *, share: float = 0.5, instrument: int | None = None
    ) -> None:
        at = self.resting_place(selector, number, share, instrument)
        if at is None or at["covered"]:
            keep(self.engine, "cannot-be-pressed")
            why = f"covered by {at['covered'][:200]}" if at else "not on the page"
            raise AssertionError(f"{selector} is {why}")
        self.engine.perform(pointed(self.kind, at["x"], at["y"]))

    def resting_place(self, *where: Any) -> dict[str, Any] | None:
        """Wait until it no longer moves: WebKit tells of a caret, and we of its mark, later."""
        at = self.engine.run(PLACE, *where)
        for _ in range(MOST_MOVES):
            time.sleep(0.05)
            before, at = at, self.engine.run(PLACE, *where)
            if at == before:
                return at
        raise AssertionError(f"{where} does not stop moving")

    def write(self, text: str) -> None:
        self.engine.perform(typed(text))

    def has(self, selector: str) -> bool:
        return self.engine.run(PLACE, selector, 0, 0.5, None) is not None


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


def look(engine: Engine) -> dict[str, Any] | None:
    """What is on the page; between two pages there is nothing to look at."""
    try:
        return engine.run(STATE)
    except RuntimeError:
        return None


def until(engine: Engine, wanted: Callable[[dict[str, Any]], object], what: str) -> dict[str, Any]:
    """Look at the page until it is as wanted; pages come and go meanwhile."""
    end = time.monotonic() + PATIENCE
    while True:
        state = look(engine)
        if state is not None and wanted(state):
            return state
        if time.monotonic() > end:
            keep(engine, "waited-in-vain")
            raise AssertionError(f"waited in vain for {what}: {state}")
        time.sleep(0.05)


def keep(engine: Engine, name: str) -> None:
    if SCREENSHOTS:
        Path(SCREENSHOTS, f"{name}.png").write_bytes(engine.picture())


def accepted(campaign: Campaign) -> dict[str, str]:
    questions = campaign.definition.get("entry_questions", [])
    return {each["name"]: (each.get("accept") or ["yes"])[0] for each in questions}


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
    before = until(hand.engine, lambda state: state["onward"], "the way on")["path"]
    hand.press(selector)
    return until(hand.engine, lambda state: state["path"] != before, "the next page")["path"]


def rate_by_pointer(hand: Hand, name: str, *, most: int = 80) -> int:
    """Answer everything to the completion code; return the number of screens."""
    screens, may_try_again = 0, True
    for _ in range(most):
        state = until(hand.engine, is_something_to_do, "a screen")
        assert not state["wide"], "the page scrolls sideways"
        if state["code"]:
            return screens
        if state["asksMore"]:
            answer_last_questions(hand)
        elif state["message"]:
            keep(hand.engine, f"{name}-{screens}-message")
            again = state["again"] and may_try_again
            may_try_again = may_try_again and not again
            leave_message(hand, state, "button[data-again]" if again else "[data-go-on]")
        else:
            screens += 1
            time.sleep(DEAF_SECONDS)
            answer(hand, state, screens)
            keep(hand.engine, f"{name}-{screens}")
            go_on(hand, state)
    raise AssertionError("the sitting has no end")


def is_something_to_do(state: dict[str, Any]) -> bool:
    return bool(state["code"] or state["asksMore"] or state["message"] or state["onset"])


def leave_message(hand: Hand, state: dict[str, Any], button: str) -> None:
    time.sleep(DEAF_SECONDS)
    hand.press(button)
    until(hand.engine, lambda seen: seen["message"] != state["message"], "its end")


def answer_last_questions(hand: Hand) -> None:
    for selector in ("[name='end-native'][value='no']", "[name='end-since'][value='school']"):
        hand.press(selector)
    hand.press("[name='end-which']")
    hand.write("The one by the river")
    leave(hand, "main form button.primary")


def answer(hand: Hand, state: dict[str, Any], screen: int) -> None:
    for number in range(state["sounds"]):
        play(hand, number)
    if state["timed"] or state["pictures"]:
        return
    for number, instrument in enumerate(state["instruments"]):
        answer_instrument(hand, instrument, number, screen)
    if hand.has("[data-declines]"):
        hand.press("[data-declines]")
        hand.engine.run(CHOOSE, "[data-reason]", 0, None)
    if hand.has("details.comment"):
        hand.press("details.comment summary")
        hand.press("[data-comment]")
        hand.write("Fine.")


def go_on(hand: Hand, state: dict[str, Any]) -> None:
    hand.press("form.screen .picture" if state["pictures"] else "form.screen [data-next]")
    seen = until(
        hand.engine,
        lambda seen: seen["problem"] or seen["onset"] != state["onset"],
        "the next screen",
    )
    if seen["problem"]:
        keep(hand.engine, "refused")
        raise AssertionError(f"the screen says: {seen['problem']}")


def play(hand: Hand, number: int) -> None:
    """Press the button of a sound, and wait for its end."""
    width = hand.engine.run(PLACE, "form.screen audio", number, 0.5, None)["width"]
    for left in PLAY_BUTTONS:
        hand.press("form.screen audio", number, share=left / width)
        end = time.monotonic() + SOUND_SECONDS
        while time.monotonic() < end:
            if hand.engine.run(HAS_ENDED, number):
                return
            time.sleep(0.1)
    keep(hand.engine, "unplayed")
    raise AssertionError("the sound does not end")


def answer_instrument(hand: Hand, kind: str, number: int, screen: int) -> None:
    press = partial(hand.press, instrument=number)
    if kind in ("rankme", "slider"):
        press("[role='slider']", share=0.2 + 0.15 * (number % 5))
    elif kind in ("likert", "choice"):
        press("[type='radio']", 1)
    elif kind == "checklist":
        press("[type='checkbox']", -1)
    elif kind == "count":
        press("[data-more]")
    elif kind == "text":
        press("textarea")
        hand.write(f"A fine place with soup and bread, number {screen}.")
    elif kind == "preference":
        if number == 0:
            hand.press("[data-instrument='preference'] [type='radio']")
    elif kind == "best_worst":
        if number < 2:
            press("[type='radio']", number)
    elif kind == "mr_coverage":
        for group in range(hand.engine.run(GROUPS, number)):
            press(f"fieldset:nth-of-type({group + 1}) [type='radio']")
        press("[data-less]")
    elif kind == "spans":
        mark_a_word(hand, number)
    else:
        raise AssertionError(f"nobody has said how to answer {kind}")


def mark_a_word(hand: Hand, number: int) -> None:
    """Put the cursor into the text and mark the word there; then the score, if there is one."""
    hand.press(".output .markable", number)
    until(hand.engine, lambda _: hand.engine.run(HAS_CHOSEN), "the word, to which the buttons fly")
    hand.press(".span-tool", instrument=number)
    hand.engine.run(CHOOSE, ".spans-chosen .span-choice", 0, number)
    if hand.has("[data-score]"):
        hand.press("[role='slider']", share=0.2 + 0.15 * (number % 5), instrument=number)


class KeyboardPage:
    """An engine in the words of `tests.browser.keyboard`, which says what the keyboard answers."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine = engine
        self.name = name
        self.keyboard = self
        self._pages = 0
        self._pressed_since = 0.0

    def press(self, key: str) -> None:
        if key == "Enter":
            self._pages += 1
            keep(self.engine, f"{self.name}-{self._pages}")
        self.engine.perform(typed(KEYS[key]))
        if key == "Tab":
            self.engine.come_back()
        if key != "Space":
            self._pressed_since = time.monotonic()
        elif time.monotonic() > self._pressed_since + SOUND_SECONDS:
            # Space alone starts no sound: WebKit's first stop there is another button than *Play*.
            self.press("Tab")

    def type(self, text: str) -> None:
        self.engine.perform(typed(text))

    def evaluate(self, function: str, given: Any = None) -> Any:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self.engine.run(f"return ({function})(arguments[0]);", given)
            except RuntimeError:  # the page goes
                assert time.monotonic() < end, "no page comes"
                time.sleep(0.1)

    def within(self, seconds: float, function: str, given: Any) -> Any:
        end = time.monotonic() + seconds
        while not (found := self.evaluate(function, given)) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def wait_for_timeout(self, milliseconds: int) -> None:
        time.sleep(milliseconds / 1_000)
