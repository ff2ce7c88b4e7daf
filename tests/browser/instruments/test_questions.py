"""Questions that depend on others, in a browser and by keyboard."""

from playwright.sync_api import Page, expect

from tests.browser.access import assert_accessible
from tests.browser.rating import next_screen, open_work, shot
from tests.campaigns import make_campaign, slider_definition

NATIVE = {"name": "native", "question": "Is English your first language?", "kind": "yes-no"}
SINCE = {
    "name": "since",
    "question": "Since when have you spoken it?",
    "choices": {"school": "Since school", "later": "Since later"},
    "required": True,
    "show_if": {"question": "native", "is": "no"},
}
WHICH = {
    "name": "which",
    "question": "Which school was it?",
    "kind": "text",
    "required": True,
    "show_if": {"question": "since", "is": "school"},
}


def test_questions_come_and_go_with_the_answers(page: Page):
    definition = slider_definition(end_questions=[NATIVE, SINCE, WHICH])
    campaign = make_campaign(definition, items=1, systems=1)
    open_work(page, campaign)
    page.get_by_role("slider").press("End")
    next_screen(page)
    expect(page.get_by_role("heading", name="A few last questions")).to_be_visible()
    since, which = (
        page.get_by_role("group", name=SINCE["question"]),
        page.locator("[name=end-which]"),
    )
    expect(since).to_be_hidden()
    page.keyboard.press("Tab")
    page.get_by_role("radio", name="No").press("Space")
    expect(since).to_be_visible()
    page.get_by_role("radio", name="Since school").press("Space")
    expect(which).to_be_visible()
    page.get_by_role("radio", name="Yes").press("Space")
    # What depends on a hidden question is hidden with it.
    expect(since).to_be_hidden()
    expect(which).to_be_hidden()
    page.get_by_role("radio", name="No").press("Space")
    page.get_by_role("button", name="Continue", exact=True).press("Enter")
    # Refused, because one answer is missing: the page comes back with what was answered.
    expect(page.get_by_text("This field is required.")).to_be_visible()
    expect(which).to_be_visible()
    shot(page, "end-questions")
    assert_accessible(page)
    which.fill("A small one")
    page.get_by_role("button", name="Continue", exact=True).press("Enter")
    expect(page.locator("#completion-code")).to_be_visible()
    answers = {"native": "no", "since": "school", "which": "A small one"}
    assert campaign.participants.get().end_answers == answers
