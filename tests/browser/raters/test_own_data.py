"""A rater's page about their own data, and the organisers' about identities, at both widths."""

import json

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.campaign import campaigns
from rankme.models import Campaign
from tests.browser.access import LAPTOP, PHONE, assert_accessible, assert_never_scrolls_sideways
from tests.browser.organiser import log_in
from tests.browser.rating import (
    await_screen,
    begin,
    campaign_of,
    come_in,
    press_tool,
    rate_to_the_end,
    shot,
)


def look(page: Page, name: str) -> None:
    for size in (LAPTOP, PHONE):
        page.set_viewport_size(size)
        shot(page, f"{name}-{size['width']}")
        assert_accessible(page, name)
        assert_never_scrolls_sideways(page)
    page.set_viewport_size(LAPTOP)


def press_by_keyboard(page: Page, words: str) -> None:
    """Reach the fold of this name with Tab, open it, and press the button in it."""
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == words:
            break
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")


@pytest.fixture
def campaign(page: Page) -> Campaign:
    return campaign_of("likert-criteria", items=1, practice=[])


def test_a_rater_reads_withdraws_and_is_forgotten_by_keyboard(page: Page, campaign: Campaign):
    (link,) = invite_raters(campaign, ["Anna Albrecht"], by=campaign.owner)
    page.goto(f"{reverse('rankme:enter', args=[campaign.code])}?invitation={link.token}")
    expect(page.get_by_text("90 days after the study closes")).to_be_visible()
    look(page, "own-data-consent")
    come_in(page, campaign, invitation=link.token)
    begin(page)
    await_screen(page)
    press_tool(page, "Pause")
    expect(page.get_by_role("link", name="My data")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Continue").click()
    rate_to_the_end(page)
    page.get_by_role("link", name="My data").click()
    expect(page.get_by_text("Anna Albrecht")).to_be_visible()
    look(page, "own-data")
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="Download my data").click()
    data = json.loads(downloaded.value.path().read_text())
    assert data["you"]["name"] == "Anna Albrecht" and data["batches"][0]["screens"]
    press_by_keyboard(page, "Withdraw what I gave, too")
    expect(page.get_by_text("left out of all later analyses.").first).to_be_visible()
    assert campaign.participants.get().exclusions.get().by_rater
    look(page, "own-data-withdrawn")
    press_by_keyboard(page, "Erase who I am")
    expect(page.get_by_text("Your links no longer work.")).to_be_visible()
    look(page, "own-data-erased")
    assert campaign.participants.get().erased_at is not None


def test_the_owner_sees_when_identities_end_and_erases_them(page: Page, campaign: Campaign):
    campaigns.close_campaign(campaign, by=campaign.owner)
    log_in(page)
    address = reverse("rankme:campaign-identities", args=[campaign.code])
    page.goto(address)
    look(page, "identities")
    press_by_keyboard(page, "Erase who the raters are")
    expect(page.get_by_text("The identities of the raters are erased.")).to_be_visible()
    look(page, "identities-erased")
    page.goto(reverse("rankme:campaign-monitor", args=[campaign.code]))
    expect(page.get_by_text("The raters' identities were erased on")).to_be_visible()
    look(page, "identities-monitor")
