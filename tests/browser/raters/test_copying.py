"""Copying the compared texts: mouse and finger do not, keys and assistive technology do."""

import pytest
from playwright.sync_api import Page, expect

from rankme.errors import InvalidDefinition
from rankme.protocols.files import definition_from_document, definition_to_document, preset
from tests.browser.access import assert_accessible
from tests.browser.rating import await_screen, next_screen, open_work, shot
from tests.campaigns import make_campaign, slider_definition
from tests.chromium import TOUCH_PHONE

NOTICE = "The texts cannot be copied with the mouse or by touch here."
TEXT = ".block-outputs [data-fill=output]"
INPUT = "[data-block=input] [data-fill]"
COPIED = "navigator.clipboard.readText()"
SELECTED = "String(getSelection())"
BEFORE = "what was copied before"


def at_work(page: Page, copying: str) -> str:
    """Open the first screen, and return the text that it compares."""
    definition = slider_definition(crowd={"copying": copying})
    open_work(page, make_campaign(definition, items=2, systems=1))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("(text) => navigator.clipboard.writeText(text)", BEFORE)
    return page.locator(TEXT).inner_text()


def draw(page: Page, start: str, end: str) -> None:
    """Press on one place, and let go on another."""
    boxes = [page.locator(place).first.bounding_box() for place in (start, end)]
    (first, last) = boxes
    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=8)
    page.mouse.up()


@pytest.mark.parametrize(
    ("copying", "start"),
    [("inconvenient", TEXT), ("inconvenient", INPUT), ("allowed", TEXT)],
)
def test_the_mouse_copies_the_texts_only_where_that_is_allowed(page: Page, copying, start):
    """Also when the selection begins outside of them, and the key is held before the mouse."""
    text = at_work(page, copying)
    page.keyboard.down("Control")
    draw(page, start, TEXT)
    page.keyboard.press("c")
    page.keyboard.up("Control")
    is_allowed = copying == "allowed"
    assert (text[1:-1] in page.evaluate(COPIED)) == is_allowed
    assert (page.evaluate(COPIED) == BEFORE) != is_allowed
    expect(page.get_by_text(NOTICE).locator("visible=true")).to_have_count(int(not is_allowed))
    if is_allowed:
        return
    assert_accessible(page, "the notice about copying")
    shot(page, "copying")
    page.get_by_role("slider").press("Home")
    next_screen(page)
    await_screen(page)
    expect(page.get_by_text(NOTICE).locator("visible=true")).to_have_count(0)


def test_a_double_click_selects_nothing_and_keys_copy_the_texts_after_it(page: Page):
    text = at_work(page, "inconvenient")
    page.locator(TEXT).dblclick()
    assert page.evaluate(SELECTED).strip() == ""
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    assert text in page.evaluate(COPIED)
    expect(page.get_by_text(NOTICE).locator("visible=true")).to_have_count(0)
    shift_and_arrows_extend_a_selection(page, text)


def shift_and_arrows_extend_a_selection(page: Page, text: str) -> None:
    """As in caret browsing."""
    page.locator(TEXT).click()
    page.keyboard.press("Shift")
    page.evaluate(
        f"""() => {{ const {{ firstChild }} = document.querySelector('{TEXT}');
          getSelection().setBaseAndExtent(firstChild, 0, firstChild, 1); }}"""
    )
    for _character in range(5):
        page.keyboard.press("Shift+ArrowRight")
    assert page.evaluate(SELECTED) == text[:6]
    page.keyboard.press("Control+c")
    assert page.evaluate(COPIED) == text[:6]


def test_assistive_technology_and_the_search_find_the_texts(page: Page):
    """The accessibility tree, a selection without a press, a press without a hand, the search."""
    text = at_work(page, "inconvenient")
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    read = [str(node.get("name", {}).get("value")) for node in tree if not node["ignored"]]
    assert text in read
    assert_accessible(page, "a screen whose texts are not copied by mouse")
    page.evaluate(
        f"""() => document.querySelector('{TEXT}').dispatchEvent(new PointerEvent(
          "pointerdown", {{ bubbles: true, pointerType: "mouse", width: 1, height: 1 }}))"""
    )
    page.evaluate(f"getSelection().selectAllChildren(document.querySelector('{TEXT}'))")
    assert page.evaluate(SELECTED) == text
    page.evaluate("document.execCommand('copy')")
    assert page.evaluate(COPIED) == text
    page.evaluate("getSelection().removeAllRanges()")
    assert page.evaluate("(text) => window.find(text)", text)


@pytest.mark.parametrize("page", [TOUCH_PHONE], indirect=True)
def test_a_finger_copies_nothing_until_a_key_is_pressed(page: Page):
    text = at_work(page, "inconvenient")
    page.locator(TEXT).tap()
    assert page.locator(TEXT).evaluate("(text) => getComputedStyle(text).userSelect") == "none"
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    assert text in page.evaluate(COPIED)


def test_texts_that_raters_mark_can_be_copied():
    document = definition_to_document(preset("esa"))
    crowd = document.get("crowd", {}) | {"copying": "inconvenient"}
    with pytest.raises(InvalidDefinition, match="by selecting in the texts: allow copying"):
        definition_from_document(document | {"crowd": crowd})
