"""What is compared stays in view, with material of the size that papers have."""

import json
import re
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.demonstration.material import MATERIAL
from rankme.importing import read_material
from rankme.models import Campaign, Judgement
from tests.browser.access import LAPTOP, PHONE, assert_accessible
from tests.browser.chat import chat_campaign, dialogue, long_answers, our_answers
from tests.browser.marking import PLACE_OF
from tests.browser.rating import (
    add_files,
    await_screen,
    campaign_of,
    campaign_with,
    finish,
    next_screen,
    open_work,
    shot,
    small,
)
from tests.browser.waiting import until
from tests.campaigns import make_campaign, slider_definition

# Whether at least half of an element's area is in the window and not cut off by a box that scrolls.
IN_SIGHT = """(element) => new Promise((resolve) => {
  new IntersectionObserver(([{ intersectionRatio, intersectionRect, rootBounds }]) =>
    resolve(intersectionRatio > 0.5 || intersectionRect.height > 0.3 * rootBounds.height),
  ).observe(element);
})"""
# What is seen instead of the upper and the lower end of an element that was scrolled to.
HIDDEN_ENDS = """(element) => {
  element.scrollIntoView({ behavior: "instant" });
  const { left, top, bottom } = element.getBoundingClientRect();
  const seen = [top + 4, bottom - 4].map((y) => document.elementFromPoint(left + 4, y));
  return seen.filter((part) => !element.contains(part)).map((part) => part?.className ?? "nothing");
}"""
ON_ITS_SIDE = {"width": 844, "height": 340}  # a phone, less its browser's bars


@cache
def game() -> tuple[str, str]:
    """The box score of two teams with 13 players each, and a summary of it."""
    with read_material(MATERIAL["fact-spans"].paths) as read:
        (item, *_), (output, *_) = read.items(), read.outputs()
    return item.input, output.text


def talk() -> list[tuple[str, str]]:
    """The 26 turns of a guest and a help desk that one of our requests is about."""
    roles = {"Guest": "user", "Desk": "assistant"}
    request = max((request for request, _ in our_answers()), key=len)
    return [(roles[who], said) for who, said in re.findall(r"\*\*(\w+):\*\* (.+)", request)]


def game_campaign(name: str, *, is_sentence: bool = False) -> Campaign:
    tables, text = game()
    text = text.split(". ")[3] if is_sentence else text
    return campaign_with(small(name, practice=[]), item_input=tables, text=text)


def is_seen(part: Locator) -> bool:
    return bool(part.evaluate(IN_SIGHT))


def test_the_material_has_the_size_that_papers_have():
    tables, text = game()
    _, *boxes = json.loads(tables)["tables"]
    assert [(len(box["rows"]), len(box["columns"])) for box in boxes] == [(13, 21)] * 2
    assert 320 <= len(text.split()) <= 400
    for box in boxes:  # the numbers are those of one game
        columns = {name: place for place, name in enumerate(box["columns"])}
        for row in box["rows"]:
            of = {name: row[place] for name, place in columns.items()}
            if of["MIN"] != "N/A":
                points = 2 * int(of["FGM"]) + int(of["FG3M"]) + int(of["FTM"])
                assert points == int(of["PTS"])
    _, *answers = long_answers().values()
    assert all(1_300 <= len(answer.split()) <= 1_700 for answer in answers)
    assert len(talk()) == 26


