"""Reading items one after another with the arrow keys."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.accounts import make_account
from tests.browser.access import (
    LAPTOP,
    PHONE,
    assert_accessible_by_day_and_night,
    assert_never_scrolls_sideways,
)
from tests.browser.organiser import log_in
from tests.disagreeing import disagreeing_campaign
from tests.marking import marked_campaign

pytestmark = pytest.mark.django_db(transaction=True)


def test_arrow_keys_open_the_neighbours_and_marks_are_seen(page: Page):
    make_account()
    campaign = marked_campaign("esa", raters=3)
    log_in(page)
    page.goto(reverse("rankme:campaign-items", args=[campaign.code]))
    first = page.locator("tbody a").first
    name = first.inner_text()
    first.click()
    expect(page.get_by_role("heading", level=2)).to_have_text(name)
    expect(page.locator("mark").first).to_be_visible()
    page.wait_for_load_state()  # the text can be read before the script listens to keys
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=2)).not_to_have_text(name)
    page.wait_for_load_state()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", level=2)).to_have_text(name)
    # In a table the same keys scroll.
    page.locator(".table-scroll").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=2)).to_have_text(name)
    page.set_viewport_size(PHONE)
    assert_never_scrolls_sideways(page)
    assert_accessible_by_day_and_night(page, "an item with marks")


def test_disagreements_lead_from_pair_to_item_and_are_settled_there(page: Page):
    make_account()
    campaign = disagreeing_campaign()
    log_in(page)
    page.goto(reverse("rankme:campaign-items", args=[campaign.code]))
    page.get_by_role("link", name="Disagreements").click()
    pairs = page.get_by_role("table", name="Pairs of raters")
    pairs.get_by_role("link").first.click()
    expect(page.locator("svg.agreement circle")).to_have_count(12)
    for size in (LAPTOP, PHONE):
        page.set_viewport_size(size)
        assert_never_scrolls_sideways(page)
    assert_accessible_by_day_and_night(page, "limits of agreement")
    page.get_by_label("Criterion").select_option("points")
    page.get_by_role("button", name="Apply").click()
    pairs.get_by_role("link").first.click()
    expect(page.get_by_role("table", name="Outputs by the values of")).to_be_visible()
    assert_never_scrolls_sideways(page)
    link = page.get_by_role("table", name="differ most").get_by_role("link").first
    card = page.locator(f"article#{link.get_attribute('href').partition('#')[2]}")
    link.click()
    card.get_by_text("Settle", exact=True).click()
    card.get_by_label("points").select_option("2")
    card.get_by_label("Reason").fill("Read the source again.")
    assert_never_scrolls_sideways(page)
    assert_accessible_by_day_and_night(page, "a form to settle")
    card.get_by_role("button", name="Save").click()
    expect(card.get_by_text("Read the source again.")).to_be_visible()
    expect(card.get_by_role("row", name="Settled")).to_contain_text("2")
