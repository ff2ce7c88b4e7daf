"""Marking errors in the text: by mouse, by touch and by keyboard alone, in any script."""

import json
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.models import Assignment, Campaign, Item, Judgement, Output, SubmissionWords
from rankme.queries.judgement_table import judgement_table
from tests.browser.access import assert_accessible
from tests.browser.marking import TEXT, drag_over, marking, open_screen, stored
from tests.browser.payloads import PAYLOADS
from tests.browser.rating import await_screen, finish, next_screen, shot
from tests.chromium import TOUCH_PHONE

CONTROL = 2  # among the modifiers of the debugging protocol


def test_errors_are_marked_with_the_mouse(page: Page):
    text = open_screen(page, marking())
    drag_over(page, "walked", text)
    page.get_by_role("button", name="Major").click()
    expect(page.locator(".span-quote")).to_have_text(["walked"])
    drag_over(page, "bridge", text)
    page.get_by_role("button", name="Minor").click()
    shot(page, "spans-mouse")
    page.get_by_role("button", name="Remove: “bridge”").click()
    finish(page)
    found = stored()
    (mark,) = found["marks"]
    assert (mark["start"], mark["end"], mark["text"], mark["severity"]) == (
        8,
        14,
        "walked",
        "major",
    )
    assert found["penalty"] == 5
    assert [event["do"] for event in found["events"]] == ["add", "add", "remove"]
    assert all(event["at"] > 1_600_000_000_000 for event in found["events"])


def test_a_choice_in_the_list_leaves_the_mark_current_and_its_words_selected(page: Page):
    """To show the choice, the text is drawn again, and the browser's caret is before it then."""
    text = open_screen(page, marking(categories={"fact": "Wrong fact", "style": "Style"}))
    drag_over(page, "walked", text)
    page.get_by_role("button", name="Major").click()
    entry = page.locator(".span-entry")
    entry.get_by_role("combobox").last.select_option("style")
    page.evaluate("document.dispatchEvent(new Event('selectionchange'))")  # one that came late
    expect(entry).to_have_class(re.compile("is-current"))
    page.get_by_role("button", name="Minor").click()
    expect(page.locator(".span-quote")).to_have_text(["walked"])
    finish(page)
    (mark,) = stored()["marks"]
    assert (mark["text"], mark["severity"], mark["category"]) == ("walked", "minor", "style")


def press_abroad(page: Page, key: str, code: str, modifiers: int = 0) -> None:
    """Press a key that has another character in another country, which Playwright does not know."""
    keyboard = page.context.new_cdp_session(page)
    for kind in ("keyDown", "keyUp"):
        event = {"type": kind, "key": key, "code": code, "modifiers": modifiers}
        keyboard.send("Input.dispatchKeyEvent", event)


def test_errors_are_marked_moved_and_removed_by_keyboard_alone(page: Page):
    text = open_screen(page, marking())
    for _ in range(40):
        page.keyboard.press("Tab")
        if text.evaluate("element => element === document.activeElement"):
            break
    press = page.keyboard.press
    press("Control+Home")
    press("Shift+ArrowRight")
    press("Shift+ArrowRight")
    press("Shift+ArrowRight")
    press("Enter")
    expect(page.locator(".span-quote")).to_have_text(["The"])
    press_abroad(page, "ě", "Digit2")  # the same words: another severity; Czech
    press("ArrowRight")
    press("ArrowRight")
    press("1")  # no selection: the word at the cursor
    expect(page.locator(".span-quote")).to_have_text(["The", "dog"])
    press("Delete")
    expect(page.locator(".span-quote")).to_have_text(["The"])
    press_abroad(page, "ئ", "KeyZ", modifiers=CONTROL)  # Arabic
    expect(page.locator(".span-quote")).to_have_text(["The", "dog"])
    page.get_by_role("button", name="Change the place: “dog”").focus()
    press("Enter")
    for _ in range(len(" walked")):
        press("Shift+ArrowRight")
    press("Enter")
    expect(page.locator(".span-quote")).to_have_text(["The", "dog walked"])
    press("x")
    press("Backspace")  # removes the mark at the cursor, and no letter
    press("Control+z")
    assert text.inner_text() == TEXT
    page.locator("[data-next]").focus()
    press("Enter")
    expect(page.locator("#completion-code")).to_be_visible()
    found = [(mark["text"], mark["severity"]) for mark in stored()["marks"]]
    assert found == [("The", "major"), ("dog walked", "minor")]


