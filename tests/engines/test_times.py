"""Stored times in Firefox, WebKit and Chromium, next to presses at intervals that were scripted.

A marker key and the press belong to one sequence of the driver, so many milliseconds apart: the
scripted time is that of the marker, after the onset, and this interval. `pytest -s` prints the
table of docs/raters.md.
"""

import statistics
from typing import Any

from django.db.models import QuerySet

from rankme.models import Campaign, Submission
from tests.browser.rating import campaign_of, timed_screens
from tests.engines.drivers import KEYS, Engine
from tests.engines.rater import (
    PLACE,
    Hand,
    accepted,
    come_in,
    is_something_to_do,
    rate_by_pointer,
    until,
)
from tests.live import LiveSite

MARKER = "\ue008"  # Shift, which does nothing alone
INTERVALS_MS = (430, 610, 820)
BUSY_MS = 300
# Notes when events happened, and keeps the page busy after the marker where that is wished.
WATCH = """
  window.stamps = [];
  const spin = (until) => { while (performance.now() < until); };
  addEventListener("keydown", (event) => {
    if (event.key !== "Shift") return;
    window.marked = event.timeStamp;
    if (window.busyMs) setTimeout(() => spin(performance.now() + window.busyMs), 0);
  }, true);
  for (const name of ["keydown", "pointerdown", "click", "submit"]) {
    addEventListener(name, (event) => window.stamps.push(event.timeStamp), true);
  }
"""
NOTED = """
  window.stamps = [];
  window.busyMs = arguments[0];
  return Number(document.querySelector("form.screen").dataset.onset);
"""


class Metronome:
    """Presses at known intervals, and what the record should say of them."""

    def __init__(self, engine: Engine, site: LiveSite, campaign: Campaign) -> None:
        self.engine = engine
        self.hand = Hand(engine)
        self.scripted: dict[str, list[float]] = {}
        self._stamps: dict[str, list[list[float]]] = {}
        engine.resize(1366, 768)
        come_in(self.hand, f"{site.url}/r/{campaign.code}/?id=times", accepted(campaign))
        until(engine, is_something_to_do, "the work")
        engine.run(WATCH)

    def screen(self, before: str = "") -> str:
        """The onset of the screen that comes after the one with that onset."""
        while True:
            state = until(
                self.engine,
                lambda seen: seen["message"] or seen["onset"] not in ("", before),
                "a screen",
            )
            if not state["message"]:
                return state["onset"]
            self.hand.press("[data-go-on]")
            until(self.engine, lambda seen: not seen["message"], "the end of the message")

    def finish(self, before: str) -> None:
        """Answer the rest, without a beat."""
        self.screen(before)
        rate_by_pointer(self.hand, "times")

    def key(self, quantity: str, key: str, *, busy_ms: int = 0, wait: int | None = None) -> None:
        presses = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self._press(quantity, lambda pause: [keys(pause, presses)], busy_ms, wait)

    def click(self, quantity: str, selector: str, number: int = 0) -> None:
        at = self.engine.run(PLACE, selector, number, 0.5, None)
        self._press(quantity, lambda pause: [keys(pause, []), pointer(pause, at)], 0, None)

    def _press(self, quantity: str, actions: Any, busy_ms: int, wait: int | None) -> None:
        taken = self.scripted.setdefault(quantity, [])
        interval = wait or INTERVALS_MS[len(taken) % len(INTERVALS_MS)]
        onset = self.engine.run(NOTED, busy_ms)
        self.engine.perform(actions({"type": "pause", "duration": interval}))
        marked, stamps = self.engine.run("return [window.marked, window.stamps];")
        taken.append(marked - onset + interval)
        self._stamps.setdefault(quantity, []).append([stamp - onset for stamp in stamps])

    def compare(self, quantity: str, stored: list[float]) -> None:
        """Stored − scripted; what is stored is always the stamp of one of the browser's events."""
        scripted = self.scripted[quantity]
        stored = stored[: len(scripted)]  # the last screens are without a beat
        for time, stamps in zip(stored, self._stamps[quantity], strict=True):
            assert min(abs(time - stamp) for stamp in stamps) <= 0.02, (time, stamps)
        errors = [got - true for got, true in zip(stored, scripted, strict=True)]
        middle, low, high = statistics.median(errors), min(errors), max(errors)
        name = type(self.engine).__name__
        print(f"| {name} | {quantity} | {middle:.1f} | {low:.1f} to {high:.1f} | {len(errors)} |")


