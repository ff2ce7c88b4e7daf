"""Moving figures in a real browser: by keyboard, by touch, with less motion, and without any."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.actions.sitting import participation
from rankme.actions.sitting.figures import figure_for, figures_of
from rankme.models import QuizAttempt
from rankme.pages.rater import rater_identity
from rankme.protocols.files import stored_definition
from tests.browser.access import (
    assert_accessible_by_day_and_night,
    assert_never_scrolls_sideways,
    read_out,
)
from tests.browser.organiser import press_with_keys
from tests.browser.rating import await_screen, shot
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.checks.raters import FIGURE
from tests.chromium import TOUCH_PHONE


def go_to_the_figure(page: Page):
    campaign = make_campaign(slider_definition(checks=[FIGURE]), items=1, systems=1)
    rater = make_rater(campaign)
    participation.mark_instructed(rater)
    page.goto(reverse("rankme:resume", args=[campaign.code, rater_identity.resume_token(rater)]))
    expect(page.get_by_text("Show the moving dots")).to_be_visible()
    check = figures_of(stored_definition(campaign.definition))[0]
    return figure_for(rater, check).digit


def result() -> dict[str, str]:
    return QuizAttempt.objects.get().answers


def test_the_dots_move_only_where_they_were_asked_for(page: Page):
    """Raters who want less motion read of the question first."""
    page.emulate_media(reduced_motion="reduce")
    digit = go_to_the_figure(page)
    picture = page.locator(".figure img")
    expect(picture).not_to_be_visible()
    expect(page.get_by_text("Your device asks for less motion")).to_be_visible()
    page.emulate_media(reduced_motion="no-preference")
    expect(page.get_by_text("Your device asks for less motion")).not_to_be_visible()
    page.get_by_text("Show the moving dots").click()
    expect(picture).to_be_visible()
    assert len({picture.screenshot() for _ in range(4)}) > 1
    assert_accessible_by_day_and_night(page, "an open figure")
    shot(page, "figure-1366")
    page.get_by_text("Show the moving dots").click()
    expect(picture).not_to_be_visible()
    page.get_by_label(digit, exact=True).check()
    page.get_by_role("button", name="Continue").click()
    await_screen(page)
    assert result() == {"moving": "right"}


def test_the_question_is_reached_and_answered_by_keys_alone(page: Page):
    go_to_the_figure(page)
    press_with_keys(page, "I cannot see the digit")
    press_with_keys(page, "A horse", "Space")
    assert_accessible_by_day_and_night(page, "the question instead of a figure")
    assert_never_scrolls_sideways(page)
    assert {"A horse", "A spoon"} <= {name for name, _ in read_out(page, "radio")}
    press_with_keys(page, "Continue")
    await_screen(page)
    assert result() == {"moving": "right"}


@pytest.mark.parametrize("page", [TOUCH_PHONE], indirect=True)
def test_a_finger_opens_the_figure_and_chooses_a_digit(page: Page):
    digit = go_to_the_figure(page)
    page.get_by_text("Show the moving dots").tap()
    expect(page.locator(".figure img")).to_be_visible()
    page.get_by_role("button", name="Continue").tap()
    expect(page.get_by_text("Choose a digit, or answer the question instead.")).to_be_visible()
    page.get_by_text("Show the moving dots").tap()
    page.get_by_text("I cannot see the digit").tap()
    assert_accessible_by_day_and_night(page, "a figure without an answer")
    shot(page, "figure-390")
    page.get_by_label(digit, exact=True).tap()
    page.get_by_role("button", name="Continue").tap()
    await_screen(page)
    assert result() == {"moving": "right"}
