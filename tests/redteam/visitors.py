"""Attackers of a rating site, and careful people with each device and technology as controls.

A visitor answers each screen in a way of its own: `answer(hands)` is called once for each screen,
and presses *Next* at its end. Careful people have habits that look like fraud, at these chances.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.chromium import LAPTOP, TOUCH_PHONE
from tests.redteam.hands import Hands

# Of careful people: one text that was written in another program; another window, looked at.
WRITES_ELSEWHERE = 0.05
LOOKS_AWAY = 0.1  # on each screen
ZOOMED: dict[str, Any] = {"viewport": {"width": 320, "height": 256}, "device_scale_factor": 4}
WORDS = ("clear", "odd", "short", "warm", "plain", "exact", "clumsy", "polite", "dry", "lively")
NEXT, TEXT, SLIDER = "[data-next]", "textarea", "[role=slider]"

Answer = Callable[[Hands], None]


def words(dice: random.Random, number: int = 2) -> str:
    return " ".join(dice.sample(WORDS, number))


def careful(press: Callable[..., None], write: Callable[[Hands, str], None]) -> Answer:
    """A person with a pointer: press the line, press the box, write, press *Next*."""

    def answer(hands: Hands) -> None:
        if hands.dice.random() < LOOKS_AWAY:
            hands.leave(100, 400)
        press(hands, SLIDER, hands.dice.uniform(0.1, 0.9))
        press(hands, TEXT, 0.3)
        if hands.dice.random() < WRITES_ELSEWHERE:
            hands.leave(300, 900)
            hands.paste(words(hands.dice))
        else:
            write(hands, words(hands.dice))
        press(hands, NEXT)

    return answer


def zoomed(hands: Hands, selector: str, share: float = 0.5) -> None:
    hands.page.mouse.wheel(0, hands.dice.uniform(60, 200))
    hands.wait(150, 250)  # until it has scrolled
    hands.press_by_mouse(selector, share)


def by_keyboard(hands: Hands) -> None:
    hands.tab_to(SLIDER)
    for _ in range(hands.dice.randint(1, 5)):
        hands.key(hands.dice.choice(["ArrowLeft", "ArrowRight", "PageUp"]))
    hands.tab_to(TEXT)
    hands.type(words(hands.dice))
    hands.tab_to(NEXT)
    hands.key("Enter")


def by_screen_reader(hands: Hands) -> None:
    """The focus is walked, *Next* is clicked without a key, or by routing the mouse to it."""
    hands.focus(SLIDER)
    for _ in range(hands.dice.randint(1, 4)):
        hands.key(hands.dice.choice(["ArrowLeft", "ArrowRight", "PageUp"]))
    if hands.dice.random() < 0.5:
        hands.focus(TEXT)
        hands.type(words(hands.dice))
        hands.press_without_a_key(NEXT)
    else:
        hands.press_as_a_program(TEXT)
        hands.type(words(hands.dice))
        hands.press_as_a_program(NEXT)


def by_switch(hands: Hands) -> None:
    """A crosshair for presses, and a keyboard on the screen that is scanned."""
    hands.press_under_a_crosshair(SLIDER, hands.dice.uniform(0.1, 0.9))
    hands.press_under_a_crosshair(TEXT, 0.3)
    hands.letter_by_letter(words(hands.dice))
    hands.press_under_a_crosshair(NEXT)


def by_voice(hands: Hands) -> None:
    hands.press_as_a_program(SLIDER, hands.dice.uniform(0.1, 0.9))
    hands.press_as_a_program(TEXT)
    hands.page.keyboard.insert_text(words(hands.dice))
    hands.press_as_a_program(NEXT)


# Attackers -----------------------------------------------------------------------------------

SCRIPT = """([share, text]) => {
  const form = document.querySelector("form.screen");
  const find = (selector) =>
    [...form.querySelectorAll(selector)].find((each) => each.checkVisibility());
  const slider = find("[role=slider]");
  const box = slider.getBoundingClientRect();
  const at = { clientX: box.left + box.width * share, clientY: box.top + box.height / 2 };
  const more = { bubbles: true, cancelable: true, pointerId: 1, isPrimary: true, ...at };
  for (const name of ["pointerdown", "pointerup"])
    slider.dispatchEvent(new PointerEvent(name, more));
  slider.dispatchEvent(new MouseEvent("click", more));
  for (const key of ["ArrowRight", "ArrowRight"])
    slider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const writing = find("textarea");
  writing.value = text;
  writing.dispatchEvent(new InputEvent("input", { bubbles: true, data: text }));
  writing.dispatchEvent(new Event("change", { bubbles: true }));
  find("[data-next]").click();
}"""


def script(hands: Hands) -> None:
    """A script in the page: no event of it is the browser's own."""
    text = words(hands.dice)
    hands.page.evaluate(SCRIPT, [hands.dice.uniform(0.1, 0.9), text])