def test_the_tables_stay_in_view_while_a_long_text_is_marked_and_looked_up(page: Page):
    open_work(page, game_campaign("fact-spans"))
    for window in (LAPTOP, PHONE):
        page.set_viewport_size(window)
        some_table_is_seen_from_everywhere(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= window["width"]
        shot(page, f"in-view-facts-{window['width']}")
        a_word_is_looked_up_in_the_tables(page)
        shot(page, f"in-view-lookup-{window['width']}")
        assert_accessible(page)


def some_table_is_seen_from_everywhere(page: Page) -> None:
    text = page.locator(".markable")
    length = len(game()[1])
    for place in (0, length // 2, length - 3):
        page.mouse.click(*text.evaluate(PLACE_OF, place))
        expect(page.locator(".spans-chosen .span-tool").first).to_be_in_viewport()
        assert any(is_seen(table) for table in page.locator(".table-scroll").all())


def a_word_is_looked_up_in_the_tables(page: Page) -> None:
    """The word at the caret, and what is typed."""
    text = page.locator(".markable")
    page.evaluate("document.activeElement.blur()")
    until(page, "() => !document.querySelector('.is-flying')")  # or the bar is over the word
    page.mouse.click(*text.evaluate(PLACE_OF, game()[1].index("Otto") + 1))
    name = page.get_by_role("rowheader", name="Otto Oakes")
    until(page, "() => document.querySelectorAll('.is-found').length === 1")
    assert is_seen(name)
    before = page.evaluate("scrollY")
    box = page.get_by_role("searchbox", name="Find in the tables").bounding_box()
    page.mouse.click(box["x"] + 40, box["y"] + box["height"] / 2, click_count=3)
    page.keyboard.type("Wes Ward 8")
    until(page, "() => document.querySelectorAll('.is-found').length > 1")
    found = page.get_by_role("row", name="Wes Ward").locator(".is-found")
    assert is_seen(found.last)
    assert abs(page.evaluate("scrollY") - before) < 20, "the text stays where it is"


def test_the_sentence_and_its_counts_stay_in_view_over_the_tables_of_a_game(page: Page):
    open_work(page, game_campaign("rotowire-facts", is_sentence=True))
    page.locator(".extract").click(position={"x": 40, "y": 12})
    shot(page, "in-view-sentence")
    for control in page.locator("[data-more]").all():
        expect(control).to_be_in_viewport()


def test_the_picture_is_whole_at_the_last_caption(page: Page):
    campaign = make_campaign(small("image-captions"), items=1, systems=4, launch=False)
    add_files(campaign, "image-captions")
    open_work(page, launch_campaign(campaign, by=campaign.owner))
    picture = page.locator(".file-picture")
    until(page, "() => document.querySelector('.file-picture').naturalWidth > 0")
    for window in (LAPTOP, PHONE):
        page.set_viewport_size(window)
        page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
        page.locator(".output").last.get_by_role("radio").last.focus()
        expect(picture).to_be_in_viewport(ratio=0.99)
        assert picture.bounding_box()["height"] >= 150
        expect(page.locator("form.in-panes")).to_have_count(0)
        shot(page, f"in-view-picture-{window['width']}")


def test_an_output_and_its_questions_are_seen_at_once_on_a_phone_on_its_side(page: Page):
    page.set_viewport_size(ON_ITS_SIDE)
    open_work(page, campaign_of("e2e-quality"))
    hidden = [row.evaluate(HIDDEN_ENDS) for row in page.locator(".output").all()]
    assert hidden == [[]] * 5
    shot(page, "in-view-on-its-side")


def test_a_long_source_is_next_to_its_translation_in_a_wide_window(page: Page):
    source, text = "Ein langer Satz. " * 150, "A long sentence. " * 150
    open_work(page, campaign_with(small("esa", practice=[]), item_input=source, text=text))
    text = page.locator(".markable")
    page.mouse.click(*text.evaluate(PLACE_OF, 16 * 140))
    assert is_seen(page.locator(".block-input"))
    box = page.locator("[data-kept]")
    expect(box).to_have_attribute("tabindex", "0")
    expect(box).to_have_attribute("aria-label", "What to compare the texts with")
    shot(page, "in-view-source")
    assert_accessible(page)


def test_two_long_answers_have_names_and_share_the_whole_window_when_maximised(page: Page):
    open_work(page, chat_campaign("chat-arena", practice=[], **long_answers()))
    boxes = page.locator(".output-text")
    for number, box in enumerate(boxes.all(), start=1):
        expect(box).to_have_attribute("tabindex", "0")
        expect(box).to_have_attribute("role", "group")
        expect(box).to_have_attribute("aria-label", f"Answer {number}")
    shot(page, "in-view-answers")
    page.get_by_role("button", name="Maximize").click()
    expect(boxes.first).not_to_have_attribute("tabindex", "0")
    page.mouse.wheel(0, 1500)
    until(page, "() => scrollY > 1_000")
    shot(page, "in-view-answers-maximised")
    texts = page.locator("[data-fill=output]")
    seen = texts.evaluate_all("""texts => {
      const asked = document.querySelector(".together:not([hidden])").getBoundingClientRect();
      return texts.map((text) => {
        const { top, bottom } = text.getBoundingClientRect();
        return Math.min(bottom, asked.top) - Math.max(top, 40);
      });
    }""")
    assert all(height >= 500 for height in seen), seen
    assert_accessible(page)
    page.get_by_role("radio").first.check()
    next_screen(page)
    await_screen(page)
    expect(page.get_by_role("button", name="Maximize")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("block", ["input", "outputs"])
def test_a_long_dialogue_opens_at_the_turn_that_is_judged(page: Page, block):
    shown: dict[str, Any] = {"block": block, "format": "dialogue", "judged_turn": "last"}
    if block == "outputs":
        shown |= {"layout": "side_by_side"}
    definition = slider_definition(
        input_kind="text",
        screens=[
            {
                "name": "rate",
                "show": [shown] if block == "outputs" else [shown, "outputs"],
                "ask": ["fluency"],
            }
        ],
    )
    texts = {"text" if block == "outputs" else "item_input": dialogue(*talk())}
    open_work(page, campaign_with(definition, systems=2, **texts))
    page.wait_for_timeout(300)
    shot(page, f"in-view-dialogue-{block}")
    assert page.evaluate("scrollY") == 0
    for turn in page.locator(".is-judged").all():
        assert is_seen(turn)


def test_a_drag_is_timed_by_its_release(page: Page):
    open_work(page, campaign_of("direct-assessment", items=1, practice=[]))
    box = page.get_by_role("slider").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 30, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, y, steps=3)
    page.wait_for_timeout(700)
    held = page.evaluate("performance.now() - document.querySelector('form').dataset.onset")
    page.mouse.up()
    finish(page)
    assert Judgement.objects.get().time_ms >= held