@pytest.mark.parametrize("page", [TOUCH_PHONE], indirect=True)
def test_errors_are_marked_with_a_finger(page: Page):
    text = open_screen(page, marking())
    text.tap(position={"x": 60, "y": 20})
    page.get_by_role("button", name="Major").tap()
    expect(page.locator(".span-quote")).to_have_text(["dog"])
    page.get_by_role("button", name="Change the place: “dog”").tap()
    text.tap(position={"x": 100, "y": 20})
    page.get_by_role("button", name="Place the mark here").tap()
    expect(page.locator(".span-quote")).to_have_text(["dog walked"])
    shot(page, "spans-touch")
    finish(page)
    assert [mark["text"] for mark in stored()["marks"]] == ["dog walked"]


EVERY_SCRIPT = (
    "القطةُ نامتْ على الأريكةِ.\r\nثم استيقظتْ.\r\n"
    "แมวนอนหลับอยู่บนโซฟาในบ้าน 👩‍👩‍👧‍👦 went 👍🏽 to 🇩🇪🇫🇷.\r\nNe\u0301vada n\u0303o 각 한국 क्षत्रिय"
)


SELECT = """([start, end]) => {
    const element = document.querySelector(".markable");
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const place = (offset) => {
        walker.currentNode = element;
        let node = walker.nextNode();
        for (; node.nodeValue.length < offset; node = walker.nextNode()) {
            offset -= node.nodeValue.length;
        }
        return [node, offset];
    };
    getSelection().setBaseAndExtent(...place(start), ...place(end));
}"""
CHARACTERS = """element => {
    const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
    return [...segmenter.segment(element.textContent)]
        .filter(({ segment }) => segment.trim())
        .map(({ index, segment }) => [index, index + segment.length]);
}"""


def test_marks_come_back_exactly_in_every_script(page: Page):
    text = open_screen(page, marking(EVERY_SCRIPT, most=100))
    text.focus()
    page.keyboard.press("Control+Home")
    # The text runs from right to left.
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("1")
    characters = text.evaluate(CHARACTERS)
    for number, place in enumerate(characters[2::2]):
        page.evaluate(SELECT, place)
        page.keyboard.press("1" if number % 2 else "2")
    expected = [place for number, place in enumerate(characters) if number % 2 == 0]
    shot(page, "spans-scripts")
    assert text.evaluate("element => element.textContent") == EVERY_SCRIPT
    finish(page)
    units = EVERY_SCRIPT.encode("utf-16-le")
    wanted = [units[2 * start : 2 * end].decode("utf-16-le") for start, end in expected]
    found = stored()["marks"]
    assert [mark["text"] for mark in found] == wanted
    assert all(EVERY_SCRIPT[mark["start"] : mark["end"]] == mark["text"] for mark in found)


def test_the_source_is_marked_by_mouse_and_by_keyboard(page: Page):
    text = open_screen(page, marking(source=True, item_input="Der Hund 🐕‍🦺 lief.\r\nSchnell."))
    source = page.locator("[data-fill=input] .given")
    drag_over(page, "Hund", source)
    page.get_by_role("button", name="Major").click()
    source.focus()
    page.keyboard.press("Control+End")
    for _ in "Schnell.":
        page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("1")
    text.focus()
    page.keyboard.press("Control+Home")
    for _ in "The":
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("1")
    shot(page, "spans-source")
    expect(page.locator(".span-quote")).to_have_count(3)
    finish(page)
    found = {mark["text"]: mark for mark in stored()["marks"]}
    sides = {words: mark["side"] for words, mark in found.items()}
    assert sides == {"Hund": "source", "Schnell.": "source", "The": "output"}
    item = Item.objects.get()
    for words in ("Hund", "Schnell."):
        assert item.input[found[words]["start"] : found[words]["end"]] == words


def test_a_key_marks_the_text_that_has_the_focus_before_the_caret_is_told_of(page: Page):
    """As when keys follow each other faster than a busy browser tells of the caret."""
    text = open_screen(page, marking(source=True))
    source = page.locator("[data-fill=input] .given")
    drag_over(page, "Hund", source)
    page.get_by_role("button", name="Major").click()
    text.evaluate(
        """(element) => {
            element.focus();
            const words = element.firstChild.firstChild ?? element.firstChild;
            getSelection().setBaseAndExtent(words, 0, words, 3);
            element.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
        }"""
    )
    expect(page.locator(".span-quote")).to_have_count(2)


def suggest(campaign: Campaign, *marks: dict[str, Any]) -> None:
    """Suggestions for the only output of a draft, as an upload would bring them."""
    common = {"side": "output", "severity": "Minor", "category": "", "note": "", "missing": False}
    suggested = [
        {"id": number, "prefilled": "a model", "confirmed": False} | common | mark
        for number, mark in enumerate(marks, start=1)
    ]
    Output.objects.filter(item__campaign=campaign).update(marks=suggested)


