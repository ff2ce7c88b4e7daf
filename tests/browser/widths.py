"""Rating at two widths in one sitting: every screen is looked at, and answered, at both."""

from collections import defaultdict

from playwright.sync_api import Page

from tests.browser.access import (
    LAPTOP,
    PHONE,
    assert_accessible,
    assert_focus_is_never_covered,
    assert_never_scrolls_sideways,
)
from tests.browser.rating import answer_with_mouse

OTHER = {LAPTOP["width"]: PHONE, PHONE["width"]: LAPTOP}
# What a part is made of whatever its words and numbers are: in two of one make axe finds the same.
MAKE_OF = """(part) => {
  const alike = (words) => words.replace(/[\\d.]+/g, "0");
  const make = (part) => {
    if (part.nodeType === Node.TEXT_NODE) return part.data.trim() ? "words" : "";
    if (part.nodeType !== Node.ELEMENT_NODE) return "";
    if (part.matches("template, script, [type=hidden]")) return "";
    const names = part.getAttributeNames().filter((name) => name !== "data-onset").sort();
    const said = names.map((name) => `${name}=${alike(part.getAttribute(name))}`);
    return `<${part.localName} ${said}>${[...part.childNodes].map(make).join("")}</>`;
  };
  return make(part);
}"""
MAKE_OF_THE_PAGE = f"() => ({MAKE_OF})(document.body)"
# A screen's name, whether its time is measured, and its make.
MAKE = f"""() => {{
  const form = document.querySelector("form.screen");
  const name = form.querySelector("h2").textContent.trim();
  return [name, form.matches(".timed"), ({MAKE_OF_THE_PAGE})()];
}}"""

# Once what a press changes is drawn.
NEXT = """async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(done));
  const next = document.querySelector("form.screen [data-next]");
  if (!next.matches(":active")) next.scrollIntoView({ block: "center", behavior: "instant" });
  for (let frames = 0; frames < 3; frames++) await drawn();
  const { x, y, width, height } = next.getBoundingClientRect();
  return { x, y, width, height };
}"""

# The item's words (longer ones than "Text 1"), and whether a browser may translate them: its own
# words would be judged then.
TRANSLATABLE = """() => {
  const texts = (value) =>
    typeof value === "string" ? [value] : Object.values(value ?? {}).flatMap(texts);
  const { trials } = JSON.parse(document.getElementById("work-document").textContent);
  const judged = texts(trials.map(({ input, outputs, context, reference }) =>
    [input, outputs, context, reference])).join("\\n");
  const screen = document.querySelector("form.screen");
  const walker = document.createTreeWalker(screen, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    const words = data.trim();
    if (words.length > 8 && judged.includes(words)) found.push([words, parentElement.translate]);
  }
  return found;
}"""


class BothWidths:
    """Answers with the mouse, one trial on a laptop and the next on a phone."""

    def __init__(self, screens_per_trial: int) -> None:
        self.screens_per_trial = screens_per_trial
        self.screens = 0
        self.checked: set[str] = set()
        self.answered: dict[str, set[int]] = defaultdict(set)

    def answer(self, page: Page) -> None:
        # Not sooner: what is said about an example is looked at in the window of the example.
        if self.screens and self.screens % self.screens_per_trial == 0:
            page.set_viewport_size(OTHER[page.viewport_size["width"]])
        size = page.viewport_size
        name, is_timed, make = page.evaluate(MAKE)
        if make not in self.checked:
            self.checked.add(make)
            assert_browsers_leave_the_item_alone(page)
            for width in (OTHER[size["width"]], size):
                page.set_viewport_size(width)
                check(page)
                if width == PHONE and not is_timed:
                    assert_focus_is_never_covered(page, "Tab", least=2, most=40)
        elif size == PHONE:
            assert_fits(page)
        answer_with_mouse(page)
        if not is_timed and size["width"] not in self.answered[name]:
            assert_next_stays(page)
        self.answered[name].add(size["width"])
        if size == PHONE and not is_timed:
            assert_never_scrolls_sideways(page)
        self.screens += 1


def assert_browsers_leave_the_item_alone(page: Page) -> None:
    """A browser neither translates its words nor makes links of telephone numbers in them."""
    assert page.locator("meta[name=format-detection][content*='telephone=no']").count() == 1
    translated = [words for words, is_translated in page.evaluate(TRANSLATABLE) if is_translated]
    assert translated == [], translated


def check(page: Page) -> None:
    """Axe finds nothing; and a phone never scrolls sideways."""
    if page.viewport_size == PHONE:
        assert_fits(page)
    assert_accessible(page)


def assert_fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert_never_scrolls_sideways(page)


def assert_next_stays(page: Page) -> None:
    """Next does not move while it is pressed; otherwise the browser would report no click."""
    before = page.evaluate(NEXT)
    page.mouse.move(before["x"] + before["width"] / 2, before["y"] + before["height"] / 2)
    page.mouse.down()
    after = page.evaluate(NEXT)
    page.mouse.move(1, 1)
    page.mouse.up()
    assert abs(after["x"] - before["x"]) + abs(after["y"] - before["y"]) < 1, (before, after)
