"""The pages around the end of a visit, in a contrast theme and enlarged four times."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.actions.campaign import campaigns
from rankme.actions.sitting import assignments
from rankme.models import Assignment
from rankme.protocols.questions import EndQuestion
from tests.browser.access import assert_accessible, assert_never_scrolls_sideways
from tests.browser.rating import await_screen, begin, campaign_of, come_in, rate_screen, shot
from tests.campaigns import make_rater
from tests.sittings import claim, run_out

FOUR_TIMES = {"width": 342, "height": 192}  # what is left of 1366 × 768
QUESTION = EndQuestion(name="native", question="Is English your first language?", kind="yes-no")


def look(page: Page, title: str) -> None:
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    assert_accessible(page, title)
    assert_never_scrolls_sideways(page)
    shot(page, f"end-{title}")


@pytest.fixture
def enlarged(page: Page) -> Page:
    page.set_viewport_size(FOUR_TIMES)
    page.emulate_media(forced_colors="active")
    return page


def test_work_that_ends_or_cannot_begin_is_explained_to_everybody(enlarged: Page):
    page = enlarged
    campaign = campaign_of("likert-criteria", items=1)
    door = reverse("rankme:enter", args=[campaign.code])
    page.goto(f"{door}?id=w0")
    page.get_by_role("button", name="I do not want").click()
    look(page, "You chose not to take part")
    come_in(page, campaign, id="w1")
    begin(page)
    await_screen(page)
    run_out(Assignment.objects.get())
    assignments.expire_overdue()
    claim(make_rater(campaign, "w2"))
    page.goto(reverse("rankme:work", args=[campaign.code]))
    look(page, "Your time for this work ran out")
    page.context.clear_cookies()
    campaigns.pause_campaign(campaign, by=campaign.owner)
    page.goto(f"{door}?id=w3")
    look(page, "This study is paused")
    campaigns.resume_campaign(campaign, by=campaign.owner)
    campaigns.close_campaign(campaign, by=campaign.owner)
    page.goto(f"{door}?id=w3")
    look(page, "This study is closed")


def test_late_work_the_last_questions_and_the_code_are_for_everybody(enlarged: Page):
    page = enlarged
    campaign = campaign_of("likert-criteria", items=2, end_questions=[QUESTION], practice=[])
    come_in(page, campaign, id="w1")
    begin(page)
    with page.expect_response(lambda answer: answer.url.endswith("/submit/")):
        rate_one_screen(page)
    run_out(Assignment.objects.get())
    assignments.expire_overdue()
    claim(make_rater(campaign, "w2"))
    page.reload()
    expect(page.get_by_text("Your time for this batch ran out")).to_be_visible()
    await_screen(page)
    assert_accessible(page)
    assert_never_scrolls_sideways(page)
    shot(page, "end-late")
    rate_the_rest(page)
    look(page, "A few last questions")
    page.get_by_role("radio", name="No").check()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.locator("#completion-code")).to_be_visible()
    assert_accessible(page)
    assert_never_scrolls_sideways(page)
    shot(page, "end-code")


def rate_one_screen(page: Page) -> None:
    rate_screen(page)


def rate_the_rest(page: Page) -> None:
    while page.locator("form.screen").count():
        rate_one_screen(page)
