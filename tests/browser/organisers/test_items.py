"""Reading items one after another with the arrow keys."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.accounts import make_account
from tests.browser.access import assert_accessible_by_day_and_night, assert_never_scrolls_sideways
from tests.browser.organiser import PHONE, log_in
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
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=2)).not_to_have_text(name)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", level=2)).to_have_text(name)
    # In a table the same keys scroll.
    page.locator(".table-scroll").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", level=2)).to_have_text(name)
    page.set_viewport_size(PHONE)
    assert_never_scrolls_sideways(page)
    assert_accessible_by_day_and_night(page, "an item with marks")
