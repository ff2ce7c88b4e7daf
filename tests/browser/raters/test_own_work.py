"""The page of all work in Chromium: made by an organiser, opened by a rater without an account."""

from itertools import product

import pytest
from playwright.sync_api import Page, expect

from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.accounts.work_pages import make_work_page
from rankme.actions.campaign.campaigns import close_campaign
from tests.accounts import make_account
from tests.browser.access import PHONE, look_at
from tests.browser.organiser import log_in, press_with_keys
from tests.campaigns import make_campaign, slider_definition
from tests.chromium import TOUCH_PHONE, wait_for_path
from tests.live import LiveSite
from tests.sittings import sit

pytestmark = pytest.mark.django_db


def test_a_rater_opens_her_page_and_goes_on_by_keyboard(page: Page, live_site: LiveSite):
    olga = make_account()
    definition = slider_definition()
    crowd = definition.crowd.model_copy(update={"pay_per_batch": 2.5, "batches_per_rater": 3})
    campaign = make_campaign(definition.model_copy(update={"crowd": crowd}), owner=olga)
    (link,) = invite_raters(campaign, ["Nora Lindqvist"], by=olga)
    log_in(page)
    page.goto(f"/campaigns/{campaign.code}/links/")
    page.get_by_role("button", name="Make Nora Lindqvist").press("Enter")
    expect(page.get_by_text("Send this link to the rater.")).to_be_visible()
    address = page.locator("[data-copy*='/my-work/']").get_attribute("data-copy")
    look_at(page)
    page.context.clear_cookies()
    page.goto(address)
    look_at(page)
    page.get_by_role("link", name="Begin").press("Enter")
    wait_for_path(page, "*/r/*")
    page.get_by_role("button", name="I agree to take part").press("Enter")
    wait_for_path(page, "*/instructions/")
    sit(campaign.participants.get(external_id=str(link.pk)))
    page.goto(address)
    expect(page.get_by_text("these studies promise: 2.50")).to_be_visible()
    look_at(page)
    page.set_viewport_size(PHONE)
    page.get_by_role("link", name="Go on").click()
    wait_for_path(page, "*/r/*")


@pytest.mark.parametrize("page", [TOUCH_PHONE], indirect=True)
def test_a_rater_opens_each_of_her_studies_on_a_phone(page: Page, live_site: LiveSite):
    """With a finger, and with the keyboard of a phone: what is over has nothing to begin."""
    olga = make_account()
    herons, kestrels, owls = (
        make_campaign(slider_definition(title=title), owner=olga)
        for title in ("Herons", "Kestrels of the northern coast and its islands", "Owls")
    )
    (first,) = invite_raters(herons, ["Nora"], by=olga)
    secret = make_work_page(first, by=olga)
    for campaign in (kestrels, owls):
        invite_raters(campaign, ["Nora"], by=olga, on_pages=True)
    close_campaign(owls, by=olga)
    for hand, title in product(("finger", "keyboard"), ("Herons", "Kestrels")):
        page.goto(f"/my-work/{secret}/")
        expect(page.get_by_role("link", name="Begin")).to_have_count(2)
        link = page.get_by_role("link", name=f"Begin {title}")
        if hand == "finger":
            link.tap()
        else:
            press_with_keys(page, f"Begin {title}")
        wait_for_path(page, "*/r/*")
        expect(page.get_by_role("button", name="I agree to take part")).to_be_visible()