def test_suggestions_that_nobody_touched_are_asked_about_at_next(page: Page):
    campaign = marking(launch=False)
    suggest(campaign, *({"start": a, "end": b, "text": TEXT[a:b]} for a, b in [(0, 3), (8, 14)]))
    open_screen(page, launch_campaign(campaign, by=campaign.owner))
    page.locator("[data-next]").click()
    asked = page.locator("[data-missing]")
    expect(asked).to_have_text(re.compile("Suggested marks are still open: 2"))
    expect(page.get_by_role("button", name="Confirm: “The”")).to_be_focused()
    page.keyboard.press("Enter")
    page.locator("[data-next]").click()
    expect(asked).to_have_text(re.compile("still open: 1"))
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert_accessible(page)
        shot(page, f"suggestions-asked-{width}")
    page.get_by_role("button", name="Remove: “walked”").click()
    finish(page)
    assert [(mark["text"], mark["confirmed"]) for mark in stored()["marks"]] == [("The", True)]


def test_a_page_that_is_held_out_has_no_suggestions_also_after_a_reload(page: Page):
    campaign = marking(TEXT, TEXT, launch=False, unassisted=0.5)
    suggest(campaign, {"start": 8, "end": 14, "text": "walked"})
    open_screen(page, launch_campaign(campaign, by=campaign.owner))
    sitting = Assignment.objects.get()
    (held_out,) = sitting.held_out
    for trial, _places in sitting.presentation:
        for width in (1366, 390):
            page.set_viewport_size({"width": width, "height": 844})
            page.reload()
            await_screen(page)
            expect(page.locator(".span-quote")).to_have_count(0 if trial == held_out else 1)
            assert_accessible(page)
            shot(page, f"held-out-{width}" if trial == held_out else f"assisted-{width}")
        if trial == held_out:
            page.get_by_label("I found no errors").check()
        else:
            page.get_by_role("button", name="Confirm: “walked”").click()
            expect(page.get_by_text("suggested by a model")).to_have_count(0)
        next_screen(page)
    expect(page.locator("#completion-code")).to_be_visible()
    table = judgement_table(campaign)
    cells = table.factors["assisted"]
    assert sorted(zip(table.value, np.array(cells.labels)[cells.codes], strict=True)) == [
        (0.0, "no"),
        (1.0, "yes"),
    ]


def test_suggested_marks_are_confirmed_changed_and_removed(page: Page):
    campaign = marking(launch=False, unconfirmed="count")
    places = [(0, 3), (8, 14), (24, 30), (4, 7)]
    suggest(campaign, *({"start": a, "end": b, "text": TEXT[a:b]} for a, b in places))
    text = open_screen(page, launch_campaign(campaign, by=campaign.owner))
    expect(page.get_by_text("suggested by a model")).to_have_count(4)
    shot(page, "spans-suggested")
    page.get_by_role("button", name="Confirm: “walked”").click()
    page.get_by_label("Severity: “bridge”").select_option("major")
    page.get_by_role("button", name="Remove: “The”").click()
    expect(page.get_by_text("suggested by a model")).to_have_count(1)
    page.wait_for_timeout(400)  # until the draft is kept
    page.reload()  # what was removed does not come back
    await_screen(page)
    expect(page.locator(".span-quote")).to_have_count(3)
    assert text.evaluate("element => element.textContent") == TEXT
    finish(page)
    found = stored()
    kept = {mark["text"]: (mark["severity"], mark["confirmed"]) for mark in found["marks"]}
    assert kept == {"walked": ("minor", True), "bridge": ("major", True), "dog": ("minor", False)}
    assert {mark["prefilled"] for mark in found["marks"]} == {"a model"}
    assert [event["do"] for event in found["events"]] == ["confirm", "change", "remove"]


ESA = {
    **{"0": "broken, almost nothing of the meaning is preserved"},
    **{"33": "flawed, some of the meaning is preserved"},
    **{"66": "good, most of the meaning is preserved", "100": "perfect in meaning and grammar"},
}


def score(page: Page, value: str) -> None:
    slider = page.get_by_role("slider")
    slider.press("Home")
    for _ in range(int(value)):
        slider.press("ArrowRight")


NARROW = {"viewport": {"width": 390, "height": 844}}


@pytest.mark.parametrize(
    ("page", "hand"),
    [(NARROW, "click"), (NARROW | {"has_touch": True}, "tap")],
    indirect=["page"],
    ids=["mouse", "finger"],
)
def test_a_press_in_the_list_acts_where_it_began_on_a_narrow_page(page: Page, hand: str):
    """The bar above it grows by the tools of the mark that it comes to."""
    campaign = marking(launch=False)
    suggest(
        campaign,
        {"start": 0, "end": 3, "text": "The"},
        {"start": 8, "end": 14, "text": "walked"},
    )
    open_screen(page, launch_campaign(campaign, by=campaign.owner))
    getattr(page.get_by_role("button", name="Confirm: “walked”"), hand)()
    expect(page.get_by_text("suggested by a model")).to_have_count(1, timeout=2_000)
    getattr(page.get_by_role("button", name="Remove: “The”"), hand)()
    expect(page.locator(".span-quote")).to_have_count(1, timeout=2_000)


