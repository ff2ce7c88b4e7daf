"""A rater finds the way back in a real browser: a lost lease, a lost cookie, a change of mind."""

import pytest
from playwright.sync_api import Page, expect

from rankme.actions.sitting import assignments
from rankme.models import Campaign, Submission
from tests.browser.rating import (
    await_address,
    await_screen,
    begin,
    campaign_of,
    come_in,
    rate_screen,
    rate_to_the_end,
)
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.invariants import check_record
from tests.live import wait_for
from tests.sittings import run_out, sit


@pytest.fixture(autouse=True)
def the_record_is_true_afterwards(live_site):
    yield
    check_record()


def one_batch(items: int = 4) -> Campaign:
    return make_campaign(slider_definition(design={"kind": "complete"}), items=items, systems=1)


def rate(page: Page, screens: int) -> None:
    for _ in range(screens):
        rate_screen(page)
    await_screen(page)


def give_the_slot_away(campaign: Campaign) -> None:
    run_out(campaign.assignments.get())
    sit(make_rater(campaign, "quick"))


@pytest.mark.parametrize("comes_back_by", ["reload", "link", "open page"])
def test_a_rater_can_finish_a_batch_that_was_passed_on(page: Page, comes_back_by):
    campaign = one_batch()
    come_in(page, campaign, id="slow")
    begin(page)
    rate(page, 3)
    wait_for(lambda: Submission.objects.count() == 3, "the answers")
    give_the_slot_away(campaign)
    if comes_back_by == "reload":
        page.reload()
    if comes_back_by == "link":
        page.goto(f"/r/{campaign.code}/?id=slow")
    if comes_back_by != "open page":
        expect(page.get_by_text("somebody else has been asked to do it too")).to_be_visible()
    assert rate_to_the_end(page) == 1
    slow = campaign.participants.get(external_id="slow")
    assert (slow.outcome, slow.assignments.get().counts) == ("late", False)
    expect(page.locator("#completion-code")).to_have_text(slow.completion_code)


def test_answers_kept_on_the_device_are_sent_from_a_page_without_work(page: Page):
    campaign = one_batch()
    come_in(page, campaign, id="slow")
    begin(page)
    page.context.set_offline(True)
    rate(page, 3)
    give_the_slot_away(campaign)
    assert Submission.objects.filter(late=True).count() == 0
    # A tab that is closed sends nothing. The link leads to a page that has no work to show.
    context = page.context
    page.close()
    context.set_offline(False)
    again = context.new_page()
    again.goto(f"/r/{campaign.code}/?id=slow")
    wait_for(
        lambda: Submission.objects.filter(late=True).count() == 3, "the answers that were kept"
    )
    assert rate_to_the_end(again) == 1


def test_the_resume_link_brings_back_a_rater_of_the_open_link_with_her_answers(page: Page):
    campaign = one_batch()
    come_in(page, campaign)
    begin(page)
    rate(page, 1)
    wait_for(lambda: Submission.objects.count() == 1, "the first answer")
    link = page.locator("#resume-link").input_value()
    page.context.clear_cookies(name="rater")
    rate_screen(page)
    await_screen(page)
    page.goto(link)
    wait_for(lambda: Submission.objects.count() == 2, "the answer that was kept")
    assert rate_to_the_end(page) == 2
    assert campaign.participants.count() == 1
    assert {flag for found in Submission.objects.all() for flag in found.flags} == set()


def test_a_rater_gives_the_rest_back_and_changes_her_mind(page: Page):
    campaign = one_batch()
    come_in(page, campaign, id="w1")
    begin(page)
    rate(page, 1)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("link", name="Stop here and give the rest back").click()
    expect(page.get_by_text("You have answered 1 of 4 pages.")).to_be_visible()
    page.get_by_role("button", name="Give the rest back").click()
    rater = campaign.participants.get()
    expect(page.locator("#completion-code")).to_have_text(rater.completion_code)
    assert campaign.slots.get().state == "free"
    page.get_by_role("button", name="Continue the batch").click()
    assert rate_to_the_end(page) == 3
    assert campaign.participants.get().outcome == "completed"
    assert assignments.expire_overdue() == 0


def test_a_page_that_came_in_answer_to_a_form_can_be_loaded_again(page: Page):
    """Its address is its own, so nothing is sent twice, and Back leads where it always did."""
    campaign = campaign_of("likert-criteria", items=1)
    come_in(page, campaign, id="w1")
    assert page.url.endswith(f"/r/{campaign.code}/instructions/")
    sent = []
    page.on("request", lambda request: sent.append(request.method))
    page.reload()
    assert set(sent) == {"GET"}
    begin(page)
    await_address(page)
    assert page.url.endswith(f"/r/{campaign.code}/work/")
    assert sent.count("POST") == 1
    page.reload()
    await_screen(page)
    assert sent.count("POST") == 1
    page.go_back()
    await_screen(page)
    assert page.url.endswith(f"/r/{campaign.code}/work/")
