"""Shared tasks in a browser: a team uploads, and hosts look at what came."""

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.actions.shared_task.teams import add_member, invite_team
from rankme.models import Dispute, SystemUpload
from tests.accounts import make_account
from tests.browser.access import (
    LAPTOP,
    PHONE,
    assert_accessible_by_day_and_night,
    assert_never_scrolls_sideways,
)
from tests.browser.organiser import log_in, press_with_keys, tab_to, type_with_keys
from tests.campaigns import make_owner
from tests.shared_tasks.tasks import judged_task, make_task, make_team, unsealed

pytestmark = pytest.mark.django_db(transaction=True)
LINES = b"The first.\nA second one.\nSome third.\nThe last.\n"


def test_a_team_and_its_hosts_need_no_mouse(page: Page):
    make_account()
    owner = make_owner("olga")
    task = make_task(owner=owner, registration="approve", tracks=("English", "German"))
    page.goto(reverse("rankme:task-call", args=[task.code]))
    expect(page.get_by_text("your time:").first).to_be_visible()
    for label, text in (("Short name", "Owls"), ("Name in publications", "The Owls")):
        type_with_keys(page, label, text)
    type_with_keys(page, "Your name", "Ada")
    page.keyboard.press("Enter")
    page.goto(page.locator(".copy-line code").inner_text())
    type_with_keys(page, "Name of the system", "Big")
    page.keyboard.press("Enter")
    expect(page.get_by_label("File with the outputs")).to_be_visible()
    tab_to(page, "File with the outputs")
    page.locator(":focus").set_input_files(
        {"name": "big.txt", "mimeType": "text/plain", "buffer": LINES}
    )
    press_with_keys(page, "Upload")
    expect(page.get_by_text("Upload 1 has arrived")).to_be_visible()
    press_with_keys(page, "Primary")
    expect(page.get_by_text("This is noted.")).to_be_visible()
    upload = SystemUpload.objects.get()
    assert upload.role == "primary" and upload.ticket is not None
    look_at_the_page_of_a_team(page)

    log_in(page)
    page.goto(reverse("rankme:task", args=[task.code]))
    press_with_keys(page, "Invite a team")
    expect(page.get_by_role("table", name="Open invitations")).to_be_visible()
    press_with_keys(page, "Revoke")
    expect(page.get_by_text("The invitation is revoked")).to_be_visible()
    press_with_keys(page, "Approve")
    expect(page.get_by_role("cell", name="Takes part")).to_be_visible()
    press_with_keys(page, "Remove English")
    expect(page.get_by_text("Teams have uploaded to this track")).to_be_visible()
    press_with_keys(page, "Withdraw Owls")
    press_with_keys(page, "Withdraw the team")
    expect(page.get_by_role("cell", name="Withdrawn", exact=True)).to_be_visible()


def look_at_the_page_of_a_team(page: Page) -> None:
    assert_accessible_by_day_and_night(page, "a team's page")
    page.set_viewport_size(PHONE)
    assert_never_scrolls_sideways(page)
    smallest = page.locator("main button:visible").evaluate_all(
        "all => Math.min(...all.map(e => e.getBoundingClientRect().height))"
    )
    assert smallest >= 24, "a finger needs 24 CSS pixels (WCAG 2.5.8)"
    page.set_viewport_size(LAPTOP)


def test_teams_object_and_hosts_answer_without_a_mouse(page: Page):
    make_account()
    task = unsealed(judged_task("Owls", "Bees", owner=make_owner("olga"), teams_first_days=7))
    team = task.teams.get(name="Owls")
    _made, secret = add_member(team, name="Bo", by=team.members.get())
    page.goto(reverse("rankme:team-enter", args=[secret]))
    press_with_keys(page, "Your results")
    expect(page.get_by_label("What you object to")).to_be_visible()
    type_with_keys(page, "What you object to", "Item 3 is cut.")
    press_with_keys(page, "Object")
    expect(page.get_by_text("The hosts read this on their page")).to_be_visible()
    assert_accessible_by_day_and_night(page, "a team's results")
    log_in(page)
    page.goto(reverse("rankme:task", args=[task.code]))
    press_with_keys(page, "Results")
    expect(page.get_by_label("Answer, which the team reads")).to_be_visible()
    type_with_keys(page, "Answer, which the team reads", "It was so in your file.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The team reads the answer")).to_be_visible()
    assert Dispute.objects.get().answer == "It was so in your file."
    page.goto(reverse("rankme:task-capacity", args=[task.code]))
    press_with_keys(page, "Minutes of each rater")
    expect(page.get_by_role("table")).to_be_visible()


def test_pages_of_hosts_fit_a_phone_and_a_laptop(page: Page):
    make_account()
    task = make_task(owner=make_owner("olga"), most_judged=9)
    make_team(task, publication_name="The Owls of the Night Forest", institution="A university")
    task.hosts.create(user=make_owner("second"))
    invite_team(task, note_text="For the second team of Northern Forest University", by=task.owner)
    log_in(page)
    shots = Path(os.environ["SHOTS"]) if os.environ.get("SHOTS") else None
    given = "?raters=30&items=100&repeats=3&seconds=10&minutes=60&spreads=e2e-quality"
    for name, query in (("task", ""), ("task-capacity", given)):
        page.goto(reverse(f"rankme:{name}", args=[task.code]) + query)
        for summary in page.locator("main summary").all():
            summary.click()
        for size in ({"width": 1366, "height": 900}, PHONE):
            page.set_viewport_size(size)
            assert_never_scrolls_sideways(page)
            if shots:
                page.screenshot(path=shots / f"{name}-{size['width']}.png", full_page=True)
        assert_accessible_by_day_and_night(page, name)
