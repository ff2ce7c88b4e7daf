"""Rating the screen that the browser shows, with the mouse or with the keyboard alone."""

from __future__ import annotations

import json
import os
from itertools import count, cycle
from typing import Any

from playwright.sync_api import Locator, Page, expect

from rankme.actions.campaigns import launch_campaign
from rankme.actions.media import store_media
from rankme.actions.stored_files import deleted_on_failure
from rankme.demonstration.material import MATERIAL
from rankme.importing import read_material
from rankme.models import Campaign, Output
from rankme.protocols.definition import Definition
from rankme.protocols.files import preset, stored_definition
from rankme.protocols.screens import ScreenSpec
from tests.campaigns import make_campaign

SCREENSHOTS = os.environ.get("SCREENSHOTS")
numbers = count(1)  # nobody may write the same text twice
SYSTEMS = {
    **{"e2e-quality": 5, "e2e-naturalness": 5, "pairwise-preference": 2, "best-worst": 4},
    **{"contrastive-esa": 3, "chat-arena": 2},
}


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
    with read_material(MATERIAL["tuna08-identification"].paths) as read:
        return next(item.input for item in read.items() if item.key.endswith(f"-{number:03d}"))


def come_in(page: Page, campaign: Campaign, **link: str) -> None:
    query = "&".join(f"{name}={value}" for name, value in link.items())
    page.goto(f"/r/{campaign.code}/?{query}")
    page.get_by_role("button", name="I agree").click()
    await_address(page)
    if "/questions/" in page.url:
        for question in campaign.definition["entry_questions"]:
            page.check(f"[name=entry-{question['name']}][value={question['accept'][0]}]")
        page.get_by_role("button", name="Continue").click()
        await_address(page)


def await_address(page: Page) -> None:
    """A page that came in answer to a form corrects its address once its script runs."""
    page.wait_for_function(
        "() => document.querySelector('meta[name=address]')?.content === location.pathname"
    )


def begin(page: Page) -> None:
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("#stage > :not(.needs-scripts)").first).to_be_visible()


def await_screen(page: Page) -> None:
    """A screen that listens: its onset is known, and a double click's second half is over."""
    expect(page.locator("form.screen[data-onset]")).to_be_visible()
    page.wait_for_timeout(300)


def next_screen(page: Page) -> None:
    """Press Next, and see the screen go."""
    onset = page.locator("form.screen").get_attribute("data-onset")
    page.locator("[data-next]").click()
    await_leaving(page, onset)


def await_leaving(page: Page, onset: str | None) -> None:
    """Known by its onset, not by a handle: after the last screen the whole page may be another."""
    left = "onset => document.querySelector('form.screen')?.dataset.onset !== onset"
    page.wait_for_function(left, arg=onset)


def go_on(page: Page) -> None:
    """Leave a message, and see it go."""
    message = page.locator(".message-screen").element_handle()
    page.locator("[data-go-on]").click()
    page.wait_for_function("message => !message.isConnected", arg=message)


def rate_to_the_end(page: Page, name: str = "", *, answer: Any = None, most: int = 60) -> int:
    """Answer screens and pass messages until the code appears; return the number of screens."""
    screens = 0
    for _ in range(most):
        page.wait_for_selector(
            "form.screen[data-onset], [data-go-on]:not([hidden]), #completion-code"
        )
        if page.locator("#completion-code").count():
            return screens
        if page.locator("[data-go-on]:visible").count():
            go_on(page)
            continue
        await_screen(page)
        screens += 1
        onset = page.locator("form.screen").get_attribute("data-onset")
        (answer or answer_with_mouse)(page)
        if name:
            shot(page, f"{name}-{screens}")
        if page.locator(f'form.screen:not(.timed)[data-onset="{onset}"]').count():
            next_screen(page)
        else:
            await_leaving(page, onset)
    raise AssertionError("the sitting has no end")


def play_with_mouse(page: Page) -> None:
    """Press the button of every sound, and wait for its end."""
    for player in page.locator("form.screen audio").all():
        player.scroll_into_view_if_needed()
        box = player.bounding_box()
        page.mouse.click(box["x"] + 27, box["y"] + box["height"] / 2)
        page.wait_for_function("player => player.ended", arg=player.element_handle())


def answer_with_mouse(page: Page) -> None:
    form = page.locator("form.screen")
    play_with_mouse(page)
    if form.locator(".picture").count():
        form.locator(".picture").first.click()
        return
    if "timed" in (form.get_attribute("class") or ""):
        form.locator("[data-next]").click()
        return
    for index, instrument in enumerate(form.locator("[data-instrument]").all()):
        answer_instrument(page, instrument, index)


def answer_instrument(page: Page, instrument: Locator, index: int) -> None:
    kind = instrument.get_attribute("data-instrument")
    if kind in ("rankme", "slider"):
        slider = instrument.get_by_role("slider")
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        page.mouse.click(box["x"] + box["width"] * (0.2 + 0.15 * (index % 5)), box["y"] + 12)
    elif kind in ("likert", "choice"):
        instrument.get_by_role("radio").nth(1).check()
    elif kind == "checklist":
        instrument.get_by_role("checkbox").last.check()
    elif kind == "count":
        instrument.get_by_role("button", name="One more").click()
    elif kind == "text":
        instrument.get_by_role("textbox").fill(f"A fine place with soup, number {next(numbers)}.")
    elif kind == "preference":
        if index == 0:
            page.locator("[data-instrument=preference] [type=radio]").first.check()
    elif kind == "best_worst":
        if index < 2:
            instrument.get_by_role("radio").nth(index).check()
    elif kind == "spans":
        mark_a_word(page, instrument, index)
    elif kind == "mr_coverage":
        for group in instrument.locator("fieldset").all():
            group.get_by_role("radio").first.check()
        instrument.get_by_role("button", name="One less").click()
    else:
        raise AssertionError(f"nobody has said how to answer {kind}")


def mark_a_word(page: Page, instrument: Locator, index: int) -> None:
    """Put the cursor into the text and mark the word there; then the score, if there is one."""
    instrument.page.locator(".output .markable").nth(index).click()
    instrument.locator(".span-tool").first.click()
    category = instrument.locator(".span-choice").nth(1)
    if category.is_visible():
        category.select_option(index=1)
    score = instrument.get_by_role("slider")
    if score.count():
        score.scroll_into_view_if_needed()
        box = score.bounding_box()
        page.mouse.click(box["x"] + box["width"] * (0.2 + 0.15 * (index % 5)), box["y"] + 12)


FACTS = (
    "name[The Harbour Lights], eatType[restaurant], food[Fish and chips], priceRange[cheap], "
    "customer rating[3 out of 5], area[riverside], familyFriendly[yes], near[Old Mill Bakery]"
)


SENTENCES = (
    "The Harbour Lights is a cheap, child-friendly restaurant by the river, near Old Mill Bakery. "
    "It serves fish and chips and has a customer rating of 3 out of 5, so families like it."
)