def keys(pause: dict[str, Any], presses: list[dict[str, Any]]) -> dict[str, Any]:
    marker = [{"type": kind, "value": MARKER} for kind in ("keyDown", "keyUp")]
    return {"type": "key", "id": "keyboard", "actions": [*marker, pause, *presses]}


def pointer(pause: dict[str, Any], at: dict[str, int]) -> dict[str, Any]:
    move = {"type": "pointerMove", "x": at["x"], "y": at["y"]}
    press = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
    actions = [move, {"type": "pause", "duration": 0}, pause, *press]
    return {"type": "pointer", "id": "mouse", "actions": actions}


def submissions(campaign: Campaign) -> QuerySet[Submission]:
    return Submission.objects.filter(assignment__campaign=campaign).order_by("id")


def stored_answers(campaign: Campaign, *criteria: str) -> list[float]:
    """The times of answers as the browser sent them, in the order of the screens."""
    return [
        answer["time_ms"]
        for submission in submissions(campaign)
        for answer in submission.payload["answers"]
        if answer["criterion"] in criteria
    ]


def test_reading_and_finding(engine: Engine, live_site: LiveSite):
    screens = timed_screens(initiated=False, fixation_ms=200)
    campaign = campaign_of("tuna08-identification", items=13, practice=[], screens=screens)
    pace, onset = Metronome(engine, live_site, campaign), ""
    idle, busy, finding = "reading, space bar", "the same, busy page", "finding, mouse"
    for trial in range(12):
        onset = pace.screen(onset)
        pace.key(busy if trial % 2 else idle, KEYS["Space"], busy_ms=BUSY_MS * (trial % 2))
        onset = pace.screen(onset)
        pace.click(finding, ".picture")
    pace.finish(onset)
    reading = stored_answers(campaign, "reading_time")
    pace.compare(idle, reading[::2])
    pace.compare(busy, reading[1::2])
    pace.compare(finding, stored_answers(campaign, "identification"))
    device = submissions(campaign).last().payload["times"]
    print(f"clock {device['timer_ms']} ms, frames {device['frame_ms']} ms")
    assert device["cross_origin_isolated"] is True


def test_sliders_by_mouse_and_the_whole_screen(engine: Engine, live_site: LiveSite):
    campaign = campaign_of("e2e-naturalness", items=4, practice=[])
    pace, onset = Metronome(engine, live_site, campaign), ""
    slider, screen = "slider, mouse", "whole screen, mouse"
    for _ in range(3):
        onset = pace.screen(onset)
        for place in range(5):
            pace.click(slider, "[role='slider']", place)
        pace.click(screen, "form.screen [data-next]")
    pace.finish(onset)
    pace.compare(slider, stored_answers(campaign, "naturalness"))
    spent = [each.payload["times"]["spent_ms"] for each in submissions(campaign)]
    pace.compare(screen, spent)


def test_sliders_by_keyboard(engine: Engine, live_site: LiveSite):
    campaign = campaign_of("sr11-shallow", items=5, practice=[])
    pace, onset = Metronome(engine, live_site, campaign), ""
    for _ in range(4):
        for sliders in (2, 1):
            onset = pace.screen(onset)
            for place in range(sliders):
                engine.run(
                    "document.querySelectorAll('[role=slider]')[arguments[0]].focus();", place
                )
                pace.key("slider, arrow key", KEYS["ArrowRight"])
            pace.hand.press("form.screen [data-next]")
    pace.finish(onset)
    pace.compare(
        "slider, arrow key",
        stored_answers(campaign, "clarity", "readability", "meaning_similarity"),
    )
