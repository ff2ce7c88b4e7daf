"""Shared tasks in a browser: a team uploads, and hosts look at what came."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from rankme.actions.shared_task.teams import add_member, invite_team
from rankme.models import Dispute, SystemUpload
from tests.accounts import make_account
from tests.browser.access import (
    PHONE,
    assert_accessible_by_day_and_night,
    assert_never_scrolls_sideways,
)
from tests.browser.organiser import log_in, tab_to
from tests.campaigns import make_owner
from tests.chromium import TOUCH_PHONE
from tests.shared_tasks.tasks import judged_task, make_task, make_team, unsealed

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


def test_a_team_and_its_hosts_need_no_mouse(page: Page):
    make_account()
    owner = make_owner("olga")
    task = make_task(owner=owner, registration="approve", tracks=("English", "German"))
    page.goto(reverse("rankme:task-call", args=[task.code]))
    for label, text in (("Short name", "Owls"), ("Name in publications", "The Owls")):
        tab_to(page, label)
        page.keyboard.type(text)
    tab_to(page, "Your name")
    page.keyboard.type("Ada")
    page.keyboard.press("Enter")
    page.goto(page.locator(".copy-line code").inner_text())
    tab_to(page, "Name of the system")
    page.keyboard.type("Big")
    page.keyboard.press("Enter")
    expect(page.get_by_label("File with the outputs")).to_be_visible()
    tab_to(page, "File with the outputs")
    page.locator(":focus").set_input_files(
        {"name": "big.txt", "mimeType": "text/plain", "buffer": LINES}
    )
    tab_to(page, "Upload")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Upload 1 has arrived")).to_be_visible()
    tab_to(page, "Primary")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This is noted.")).to_be_visible()
    assert SystemUpload.objects.get().role == "primary"

    log_in(page)
    page.goto(reverse("rankme:task", args=[task.code]))
    tab_to(page, "Invite a team")
    page.keyboard.press("Enter")
    expect(page.get_by_role("table", name="Open invitations")).to_be_visible()
    tab_to(page, "Revoke")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The invitation is revoked")).to_be_visible()
    tab_to(page, "Approve")
    page.keyboard.press("Enter")
    expect(page.get_by_role("cell", name="Takes part")).to_be_visible()
    tab_to(page, "Remove English")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Teams have uploaded to this track")).to_be_visible()
    tab_to(page, "Withdraw Owls")
    page.keyboard.press("Enter")
    tab_to(page, "Withdraw the team")
    page.keyboard.press("Enter")
    expect(page.get_by_role("cell", name="Withdrawn", exact=True)).to_be_visible()


def test_teams_object_and_hosts_answer_without_a_mouse(page: Page):
    make_account()
    task = unsealed(judged_task("Owls", "Bees", owner=make_owner("olga"), teams_first_days=7))
    team = task.teams.get(name="Owls")
    _made, secret = add_member(team, name="Bo", by=team.members.get())
    page.goto(reverse("rankme:team-enter", args=[secret]))
    tab_to(page, "Your results")
    page.keyboard.press("Enter")
    expect(page.get_by_label("What you object to")).to_be_visible()
    tab_to(page, "What you object to")
    page.keyboard.type("Item 3 is cut.")
    tab_to(page, "Object")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The hosts read this on their page")).to_be_visible()
    assert_accessible_by_day_and_night(page, "a team's results")
    log_in(page)
    page.goto(reverse("rankme:task", args=[task.code]))
    tab_to(page, "Results")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Answer, which the team reads")).to_be_visible()
    tab_to(page, "Answer, which the team reads")
    page.keyboard.type("It was so in your file.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The team reads the answer")).to_be_visible()
    assert Dispute.objects.get().answer == "It was so in your file."
    page.goto(reverse("rankme:task-capacity", args=[task.code]))
    tab_to(page, "Minutes of each rater")
    page.keyboard.press("Enter")
    expect(page.get_by_role("table")).to_be_visible()


@pytest.mark.parametrize("page", [TOUCH_PHONE], indirect=True)
def test_a_team_uploads_chooses_and_withdraws_with_a_finger(page: Page):
    task = make_task(registration="open", closes_at=timezone.now() + timedelta(hours=40))
    page.goto(reverse("rankme:task-call", args=[task.code]))
    expect(page.get_by_text("your time:").first).to_be_visible()
    for label, text in (("Short name", "Owls"), ("Name in publications", "The Owls")):
        page.get_by_label(label).tap()
        page.keyboard.type(text)
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Register").tap()
    page.goto(page.locator(".copy-line code").inner_text())
    expect(page.get_by_text("Nothing of your team counts yet")).to_be_visible()
    page.get_by_label("Name of the system").fill("Big")
    page.get_by_role("button", name="Announce").tap()
    page.get_by_label("File with the outputs").set_input_files(
        {"name": "big.txt", "mimeType": "text/plain", "buffer": LINES}
    )
    page.get_by_role("button", name="Upload").tap()
    page.get_by_role("button", name="Primary").tap()
    expect(page.get_by_text("This is noted.")).to_be_visible()
    assert_never_scrolls_sideways(page)
    smallest = page.locator("main button:visible").evaluate_all(
        "all => Math.min(...all.map(e => e.getBoundingClientRect().height))"
    )
    assert smallest >= 24, "a finger needs 24 CSS pixels (WCAG 2.5.8)"
    page.get_by_text("Withdraw the team").first.tap()
    page.get_by_role("button", name="Withdraw the team").tap()
    expect(page.get_by_text("Withdrawn").first).to_be_visible()
    assert SystemUpload.objects.get().withdrawn_at is not None


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
