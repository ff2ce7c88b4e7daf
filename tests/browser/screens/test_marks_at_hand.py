"""The buttons for marks are where the eye is: in texts of every length, in every window."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.access import ENLARGED, LAPTOP, PHONE, assert_accessible, read_out
from tests.browser.marking import PLACE_OF, TEXT, drag_over, marking, open_screen, stored
from tests.browser.rating import await_screen, finish, next_screen, shot
from tests.browser.waiting import until

WORDS = ("The", "dog", "ran", "over", "an", "old", "bridge", "which", "nobody", "looked", "at")
WINDOWS = {
    "mouse": {"viewport": LAPTOP},
    "finger": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
    "keys": {"viewport": ENLARGED},
}
IS_CHOSEN = """(word) =>
  [...(CSS.highlights.get("chosen-words") ?? [])].map((range) => `${range}`).join() === word"""
# Whether each part lies wholly in the window and is what a press there hits.
HIDDEN = """(parts) => parts.filter((part) => {
  const { left, right, top, bottom } = part.getBoundingClientRect();
  const isIn = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
  const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return !isIn || !part.contains(hit);
}).map((part) => `${part.textContent} ${Math.round(part.getBoundingClientRect().top)}`)"""


def text_of(words: int) -> str:
    """Words that all differ, so that each can be found; the last is the only one of its kind."""
    return " ".join(f"{WORDS[number % len(WORDS)]}{number}" for number in range(words))


@pytest.fixture(params=list(WINDOWS))
def hand(request: pytest.FixtureRequest, browser: Browser, live_site: Any) -> Iterator[Any]:
    """A way to work, and a window in which it is usual."""
    context = browser.new_context(base_url=live_site.url, **WINDOWS[request.param])
    yield request.param, context.new_page()
    context.close()


def choose_word(page: Page, text: Any, place: int, *, way: str) -> None:
    x, y = text.evaluate(PLACE_OF, place)
    if way == "finger":
        page.touchscreen.tap(x, y)
    elif way == "mouse":
        page.mouse.click(x, y)
    else:
        text.focus()
        page.keyboard.press("Control+End" if place else "Control+Home")


def press_button(page: Page, name: str, *, way: str) -> None:
    """Where it is: a driver's own click would bring it into view first."""
    button = page.get_by_role("button", name=name)
    box = button.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    if way == "finger":
        page.touchscreen.tap(x, y)
    elif way == "mouse":
        page.mouse.click(x, y)
    else:
        while not button.evaluate("button => button === document.activeElement"):
            page.keyboard.press("Tab")
        page.keyboard.press("Space")


def test_the_severities_are_in_the_window_for_the_first_and_the_last_word(hand):
    """In texts that fit the window, that nearly do, and of many windows."""
    way, page = hand
    lengths = [60, 150, 300, 1700]
    text = open_screen(page, marking(*map(text_of, lengths), missing=True, score=True))
    for number in range(len(lengths)):
        await_screen(page)
        whole = text.inner_text()
        lengths.remove(len(whole.split()))
        mark_the_ends(page, text, whole, way=way)
        shot(page, f"marks-at-hand-{way}-{number}")
        page.get_by_role("slider").press("End")
        next_screen(page)
    assert lengths == []


def mark_the_ends(page: Page, text: Any, whole: str, *, way: str) -> None:
    first, *_, last = whole.split()
    for place, word in ((0, first), (len(whole) - 2, last)):
        choose_word(page, text, place, way=way)
        until(page, IS_CHOSEN, word)
        buttons = page.locator(".spans-chosen .span-tool:visible")
        expect(buttons).to_have_count(2)
        assert buttons.evaluate_all(HIDDEN) == []
        before = page.evaluate("scrollY")
        press_button(page, "Major", way=way)
        assert abs(page.evaluate("scrollY") - before) < 5, "a mark costs no travel"
        expect(page.get_by_role("button", name="Major")).to_have_attribute("aria-pressed", "true")
        assert page.locator(".span-tool:visible").evaluate_all(HIDDEN) == [], "undo is there too"
    assert page.locator(".span-quote").all_text_contents() == [first, last]


