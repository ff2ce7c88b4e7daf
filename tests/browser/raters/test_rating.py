"""Rating in a real browser: answers, times and messages, by mouse, keyboard and phone."""

import json

from playwright.sync_api import Page, expect

from rankme.models import Judgement, Participant, Submission
from rankme.protocols.crowd import Crowd
from rankme.protocols.screens import ScreenSpec
from rankme.queries.watching.own_words import comment_of
from tests.browser.access import assert_accessible
from tests.browser.organiser import log_in
from tests.browser.rating import (
    FACTS,
    answer_with_mouse,
    await_screen,
    campaign_of,
    campaign_with,
    finish,
    go_back,
    go_on,
    go_to_work,
    next_screen,
    open_work,
    rate_screen,
    rate_to_the_end,
    shot,
    small,
)
from tests.campaigns import make_campaign, slider_definition


def test_missing_answers_are_marked_and_get_the_focus(page: Page):
    open_work(page, campaign_of("e2e-quality"))
    page.locator("[data-next]").click()
    expect(page.get_by_text("Please give this a score.")).to_have_count(5)
    slider = page.get_by_role("slider").first
    expect(slider).to_be_focused()
    described = slider.get_attribute("aria-describedby").split()
    assert page.locator(f"#{described[-1]}").inner_text() == "Please give this a score."
    shot(page, "missing")
    ring = "part => getComputedStyle(part).outlineWidth"
    assert slider.get_attribute("aria-invalid") == "true"
    for key in ("Shift+Tab", "Tab"):
        page.keyboard.press(key)
        assert page.locator(":focus").evaluate(ring) == "3px"
    expect(slider).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Please give this a score.")).to_have_count(4)
    summary = page.get_by_text("Some answers are missing.")
    expect(summary).to_be_visible()
    answer_with_mouse(page)
    expect(summary).to_be_hidden()


def test_a_whole_box_score_leaves_sentence_and_questions_in_view(page: Page):
    """As large as RotoWire's own: two teams of thirteen, twenty columns."""
    box = {
        "columns": ["Player", "START POSITION", *(f"FG{n} PCT" for n in range(9)), *"ABCDEFGHI"],
        "rows": [[f"Firstname Lastname{n}", "F", *(["37"] * 18)] for n in range(13)],
    }
    teams = [box | {"title": title} for title in ("Herons: players", "Foxes: players")]
    tables = json.dumps({"tables": teams})
    open_work(page, campaign_with(small("rotowire-facts", practice=[]), item_input=tables))
    for seen in (".judged", ".count >> nth=0", ".count >> nth=1", "[data-next]"):
        place = page.locator(seen).bounding_box()
        assert place["y"] >= 0 and place["y"] + place["height"] <= 768, seen
    frame = page.locator(".table-scroll").first
    assert frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth")
    shot(page, "box-score")


def test_a_refused_text_comes_back_with_the_reason(page: Page):
    crowd = {"least_seconds_per_screen": 0}
    go_to_work(page, campaign_of("e2e-elicitation", practice=[], crowd=Crowd(**crowd)))
    for text in ("A place with fine soup.", "A place with FINE soup."):
        await_screen(page)
        page.get_by_role("textbox").fill(text)
        next_screen(page)
    beside = page.locator("[data-missing]:visible")
    expect(beside).to_have_text("You have written this text before. Please write a new one.")
    expect(page.get_by_role("textbox")).to_have_value("A place with FINE soup.")
    expect(page.get_by_role("textbox")).to_be_focused()
    assert Submission.objects.count() == 1
    await_screen(page)
    page.get_by_role("textbox").fill("Another place, with fine bread.")
    expect(beside).to_have_count(0)
    finish(page)
    assert Submission.objects.count() == 2


def test_scores_are_set_by_keys_on_the_line_and_go_beyond_it(page: Page):
    open_work(page, campaign_of("e2e-naturalness", practice=[]))
    expect(page.locator("[data-handle]:visible")).to_have_count(0)
    slider = page.get_by_role("slider")
    scores = page.get_by_role("textbox", name="Score as a number")
    assert slider.first.get_attribute("aria-valuetext") == "not yet set"
    slider.first.press("ArrowRight")
    expect(page.locator("[data-handle]:visible")).to_have_count(1)
    given = [350, 80, 80, 12.5, 0.5]  # two may be equal
    for index, score in enumerate(["350", "80", "80", "12,5", "0.5"]):
        scores.nth(index).fill(score)
    next_screen(page)
    await_screen(page)
    for index in range(5):
        slider.nth(index).focus()
        page.keyboard.type(f"12{index}")  # a digit opens the number
        if index == 0:
            page.keyboard.press("Enter")
            expect(page.get_by_text("Please give this a score.")).to_have_count(4)
    slider.first.focus()
    page.keyboard.press("Enter")  # goes on, because all is there
    expect(page.locator("#completion-code")).to_be_visible()
    stored = Judgement.objects.order_by("submission", "position").values_list("value", flat=True)
    assert list(stored) == [*given, 120, 121, 122, 123, 124]


