"""Answers of chat assistants: Markdown, long texts side by side, and differences on request."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from rankme.actions.campaigns import launch_campaign
from rankme.demonstration.material import MATERIAL
from rankme.importing import read_material
from rankme.models import Campaign, Output, Submission
from tests.browser.access import assert_accessible
from tests.browser.keyboard import rate_by_keyboard
from tests.browser.rating import (
    answer_with_mouse,
    begin,
    come_in,
    rate_to_the_end,
    small,
)
from tests.campaigns import make_campaign

pytestmark = pytest.mark.browser

WIDTHS = {"laptop": {"width": 1366, "height": 768}, "phone": {"width": 390, "height": 844}}
LONG = "\n\n".join(
    f"## Part {part}\n\n" + " ".join(f"word{part}x{number}" for number in range(100))
    for part in range(15)
)


def chat_campaign(name: str, *, items: int = 2, systems: int = 2, **texts: str) -> Campaign:
    """A launched campaign of a preset with our own answers, or with the given texts."""
    campaign = make_campaign(small(name), items=items, systems=systems, launch=False)
    answers = our_answers()
    for item in campaign.items.all():
        request, said = answers[item.position % len(answers)]
        item.input = texts.get("input", request)
        item.save()
        for place, output in enumerate(item.outputs.order_by("system__position")):
            text = texts.get(f"output{place}", said[place % len(said)])
            Output.objects.filter(pk=output.pk).update(text=text)
    return launch_campaign(campaign, by=campaign.owner)


def our_answers() -> list[tuple[str, list[str]]]:
    with read_material(MATERIAL["chat-arena"].paths, "long") as read:
        items = {item.key: (item.input, []) for item in read.items()}
        for output in read.outputs():
            items[output.item_key][1].append(output.text)
    return list(items.values())


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["chat-arena", "chat-likert"])
def test_from_the_link_to_the_code_with_the_mouse(page: Page, name, width):
    page.set_viewport_size(WIDTHS[width])
    campaign = chat_campaign(name)
    come_in(page, campaign, id="w1")
    begin(page)

    def answer(page: Page) -> None:
        assert_accessible(page)
        answer_with_mouse(page)

    assert rate_to_the_end(page, f"{name}-{width}", answer=answer) >= 2
    assert page.locator("#completion-code").count()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["chat-arena", "chat-likert"])
def test_from_the_link_to_the_code_with_keys_alone(page: Page, name, width):
    page.set_viewport_size(WIDTHS[width])
    campaign = chat_campaign(name)
    page.goto(f"/r/{campaign.code}/?id=w1")
    rate_by_keyboard(page)
    assert Submission.objects.filter(assignment__campaign=campaign).count() >= 2
