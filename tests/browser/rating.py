"""Rating the screen that the browser shows, with the mouse or with the keyboard alone."""

import json
import os
from functools import cache, partial
from itertools import count, cycle
from typing import Any

from django.urls import reverse
from playwright.sync_api import Page, expect

from rankme.actions.campaign.campaigns import launch_campaign
from rankme.actions.material.media import store_media
from rankme.actions.rows.stored_files import deleted_on_failure
from rankme.actions.sitting import participation
from rankme.demonstration.material import MATERIAL
from rankme.importing import read_material
from rankme.models import Campaign, Output
from rankme.pages.rater import rater_identity
from rankme.protocols.definition import Definition
from rankme.protocols.files import preset, stored_definition
from rankme.protocols.screens import ScreenSpec
from tests.browser.pressing import choose, press
from tests.browser.waiting import until
from tests.campaigns import make_campaign

SCREENSHOTS = os.environ.get("SCREENSHOTS")
YES = "yes"  # to a question that turns nobody away
numbers = count(1)  # nobody may write the same text twice
SYSTEMS = {
    **{"e2e-quality": 5, "e2e-naturalness": 5, "pairwise-preference": 2, "best-worst": 4},
    **{"contrastive-esa": 3, "chat-arena": 2},
}
DEAF_MS = 260  # a little longer than a new screen ignores presses
# A screen that is being sent is still there, and its button is disabled.
LISTENS = f"""() => {{
  const form = document.querySelector("form.screen[data-onset]");
  return form?.checkVisibility() && !form.querySelector("[data-next]").disabled &&
    performance.now() - form.dataset.onset > {DEAF_MS};
}}"""
# What the rater sees next, each once: a screen that listens, a message to leave, or the code.
SHOWN = f"""() => {{
  if (document.querySelector("#completion-code")) return "code";
  const shown = document.querySelector("form.screen[data-onset], .message-screen");
  if (!shown?.checkVisibility() || shown === window.alreadySeen) return null;
  const isScreen = shown.matches("form");
  const isReady = isScreen
    ? ({LISTENS})()
    : shown.querySelector("[data-go-on]:enabled")?.checkVisibility();
  if (!isReady) return null;
  window.alreadySeen = shown;
  return isScreen ? (shown.matches(".timed") ? "timed" : "screen") : "message";
}}"""
SCROLLS_SIDEWAYS = """() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth;
}"""
IS_AT_WORK = """() =>
  document.querySelector("#stage > :not(.needs-scripts)")
    ?.checkVisibility({ visibilityProperty: true })"""
# A page that came in answer to a form corrects its address once its script runs.
IS_AT_ITS_ADDRESS = """(before) =>
  document.querySelector("meta[name=address]")?.content === location.pathname &&
  !(before && document.querySelector(before))"""
SHOWN_SINCE = "() => document.querySelector('form.screen')?.dataset.onset"
HAS_LEFT = f"(onset) => ({SHOWN_SINCE})() !== onset"
ASKED = """() => {
  const form = document.querySelector("form.screen");
  return {
    sounds: form.querySelectorAll("audio").length,
    pictures: form.querySelectorAll(".picture").length,
    timed: form.matches(".timed"),
    instruments: [...form.querySelectorAll("[data-instrument]")].map((each) => ({
      kind: each.dataset.instrument,
      groups: each.querySelectorAll("fieldset").length,
      ticked: [...each.querySelectorAll("[type=checkbox]")].at(-1)?.checked ?? false,
    })),
  };
}"""
HAS_PLAYED = "(number) => document.querySelectorAll('form.screen audio')[number].ended"
# Only then are the buttons where they stay: they fly to the word.
HAS_CHOSEN = """() =>
  CSS.highlights?.has("chosen-words") || document.querySelector("mark.is-current") !== null"""
HAS = """([number, selector]) =>
  document.querySelectorAll("form.screen [data-instrument]")[number]
    .querySelector(selector) !== null"""


def press_tool(page: Page, name: str) -> None:
    """Press a button of the header, which a phone keeps in its menu."""
    tool = page.get_by_role("button", name=name)
    if not tool.is_visible():
        page.get_by_role("button", name="Menu").click()
    tool.click()


def shot(page: Page, name: str) -> None:
    """Keep a picture, for those who want to look at it."""
    if SCREENSHOTS:
        page.screenshot(path=f"{SCREENSHOTS}/{name}.png")


def small(name: str, **changes: Any) -> Definition:
    """A shipped campaign file for one rater over little material, whom no practice turns away."""
    definition = preset(name)
    crowd = definition.crowd.model_copy(update={"wait_least_seconds": False})
    changes = {"raters_per_trial": 1, "crowd": crowd, "practice_gate": False} | changes
    if definition.design.kind == "latin_square":
        design = definition.design.model_copy(update={"options": {}, "stratify_by": ""})
        changes = {"design": design} | changes
    return definition.model_copy(update=changes)


