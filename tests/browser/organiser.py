"""An organiser's way through the login in a browser."""

from __future__ import annotations

from django.urls import reverse
from playwright.sync_api import Page

from tests.accounts import PASSWORD


def log_in(page: Page) -> None:
    """Log in as Olga, whom `make_account` makes."""
    page.goto(reverse("rankme:log-in"))
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**" + reverse("rankme:campaigns"))
