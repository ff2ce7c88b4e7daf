"""Asking for a campaign to be deleted, and keeping it after all, in Chromium."""

import pytest
from playwright.sync_api import Page, expect

from rankme.actions.campaign import campaigns
from tests.accounts import make_account
from tests.browser.access import look_at
from tests.browser.organiser import log_in
from tests.campaigns import make_campaign
from tests.live import LiveSite

pytestmark = pytest.mark.django_db


def test_an_owner_types_the_title_and_keeps_the_campaign_after_all(page: Page, live_site: LiveSite):
    campaign = make_campaign(owner=make_account())
    campaigns.close_campaign(campaign, by=campaign.owner)
    log_in(page)
    page.goto(f"/campaigns/{campaign.code}/")
    page.get_by_role("link", name="Delete the campaign").click()
    page.get_by_label("Title of the campaign").fill("Another")
    page.get_by_role("button", name="Delete the campaign").click()
    expect(page.get_by_text("This is not the title of the campaign.")).to_be_visible()
    look_at(page)
    page.get_by_label("Title of the campaign").fill(campaign.title)
    page.keyboard.press("Enter")
    expect(page.get_by_text("This campaign will be deleted on")).to_be_visible()
    look_at(page)
    page.get_by_role("link", name="Back to the campaign").click()
    expect(page.get_by_text("This campaign will be deleted on")).to_be_visible()
    look_at(page)
    page.get_by_role("link", name="Keep it").click()
    page.get_by_role("button", name="Keep the campaign").click()
    expect(page.get_by_text("The campaign is kept.")).to_be_visible()
