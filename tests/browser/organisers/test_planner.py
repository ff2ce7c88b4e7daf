"""The planner's sliders, in a browser."""

from django.urls import reverse
from playwright.sync_api import Page, expect

from tests.accounts import make_account
from tests.browser.access import PHONE, assert_accessible
from tests.browser.organiser import log_in
from tests.campaigns import make_campaign, slider_definition


def test_a_slider_answers_while_it_moves(page: Page):
    definition = slider_definition(raters_per_trial=3)
    draft = make_campaign(definition, items=8, systems=4, launch=False, owner=make_account())
    log_in(page)
    page.goto(reverse("rankme:campaign-launch", args=[draft.code]))
    planner = page.locator("#planner")
    row = planner.get_by_role("row", name="Smallest difference")
    before = row.inner_text()
    slider = planner.locator('[data-slider="raters"]')
    number = planner.get_by_role("spinbutton", name="Raters", exact=True)
    raters = int(number.input_value())
    slider.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(number).to_have_value(str(raters + 5))
    expect(row).not_to_have_text(before)
    planner.get_by_text("Find the best plan").click()
    planner.get_by_text("Time, pay and losses").click()
    planner.get_by_label("Pay for an hour").fill("12")
    planner.get_by_label("Money").fill("100")
    expect(planner.get_by_role("columnheader", name="The best plan")).to_be_visible()
    planner.get_by_label("Money").fill("0.01")
    expect(planner.get_by_text("Raise the limits")).to_be_visible()
    assert_accessible(page)
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert_accessible(page)
