"""Finding frauds on the pages about raters, at a desk, on a phone, and with the keyboard."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.models import Campaign
from tests.accounts import make_account
from tests.browser.access import (
    LAPTOP,
    PHONE,
    assert_accessible_by_day_and_night,
    assert_never_scrolls_sideways,
)
from tests.browser.organiser import log_in
from tests.browser.rating import shot
from tests.frauds import crowd_with_frauds, crowd_with_programs

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


def test_three_programs_among_thirty_are_found_from_the_pages_alone(page: Page):
    """They answer as careful people do: an organiser who reads what the pages say finds them."""
    make_account()
    campaign, programs = crowd_with_programs()
    log_in(page)
    for window in (LAPTOP, PHONE):
        page.set_viewport_size(window)
        find_the_programs(page, campaign, programs)


def find_the_programs(page: Page, campaign: Campaign, programs: set[str]) -> None:
    width = page.viewport_size["width"]
    page.goto(reverse("rankme:campaign-monitor", args=[campaign.code]))
    raters = page.locator("[data-part=raters]")
    expect(raters).to_contain_text("There are alarms about 3 of these 30 raters.")
    links = raters.locator("tbody th a")
    first, addresses = (
        links.all_inner_texts()[:4],
        [link.get_attribute("href") for link in links.all()[:4]],
    )
    shot(page, f"programs-monitor-{width}")
    told = []
    for address in addresses:
        page.goto(address)
        alarms = page.locator("#alarms")
        told.append(alarms.inner_text() if alarms.count() else "")
        shot(page, f"programs-rater-{len(told)}-{width}")
    found = {name for name, words in zip(first, told, strict=True) if "like a program" in words}
    assert found == set(first[:3]) == programs
    assert all("do the same" in words or "innocent" in words for words in told[:3])
    assert all("Fewer than 1 in 100 careful people" in words for words in told[:3])
    page.goto(reverse("rankme:campaign-quality", args=[campaign.code]) + "?sort=alarms")
    labels = page.locator("tbody th a").all_inner_texts()[:3]
    assert set(labels) == programs
    assert_never_scrolls_sideways(page)
