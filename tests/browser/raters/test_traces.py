"""Traces in a real browser: what each way of working looks like, and that no text is among it."""

from django.contrib.auth import get_user_model
from playwright.sync_api import Page, expect

from rankme.models import ScreenTrace, Submission
from tests.accounts import make_account
from tests.browser.access import assert_accessible, assert_never_scrolls_sideways
from tests.browser.organiser import log_in
from tests.browser.rating import next_screen, open_work, shot
from tests.browser.widths import OTHER
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.live import wait_for
from tests.pages.addresses import address
from tests.sittings import answer, claim

TEXT = "A secret sentence from elsewhere."
PASTE = """(text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.activeElement.dispatchEvent(
    new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
}"""


def definition(**crowd):
    screens = [{"name": "rate", "show": ["input", "outputs"], "ask": ["fluency"], "comment": True}]
    return slider_definition(screens=screens, crowd=crowd)


def test_pastes_keys_and_pointer_are_counted_and_no_text_is_kept(page: Page):
    open_work(page, make_campaign(definition(traces=True), items=1, systems=1))
    page.get_by_text("Leave a comment on this page").click()
    page.get_by_label("Comment", exact=True).click()
    page.evaluate(PASTE, TEXT)
    page.keyboard.type("typed", delay=30)
    page.keyboard.insert_text("dictated words")
    page.get_by_role("slider").press("Home")
    assert_accessible(page, "a screen with traces")
    next_screen(page)
    wait_for(ScreenTrace.objects.exists, "the trace")
    trace = ScreenTrace.objects.get()
    found = trace.summary
    assert found["pasted"] == len(TEXT)
    assert (found["typed"], found["inserted"]) == (5, len("dictated words"))
    assert found["keys"] >= 6 and found["key_mean_ms"] >= 30
    assert found["presses"] >= 1 and found["centred"] >= 1  # Playwright presses the centre
    assert found["webdriver"] == 1
    assert all(isinstance(value, int | float) for value in found.values())
    assert "secret" not in str(found) + str(trace.submission.payload["times"])


def test_no_person_finds_the_text_for_readers_of_the_source(page: Page):
    """By the eyes, the accessibility tree, the tab key or the search of the page."""
    open_work(page, make_campaign(definition(traces=True, hidden_text=True), items=1, systems=1))
    assert_accessible(page, "a screen with a hidden text")
    field = page.locator("#source-word")
    assert field.count() == 1 and not field.is_visible()
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    shown = " ".join(str(node.get("name", {}).get("value")) for node in tree if not node["ignored"])
    assert "How fluent is this text?" in shown
    assert "source-word" not in shown
    assert "source-word" not in page.inner_text("body")
    for _ in range(30):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") != "source-word"
    page.get_by_role("slider").press("Home")
    next_screen(page)
    wait_for(ScreenTrace.objects.exists, "the trace")
    assert ScreenTrace.objects.get().summary["obeyed"] == 0


def test_without_traces_neither_the_script_nor_a_row_is_there(page: Page):
    asked = set()
    page.on("request", lambda request: asked.add(request.url.rpartition("/")[2].split(".")[0]))
    open_work(page, make_campaign(definition(), items=1, systems=1))
    page.get_by_role("slider").press("Home")
    next_screen(page)
    wait_for(Submission.objects.exists, "the answer")
    assert "work" in asked and "traces" not in asked
    assert not ScreenTrace.objects.exists()


def test_the_page_about_a_rater_with_all_evidence_fits_and_is_accessible(page: Page):
    make_account()
    olga = get_user_model().objects.get(username="olga")
    campaign = make_campaign(definition(traces=True), items=1, systems=1, owner=olga)
    held = claim(make_rater(campaign))
    seen = {
        "events": 60,
        "untrusted": 30,
        "webdriver": 1,
        "leaves": 3,
        "away_ms": 90_000,
        "obeyed": 1,
    }
    pressed = {"presses": 20, "centred": 19, "instant": 12, "jumps": 18}
    written = {"typed": 10, "pasted": 340, "inserted": 80, "after_return": 300}
    answer(held, trace=seen | pressed | written)
    log_in(page)
    page.goto(address("campaign-rater", campaign, held.participant.label))
    expect(page.locator("#evidence .prose")).to_have_count(10)
    for _ in "12":
        size = page.viewport_size
        page.locator("#evidence").scroll_into_view_if_needed()
        shot(page, f"evidence-{size['width']}")
        assert_accessible(page, f"evidence at {size['width']}")
        page.set_viewport_size(OTHER[size["width"]])
    assert_never_scrolls_sideways(page)