def campaign_of(name: str, *, items: int = 2, **changes: Any) -> Campaign:
    """A launched campaign of a preset with material that its screens can show."""
    definition = small(name, **changes)
    campaign = make_campaign(definition, items=items, systems=SYSTEMS.get(name, 1), launch=False)
    inputs = {"tables": tables, "images": images}.get(definition.input_kind)
    for number, item in enumerate(campaign.items.all()):
        if inputs:
            item.input = inputs(number)
        if definition.has_documents:
            item.factors = {"document": "one", "segment": str(number + 1)}
        item.save()
    if definition.shows_files():
        add_files(campaign, name)
    return launch_campaign(campaign, by=campaign.owner)


def campaign_with(
    definition: Definition, *, systems: int = 1, item_input: str = "", text: str = ""
) -> Campaign:
    """A launched campaign of one item with this input, for which all systems wrote this text."""
    campaign = make_campaign(definition, items=1, systems=systems, launch=False)
    if item_input:
        campaign.items.update(input=item_input)
    if text:
        Output.objects.filter(item__campaign=campaign).update(text=text)
    return launch_campaign(campaign, by=campaign.owner)


def timed_screens(**changes: Any) -> list[ScreenSpec]:
    """TUNA's two screens with other settings of their timing."""
    return [
        screen.model_copy(update={"timed": screen.timed.model_copy(update=changes)})
        for screen in preset("tuna08-identification").screens
        if screen.timed
    ]


def add_files(campaign: Campaign, name: str) -> None:
    """Files of the preset's own material for all items or outputs, in turn."""
    with read_material(MATERIAL[name].paths) as read, deleted_on_failure() as stored:
        ids = cycle(store_media(campaign, read.media(), stored).values())
    shows_outputs = stored_definition(campaign.definition).shows_files("outputs")
    owners = Output.objects.filter(item__campaign=campaign) if shows_outputs else campaign.items
    for owner in owners.order_by("pk"):
        owner.media_id, owner.alt = next(ids), "" if shows_outputs else "A scene that we drew"
        if shows_outputs:
            owner.text = ""
        owner.save()


def tables(number: int) -> str:
    box = {
        "title": "Box score",
        "columns": ["Player", "Team", "MIN", "PTS", "REB", "AST", "STL", "BLK", "TO"],
        "rows": [[f"Player {n}", "Herons", "31", str(20 + n), *"73102"] for n in range(6)],
    }
    line = {
        "title": "Line score",
        "columns": ["Team", "Q1", "Q2", "PTS"],
        "rows": [["Herons", "20", "31", "101"]],
    }
    return json.dumps({"tables": [line, box]})


def images(number: int) -> str:
    """The pictures of one of our own domains: furniture where the number is even, else people."""
    return images_by_number()[f"{number:03d}"]


@cache
def images_by_number() -> dict[str, str]:
    """Read once for all tests: the file with the drawings is large."""
    with read_material(MATERIAL["tuna08-identification"].paths) as read:
        return {item.key.rpartition("-")[2]: item.input for item in read.items()}


def come_in(page: Page, campaign: Campaign, **link: str) -> None:
    query = "&".join(f"{name}={value}" for name, value in link.items())
    page.goto(f"/r/{campaign.code}/?{query}")
    agree(page)
    if "/questions/" in page.url:
        for question in campaign.definition["entry_questions"]:
            accepted = question.get("accept") or [YES]
            press(page, f"[name=entry-{question['name']}][value={accepted[0]}]")
        press(page, "form[action$='/questions/'] .primary")
        await_address(page, instead_of="[name^=entry-]")


def agree(page: Page) -> None:
    """Give consent, and see the answer take the place of the consent page."""
    press(page, "[name=decision][value=agree]")
    await_address(page, instead_of="[name=decision]")


def go_to_work(page: Page, campaign: Campaign, *, name: str = "w1") -> None:
    """To the first screen by the personal link, for tests that ask nothing about the way there."""
    definition = stored_definition(campaign.definition)
    rater = participation.enter(campaign, panel=definition.crowd.panel, external_id=name)
    participation.give_consent(rater, browser=rater_identity.new_browser())
    if definition.entry_questions:
        answers = {each.name: (each.accept or [YES])[0] for each in definition.entry_questions}
        participation.answer_entry_questions(rater, answers)
    participation.mark_instructed(rater)
    rater.refresh_from_db()
    page.goto(reverse("rankme:resume", args=[campaign.code, rater_identity.resume_token(rater)]))
    await_stage(page)


def open_work(page: Page, campaign: Campaign, *, name: str = "w1") -> None:
    """To the first screen, once it listens."""
    go_to_work(page, campaign, name=name)
    await_screen(page)


def await_address(page: Page, *, instead_of: str = "") -> None:
    """A page that knows its own address, and no longer shows what an earlier one did."""
    until(page, IS_AT_ITS_ADDRESS, instead_of)


def begin(page: Page) -> None:
    press(page, "form[action$='/instructions/'] .primary")
    await_stage(page)


def await_stage(page: Page) -> None:
    until(page, IS_AT_WORK)


def await_screen(page: Page) -> None:
    """A screen that listens: its onset is known, and a double click's second half is over."""
    until(page, LISTENS)


def next_screen(page: Page) -> None:
    """Press Next, and see the screen go."""
    onset = until(page, SHOWN_SINCE)
    press(page, "[data-next]")
    await_leaving(page, onset)


