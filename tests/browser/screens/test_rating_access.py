"""The rater's pages for everybody: axe-core finds nothing, and would see a fault."""

import string

import pytest
from playwright.sync_api import Page, expect

from tests.browser.access import (
    ABOUT_COLOURS,
    assert_accessible,
    assert_never_scrolls_sideways,
    found_by_axe,
)
from tests.browser.rating import (
    agree,
    await_address,
    await_screen,
    begin,
    campaign_of,
    come_in,
    press_tool,
    rate_to_the_end,
)
from tests.browser.widths import OTHER


@pytest.mark.parametrize("name", ["e2e-quality", "mqm"])
def test_characters_do_nothing_outside_of_what_has_the_focus(page: Page, name):
    """Raters who dictate press them without wanting to (WCAG 2.1.4)."""
    come_in(page, campaign_of(name, items=1), id="w1")
    begin(page)
    await_screen(page)
    page.evaluate("document.activeElement.blur()")
    before = page.locator("#stage").inner_html()
    page.keyboard.type(string.punctuation + string.digits + string.ascii_letters)
    assert page.locator("#stage").inner_html() == before
    expect(page.locator("dialog[open]")).to_have_count(0)
    if name == "e2e-quality":  # and the check itself would see a fault
        page.evaluate("document.querySelector('[role=slider]').removeAttribute('aria-labelledby')")
        assert found_by_axe(page).violations_count == 1


PALE = "color: #ccc"
# Few words of a kind are compared, so each fault is the odd one among many of another kind.
FAULTS_OF_COLOUR = {
    "its own colour": f"<td style='{PALE}'>17</td>",
    "the ground it is on": "<td style='background: #333'>17</td>",
    "the ground of a part around it": "<td style='background: #333'><p><b>17</b></p></td>",
    "all but transparent": "<td style='opacity: .2'>17</td>",
    "a word within": f"<td>17 <b style='{PALE}'>18</b></td>",
    "words of a field": f"<td><input aria-label='n' value='17' style='{PALE}'></td>",
}
PAGE_OF_NUMBERS = "<html lang=en><title>T</title><main><h1>Numbers</h1><table>{}</table></main>"


def test_one_pale_word_among_hundreds_is_seen(browser):
    sound = "<td>17</td>"
    row = f"<tr>{sound * 20}</tr>"
    with browser.new_page() as page:
        for fault in ("", *FAULTS_OF_COLOUR.values()):
            odd = row.replace(sound, fault or sound, 1)
            page.set_content(PAGE_OF_NUMBERS.format(row * 9 + odd + row * 9))
            found = found_by_axe(page, ABOUT_COLOURS).response["violations"]
            assert [one["id"] for one in found] == ["color-contrast"] * bool(fault), fault


def test_the_pages_around_the_work_are_accessible(page: Page):
    """Each on a laptop and on a phone; the rater presses on in the one and the other in turn."""
    campaign = campaign_of("e2e-quality", items=1)

    def check():
        size = page.viewport_size
        assert_accessible(page)
        page.set_viewport_size(OTHER[size["width"]])
        assert_accessible(page)
        assert_never_scrolls_sideways(page)

    page.goto(f"/r/{campaign.code}/?id=w1")
    check()  # consent
    agree(page)
    check()  # questions
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_be_visible()
    check()  # questions, with what is missing
    page.get_by_label("Yes").check()
    page.get_by_label("United Kingdom").check()
    page.get_by_role("button", name="Continue").click()
    await_address(page, instead_of="[name^=entry-]")
    check()  # instructions
    begin(page)
    await_screen(page)
    page.locator("[data-next]").click()
    check()  # a screen with what is missing
    for dialog in ("Instructions", "Pause"):
        press_tool(page, dialog)
        check()
        page.keyboard.press("Escape")
    rate_to_the_end(page)
    check()  # the code
