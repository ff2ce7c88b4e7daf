"""Practice with marks: what was marked and what was expected, in the text; and the way on."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.access import LAPTOP, PHONE, assert_accessible
from tests.browser.pressing import press
from tests.browser.rating import campaign_of, next_screen, open_work, shot


def mark_and_score(page: Page, words: str, severity: str, key: str) -> None:
    """Mark a word by its first letter, and put the handle at an end of the line."""
    field = page.locator("form.screen .markable").first
    text = field.inner_text()
    field.focus()
    page.keyboard.press("Control+Home")
    for _ in range(text.index(words)):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("1" if severity == "Minor" else "2")
    page.locator("[data-score]").focus()
    page.keyboard.press(key)


def feedback_on(page: Page) -> Locator:
    next_screen(page)
    return page.locator(".message-screen")


def test_wrong_marks_do_not_pass_and_the_right_ones_are_shown_in_the_text(page: Page):
    open_work(page, campaign_of("esa", items=1, practice_gate=True))
    mark_and_score(page, "The", "Minor", "Home")
    feedback = feedback_on(page)
    expect(feedback).to_contain_text("Some of your answers were wrong.")
    expect(feedback).to_contain_text("“The” (Minor)")
    expect(feedback).to_contain_text("“under” (Major)")
    expect(feedback).to_contain_text("You have 2 tries left for this example.")
    expect(feedback.get_by_text("Score", exact=True)).to_be_visible()
    own, expected = feedback.locator("[data-marked]").all()[:2]
    expect(own.locator(".span.level-1")).to_have_text("The")
    expect(expected.locator(".span.level-2")).to_have_text("under")
    expect(feedback.get_by_role("button", name="Continue")).to_be_hidden()
    for size in (LAPTOP, PHONE):
        page.set_viewport_size(size)
        assert_accessible(page)
        shot(page, f"practice-esa-{size['width']}")


def test_feedback_shows_markdown_as_the_page_does(page: Page):
    open_work(page, campaign_of("chat-arena", items=1))
    press(page, "form.screen input[type=radio]", 1)
    feedback = feedback_on(page)
    expect(feedback.locator(".formatted table")).to_be_visible()
    expect(feedback.locator(".formatted strong")).to_have_text("45 minutes")
    expect(feedback).to_contain_text("The other one is better")
    expect(feedback).not_to_contain_text("**")
    shot(page, "practice-chat-arena")


def test_the_gate_of_esa_is_announced_on_the_first_page(page: Page):
    campaign = campaign_of("esa", items=1, practice_gate=True)
    page.goto(f"/r/{campaign.code}/?id=w1")
    expect(page.get_by_text("You need to pass 3 examples to take part.")).to_be_visible()
    shot(page, "door-esa")
