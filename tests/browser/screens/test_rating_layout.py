"""Where things are on a rating screen: each scale at its question, nothing hidden or cut off."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.models import Campaign, Judgement
from rankme.protocols.definition import Definition
from rankme.protocols.files import preset
from tests.browser.access import LAPTOP, PHONE, assert_accessible, read_out
from tests.browser.rating import (
    FACTS,
    SENTENCES,
    agree,
    await_screen,
    begin,
    campaign_of,
    campaign_with,
    finish,
    go_to_work,
    next_screen,
    open_work,
    rate_screen,
    shot,
    small,
)
from tests.campaigns import make_campaign, rankme_definition, slider_definition

WIDTHS = {"laptop": LAPTOP, "phone": PHONE}
# A phone, and a laptop at 100 %, 200 % and 400 %.
WINDOWS = {
    "laptop": {"width": 1366, "height": 500},
    "phone": PHONE,
    "200 %": {"width": 683, "height": 384},
    "400 %": {"width": 342, "height": 256},
}
AXE_ON_THE_TREE = ("radiogroup", "slider", "textbox", "spinbutton")

ENDS = {"low": "very poor", "high": "very good"}
KINDS: dict[str, dict[str, Any]] = {
    "likert": ENDS | {"options": {"points": 7}},
    "slider": ENDS | {"options": {"confirm": True, "faces": True}},
    "rankme": ENDS,
    "count": {},
    "choice": {"options": {"choices": {"a": "The first answer", "b": "The second answer"}}},
    "text": {},
    "checklist": {"options": {"choices": {"a": "It adds facts", "b": "It leaves facts out"}}},
    "mr_coverage": {},
}
SCREENS: dict[str, list[str]] = {
    "one": ["likert"],
    "two": ["likert"] * 2,
    "three": ["likert"] * 3,
    "six": ["likert"] * 6,
    "score": ["rankme", "checklist"],
    "every": list(KINDS),
}


def question_of(screen: str, number: int, kind: str) -> str:
    return f"Question {number} of screen {screen}: how well does the {kind} answer suit this text?"


def many_questions(outputs: int) -> Definition:
    """One screen after the other with ever more questions about every output."""
    criteria, screens = [], []
    for screen, kinds in SCREENS.items():
        names = [f"{screen}-{number}" for number in range(len(kinds))]
        criteria += [
            {"name": name, "question": question_of(screen, number, kind), "instrument": kind}
            | {"required": False}
            | KINDS[kind]
            for number, (name, kind) in enumerate(zip(names, kinds, strict=True))
        ]
        screens.append({"name": screen, "show": ["input", "outputs"], "ask": names})
    options = {"outputs_per_screen": outputs, "trials_per_batch": 1}
    return slider_definition(
        criteria=criteria,
        screens=screens,
        input_kind="mr",
        design={"kind": "random_blocks", "options": options},
    )


def screens_of(page: Page, campaign: Campaign, name: str) -> Iterator[str]:
    """Each screen's name, with the screen shown and ready."""
    go_to_work(page, campaign)
    for screen in SCREENS:
        await_screen(page)
        shot(page, f"layout-{name}-{screen}")
        yield screen
        next_screen(page)


# Questions at their scales -------------------------------------------------------------------

QUESTIONS_IN_VIEW = """() => [...document.querySelectorAll("[data-instrument]")].flatMap(scale => {
  const control = scale.querySelector("[role=slider], input, textarea");
  control.scrollIntoView({ block: "center" });
  const at = scale.getBoundingClientRect();
  const name = scale.closest("[data-question]").dataset.question;
  const texts = document.querySelectorAll(
    `[data-question="${name}"] [data-question-text], [data-question-text="${name}"]`);
  const near = [...texts].some((text) => {
    const box = text.getBoundingClientRect();
    const isShown = text.checkVisibility() && box.height > 10 && box.top >= 0;
    const hit = document.elementFromPoint(box.left + 5, box.top + box.height / 2);
    return isShown && hit && (text.contains(hit) || hit.contains(text)) &&
      box.bottom <= control.getBoundingClientRect().top + 5 &&
      box.left < at.right && at.left < box.right;
  });
  return near ? [] : [`${name} ${Math.round(at.top)}`];
})"""


