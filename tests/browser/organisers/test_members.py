"""Inviting a colleague by a link, and handing a campaign over, in Chromium."""

import pytest
from playwright.sync_api import Page, expect

from rankme.models import Campaign
from tests.accounts import PASSWORD, make_account
from tests.browser.access import look_at
from tests.browser.organiser import log_in
from tests.campaigns import make_campaign
from tests.chromium import wait_for_path
from tests.live import LiveSite, free_port

pytestmark = pytest.mark.django_db


def press(page: Page, role: str, name: str) -> None:
    page.get_by_role(role, name=name).focus()
    page.keyboard.press("Enter")


def test_a_colleague_joins_by_a_link_and_becomes_the_owner(page: Page, live_site: LiveSite):
    campaign = make_campaign(owner=make_account(), launch=False)
    make_account("mia")
    log_in(page)
    page.goto(f"/campaigns/{campaign.code}/members/")
    page.get_by_label("Role").select_option("analyst")
    press(page, "button", "Make a link")
    expect(page.get_by_text("Send this link to the person")).to_be_visible()
    link = page.locator("[data-copy]").get_attribute("data-copy")
    look_at(page)

    page.context.clear_cookies()
    page.goto(link)
    look_at(page)
    press(page, "link", "Log in to join")
    page.get_by_label("Username").fill("mia")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text("You are logged in as mia")).to_be_visible()
    look_at(page)
    press(page, "button", "Join the campaign")
    wait_for_path(page, f"*/campaigns/{campaign.code}/")
    page.goto(f"/campaigns/{campaign.code}/members/leave/")
    look_at(page)

    page.context.clear_cookies()
    log_in(page)
    page.goto(f"/campaigns/{campaign.code}/members/")
    look_at(page)
    press(page, "link", "Make the owner … mia")
    expect(page.get_by_role("button", name="Hand the campaign over")).to_be_visible()
    look_at(page)
    press(page, "button", "Hand the campaign over")
    expect(page.get_by_text("The campaign belongs to mia now")).to_be_visible()
    assert Campaign.objects.get().owner.get_username() == "mia"


def test_a_link_goes_to_an_address_where_the_site_sends_mail(
    page: Page, site_without_web: LiveSite
):
    """The field is there, and a mail server that is away costs no link."""
    site = site_without_web
    site.start_web(EMAIL_HOST="127.0.0.1", EMAIL_PORT=str(free_port()))
    campaign = make_campaign(owner=make_account(), launch=False)
    log_in(page)
    page.goto(f"{site.url}/campaigns/{campaign.code}/members/")
    field = page.get_by_label("Mail address")
    expect(field).to_be_visible()
    look_at(page)
    field.fill("nobody")
    press(page, "button", "Make a link")
    assert not campaign.member_invitations.exists(), "the browser asks for a whole address"
    field.fill("nobody@example.org")
    press(page, "button", "Make a link")
    expect(page.get_by_text("Send this link to the person")).to_be_visible()
    expect(page.get_by_text("The mail server did not take the mail")).to_be_visible()
    look_at(page)


def test_a_forgotten_password_has_a_page_that_everybody_can_use(page: Page, live_site: LiveSite):
    page.goto("/login/")
    press(page, "link", "Forgot your password?")
    expect(page.get_by_text("manage.py organiser NAME --reset-password")).to_be_visible()
    look_at(page)
