"""Dialogues in the browser: turns with roles, one to judge, and two next to each other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from rankme.actions.campaigns import launch_campaign
from rankme.models import Campaign, Judgement
from tests.browser.access import assert_accessible
from tests.browser.keyboard import rate_by_keyboard
from tests.browser.rating import answer_with_mouse, await_screen, begin, come_in, next_screen, shot
from tests.campaigns import make_campaign, slider_definition

pytestmark = pytest.mark.browser

TURNS = [
    ("system", "You help the guests of a small hotel. Be friendly and brief."),
    ("user", "Is breakfast included? <b>And when</b> is it served?"),
    ("assistant", "Yes, it is.\nIt is served from 7 to 10, on Sundays until 11."),
    ("user", "هل يمكنني إحضار كلبي؟"),
]
ANSWERS = (
    "Dogs are welcome, and there is no charge.",
    "I am afraid that dogs cannot stay in the rooms. I can name a kennel nearby.",
)


def dialogue(*turns: tuple[str, str]) -> str:
    return json.dumps([{"role": role, "content": content} for role, content in turns])


def campaign_with(design: dict[str, Any], **parts: Any) -> Campaign:
    definition = slider_definition(design=design, **parts)
    campaign = make_campaign(definition, items=1, systems=len(ANSWERS), launch=False)
    for system, answer in zip(campaign.systems.all(), ANSWERS, strict=True):
        system.outputs.update(text=dialogue(*TURNS, ("assistant", answer)))
    return launch_campaign(campaign, by=campaign.owner)


def last_turn() -> Campaign:
    shown = [{"block": "outputs", "format": "dialogue", "judged_turn": "last"}]
    return campaign_with(
        {"kind": "complete", "options": {"trials_per_batch": 1}},
        screens=[{"name": "rate", "show": shown, "ask": ["fluency"]}],
    )


def two_beside_each_other() -> Campaign:
    shown = [{"block": "outputs", "format": "dialogue"}]
    choice = {"name": "better", "question": "Which is better?", "instrument": "preference"}
    return campaign_with(
        {"kind": "complete", "options": {"outputs_per_screen": 2}},
        criteria=[choice],
        screens=[{"name": "compare", "show": shown, "ask": ["better"]}],
    )


def open_screen(page: Page, campaign: Campaign, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    come_in(page, campaign, id="w1")
    begin(page)
    await_screen(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1366, 390])
def test_the_last_turn_is_judged(page: Page, live_server: Any, width: int) -> None:
    open_screen(page, last_turn(), width)
    turns = page.get_by_role("list", name="Dialogue").get_by_role("listitem")
    expect(turns).to_have_count(5)
    assert turns.locator(".turn-content").all_text_contents()[:4] == [text for _, text in TURNS]
    expect(turns.last.locator(".turn-role")).to_have_text("Assistant · to judge")
    expect(page.locator(".turn.is-judged")).to_have_count(1)
    expect(page.locator(".turn b")).to_have_count(0)
    assert_accessible(page)
    answer_with_mouse(page)
    shot(page, f"dialogue-{width}")
    next_screen(page)
    expect(page.locator("#completion-code")).to_be_visible()


@pytest.mark.parametrize("width", [1366, 390])
def test_two_dialogues_are_compared(page: Page, live_server: Any, width: int) -> None:
    open_screen(page, two_beside_each_other(), width)
    first, second = (row.bounding_box() for row in page.locator(".output").all())
    assert (first["y"] == second["y"]) == (width == 1366)
    assert_accessible(page)
    answer_with_mouse(page)
    shot(page, f"dialogues-{width}")
    next_screen(page)
    expect(page.locator("#completion-code")).to_be_visible()
    assert Judgement.objects.count() == 2


def test_dialogues_are_judged_by_keyboard_alone(page: Page, live_server: Any) -> None:
    come_in(page, two_beside_each_other(), id="w1")
    rate_by_keyboard(page)
    assert Judgement.objects.count() == 2