def named_controls(page: Page) -> list[tuple[str, str]]:
    """The controls of the screen as the browser tells them to a screen reader: (role, name)."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    found = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    ]
    return [(role, name) for role, name in found if role in AXE_ON_THE_TREE]


def assert_nothing_is_cut_off(page: Page, width: int) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    outside = page.evaluate(
        """() => [...document.querySelectorAll("li.output :is(label, input, .slider, .button)")]
          .filter((part) => part.checkVisibility())
          .filter((part) => {
            const box = part.getBoundingClientRect();
            const card = part.closest("li").getBoundingClientRect();
            return box.left < card.left - 1 || box.right > card.right + 1 || box.width < 16;
          }).map((part) => part.outerHTML)"""
    )
    assert outside == []


@pytest.mark.parametrize(("outputs", "text"), [(1, SENTENCES), (3, SENTENCES * 9), (6, "Short.")])
def test_every_scale_has_its_question_in_view_and_in_its_name(page: Page, outputs, text):
    """On a laptop and on a phone; axe looks at the two in turn, and at both in every preset."""
    campaign = campaign_with(many_questions(outputs), systems=outputs, item_input=FACTS, text=text)
    sizes = list(WIDTHS.values())
    for screen in screens_of(page, campaign, f"{outputs}"):
        for size in sizes:
            page.set_viewport_size(size)
            assert page.evaluate(QUESTIONS_IN_VIEW) == [], screen
            assert_nothing_is_cut_off(page, size["width"])
            assert_controls_are_named(page, screen, outputs)
        assert_accessible(page)
        sizes.reverse()


def assert_controls_are_named(page: Page, screen: str, outputs: int) -> None:
    """Each by its question and the text that it is about."""
    controls = named_controls(page)
    assert len(set(controls)) == len(controls) >= outputs, "two controls have one name"
    for place in range(outputs):
        for number, kind in enumerate(SCREENS[screen]):
            question = question_of(screen, number, kind)
            names = [name for _, name in controls if question in name]
            if kind != "checklist":
                assert any(f"Text {place + 1}" in name for name in names), question
    assert all("Question" in name and "Text" in name for _, name in controls), controls


def test_the_text_and_its_scale_are_in_view_together_however_long_the_text_is(page: Page):
    definition = many_questions(2)
    campaign = campaign_with(definition, systems=2, item_input=FACTS, text=SENTENCES * 24)
    next(screens_of(page, campaign, "long"))
    row = page.locator("li.output").first
    assert row.bounding_box()["height"] > 700
    row.evaluate("row => scrollTo(0, row.getBoundingClientRect().top + scrollY - 150)")
    likert = row.locator(".likert-row")
    expect(likert).to_be_in_viewport(ratio=1)
    page.mouse.wheel(0, 350)
    page.wait_for_timeout(200)
    expect(likert).to_be_in_viewport(ratio=1)


def test_the_points_of_a_scale_with_labels_are_equally_wide(page: Page):
    labels = ["no", "rather not", "neither the one nor the other", "rather", "yes"]
    criterion = {"name": "q", "question": "Is it good?", "instrument": "likert"}
    definition = slider_definition(
        criteria=[criterion | {"options": {"points": 5, "labels": labels}}],
        screens=[{"name": "rate", "show": ["outputs"], "ask": ["q"]}],
    )
    open_work(page, make_campaign(definition, items=1, systems=1))
    widths = [round(point.bounding_box()["width"]) for point in page.locator(".point").all()]
    assert max(widths) - min(widths) <= 1
    page.set_viewport_size(WIDTHS["phone"])
    words = page.locator(".point bdi").all()
    assert all(one.evaluate("one => one.getClientRects().length") == 1 for one in words)


def test_a_phone_has_one_line_of_header_with_a_menu_that_gives_the_focus_back(page: Page):
    campaign = make_campaign(slider_definition(), items=1, systems=2)
    page.set_viewport_size(WIDTHS["phone"])
    open_work(page, campaign)
    assert page.locator(".work-header").bounding_box()["height"] < 50
    menu, pause = (page.get_by_role("button", name=name) for name in ("Menu", "Pause"))
    expect(pause).to_be_hidden()
    menu.press("Enter")
    assert_accessible(page)
    pause.press("Enter")
    dialog = page.get_by_role("dialog", name="Paused")
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Continue").press("Enter")
    expect(pause).to_be_hidden()
    expect(menu).to_be_focused()


# What has the focus is in view -------------------------------------------------------------------

HIDDEN_PART = """async () => {
  // The page scrolls to what gets the focus in the next frame.
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  const at = document.activeElement;
  if (at === document.body || at.closest(".site-header, .work-header, .skip-link")) return null;
  const box = at.getBoundingClientRect();
  const points = [[0.5, 0.5], [0.1, 0.2], [0.9, 0.8]].map(([x, y]) =>
    [box.left + box.width * x, box.top + box.height * y]);
  const seen = points.filter(([x, y]) => {
    const hit = document.elementFromPoint(x, y);
    return hit && (at.contains(hit) || hit.contains(at) || hit.closest("label")?.contains(at));
  });
  return seen.length === points.length ? null : `${at.outerHTML.slice(0, 120)} at ${box.top}`;
}"""


def test_five_outputs_with_their_facts_are_in_view_in_any_window_and_any_colours(page: Page):
    """With facts and utterances as long as those of the E2E challenge's longest tenth."""
    definition = small("e2e-quality", practice=[])
    open_work(page, campaign_with(definition, systems=5, item_input=FACTS, text=SENTENCES))
    all_outputs_are_in_view_with_their_sliders(page)
    what_has_the_focus_and_its_facts_are_in_view(page)
    forced_colours_leave_the_line_its_mark_and_its_error_visible(page)