def test_anchors_are_points_on_the_line_before_the_first_touch(page: Page):
    open_screen(page, marking(score=True, anchors=ESA))
    for width in (1366, 390, 342):
        page.set_viewport_size({"width": width, "height": 844})
        for name in ESA.values():
            expect(page.get_by_text(name)).to_be_visible()
        box = page.locator("[data-score]").bounding_box()
        ticks = [tick.bounding_box() for tick in page.locator(".score-tick").all()]
        places = [round(100 * (tick["x"] + 1 - box["x"]) / box["width"]) for tick in ticks]
        assert places == [0, 33, 66, 100]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert_accessible(page)
        shot(page, f"anchors-{width}")
    # A score between two of them has no name.
    said = page.locator("[data-score-said]")
    for value, text in (("65", "65 of 100"), ("66", f"66 of 100: {ESA['66']}")):
        score(page, value)
        expect(said).to_have_text(text)
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", text)


def test_bands_name_every_score(page: Page):
    open_screen(page, marking(score=True, anchors={"0": "poor", "25": "borderline"}, bands=True))
    assert not page.locator(".score-tick").count()
    score(page, "30")
    expect(page.locator("[data-score-said]")).to_have_text("30 of 100: borderline")


def test_marking_is_accessible_and_fits_a_phone_and_four_times_the_size(page: Page):
    options = {
        "categories": {"Accuracy/Omission": "Omission", "Style": "Style"},
        **{"missing": True, "source": True, "notes": True},
        **{"score": True, "anchors": {"0": "bad", "50": "good"}, "needs_mark_below": 85},
    }
    text = open_screen(page, marking(TEXT * 6, **options))
    drag_over(page, "walked", text)
    page.get_by_role("button", name="Major").click()
    page.get_by_label("Category: “walked”").select_option("Style")
    page.get_by_role("button", name="Something is missing").click()
    page.get_by_text("How to mark").click()
    page.locator("[data-next]").click()
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert_accessible(page)
    for width, height in ((390, 800), (342, 256)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert_accessible(page)
        shot(page, f"spans-{width}")
    page.get_by_label("Category: “something is missing”").select_option("Accuracy/Omission")
    slider = page.get_by_role("slider")
    slider.focus()
    slider.press("ArrowRight")
    finish(page)
    assert stored()["penalty"] == 10
    assert Judgement.objects.get(criterion__name="errors_score").value == 50


def test_hundreds_of_hostile_marks_run_nothing(page: Page):
    payloads = PAYLOADS[:600]
    outputs = ["\n".join(payloads[first : first + 100]) for first in range(0, 600, 100)]
    campaign = marking(*outputs, most=100, notes=True, unconfirmed="count", launch=False)
    for output in Output.objects.filter(item__campaign=campaign):
        place, marks = 0, []
        for number, payload in enumerate(output.text.split("\n"), start=1):
            mark = {"id": number, "start": place, "end": place + len(payload), "text": payload}
            words = {"severity": "minor", "category": "", "note": payload, "prefilled": payload}
            marks.append(mark | words | {"side": "output", "missing": False, "confirmed": False})
            place += len(payload) + 1
        output.marks = marks
        output.save(update_fields=["marks"])
    outside = []
    page.on("request", lambda request: outside.append(request.url))
    page.add_init_script("window.stolen = []; window.pwned = () => window.stolen.push(1)")
    open_screen(page, launch_campaign(campaign, by=campaign.owner))
    for _ in outputs:
        await_screen(page)
        expect(page.locator(".span-quote")).to_have_count(100)
        page.locator(".span-entry .span-choice").first.select_option("major")
        page.wait_for_timeout(100)
        assert page.evaluate(
            "[window.stolen.length, document.querySelectorAll('.pwn').length]"
        ) == [0, 0]
        next_screen(page)
    expect(page.locator("#completion-code")).to_be_visible()
    assert {url.split("/")[2] for url in outside if url.startswith("http")} == {
        page.url.split("/")[2]
    }
    found = [mark for row in Judgement.objects.all() for mark in json.loads(row.text)["marks"]]
    assert sorted(mark["text"] for mark in found) == sorted(payloads)
    words = [word for row in SubmissionWords.objects.all() for word in row.words]
    assert sorted(word["text"] for word in words if "mark" in word) == sorted(payloads)
