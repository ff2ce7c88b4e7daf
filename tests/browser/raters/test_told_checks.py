"""The browser asks again when the server says so, also after the last page of a batch."""

from playwright.sync_api import Page, expect

from rankme.models import Assignment, CheckTrial
from tests.browser.access import assert_accessible
from tests.browser.rating import await_screen, go_to_work, next_screen, shot
from tests.campaigns import make_campaign, slider_definition
from tests.chromium import wait_for_path


def test_the_last_page_of_a_batch_is_asked_again(page: Page):
    look = {
        "name": "look",
        "kind": "instructed",
        "criterion": "fluency",
        "options": {"text": "Please move this to {value}.", "value": 0, "tries": 2},
    }
    campaign = make_campaign(slider_definition(checks=[look]), items=1, systems=1)
    go_to_work(page, campaign)
    check = CheckTrial.objects.get().trial_id
    assignment = Assignment.objects.get()
    order = sorted(assignment.presentation, key=lambda shown: shown[0] == check)
    Assignment.objects.update(presentation=order)
    page.reload()
    for _page in range(2):
        await_screen(page)
        page.get_by_role("slider").press("End")
        next_screen(page)
    expect(page.get_by_text("This was not the expected answer.")).to_be_visible()
    expect(page.get_by_text("Please move this to 0.")).to_be_visible()
    assert_accessible(page)
    shot(page, "told-check")
    await_screen(page)
    page.get_by_role("slider").press("Home")
    next_screen(page)
    wait_for_path(page, "*/done/*")
    sent = assignment.submissions.order_by("id")
    assert [found.payload["trial"] for found in sent] == [0, 1, 1]
    assert campaign.participants.get().state == "completed"