def test_a_category_is_chosen_at_the_words_too(hand):
    way, page = hand
    whole = text_of(300)
    categories = {"Accuracy/Omission": "Omission", "Style": "Style"}
    text = open_screen(page, marking(whole, categories=categories))
    choose_word(page, text, len(whole) - 2, way=way)
    page.get_by_role("button", name="Minor").click()
    category = page.get_by_role("combobox", name="Category", exact=True)
    expect(category).to_be_focused()
    assert page.locator(".spans-chosen > :visible").evaluate_all(HIDDEN) == []
    category.select_option("Style")
    expect(page.get_by_label(f"Category: “{whole.split()[-1]}”")).to_have_value("Style")
    page.keyboard.press("Escape")
    expect(text).to_be_focused()
    expect(page.locator("mark")).to_be_in_viewport()
    shot(page, f"marks-category-{way}")


def test_few_categories_without_severities_are_a_button_and_a_key_each(page: Page):
    categories = {"Number": "Wrong number", "Name": "Wrong name"}
    text = open_screen(page, marking(severities={}, categories=categories))
    drag_over(page, "walked", text)
    page.get_by_role("button", name="Wrong name").click()
    drag_over(page, "bridge", text)
    page.keyboard.press("1")
    finish(page)
    found = {mark["text"]: mark["category"] for mark in stored()["marks"]}
    assert found == {"walked": "Name", "bridge": "Number"}


def test_what_was_undone_is_done_again_by_buttons_and_by_keys(page: Page):
    text = open_screen(page, marking())
    quotes = page.locator(".span-quote")
    for word, name in (("dog", "Minor"), ("walked", "Major")):
        drag_over(page, word, text)
        page.get_by_role("button", name=name).click()
    for step, left in (
        ("Control+z", ["dog"]),
        ("Control+Shift+Z", ["dog", "walked"]),
        ("Undo", ["dog"]),
        ("Undo", []),
        ("Redo", ["dog"]),
        ("Control+y", ["dog", "walked"]),
        ("Redo", ["dog", "walked"]),
    ):
        if "+" in step:
            page.keyboard.press(step)
        else:
            page.get_by_role("button", name=step).click()
        expect(quotes).to_have_text(left)
    expect(page.get_by_text("There is nothing to do again.")).to_be_visible()
    finish(page)
    found = stored()
    assert [mark["severity"] for mark in found["marks"]] == ["minor", "major"]
    assert [event["do"] for event in found["events"][:4]] == ["add", "add", "remove", "add"]


def test_a_mark_in_the_list_takes_one_line_and_on_a_phone_two(page: Page):
    options = {"categories": {"Accuracy/Omission": "Omission", "Style": "Style"}, "most": 12}
    text = open_screen(page, marking(text_of(120), notes=True, **options))
    for word in text_of(120).split()[:12]:
        drag_over(page, word, text)
        page.keyboard.press("2")
    heights = "parts => parts.map(part => part.offsetHeight)"
    entries = page.locator(".span-entry")
    expect(entries).to_have_count(12)
    shot(page, "marks-list-laptop")
    assert max(entries.evaluate_all(heights)) <= 72
    page.set_viewport_size(PHONE)
    shot(page, "marks-list-phone")
    assert max(entries.evaluate_all(heights)) <= 72
    assert_accessible(page)


def test_a_choice_in_the_list_leaves_the_words_in_the_text_set_off(page: Page):
    text = open_screen(page, marking())
    drag_over(page, "walked", text)
    page.get_by_role("button", name="Major").click()
    drag_over(page, "bridge", text)
    page.get_by_role("button", name="Major").click()
    page.get_by_label("Severity: “walked”").select_option("minor")
    page.get_by_label("Severity: “walked”").focus()
    page.get_by_label("Severity: “walked”").select_option("major")
    assert page.locator("mark.is-current").all_text_contents() == ["walked"]


def test_marks_and_controls_have_names_of_their_own(page: Page):
    options = {"score": True, "missing": True, "anchors": {"0": "bad", "50": "good"}}
    text = open_screen(page, marking(**options))
    drag_over(page, "walked", text)
    page.get_by_role("button", name="Major").click()
    page.get_by_role("button", name="Something is missing").click()
    ((slider, _),) = read_out(page, "slider")
    assert slider == "Text 1 Score"
    assert ("Text 1 Mark the errors.", "textbox") in [
        (name, "textbox") for name, _ in read_out(page, "textbox")
    ]
    buttons = dict(read_out(page, "button"))
    assert {"Remove: “walked”", "Undo", "Redo"} <= set(buttons)
    assert not any("From" in said for said in buttons.values())
    assert page.locator("mark").get_attribute("title") == "Major"
    text.focus()
    page.keyboard.press("Control+Home")
    for _ in TEXT[:10]:
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("status").filter(has_text="Mark 1 of 2: walked, Major")).to_be_visible()