def rate_screen(page: Page) -> None:
    """Answer a screen with the mouse once it listens, and see it go."""
    await_screen(page)
    answer_with_mouse(page)
    next_screen(page)


def finish(page: Page) -> None:
    """Press Next on the last screen, and see the code."""
    next_screen(page)
    expect(page.locator("#completion-code")).to_be_visible()


def go_back(page: Page) -> None:
    """To the screen before, and see this one go."""
    onset = until(page, SHOWN_SINCE)
    press(page, "#undo:enabled")
    await_leaving(page, onset)


def await_leaving(page: Page, onset: str) -> None:
    """Known by its onset, not by a handle: after the last screen the whole page may be another."""
    until(page, HAS_LEFT, onset)


def go_on(page: Page) -> None:
    """Leave a message, and see it go."""
    until(page, "() => (window.left = document.querySelector('.message-screen')) !== null")
    press(page, "[data-go-on]")
    until(page, "() => !window.left?.isConnected")


def rate_to_the_end(
    page: Page, name: str = "", *, answer: Any = None, most: int = 60, end: int = 60
) -> int:
    """Answer screens and pass messages until the code appears; return the number of screens.

    `end` is the number of screens after which to stop earlier.
    """
    screens = 0
    for _ in range(most):
        shown = until(page, SHOWN)
        if shown == "code":
            return screens
        if shown == "message":
            assert page.evaluate(SCROLLS_SIDEWAYS) is False
            press(page, "[data-go-on]", may_be_gone=True)
            continue
        screens += 1
        (answer or answer_with_mouse)(page)
        if name:
            shot(page, f"{name}-{screens}")
        if shown == "screen":
            press(page, "[data-next]")
        if screens == end:
            return screens
    raise AssertionError("the sitting has no end")


def play_with_mouse(page: Page) -> None:
    """Press the button of every sound, and wait for its end."""
    for number, player in enumerate(page.locator("form.screen audio").all()):
        player.scroll_into_view_if_needed()
        box = player.bounding_box()
        page.mouse.click(box["x"] + 27, box["y"] + box["height"] / 2)
        until(page, HAS_PLAYED, number)


def answer_with_mouse(page: Page) -> None:
    asked = page.evaluate(ASKED)
    if asked["sounds"]:
        play_with_mouse(page)
    if asked["pictures"]:
        press(page, "form.screen .picture")
    elif asked["timed"]:
        press(page, "form.screen [data-next]")
    else:
        for number, instrument in enumerate(asked["instruments"]):
            answer_instrument(page, number, **instrument)


def answer_instrument(page: Page, number: int, *, kind: str, groups: int, ticked: bool) -> None:
    """With the mouse; `number` is the instrument's on its screen."""
    mine = partial(press, page, instrument=number)
    if kind in ("rankme", "slider"):
        mine("[role=slider]", share=0.2 + 0.15 * (number % 5))
    elif kind in ("likert", "choice"):
        mine("[type=radio]", 1)
    elif kind == "checklist":
        if not ticked:
            mine("[type=checkbox]", -1)
    elif kind == "count":
        mine("[data-more]")
    elif kind == "text":
        box = page.locator("form.screen [data-instrument]").nth(number).get_by_role("textbox")
        # As long as the most facts ask for.
        place = "A fine family place by the river with good soup, fresh bread and cheap wine"
        box.fill(f"{place}, a short walk from the middle of the old city, number {next(numbers)}.")
    elif kind == "preference":
        if number == 0:
            press(page, "[data-instrument=preference] [type=radio]")
    elif kind == "best_worst":
        if number < 2:
            mine("[type=radio]", number)
    elif kind == "spans":
        mark_a_word(page, number)
    elif kind == "mr_coverage":
        for group in range(groups):
            mine(f"fieldset:nth-of-type({group + 1}) [type=radio]")
        mine("[data-less]")
    else:
        raise AssertionError(f"nobody has said how to answer {kind}")


def mark_a_word(page: Page, number: int) -> None:
    """Put the cursor into the text and mark the word there; then the score, or a note."""
    press(page, ".output .markable", number)
    until(page, HAS_CHOSEN)
    press(page, ".span-tool", instrument=number)
    choose(page, ".spans-chosen .span-choice", 0, instrument=number)
    if page.evaluate(HAS, [number, "[data-score]"]):
        press(page, "[data-score]", instrument=number, share=0.2 + 0.15 * (number % 5))
    if page.evaluate(HAS, [number, ".span-note:not([hidden])"]):
        press(page, ".span-note", instrument=number)
        page.keyboard.type("Not in the list.")


FACTS = (
    "name[The Harbour Lights], eatType[restaurant], food[Fish and chips], priceRange[cheap], "
    "customer rating[3 out of 5], area[riverside], familyFriendly[yes], near[Old Mill Bakery]"
)


SENTENCES = (
    "The Harbour Lights is a cheap, child-friendly restaurant by the river, near Old Mill Bakery. "
    "It serves fish and chips and has a customer rating of 3 out of 5, so families like it."
)
