"""Shared tasks in a browser: a team uploads, and hosts look at what came."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.models import SystemUpload
from tests.accounts import make_account
from tests.browser.access import assert_accessible_by_day_and_night, assert_never_scrolls_sideways
from tests.browser.organiser import PHONE, log_in
from tests.campaigns import make_owner
from tests.shared_tasks.tasks import make_task

pytestmark = pytest.mark.django_db(transaction=True)
LINES = b"The first.\nA second one.\nSome third.\nThe last.\n"


def test_a_team_registers_and_its_upload_begins_with_a_ticket(page: Page):
    make_account()
    task = make_task(owner=make_owner("olga"), registration="open")
    page.goto(reverse("rankme:task-call", args=[task.code]))
    page.get_by_label("Short name").fill("Owls")
    page.get_by_label("Name in publications").fill("The Owls")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Register").click()
    page.goto(page.locator(".copy-line code").inner_text())
    page.get_by_label("Name of the system").fill("Big")
    page.get_by_role("button", name="Announce").click()
    page.get_by_label("File with the outputs").set_input_files(
        {"name": "big.txt", "mimeType": "text/plain", "buffer": LINES}
    )
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_text("Upload 1 has arrived")).to_be_visible()
    assert SystemUpload.objects.get().ticket is not None
    assert_accessible_by_day_and_night(page, "a team's page")
    page.set_viewport_size(PHONE)
    assert_never_scrolls_sideways(page)
    log_in(page)
    page.goto(reverse("rankme:task", args=[task.code]))
    expect(page.get_by_role("cell", name="The Owls")).to_be_visible()
    assert_never_scrolls_sideways(page)
    assert_accessible_by_day_and_night(page, "a task")
