"""Pressing what the browser shows, at the place where it is: one look at the page, one press."""

import time

from playwright.sync_api import Error, Page

from tests.live import PATIENCE

# Where an element is, after it was scrolled into view, and what covers it there; null when it is
# not shown. The page notes whether the click that follows hits it: a page may move meanwhile.
PLACE = """(selector, number, share, instrument) => {
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
  const x = Math.round(box.left + box.width * share);
  const y = Math.round(box.top + box.height / 2);
  const hit = document.elementFromPoint(x, y);
  const isFree = element.contains(hit);
  window.missed = true;
  const note = (event) => (window.missed = !element.contains(event.target));
  document.addEventListener("click", note, { capture: true, once: true });
  return { x, y, width: box.width, covered: isFree ? "" : hit?.outerHTML ?? "out of the window",
    isTouched: navigator.maxTouchPoints > 0 };
}"""
# The list that a press on a select opens is the browser's own window.
CHOOSE = """(selector, number, instrument) => {
  const within = instrument === null
    ? document
    : document.querySelectorAll("form.screen [data-instrument]")[instrument];
  const select = within.querySelectorAll(selector)[number];
  if (!select?.checkVisibility()) return;
  select.selectedIndex = 1;
  for (const name of ["input", "change"]) {
    select.dispatchEvent(new Event(name, { bubbles: true }));
  }
}"""
AGAIN_MS = 50


def press(
    page: Page,
    selector: str,
    number: int = 0,
    *,
    share: float = 0.5,
    instrument: int | None = None,
    may_be_gone: bool = False,
) -> None:
    """Click or tap the label or element, once it is there and nothing covers it.

    Playwright's own click asks the page ten times as often, which on most screens takes longer
    than what the page does. `share` is how far along the element; `instrument` is the one of the
    screen in which the selector looks.
    """
    end = time.monotonic() + PATIENCE
    while True:
        at = page.evaluate(f"given => ({PLACE})(...given)", [selector, number, share, instrument])
        if at and not at["covered"]:
            hand = page.touchscreen.tap if at["isTouched"] else page.mouse.click
            hand(at["x"], at["y"])
            if not has_missed(page):
                return None
        if at is None and may_be_gone:
            return None
        why = f"covered or elsewhere {at['covered'][:200]}" if at else "not on the page"
        assert time.monotonic() < end, f"{selector} is {why}"
        page.wait_for_timeout(AGAIN_MS)


def has_missed(page: Page) -> bool:
    try:
        return bool(page.evaluate("window.missed"))
    except Error:
        return False  # the press led to another page


def choose(page: Page, selector: str, number: int, *, instrument: int) -> None:
    """The second option of one of the instrument's lists, if that list is shown."""
    page.evaluate(f"given => ({CHOOSE})(...given)", [selector, number, instrument])
