"""Logging in and looking after one's account, in Chromium."""

import time

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Page, expect

from rankme.actions.accounts import second_factors
from tests.accounts import PASSWORD, is_in, logged_in, make_account
from tests.browser.access import LAPTOP, PHONE, look_at
from tests.browser.organiser import log_in
from tests.chromium import wait_for_path
from tests.live import LiveSite

pytestmark = pytest.mark.django_db


def test_somebody_logs_in_and_ends_a_session_by_keyboard(page: Page, live_site: LiveSite):
    make_account()
    page.goto("/login/?next=/doctor/")
    page.get_by_label("Username").focus()
    page.keyboard.type("olga")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    wait_for_path(page, "*/doctor/")
    # Each of these logins hashes the password again, the site's way or the quick one of tests, and
    # a new hash ends the sessions before it.
    lost = logged_in(browser="Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36")
    log_in(page)
    page.goto("/sessions/")
    expect(page.get_by_text("Chrome, Windows").first).to_be_visible()
    page.get_by_role("button", name="End Chrome, Windows").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 session has ended")).to_be_visible()
    assert not is_in(lost)


VIRTUAL = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


def enter(page: Page, site: str) -> None:
    page.goto(f"{site}/login/")
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()


def log_out(page: Page) -> None:
    page.get_by_role("button", name="Log out").click()
    wait_for_path(page, "*/login/")


def confirm(page: Page) -> None:
    """The password once more, before the account changes."""
    wait_for_path(page, "*/login/again/*")
    look_at(page)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()


def test_an_app_is_added_and_asked_for(page: Page, live_site: LiveSite):
    make_account()
    enter(page, live_site.url)
    page.goto("/second-factor/")
    look_at(page)
    page.get_by_role("link", name="Add an app").click()
    confirm(page)
    secret = page.get_by_label("Text for the app").input_value()
    look_at(page)

    def code(steps: int) -> str:
        return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + steps))

    page.get_by_label("Authenticator code").fill(code(0))
    page.get_by_role("button", name="Add the app").click()
    expect(page.get_by_text("they are not shown again")).to_be_visible()
    assert page.locator("ol code").count() == 10
    look_at(page)
    page.get_by_role("link", name="I have stored them").click()
    wait_for_path(page, "*/second-factor/")
    look_at(page)
    log_out(page)
    enter(page, live_site.url)
    wait_for_path(page, "*/login/code/")
    look_at(page)
    page.get_by_label("Code").fill("000000")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Incorrect code")).to_be_visible()
    page.get_by_label("Code").fill(code(1))
    page.keyboard.press("Enter")
    wait_for_path(page, "*/campaigns/")


def test_a_passkey_is_added_and_opens_without_a_password(page: Page, live_site: LiveSite):
    """At "localhost": browsers make no passkeys for addresses of numbers."""
    site = live_site.url.replace("127.0.0.1", "localhost")
    olga = make_account()
    devices = page.context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    device = devices.send("WebAuthn.addVirtualAuthenticator", {"options": VIRTUAL})
    enter(page, site)
    page.goto(f"{site}/second-factor/")
    page.get_by_role("link", name="Add a passkey").click()
    confirm(page)
    look_at(page)
    page.get_by_label("Name of the passkey").fill("My laptop")
    page.get_by_role("button", name="Add the passkey").click()
    page.get_by_role("link", name="I have stored them").click()
    passkey = page.get_by_role("row", name="My laptop")
    expect(passkey).to_be_visible()
    page.set_viewport_size(PHONE)
    expect(passkey.get_by_role("link", name="Remove")).to_be_in_viewport(ratio=1)
    page.set_viewport_size(LAPTOP)
    assert second_factors.has_second_factor(olga)
    log_out(page)
    look_at(page)
    page.get_by_role("button", name="Log in with a passkey").click()
    wait_for_path(page, "*/campaigns/")
    log_out(page)
    devices.send("WebAuthn.clearCredentials", device)
    devices.send("WebAuthn.setUserVerified", device | {"isUserVerified": False})
    enter(page, site)
    wait_for_path(page, "*/login/code/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("No passkey was used")
