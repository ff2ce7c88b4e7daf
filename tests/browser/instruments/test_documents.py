"""Whole documents in the browser: the page is at the segment, and then at the document."""

from collections.abc import Iterator
from itertools import cycle
from typing import Any

from playwright.sync_api import Page, expect

from rankme.models import Campaign, Judgement, Submission
from tests.browser.access import assert_accessible
from tests.browser.keyboard import rate_by_keyboard
from tests.browser.rating import (
    answer_with_mouse,
    await_screen,
    come_in,
    finish,
    next_screen,
    open_work,
    rate_screen,
    shot,
    small,
)
from tests.experiments.cohorts import launched


def one_document_a_batch(**changes: Any) -> Campaign:
    options = {"outputs_per_screen": 1, "trials_per_batch": 1}
    design = small("document-esa").design.model_copy(update={"options": options})
    definition = small("document-esa", **{"design": design, "practice": []} | changes)
    return launched("document-esa", full=False, definition=definition)


def set_width(page: Page, widths: Iterator[int]) -> int:
    """Let the page have the next of the widths."""
    width = next(widths)
    page.set_viewport_size({"width": width, "height": 700})
    return width


def segments_in_the_window(page: Page) -> list[int]:
    """The segments, from 1, whose names are in the window."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".segment")].flatMap((segment, index) => {
          const box = segment.querySelector(".segment-name").getBoundingClientRect();
          return box.top >= 0 && box.bottom <= innerHeight ? [index + 1] : [];
        })"""
    )


def test_each_segment_is_judged_in_its_place_and_then_the_document(page: Page) -> None:
    """On a laptop and on a phone in turn: each segment is reached at the width it is seen at."""
    campaign, widths = one_document_a_batch(), cycle((390, 1366))
    width = set_width(page, widths)
    open_work(page, campaign)
    segments = page.locator(".segment").count()
    assert segments in (3, 4, 5, 6)
    for number in range(1, segments + 1):
        await_screen(page)
        expect(page.locator("#progress")).to_contain_text(
            f"Document 1 of 1 · segment {number} of {segments}"
        )
        expect(page.locator(".segment.is-here .segment-name")).to_have_text(
            f"Segment {number} of {segments}"
        )
        expect(page.locator(".segment-name:focus")).to_have_count(1)
        assert number in segments_in_the_window(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if number in (2, 3):
            assert_accessible(page)
        answer_with_mouse(page)
        shot(page, f"document-{width}-{number}")
        width = set_width(page, widths)
        next_screen(page)
    await_screen(page)
    expect(page.locator("#progress")).to_contain_text("the whole document")
    expect(page.locator(".segment.is-here")).to_have_count(0)
    for _ in range(2):
        width = set_width(page, widths)
        assert_accessible(page)
    answer_with_mouse(page)
    shot(page, f"document-{width}-whole")
    finish(page)
    assert Submission.objects.count() == segments + 1
    assert Judgement.objects.filter(criterion__name="document_score").count() == 1


def test_a_document_is_judged_by_keyboard_alone(page: Page) -> None:
    come_in(page, one_document_a_batch(), id="w1")
    rate_by_keyboard(page)
    errors = Judgement.objects.filter(criterion__name="errors").count()
    assert Judgement.objects.filter(criterion__name="document_score").count() == 1
    assert Submission.objects.count() == errors + 1


def test_back_leads_to_the_segment_before(page: Page) -> None:
    open_work(page, one_document_a_batch())
    rate_screen(page)
    await_screen(page)
    page.get_by_role("button", name="Back", exact=True).click()
    expect(page.locator(".segment.is-here .segment-name")).to_contain_text("Segment 1 of")


def test_several_systems_keep_their_places_through_a_document(page: Page) -> None:
    options = {"outputs_per_screen": 3, "trials_per_batch": 1}
    design = small("document-esa").design.model_copy(update={"options": options})
    campaign = one_document_a_batch(design=design)
    page.set_viewport_size({"width": 1366, "height": 900})
    open_work(page, campaign)
    first, second = page.locator(".segment").nth(0), page.locator(".segment").nth(1)
    later = second.locator(".segment-outputs > p bdi").all_text_contents()
    here = first.locator("[data-fill=output]").all_text_contents()
    shot(page, "document-three-systems")
    rate_screen(page)
    await_screen(page)
    second = page.locator(".segment").nth(1)
    assert second.locator("[data-fill=output]").all_text_contents() == later
    first = page.locator(".segment").nth(0)
    assert first.locator(".segment-outputs > p bdi").all_text_contents() == here