def test_one_may_go_back_and_change_the_last_screen(page: Page):
    open_work(page, campaign_of("e2e-naturalness", practice=[]))
    rate_screen(page)
    await_screen(page)
    go_back(page)
    await_screen(page)
    first = page.get_by_role("textbox", name="Score as a number").first
    expect(first).not_to_have_value("")
    first.fill("999")
    next_screen(page)
    await_screen(page)
    rate_to_the_end(page)
    revisions = Submission.objects.filter(trial=Submission.objects.earliest("id").trial)
    assert [(row.revision, row.surplus) for row in revisions.order_by("id")] == [
        (1, False),
        (2, False),
    ]
    newest = revisions.latest("id")
    assert newest.payload["replaces"] == str(revisions.earliest("id").key)
    assert newest.judgements.filter(value=999).exists()


def test_reload_brings_back_what_was_answered_under_the_same_key(page: Page):
    """The instructions, which can be read at any time, stop the clock."""
    open_work(page, campaign_of("e2e-naturalness", items=1, practice=[]))
    page.get_by_role("textbox", name="Score as a number").first.fill("77")
    page.wait_for_timeout(400)
    key = page.evaluate(READ_DRAFT_KEY)
    page.reload()
    await_screen(page)
    expect(page.get_by_role("textbox", name="Score as a number").first).to_have_value("77")
    page.get_by_role("button", name="Instructions").click()
    expect(page.get_by_role("dialog")).to_contain_text("Could a native speaker")
    page.wait_for_timeout(1_000)
    page.get_by_role("button", name="Back to work").click()
    for score in page.get_by_role("textbox", name="Score as a number").all()[1:]:
        score.fill("80")
    finish(page)
    stored = Submission.objects.get()
    assert str(stored.key) == key
    assert stored.payload["times"]["reloads"] == 1
    ((since, until),) = stored.payload["times"]["paused"]
    assert until - since >= 1_000
    # Nobody knows when, after this page's onset, the answer was given that an earlier page brought.
    times = stored.judgements.order_by("position").values_list("time_ms", flat=True)
    assert [time is not None for time in times] == [False, True, True, True, True]


def test_facts_may_come_as_pictures(page: Page):
    screen = {
        "name": "write",
        "show": [{"block": "input", "pictorial": True}],
        "ask": ["text"],
    }
    definition = small("e2e-elicitation", practice=[], screens=[ScreenSpec(**screen)])
    open_work(page, campaign_with(definition, item_input=FACTS))
    shot(page, "pictorial")
    figure = page.get_by_role("img", name="name: The Harbour Lights; eatType: restaurant")
    expect(figure).to_contain_text("The Harbour Lights")
    expect(figure).to_contain_text("★★★☆☆")
    expect(figure).to_contain_text("✓")
    assert "riverside" not in figure.inner_text()
    expect(figure.locator("[data-spot=riverside]")).to_be_visible()
    assert_accessible(page)


def test_a_screen_may_ask_for_a_comment_and_hold_raters_back(page: Page):
    crowd = {"least_seconds_per_screen": 6, "wait_least_seconds": True}
    screen = {"name": "rate", "show": ["outputs"], "ask": ["fluency"], "comment": True}
    definition = slider_definition(screens=[screen], crowd=crowd)
    open_work(page, make_campaign(definition, items=1, systems=1))
    page.get_by_text("Leave a comment on this page").click()
    page.get_by_role("textbox", name="Comment").fill("  Two words are doubled. ")
    answer_with_mouse(page)
    page.locator("[data-next]").click()
    expect(page.get_by_text("Please take your time")).to_be_visible()
    page.wait_for_timeout(6_000)
    finish(page)
    stored = Submission.objects.get()
    assert comment_of(stored) == "Two words are doubled."
    assert stored.payload["times"]["spent_ms"] >= 6_000


def test_the_organisers_preview_is_the_same_and_stores_nothing(page: Page):
    campaign = make_campaign(small("e2e-quality"), items=2, systems=5, launch=False)
    log_in(page, campaign.owner.username)
    page.goto(f"/campaigns/{campaign.code}/preview/")
    shot(page, "preview")
    page.get_by_role("link", name="Work").click()
    for screen in range(3):
        await_screen(page)
        answer_with_mouse(page)
        shot(page, f"preview-{screen}")
        next_screen(page)
        if screen == 0:
            go_on(page)
            go_on(page)
    expect(page.get_by_text("nothing was stored")).to_be_visible()
    assert not (Participant.objects.exists() or Submission.objects.exists())


READ_DRAFT_KEY = """() => new Promise((resolve) => {
  indexedDB.open("rankme").onsuccess = (event) => {
    const drafts = event.target.result.transaction("drafts").objectStore("drafts").getAll();
    drafts.onsuccess = () => resolve(drafts.result.find((draft) => draft.key).key);
  };
})"""
