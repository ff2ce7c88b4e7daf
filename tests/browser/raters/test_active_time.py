"""Active time in a real browser: reading a long text and watching a film are work."""

import pytest
from playwright.sync_api import Page

from rankme.models import Submission
from tests.browser.rating import campaign_of, campaign_with, next_screen, open_work
from tests.browser.waiting import until
from tests.campaigns import slider_definition
from tests.live import wait_for

# What the page takes for the clock, so that no test sits still for minutes.
CLOCK = """
window.ahead = 0;
const now = performance.now.bind(performance);
performance.now = () => now() + window.ahead;
const { get } = Object.getOwnPropertyDescriptor(Event.prototype, "timeStamp");
Object.defineProperty(Event.prototype, "timeStamp", {
  get() { return get.call(this) + window.ahead; },
});
"""
# Twenty seconds pass between two reports of the player.
PLAYS_ON = """() => {
  const player = document.querySelector("form.screen audio");
  player.playbackRate = 0.2;
  let left = 5;
  player.addEventListener("timeupdate", () => { if (left-- > 0) window.ahead += 20_000; });
}"""
THREE_MINUTES = 180_000


def active_seconds() -> float:
    wait_for(Submission.objects.exists, "the answers")
    return Submission.objects.get().payload["times"]["active_ms"] / 1000


@pytest.mark.parametrize(("words", "least", "most"), [(400, 175, 250), (12, 30, 60)])
def test_a_rater_who_reads_a_long_text_without_a_movement_works(page: Page, words, least, most):
    page.add_init_script(CLOCK)
    open_work(page, campaign_with(slider_definition(), text="careful " * words))
    page.evaluate(f"window.ahead += {THREE_MINUTES}")
    page.get_by_role("slider").press("Home")
    next_screen(page)
    assert least < active_seconds() < most


def test_words_outside_of_the_window_buy_no_time(page: Page):
    page.set_viewport_size({"width": 390, "height": 400})
    page.add_init_script(CLOCK)
    open_work(page, campaign_with(slider_definition(), text="careful " * 10_000))
    page.evaluate("window.ahead += 3_600_000")
    page.get_by_role("slider").press("Home")
    next_screen(page)
    assert 30 < active_seconds() < 200


def test_a_rater_who_only_listens_works(page: Page):
    campaign = campaign_of("audio-quality", items=1)
    page.add_init_script(CLOCK)
    open_work(page, campaign)
    page.evaluate(PLAYS_ON)
    box = page.locator("form.screen audio").bounding_box()
    page.mouse.click(box["x"] + 27, box["y"] + box["height"] / 2)
    until(page, "() => document.querySelector('form.screen audio').ended")
    page.locator("form.screen input[type=radio]").first.press("Space")
    next_screen(page)
    assert active_seconds() > 95
