"""Single sign-on in Chromium, at a provider on this machine."""

import re

from playwright.sync_api import Page, expect

from rankme.models import AuditEvent
from tests.accounts import PASSWORD, make_account
from tests.browser.access import look_at
from tests.chromium import wait_for_path
from tests.live import LiveSite, free_port
from tests.single_sign_on.provider import CLIENT_ID, CLIENT_SECRET, provider
from tests.single_sign_on.provider import PASSWORD as PASSWORD_THERE


def log_in_there(page: Page) -> None:
    page.locator("input[name=login]").fill("visitor")
    page.locator("input[name=password]").fill(PASSWORD_THERE)
    page.keyboard.press("Enter")
    allow(page)


def allow(page: Page) -> None:
    page.locator("button[value=grant]").click()


def test_an_account_is_connected_and_logs_in_by_keyboard(
    page: Page, site_without_web: LiveSite, tmp_path
):
    site, port = site_without_web, free_port()
    here = re.escape(site.url)
    callback = f"{site.url}/login/single-sign-on/127.0.0.1-{port}/"
    make_account()
    with provider(tmp_path, callback, port) as address:
        site.start_web(
            OIDC_SERVER=address,
            OIDC_CLIENT_ID=CLIENT_ID,
            OIDC_CLIENT_SECRET=CLIENT_SECRET,
            OIDC_NAME="University of Kestrels",
        )
        page.goto(f"{site.url}/login/")
        look_at(page)
        page.get_by_label("Username").fill("olga")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(re.compile(here + r"/(campaigns/)?$"))
        page.goto(f"{site.url}/single-sign-on/")
        look_at(page)
        page.get_by_role("button", name="Connect University of Kestrels").press("Enter")
        wait_for_path(page, "*/login/again/*")
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        log_in_there(page)
        page.wait_for_url(f"{site.url}/single-sign-on/")
        expect(page.get_by_text("Your account is connected now.")).to_be_visible()
        look_at(page)
        page.get_by_role("button", name="Log out").click()
        wait_for_path(page, "*/login/")
        page.goto(f"{site.url}/login/?next=/doctor/")
        page.get_by_role("button", name="Log in with University of Kestrels").press("Enter")
        allow(page)
        wait_for_path(page, "*/doctor/")
    assert AuditEvent.objects.filter(verb="single sign-on connected").count() == 1
    site.kill_web()