def all_outputs_are_in_view_with_their_sliders(page: Page) -> None:
    for row in page.locator("li.output").all():
        text = row.locator(".output-text").bounding_box()
        slider = row.get_by_role("slider").bounding_box()
        assert slider["y"] < text["y"] + text["height"]
        assert text["y"] < slider["y"] + slider["height"]
    shot(page, "five-outputs")
    button = page.locator("[data-next]").bounding_box()
    assert button["y"] + button["height"] <= 768
    expect(page.get_by_text("score 100", exact=True)).to_be_visible()


def what_has_the_focus_and_its_facts_are_in_view(page: Page) -> None:
    for window, size in WINDOWS.items():
        page.set_viewport_size(size)
        assert parts_hidden_on_the_way(page, 32) == []
        page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
        page.get_by_role("checkbox").last.focus()
        expect(page.locator(".block-input .meaning > div").first).to_be_in_viewport()
        shot(page, f"facts-{window}")
    for row in page.locator("li.output").all()[:2]:
        row.get_by_role("textbox").fill("80")
        row.get_by_role("checkbox").last.check()
    for size in WINDOWS.values():
        page.set_viewport_size(size)
        page.locator("[data-next]").click()
        expect(page.get_by_role("slider").nth(2)).to_be_focused()
        assert page.evaluate(HIDDEN_PART) is None


def parts_hidden_on_the_way(page: Page, stops: int) -> list[str]:
    """Where the focus could not be seen, so many stops forwards and as many back."""
    hidden = []
    for key in ["Tab"] * stops + ["Shift+Tab"] * stops:
        page.keyboard.press(key)
        hidden.append(page.evaluate(HIDDEN_PART))
    return [one for one in hidden if one]


@pytest.fixture
def coverage_screen(page: Page) -> Page:
    open_work(page, campaign_with(small("e2e-coverage", practice=[]), item_input=FACTS))
    return page


def test_the_text_stays_in_view_while_its_facts_are_checked(coverage_screen: Page):
    """And the answers to a fact share a row on a phone."""
    page = coverage_screen
    facts = page.locator(".coverage-rows fieldset")
    for window in ("phone", "200 %"):
        page.set_viewport_size(WINDOWS[window])
        page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")
        assert parts_hidden_on_the_way(page, 12) == []
        facts.last.get_by_role("radio").first.focus()
        expect(page.locator(".output-text")).to_be_in_viewport()
    page.set_viewport_size(WINDOWS["phone"])
    answers = facts.first.locator(".tick").all()
    assert [answer.inner_text() for answer in answers] == ["mentioned", "missing", "wrong"]
    assert len({answer.bounding_box()["y"] for answer in answers}) == 1


# Colours and lines ---------------------------------------------------------------------------


