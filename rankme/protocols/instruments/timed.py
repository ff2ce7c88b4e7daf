"""Timed phases and pictures to click: self-paced reading with identification (TUNA)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import Any

from django.utils.translation import gettext
from pydantic import Field

from analysis.translatable import gettext_noop as _
from rankme.protocols.item_input import read_pictures

from .base import Instrument, Options, Refused, Shown, Subject, Value, finite_number, whole_number
from .choices import MISSING_CHOICE

RIGHT_PICTURE = _("the picture that was described")
OTHER_PICTURE = _("another picture")
TIME_LIMIT = _("Time limit (milliseconds)")
# Faster than anybody can read or find anything: a double click, or a guess before the onset.
ANTICIPATION_MS = 200


class TimedOptions(Options):
    timeout_ms: int = Field(15_000, ge=100, le=600_000, title=TIME_LIMIT)


class ResponseTime(Instrument[TimedOptions]):
    """The timed screen itself measures and answers it."""

    name = "response_time"
    title = _("The time that raters take to respond, in milliseconds.")
    has_ends = False
    kind = "time"
    heds_response = "9"
    keys = ((_("Space"), _("I have read it")),)
    Options = TimedOptions

    def clean(self, answer: Any, options: TimedOptions, subject: Subject) -> Value:
        if answer is None:
            return Value(None, "timed out")
        number = finite_number(answer)
        if not 0 < number <= options.timeout_ms + 1_000:
            raise Refused("A response time must be positive and below the time-out.")
        return Value(number)

    def response_ms(self, value: Value, subject: Subject) -> float | None:
        return value.number

    def simulate(self, impression: float, options: Shown, trial: Shown, rng: Random) -> float:
        answer: float = round(min(1500 * math.exp(-0.3 * impression), options["timeout_ms"]), 1)
        return answer


class ClickTarget(Instrument[TimedOptions]):
    """Self-paced identification, as in TUNA.

    The item's input is a JSON document `{"images": [{"name", …}, …], "target": NAME}`; the target
    never reaches the browser. An answer is `{"shown": INDEX}`, the picture's index in reading
    order. A plain number is what earlier releases sent: an index in the document's own list.
    """

    name = "click_target"
    title = _("A click on one of the item's pictures.")
    has_ends = False
    kind = "error"
    heds_response = "9"
    words = {"missing_choice": MISSING_CHOICE}
    keys = (("← ↑ ↓ →", _("go to a picture")), (_("Space"), _("choose the picture")))
    Options = TimedOptions
    derives = {"time": "time"}

    def clean(self, answer: Any, options: TimedOptions, subject: Subject) -> Value:
        if answer is None:
            return Value(None, "timed out")
        domain = read_pictures(subject.item_input)
        if isinstance(answer, Mapping) and set(answer) == {"shown"}:
            pictures = domain.in_reading_order() if domain else []
            place = whole_number(answer["shown"])
        else:
            pictures = domain.images if domain else []
            place = whole_number(answer)
        if domain is None or place not in range(len(pictures)):
            raise Refused("Click one of the pictures.")
        name = pictures[place].name
        return Value(float(name != domain.target), name)

    def said(self, number: float | None, text: str, options: TimedOptions) -> str:
        if number is None:
            return "–"
        return gettext(OTHER_PICTURE if number else RIGHT_PICTURE)

    def response_ms(self, value: Value, subject: Subject) -> float | None:
        return None if value.number is None else subject.time_ms

    def derive(self, answer: Any, options: TimedOptions, subject: Subject) -> dict[str, Value]:
        if answer is None or subject.time_ms is None:
            return {"time": Value(None, "timed out")}
        return {"time": Value(subject.time_ms)}

    def labels(self, options: TimedOptions) -> dict[float, str]:
        return {0.0: "target", 1.0: "error"}

    def simulate(
        self, impression: float, options: Shown, trial: Shown, rng: Random
    ) -> dict[str, int]:
        """Any picture: the client cannot know which is meant."""
        return {"shown": rng.randrange(len(trial["input"]["images"]))}
