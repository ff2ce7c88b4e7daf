"""Dialogues in the browser: turns with roles, one to judge, and two next to each other."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from playwright.sync_api import Page, expect

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.models import Campaign, Judgement, Submission
from tests.browser.access import assert_accessible
from tests.browser.chat import dialogue
from tests.browser.keyboard import rate_by_keyboard
from tests.browser.rating import open_work, rate_screen, shot
from tests.campaigns import make_campaign, slider_definition

Turns = Sequence[tuple[str, str]]
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


def campaign_with(design: dict[str, Any], turns: Turns = TURNS, **parts: Any) -> Campaign:
    definition = slider_definition(design=design, **parts)
    campaign = make_campaign(definition, items=1, systems=len(ANSWERS), launch=False)
    for system, answer in zip(campaign.systems.all(), ANSWERS, strict=True):
        system.outputs.update(text=dialogue(*turns, ("assistant", answer)))
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


def open_screen(page: Page, campaign: Campaign) -> None:
    open_work(page, campaign)


def at_each_width(page: Page, name: str) -> Iterator[int]:
    """The screen fits and is accessible on a laptop, and then on a phone."""
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert_accessible(page)
        shot(page, f"{name}-{width}")
        yield width


def test_the_last_turn_is_judged(page: Page) -> None:
    open_screen(page, last_turn())
    turns = page.get_by_role("list", name="Dialogue").get_by_role("listitem")
    expect(turns).to_have_count(5)
    assert turns.locator(".turn-content").all_text_contents()[:4] == [text for _, text in TURNS]
    expect(turns.last.locator(".turn-role")).to_have_text("Assistant · to judge")
    expect(page.locator(".turn.is-judged")).to_have_count(1)
    expect(page.locator(".turn b")).to_have_count(0)
    assert list(at_each_width(page, "dialogue")) == [1366, 390]
    rate_screen(page)
    expect(page.locator("#completion-code")).to_be_visible()


def test_two_dialogues_are_compared(page: Page) -> None:
    open_screen(page, two_beside_each_other())
    for width in at_each_width(page, "dialogues"):
        first, second = (row.bounding_box() for row in page.locator(".output").all())
        assert (first["y"] == second["y"]) == (width == 1366)
    rate_screen(page)
    expect(page.locator("#completion-code")).to_be_visible()
    assert Judgement.objects.count() == 2


MARKDOWN = (
    ("user", "Show me **two** ways:\n\n- short\n- long"),
    ("assistant", "| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```python\nprint(1)\n```"),
    ("user", "<img src=x onerror=alert(1)> [click](javascript:alert(1)) ![](https://x.test/i)"),
)


def in_markdown() -> Campaign:
    shown = [{"block": "outputs", "format": "dialogue", "markdown_turns": True}]
    choice = {"name": "better", "question": "Which is better?", "instrument": "preference"}
    return campaign_with(
        {"kind": "complete", "options": {"outputs_per_screen": 2}},
        turns=MARKDOWN,
        criteria=[choice],
        screens=[{"name": "compare", "show": shown, "ask": ["better"]}],
    )


def test_what_is_said_can_be_in_markdown(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_screen(page, in_markdown())
    first = page.locator(".output").first
    said = first.locator(".turn-content")
    expect(said.nth(0).locator("strong")).to_have_text("two")
    expect(said.nth(0).locator("li")).to_have_count(2)
    expect(said.nth(1).locator("td")).to_have_count(2)
    expect(said.nth(1).locator("pre")).to_contain_text("print(1)")
    expect(page.locator(".turn :is(img, a, script)")).to_have_count(0)
    assert not [address for address in asked if "x.test" in address]
    assert list(at_each_width(page, "dialogues-markdown")) == [1366, 390]
    source = first.get_by_role("button", name="Show the source")
    source.click()
    expect(source).to_have_attribute("aria-pressed", "true")
    assert said.all_text_contents()[:3] == [text for _, text in MARKDOWN]
    source.click()
    expect(said.nth(0).locator("strong")).to_have_text("two")
    rate_by_keyboard(page)
    times = json.dumps(Submission.objects.get().payload["times"])
    assert times.count("output source") >= 2
