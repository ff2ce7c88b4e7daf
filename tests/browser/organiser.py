"""An organiser in a browser."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from rankme.models.jobs import Job
from tests.accounts import PASSWORD
from tests.chromium import wait_for_path
from tests.live import wait_for


def log_in(page: Page, name: str = "olga") -> None:
    """Be Olga, whom `make_account` makes: her session is made here, past the slow password."""
    client = Client()
    client.force_login(get_user_model().objects.get(username=name))
    name = settings.SESSION_COOKIE_NAME
    session = {"name": name, "value": client.cookies[name].value, "httpOnly": True}
    page.context.add_cookies([session | {"domain": "127.0.0.1", "path": "/", "sameSite": "Lax"}])


def log_in_by_form(page: Page) -> None:
    page.goto(reverse("account_login"))
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()
    wait_for_path(page, reverse("rankme:campaigns"))


def work_off(model: type[Job], execute: Callable[[int, str], bool]) -> None:
    """Do here what the page has asked for: a worker would need seconds of a core to start."""
    queued = model._default_manager.filter(state=Job.State.QUEUED)
    wait_for(queued.exists, "what the page asks for")
    for row in queued:
        assert execute(row.pk, "tester")


# The label, or else the text, of the element with the focus.
FOCUSED = """() => {
    const found = document.activeElement;
    return (found.labels?.[0] ?? found).textContent.replace(/\\s+/g, " ");
}"""


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the element with this name has the focus, as somebody without a mouse."""
    for _ in range(250):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED).strip().startswith(name):
            return
    raise AssertionError(f"Tab does not lead to “{name}”.")


def press_with_keys(page: Page, name: str, key: str = "Enter") -> None:
    tab_to(page, name)
    page.keyboard.press(key)


def type_with_keys(page: Page, name: str, text: str) -> None:
    tab_to(page, name)
    page.keyboard.type(text)
