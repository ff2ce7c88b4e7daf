"""Traces in a real browser: what each way of working looks like, and that no text is among it."""

from playwright.sync_api import Page

from rankme.models import ScreenTrace, Submission
from tests.browser.rating import await_screen, go_to_work, next_screen
from tests.campaigns import make_campaign, slider_definition
from tests.live import wait_for

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
    go_to_work(page, make_campaign(definition(traces=True), items=1, systems=1))
    await_screen(page)
    page.get_by_text("Leave a comment on this page").click()
    page.get_by_label("Comment", exact=True).click()
    page.evaluate(PASTE, TEXT)
    page.keyboard.type("typed", delay=30)
    page.keyboard.insert_text("dictated words")
    page.get_by_role("slider").press("Home")
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


def test_without_traces_neither_the_script_nor_a_row_is_there(page: Page):
    asked = set()
    page.on("request", lambda request: asked.add(request.url.rpartition("/")[2].split(".")[0]))
    go_to_work(page, make_campaign(definition(), items=1, systems=1))
    await_screen(page)
    page.get_by_role("slider").press("Home")
    next_screen(page)
    wait_for(Submission.objects.exists, "the answer")
    assert "work" in asked and "traces" not in asked
    assert not ScreenTrace.objects.exists()
