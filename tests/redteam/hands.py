"""What hands and programs do to a page: the events of a mouse, a finger, keys and an insertion.

The times of holding and typing are those of people, typing and paths four times as fast. Reading
is left out: traces of how a screen is worked on have no part in it.
"""

import random
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import CDPSession, Page

# Milliseconds.
HOLD = (50, 120)
KEY_MEAN, KEY_SD = 40, 0.45
MOVES = 3
BOX = """([selector, share]) => {
  const element = [...document.querySelectorAll(`form.screen ${selector}`)]
    .find((each) => each.checkVisibility());
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left, y: top, width, height, share };
}"""
HAS_FOCUS = "(selector) => document.activeElement?.matches(`form.screen ${selector}`) ?? false"
MOST_TABS = 60


@dataclass
class Hands:
    """One visitor's page, and the dice that decide where and how long."""

    page: Page
    dice: random.Random
    session: CDPSession | None = None
    at: tuple[float, float] = (40.0, 40.0)

    @property
    def cdp(self) -> CDPSession:
        if self.session is None:
            self.session = self.page.context.new_cdp_session(self.page)
        return self.session

    def box(self, selector: str, share: float = 0.5) -> dict[str, float]:
        """Where the first such element of the screen is, once it is in view."""
        found: dict[str, float] = self.page.evaluate(BOX, [selector, share])
        return found

    def somewhere(self, box: dict[str, float]) -> tuple[float, float]:
        """A place that a person hits: near `share` of the width, and seldom the exact centre."""
        spread = min(box["width"] / 8, 8.0)
        x = box["x"] + box["width"] * box["share"] + self.dice.gauss(0, spread)
        y = box["y"] + box["height"] / 2 + self.dice.gauss(0, min(box["height"] / 6, 6.0))
        x = min(max(x, box["x"] + 2), box["x"] + box["width"] - 2)
        return x, min(max(y, box["y"] + 2), box["y"] + box["height"] - 2)

    def wait(self, low: float, high: float) -> None:
        self.page.wait_for_timeout(self.dice.uniform(low, high))

    # Mouse ------------------------------------------------------------------------------------

    def move_to(self, x: float, y: float) -> None:
        """In a curve, with a stop on the way."""
        middle = ((self.at[0] + x) / 2, (self.at[1] + y) / 2)
        bend = (middle[0] + self.dice.gauss(0, 30), middle[1] + self.dice.gauss(0, 30))
        self.page.mouse.move(*bend, steps=MOVES)
        self.wait(5, 40)
        self.page.mouse.move(x, y, steps=MOVES)
        self.at = (x, y)

    def press_by_mouse(self, selector: str, share: float = 0.5) -> None:
        self.move_to(*self.somewhere(self.box(selector, share)))
        self.page.mouse.down()
        self.wait(*HOLD)
        self.page.mouse.up()

    def press_as_a_program(self, selector: str, share: float = 0.5) -> None:
        """At the exact place and at once, with no way to it: as programs and voice control do."""
        box = self.box(selector, share)
        self.page.mouse.click(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)

    def press_under_a_crosshair(self, selector: str, share: float = 0.5) -> None:
        """Where two scanning lines meet: near the target, at once, with no way to it."""
        self.page.mouse.click(*self.somewhere(self.box(selector, share)))

    # Finger -----------------------------------------------------------------------------------

    def tap(self, selector: str, share: float = 0.5) -> None:
        x, y = self.somewhere(self.box(selector, share))
        start = {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]}
        self.cdp.send("Input.dispatchTouchEvent", start)
        self.wait(*HOLD)
        self.cdp.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    # Keys -------------------------------------------------------------------------------------

    def tab_to(self, selector: str) -> None:
        for _ in range(MOST_TABS):
            if self.page.evaluate(HAS_FOCUS, selector):
                return
            self.key("Tab")
        raise AssertionError(f"no Tab leads to {selector}")

    def key(self, name: str) -> None:
        self.page.keyboard.press(name, delay=self.dice.uniform(*HOLD) / 4)
        self.page.wait_for_timeout(KEY_MEAN * self.dice.lognormvariate(0, KEY_SD) / 2)

    def type(self, text: str) -> None:
        for letter in text:
            self.page.keyboard.press(letter if letter != " " else "Space")
            self.page.wait_for_timeout(KEY_MEAN * self.dice.lognormvariate(0, KEY_SD))

    def press_without_a_key(self, selector: str) -> None:
        """A trusted click that no press and no key comes before, as screen readers make it."""
        self.focus(selector)
        self.cdp.send("Input.dispatchKeyEvent", {"type": "char", "text": "\r", "key": "Enter"})

    def focus(self, selector: str) -> None:
        self.page.evaluate("s => document.querySelector(`form.screen ${s}`).focus()", selector)

    # Texts without a keyboard -----------------------------------------------------------------

    def compose(self, text: str) -> None:
        """Word by word, as the keyboards of phones do."""
        for word in text.split():
            whole = f"{word} "
            at: dict[str, Any] = {"selectionStart": len(word), "selectionEnd": len(word)}
            self.cdp.send("Input.imeSetComposition", {"text": word, **at})
            self.wait(20, 80)
            self.page.keyboard.insert_text(whole)

    def letter_by_letter(self, text: str) -> None:
        """On a keyboard of the screen."""
        for letter in text:
            self.page.keyboard.insert_text(letter)
            self.wait(5, 20)

    def paste(self, text: str) -> None:
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.page.keyboard.press("Control+v")

    # Windows ----------------------------------------------------------------------------------

    def leave(self, low: float, high: float) -> None:
        """To another window, and back; a headless browser has none, so the page is told."""
        self.page.evaluate("window.dispatchEvent(new Event('blur'))")
        self.wait(low, high)
        self.page.evaluate("window.dispatchEvent(new Event('focus'))")