def driver(hands: Hands) -> None:
    """A program that drives the browser as tests do, at once and at exact centres."""
    press = hands.page.touchscreen.tap if is_touched(hands) else hands.page.mouse.click
    for selector, share in ((SLIDER, hands.dice.uniform(0.1, 0.9)), (TEXT, 0.5), (NEXT, 0.5)):
        box = hands.box(selector, share)
        press(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
        if selector == TEXT:
            hands.page.keyboard.type(words(hands.dice), delay=4)


def is_touched(hands: Hands) -> bool:
    return bool(hands.page.evaluate("navigator.maxTouchPoints > 0"))


def tree_reader(hands: Hands) -> None:
    """An agent that gets the accessibility tree, and acts on its nodes by their role."""
    nodes = hands.cdp.send("Accessibility.getFullAXTree")["nodes"]
    shown = [node for node in nodes if not node["ignored"] and "backendDOMNodeId" in node]
    text = words(hands.dice)
    for role, share in (
        ("slider", hands.dice.uniform(0.1, 0.9)),
        ("textbox", 0.5),
        ("button", 0.5),
    ):
        found = [node for node in shown if node["role"]["value"] == role]
        if role == "button":
            found = [node for node in found if node["name"]["value"] in ("Next", "Finish")]
        where = {"backendNodeId": found[0]["backendDOMNodeId"]}
        hands.cdp.send("DOM.scrollIntoViewIfNeeded", where)
        x1, y1, x2, _, _, y3, *_ = hands.cdp.send("DOM.getBoxModel", where)["model"]["border"]
        hands.page.mouse.click(x1 + (x2 - x1) * share, (y1 + y3) / 2)
        if role == "textbox":
            hands.page.keyboard.insert_text(text)


def picture_reader(hands: Hands) -> None:
    """An agent that gets a picture of the page. Where things are, which a model would read from the
    picture, the page says (a stub); it presses whole pixels, and inserts its texts.
    """
    for selector, share in ((SLIDER, hands.dice.uniform(0.1, 0.9)), (TEXT, 0.5), (NEXT, 0.5)):
        box = hands.box(selector, share)
        assert hands.page.screenshot(type="jpeg", quality=30)
        x, y = round(box["x"] + box["width"] * share), round(box["y"] + box["height"] / 2)
        hands.page.mouse.move(x, y)
        hands.page.mouse.click(x, y)
        if selector == TEXT:
            hands.page.keyboard.insert_text(words(hands.dice))


def paster(hands: Hands) -> None:
    """A person who lets another program write each text."""
    hands.press_by_mouse(SLIDER, hands.dice.uniform(0.1, 0.9))
    hands.press_by_mouse(TEXT, 0.3)
    hands.leave(300, 900)
    hands.paste(words(hands.dice, 5))
    hands.press_by_mouse(NEXT)


@dataclass(frozen=True)
class Visitor:
    """A kind of visitor: how it answers, with what device, and whether it is careful and alone."""

    name: str
    device: str
    answer: Answer
    browser: Mapping[str, Any] = field(default_factory=lambda: LAPTOP)
    is_control: bool = False
    # Before each screen's answers are sent, the body becomes one of another rater's session.
    replays: bool = False
    people: int = 1

    @property
    def key(self) -> str:
        return f"{self.name}, {self.device}"


BY_MOUSE = careful(Hands.press_by_mouse, Hands.type)
VISITORS = (
    Visitor("careful", "mouse", BY_MOUSE, is_control=True),
    Visitor("careful", "phone", careful(Hands.tap, Hands.compose), TOUCH_PHONE, is_control=True),
    Visitor("careful", "keyboard alone", by_keyboard, is_control=True),
    Visitor("careful", "like a screen reader", by_screen_reader, is_control=True),
    Visitor("careful", "like a switch", by_switch, is_control=True),
    Visitor("careful", "400 % zoom", careful(zoomed, Hands.type), ZOOMED, is_control=True),
    Visitor("careful", "like dictation", by_voice, is_control=True),
    Visitor("script in the page", "desktop", script),
    Visitor("script in the page", "phone", script, TOUCH_PHONE),
    Visitor("program that clicks", "desktop", driver),
    Visitor("program that clicks", "phone", driver, TOUCH_PHONE),
    Visitor("human-like program", "desktop", BY_MOUSE),
    Visitor("reader of the accessibility tree", "desktop", tree_reader),
    Visitor("reader of pictures", "desktop", picture_reader),
    Visitor("paster", "desktop", paster),
    Visitor("replayed session", "desktop", script, replays=True),
    Visitor("two people", "desktop", BY_MOUSE, people=2),
)
