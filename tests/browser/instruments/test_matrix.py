"""Several questions as one table: by keyboard, at both widths, and for screen readers."""

from playwright.sync_api import Page, expect

from rankme.models import Judgement
from tests.browser.access import assert_accessible
from tests.browser.rating import finish, open_work, shot
from tests.campaigns import make_campaign, slider_definition

NAMES = ["clear", "true", "polite"]


def test_a_matrix_has_rows_of_radio_buttons_at_every_width(page: Page):
    scale = {"points": 5, "labels": ["very poor", "poor", "fair", "good", "very good"]}
    definition = slider_definition(
        criteria=[
            {"name": name, "question": f"How {name} is it?", "instrument": "likert"}
            | {"options": scale}
            for name in NAMES
        ],
        screens=[{"name": "rate", "show": ["input", "outputs"], "ask": NAMES, "layout": "matrix"}],
        design={"kind": "complete", "options": {"outputs_per_screen": 2}},
    )
    open_work(page, make_campaign(definition, items=1, systems=2))
    rows = page.get_by_role("radiogroup").all()
    assert len(rows) == 6
    # The points of all rows are below the same heads, and wide enough for a finger.
    first, head = page.locator("li.output").first, page.locator(".matrix-points > span").first
    lefts = {round(one.bounding_box()["x"]) for one in first.locator(".point:first-child").all()}
    assert len(lefts) == 1 and abs(lefts.pop() - head.bounding_box()["x"]) <= 2
    assert rows[0].locator(".point").first.bounding_box()["height"] >= 44
    page.get_by_role("radio", name="very poor").first.focus()
    for _ in rows:
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Tab")
    shot(page, "matrix-1366")
    assert_accessible(page)
    page.set_viewport_size({"width": 390, "height": 800})
    expect(head).to_be_hidden()
    expect(first.locator(".point").get_by_text("very good").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    shot(page, "matrix-390")
    assert_accessible(page)
    finish(page)
    assert set(Judgement.objects.values_list("value", flat=True)) == {2.0}
    assert Judgement.objects.count() == 6
