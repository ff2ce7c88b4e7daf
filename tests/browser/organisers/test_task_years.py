"""Shared tasks from year to year, and in public: the pages of hosts, and what everybody reads."""

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.models import SharedTask
from tests.accounts import make_account
from tests.browser.access import (
    PHONE,
    assert_accessible_by_day_and_night,
    assert_never_scrolls_sideways,
)
from tests.browser.organiser import log_in, press_with_keys
from tests.campaigns import make_owner
from tests.shared_tasks.tasks import judged_task, unsealed

pytestmark = pytest.mark.django_db(transaction=True)
ROOM = "?raters=30&items=100&repeats=3&seconds=10&minutes=60&spreads=e2e-quality"


def looked_at(page: Page, name: str) -> None:
    """The page fits a laptop and a phone; `SHOTS` names a folder for pictures of it."""
    for size in (PHONE, {"width": 1366, "height": 900}):
        page.set_viewport_size(size)
        assert_never_scrolls_sideways(page)
        if shots := os.environ.get("SHOTS"):
            page.screenshot(path=Path(shots) / f"{name}-{size['width']}.png", full_page=True)
    assert_accessible_by_day_and_night(page, name)


def at(name: str, task: SharedTask) -> str:
    return reverse(f"rankme:{name}", args=[task.code])


def test_a_host_needs_no_mouse_to_copy_to_tell_the_room_and_to_publish(page: Page):
    make_account()
    task = unsealed(judged_task("Owls", "Bees", "Cats", owner=make_owner("olga"), title="E2E 2026"))
    log_in(page)
    page.goto(at("task-capacity", task) + ROOM)
    press_with_keys(page, "Show it in the call")
    expect(page.get_by_text("systems of a track can be judged on every item")).to_be_visible()
    page.get_by_text("What each further system costs").click()
    expect(page.get_by_text("Differences are in the standard deviation")).to_be_visible()
    looked_at(page, "call")
    page.goto(at("task-capacity", task))
    looked_at(page, "room")

    page.goto(at("task-results", task))
    press_with_keys(page, "Publish …")
    expect(page.get_by_text("Everybody with the address then reads")).to_be_visible()
    looked_at(page, "publish")
    press_with_keys(page, "Publish the results")
    expect(page.get_by_text("The results are published.")).to_be_visible()
    looked_at(page, "published")
    press_with_keys(page, "Open the public page")
    expect(page.get_by_role("heading", name="Results: E2E 2026")).to_be_visible()
    looked_at(page, "public")
    with page.expect_download() as file:
        page.get_by_role("link", name="BibTeX").click()
    assert file.value.suggested_filename.endswith("teams.bib")

    page.goto(at("task", task))
    press_with_keys(page, "Next year …")
    expect(page.get_by_label("Title", exact=True)).to_have_value("E2E 2027")
    looked_at(page, "copy")
    press_with_keys(page, "I have checked", "Space")
    press_with_keys(page, "Copy the task")
    expect(page.get_by_role("heading", name="E2E 2027")).to_be_visible()