def forced_colours_leave_the_line_its_mark_and_its_error_visible(page: Page) -> None:
    page.set_viewport_size(LAPTOP)
    page.emulate_media(forced_colors="active")
    row = page.locator("li.output").last
    expect(row.get_by_text("Please give this a score.")).to_be_visible()
    looks = row.evaluate(
        """(row) => {
          const canvas = getComputedStyle(document.body).backgroundColor;
          const paint = (part) => {
            const { backgroundColor, borderTopColor, borderTopStyle, borderTopWidth } =
              getComputedStyle(row.querySelector(part));
            const line = borderTopWidth !== "0px" && borderTopStyle !== "none" && borderTopColor;
            return { seen: line || backgroundColor, style: borderTopStyle };
          };
          const paper = getComputedStyle(row).backgroundColor;
          return { paper, track: paint(".slider-track"), mark: paint(".slider-standard") };
        }"""
    )
    assert looks["track"]["seen"] != looks["paper"]
    assert looks["mark"]["seen"] not in (looks["paper"], "rgba(0, 0, 0, 0)")
    assert looks["track"]["style"] == "dashed", "red is no colour here: the line is broken instead"
    shot(page, "forced-colours")
    row.get_by_role("slider").press("ArrowRight")
    style = "track => getComputedStyle(track).borderTopStyle"
    assert row.locator(".slider-track").evaluate(style) != "dashed"


def test_pictures_keep_their_proportions(page: Page):
    svg = (
        "<svg xmlns='http://www.w3.org/2000/svg' width='800' height='600'><rect width='800' "
        "height='600'/></svg>"
    )
    definition = slider_definition(
        input_kind="images",
        screens=[{"name": "r", "show": ["images", "outputs"], "ask": ["q"]}],
        criteria=[{"name": "q", "question": "Good?", "instrument": "slider"}],
    )
    for columns in (1, 3):
        pictures = [{"name": f"p{n}", "svg": svg, "x": n + 1, "y": 1} for n in range(columns)]
        images = json.dumps({"images": pictures})
        open_work(page, campaign_with(definition, item_input=images))
        shot(page, f"pictures-{columns}")
        box = page.locator(".block-images img").first.bounding_box()
        assert box["width"] / box["height"] == pytest.approx(4 / 3, abs=0.02)
        assert page.locator(".block-images button").count() == 0  # nothing happens on a click


def test_a_legend_is_inside_its_card(page: Page):
    page.set_viewport_size(WIDTHS["phone"])
    campaign = campaign_of("e2e-quality", items=1)
    page.goto(f"/r/{campaign.code}/?id=w1")
    agree(page)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_be_visible()
    shot(page, "questions")
    for card in page.locator("fieldset.card").all():
        legend, frame = card.locator("legend").bounding_box(), card.bounding_box()
        assert legend["y"] > frame["y"] + 2
        answer = card.get_by_role("radio").first.bounding_box()
        assert legend["y"] + legend["height"] <= answer["y"] + 1
        assert card.evaluate("card => getComputedStyle(card).outlineStyle") == "none"


def test_labels_stay_at_their_ends_in_a_page_from_right_to_left(page: Page):
    criterion = {"name": "q", "question": "?", "instrument": "slider"} | ENDS
    other = {"name": "l", "question": "?", "instrument": "likert"} | ENDS
    definition = slider_definition(
        language="ar",
        criteria=[criterion | {"about": "item"}, other | {"about": "item"}],
        screens=[{"name": "r", "show": ["outputs"], "ask": ["q", "l"]}],
    )
    campaign = make_campaign(definition, items=1, systems=1)
    page.goto(f"/r/{campaign.code}/?id=w1")
    agree(page)
    begin(page)
    await_screen(page)
    shot(page, "right-to-left")
    line = page.get_by_role("slider").bounding_box()
    low, high = (
        page.locator(".ends")
        .get_by_text(end)
        .evaluate(
            """part => {
              const range = document.createRange();
              range.selectNodeContents(part);
              const { left, right } = range.getBoundingClientRect();
              return [left, right];
            }"""
        )
        for end in ("very poor", "very good")
    )
    assert abs(low[1] - (line["x"] + line["width"])) < 3
    assert abs(high[0] - line["x"]) < 3
    page.set_viewport_size(WIDTHS["phone"])
    box = page.locator(".likert").bounding_box()
    low = page.locator(".likert-row .end").first.locator("bdi").bounding_box()
    assert abs(low["x"] + low["width"] - (box["x"] + box["width"])) < 3


# What instruments say and keep -------------------------------------------------------------------


