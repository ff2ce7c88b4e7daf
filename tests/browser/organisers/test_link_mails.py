"""Personal links by mail in Chromium: sent, corrected, reminded of, stopped by the person."""

import pytest
from django.core.signing import Signer
from playwright.sync_api import Page, expect

from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.accounts.link_mail_texts import STOP_SALT
from rankme.panel_calls.sealed import seal
from tests.accounts import make_account
from tests.browser.access import PHONE, look_at
from tests.browser.organiser import log_in
from tests.campaigns import make_campaign
from tests.live import LiveSite, free_port

pytestmark = pytest.mark.django_db


def test_links_are_sent_and_reminded_of_and_a_person_stops_it(
    page: Page, site_without_web: LiveSite
):
    """A mail server that is away costs nothing; the person needs no account."""
    site = site_without_web
    site.start_web(EMAIL_HOST="127.0.0.1", EMAIL_PORT=str(free_port()))
    olga = make_account()
    campaign = make_campaign(owner=olga)
    link, other = invite_raters(campaign, ["Nora Lindqvist", "Otto"], by=olga)
    log_in(page)
    links = f"{site.url}/campaigns/{campaign.code}/links/"
    page.goto(links)
    page.get_by_role("link", name="Send Nora Lindqvist").press("Enter")
    page.get_by_label("Mail address").fill("nora@example.org")
    page.get_by_label("Keep the address").check()
    look_at(page)
    page.get_by_role("button", name="Send the link").press("Enter")
    expect(page.get_by_text("The mail server did not take the mail")).to_be_visible()
    campaign.invitations.update(mail=seal("nora@example.org"))
    page.goto(links)
    page.get_by_role("link", name="Change or forget Otto").press("Enter")
    page.get_by_role("button", name="Forget the address").press("Enter")
    expect(page.get_by_text("The address is forgotten.")).to_be_visible()
    page.goto(links)
    expect(page.get_by_text("Address kept")).to_be_visible()
    look_at(page)
    page.get_by_role("link", name="Change or forget Nora Lindqvist").press("Enter")
    expect(page.get_by_label("Keep the address")).to_be_checked()
    look_at(page)
    page.goto(links)
    page.get_by_role("link", name="Remind …").press("Enter")
    expect(page.get_by_text("1 person gets one mail")).to_be_visible()
    look_at(page)
    page.get_by_role("button", name="Send reminders").press("Enter")
    expect(page.get_by_text("Reminder on its way")).to_be_visible()
    page.context.clear_cookies()
    page.set_viewport_size(PHONE)
    page.goto(f"{site.url}/no-mail/{Signer(salt=STOP_SALT).sign(str(link.pk))}/")
    look_at(page)
    page.get_by_role("button", name="Send me no more mail").press("Enter")
    expect(page.get_by_text("You get no more mail")).to_be_visible()
    look_at(page)
    for each in (link, other):
        each.refresh_from_db()
        assert each.mail == ""
    assert link.mail_stopped_at is not None
