"""Logging in and looking after one's account, in Chromium."""

import pytest
from playwright.sync_api import Page, expect

from tests.accounts import PASSWORD, is_in, logged_in, make_account
from tests.live import LiveSite

pytestmark = pytest.mark.django_db


def test_somebody_logs_in_and_ends_a_session_by_keyboard(page: Page, live_site: LiveSite):
    make_account()
    lost = logged_in(browser="Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36")
    page.goto("/sessions/")
    page.get_by_label("Username").focus()
    page.keyboard.type("olga")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/")
    expect(page.get_by_text("Chrome, Windows").first).to_be_visible()
    page.get_by_role("button", name="End Chrome, Windows").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 session has ended")).to_be_visible()
    assert not is_in(lost)