def test_only_the_fact_without_an_answer_is_marked(coverage_screen: Page):
    page = coverage_screen
    facts = page.locator(".coverage-rows fieldset")
    for index in (0, 1, 3, 4, 5, 6):
        facts.nth(index).get_by_role("radio").first.check()
    page.get_by_role("button", name="One more").click()
    page.locator("[data-next]").click()
    expect(page.get_by_text("Please answer for every fact.")).to_be_visible()
    shot(page, "coverage-missing")
    marked = page.locator("fieldset.is-missing legend").all_inner_texts()
    assert marked == ["food: Fish and chips", "near: Old Mill Bakery"]
    assert page.locator("[aria-invalid=true]").count() == 6
    expect(facts.nth(2).get_by_role("radio").first).to_be_focused()
    assert page.locator("[data-number]").get_attribute("aria-invalid") is None
    facts.nth(2).get_by_role("radio").first.check()
    assert page.locator("fieldset.is-missing legend").all_inner_texts() == ["near: Old Mill Bakery"]
    page.get_by_role("button", name="One less").click()
    page.locator("[data-number]").fill("")
    facts.nth(7).get_by_role("radio").first.check()
    page.locator("[data-next]").click()
    assert page.locator("fieldset.is-missing").count() == 0
    assert page.locator("[data-number]").get_attribute("aria-invalid") == "true"


def test_the_middle_is_ticked_only_while_the_handle_is_there(page: Page):
    criteria = [
        criterion.model_copy(update={"options": {"confirm": True}})
        for criterion in preset("sr11-deep").criteria
    ]
    open_work(page, campaign_of("sr11-deep", items=1, practice=[], criteria=criteria))
    slider, box = page.get_by_role("slider").first, page.get_by_role("checkbox").first
    box.check()
    expect(slider).to_have_attribute("aria-valuenow", "50")
    slider.press("End")
    expect(box).not_to_be_checked()
    box.check()
    expect(slider).to_have_attribute("aria-valuenow", "50")
    page.wait_for_timeout(400)
    page.reload()
    await_screen(page)
    expect(slider).to_have_attribute("aria-valuenow", "50")
    expect(box).to_be_checked()
    box.uncheck()
    expect(slider).to_have_attribute("aria-valuetext", "not yet set")
    page.locator("[data-next]").click()
    expect(page.get_by_text("Please move this slider")).to_have_count(2)


