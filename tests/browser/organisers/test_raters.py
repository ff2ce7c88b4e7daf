"""Finding frauds on the pages about raters, at a desk, on a phone, and with the keyboard."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.accounts import make_account
from tests.browser.access import assert_accessible_by_day_and_night, assert_never_scrolls_sideways
from tests.browser.organiser import PHONE, log_in
from tests.frauds import crowd_with_frauds

pytestmark = pytest.mark.django_db(transaction=True)


def test_three_frauds_are_the_first_raters_to_open(page: Page):
    make_account()
    campaign, frauds = crowd_with_frauds()
    log_in(page)
    for number in range(3):
        page.goto(reverse("rankme:campaign-raters", args=[campaign.code]))
        rater = page.locator("tbody th a").nth(number)
        assert rater.inner_text() in frauds
        rater.click()
        expect(page.locator("#alarms .badge.bad").first).to_be_visible()
    # From the keyboard: the strips, which scroll, and then the item of the first screen.
    strips = page.get_by_role("group", name="Answers as strips")
    strips.focus()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/items/"))
    page.go_back()
    page.set_viewport_size(PHONE)
    assert_never_scrolls_sideways(page)
    assert_accessible_by_day_and_night(page, "a rater with alarms")
    page.emulate_media(media="print")
    expect(page.locator(".strip").first).to_be_visible()