def test_a_handle_is_an_answer_once_it_is_moved_or_its_box_is_ticked(page: Page):
    """Belz et al. (2011), Figures 1 and 2."""
    open_work(page, campaign_of("sr11-deep", items=1, practice=[]))
    shot(page, "sr11-clarity-laptop")
    the_faces_stay_beside_the_line_on_the_narrowest_phone(page)
    the_ends_of_a_scale_are_read_out(page)
    clarity, readability = page.get_by_role("slider").all()
    confirmed = page.get_by_role("checkbox")
    expect(clarity.locator("[data-handle]")).to_be_visible()
    page.locator("[data-next]").click()
    expect(page.get_by_text("Please move this slider")).to_have_count(2)
    (_, first), _ = read_out(page, "slider")
    assert "couldn't be more unclear" in first and "Please move this slider" in first
    clarity.press("End")
    expect(confirmed.first).to_be_checked()
    confirmed.last.check()
    page.wait_for_timeout(400)
    page.reload()
    await_screen(page)
    expect(clarity).to_have_attribute("aria-valuenow", "100")
    expect(readability).to_have_attribute("aria-valuenow", "50")
    expect(confirmed.last).to_be_checked()
    confirmed.last.uncheck()
    expect(readability).to_have_attribute("aria-valuetext", "not yet set")
    expect(readability).to_have_attribute("aria-valuenow", "50")
    confirmed.last.check()
    next_screen(page)
    await_screen(page)
    extracts = [block.bounding_box() for block in page.locator(".block-context").all()]
    shot(page, "sr11-meaning-laptop")
    assert extracts[0]["y"] + extracts[0]["height"] <= extracts[1]["y"]
    assert extracts[0]["x"] == extracts[1]["x"]
    page.set_viewport_size(WIDTHS["phone"])
    shot(page, "sr11-meaning-phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("checkbox").check()
    finish(page)
    stored = dict(Judgement.objects.values_list("criterion__name", "value"))
    assert stored == {"clarity": 100, "readability": 50, "meaning_similarity": 50}


def the_faces_stay_beside_the_line_on_the_narrowest_phone(page: Page) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    row = page.locator(".slider-row").first
    line = row.get_by_role("slider").bounding_box()
    for face in row.locator(".face").all():
        box = face.bounding_box()
        assert box["y"] < line["y"] + line["height"] and line["y"] < box["y"] + box["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size(WIDTHS["laptop"])


def the_ends_of_a_scale_are_read_out(page: Page) -> None:
    (_, first), _ = read_out(page, "slider")
    assert "couldn't be more unclear" in first and "couldn't be clearer" in first
    boxes = [name for name, _ in read_out(page, "checkbox")]
    assert len(set(boxes)) == 2
    assert all(name.startswith("move slider or tick here to confirm") for name in boxes)


def test_a_score_is_kept_beyond_the_line_and_refused_at_zero(page: Page):
    open_work(page, campaign_of("e2e-naturalness", items=1, practice=[]))
    slider = page.get_by_role("slider").first
    score = page.get_by_role("textbox", name="Score as a number").first
    score.fill("350")
    shot(page, "rankme-beyond-laptop")
    page.set_viewport_size(WIDTHS["phone"])
    shot(page, "rankme-beyond-phone")
    page.set_viewport_size(WIDTHS["laptop"])
    for key, expected in (("ArrowRight", "351"), ("ArrowLeft", "350"), ("End", "350")):
        slider.press(key)
        expect(score).to_have_value(expected)
    assert float(slider.get_attribute("aria-valuemax")) >= 350
    box = slider.bounding_box()
    end, middle = box["x"] + box["width"], box["y"] + box["height"] / 2
    page.mouse.click(end - 3, middle)
    expect(score).to_have_value("350")
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(end + box["width"] / 4, middle, steps=4)
    page.mouse.up()
    assert 230 <= float(score.input_value()) <= 250
    slider.press("Home")
    expect(score).to_have_value("1")
    page.mouse.click(box["x"] + 1, middle)
    expect(score).to_have_value("1")
    for each in page.get_by_role("textbox", name="Score as a number").all():
        each.fill("80")
    score.fill("0")
    page.locator("[data-next]").click()
    expect(page.get_by_text("Please write a number above 0")).to_be_visible()
    expect(page.get_by_text("Some answers need to be corrected")).to_be_visible()
    expect(page.get_by_text("Some answers are missing")).to_have_count(0)
    assert not Judgement.objects.exists()


def test_digits_of_other_scripts_are_numbers(page: Page):
    count = {"name": "facts", "question": "How many?", "instrument": "count"}
    score = {"name": "score", "question": "How good?", "instrument": "rankme"}
    definition = rankme_definition(
        criteria=[count, score],
        screens=[{"name": "r", "show": ["outputs"], "ask": ["facts", "score"]}],
        design={"kind": "latin_square"},
    )
    open_work(page, make_campaign(definition, items=1, systems=1))
    page.get_by_role("textbox", name="How many").fill("٣٤")
    page.get_by_role("textbox", name="Score as a number").fill("۱۲٫۵")
    finish(page)
    stored = dict(Judgement.objects.values_list("criterion__name", "value"))
    assert stored == {"facts": 34, "score": 12.5}


# What is read out ------------------------------------------------------------------------------


def test_the_points_of_a_scale_say_where_they_are(page: Page):
    open_work(page, campaign_of("rotowire-ordering", items=1, practice=[]))
    names = [name for name, _ in read_out(page, "radio")]
    assert names[0] == "1 of 7: not natural at all"
    assert names[1] == "2 of 7"
    assert names[6] == "7 of 7: very natural"


@pytest.mark.parametrize(
    ("preset", "visible"), [("pairwise-preference", "This one is better"), ("best-worst", "best")]
)
def test_a_comparison_is_named_by_its_label_and_its_text(page: Page, preset, visible):
    open_work(page, campaign_of(preset, items=1, practice=[]))
    names = [name for name, _ in read_out(page, "radio")]
    assert len(set(names)) == len(names)
    assert sum(name.startswith(visible) and "Text" in name for name in names) >= 2
    twice = page.evaluate(
        """() => {
          const ids = [...document.querySelectorAll("[id]")].map((part) => part.id);
          return ids.filter((id, index) => ids.indexOf(id) < index);
        }"""
    )
    assert twice == []
    rate_screen(page)
    expect(page.locator("#completion-code")).to_be_visible()


def test_a_title_without_blanks_widens_no_page(page: Page) -> None:
    definition = slider_definition(title="Sentence_quality_" * 11)
    page.goto(reverse("rankme:enter", args=[make_campaign(definition).code]))
    for width in (1366, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        shot(page, f"long-title-{width}")
