"""Sliders: RankME's, relative to a standard, and the plain one with its two ends."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from pydantic import Field, model_validator

from analysis.translatable import gettext_noop as _

from .base import (
    Instrument,
    Options,
    Refused,
    ScaleFacts,
    Shown,
    Subject,
    Value,
    finite_number,
    on_the_scale,
)

NOT_SET = _("not yet set")


LINE_KEYS = (
    ("← →", _("move by one step")),
    (_("Page ↑ ↓"), _("move by ten steps")),
    (_("Home End"), _("go to an end")),
)


class RankMeOptions(Options):
    """`standard` is the standard's score; the track ends at `track_end`, numbers may go beyond."""

    standard: float = Field(100, gt=0, title=_("Score of the standard"))
    track_end: float = Field(200, gt=0, title=_("Score at the end of the track"))
    largest: float = Field(999_999, gt=0, title=_("Largest score that can be typed"))

    @model_validator(mode="after")
    def standard_lies_on_the_track(self) -> RankMeOptions:
        if not self.standard < self.track_end <= self.largest:
            raise ValueError(
                "the standard must be below the end of the track, "
                "which must not exceed the largest score"
            )
        return self


class RankMe(Instrument[RankMeOptions]):
    """Raters compare with a standard and may go beyond the end of the line."""

    name = "rankme"
    title = _("Any positive number, relative to a standard (magnitude estimation).")
    kind = "relative"
    heds_response = "3"
    words = {
        "not_set": NOT_SET,
        "score": _("score {value}"),
        "beyond": _("{value}, beyond the end of the line"),
        "missing_score": _("Please give this a score."),
        "bad_score": _("Please write a number above 0, at most {most}."),
    }
    keys = (("0–9", _("type a score")), *LINE_KEYS)
    stylesheets = ("line", "rankme")
    Options = RankMeOptions

    def scale_facts(self, options: RankMeOptions, low: str, high: str) -> ScaleFacts:
        values = "any number above 0, relative to a standard"
        return ScaleFacts("continuous", values, "5: a field and a line")

    def clean(self, answer: Any, options: RankMeOptions, subject: Subject) -> Value:
        number = finite_number(answer)
        if not 0 < number <= options.largest:
            raise Refused(self.words["bad_score"], most=f"{options.largest:g}")
        return Value(number)

    def simulate(self, impression: float, options: Shown, trial: Shown, rng: Random) -> float:
        score = round(options["standard"] * math.exp(0.4 * impression))
        answer: float = min(max(score, 1), options["largest"])
        return answer


class SliderOptions(Options):
    """`confirm` shows a box with which a rater confirms the handle where it is."""

    minimum: float = Field(0, title=_("Minimum"))
    maximum: float = Field(100, title=_("Maximum"))
    confirm: bool = Field(False, title=_("Show a box to confirm the position of the handle"))
    start: float | None = Field(
        None,
        title=_("Where the handle starts"),
        description=_("Initial position of the handle; empty: no handle until the rater clicks"),
    )
    faces: bool = Field(False, title=_("Show faces at the ends"))

    @model_validator(mode="after")
    def ends_are_in_order(self) -> SliderOptions:
        if not self.minimum < self.maximum:
            raise ValueError("minimum must be below maximum")
        if self.start is not None and not self.minimum <= self.start <= self.maximum:
            raise ValueError("start must lie between minimum and maximum")
        if self.start is not None and not self.confirm:
            raise ValueError("start needs confirm: an untouched handle is not an answer")
        return self


class Slider(Instrument[SliderOptions]):
    """Raters see no number; the line has the ends that the options name."""

    name = "slider"
    title = _("A line between two ends without numbers (SR'11, direct assessment).")
    kind = "scale"
    heds_response = "2"
    words = {
        "not_set": NOT_SET,
        "percent": _("{value} of 100"),
        "missing_slider": _("Please move this slider."),
        "missing_confirm": _("Please move this slider, or tick the box next to it."),
    }
    keys = (*LINE_KEYS, (_("Space"), _("tick the box")))
    stylesheets = ("line", "slider")
    Options = SliderOptions

    def keys_for(self, options: SliderOptions) -> tuple[tuple[str, str], ...]:
        return self.keys if options.confirm else LINE_KEYS

    def scale_facts(self, options: SliderOptions, low: str, high: str) -> ScaleFacts:
        ends = f"{options.minimum:g} to {options.maximum:g}; ends: “{low}”, “{high}”"
        return ScaleFacts("continuous", ends, "3")

    def lowest(self, options: SliderOptions) -> float:
        return float(options.minimum)

    def widest(self, options: SliderOptions) -> float:
        return float(options.maximum - options.minimum)

    def clean(self, answer: Any, options: SliderOptions, subject: Subject) -> Value:
        number = finite_number(answer)
        if not options.minimum <= number <= options.maximum:
            raise Refused(
                f"The value must lie between {options.minimum:g} and {options.maximum:g}."
            )
        return Value(number)

    def simulate(self, impression: float, options: Shown, trial: Shown, rng: Random) -> float:
        low, high = options["minimum"], options["maximum"]
        answer: float = round(low + (high - low) * on_the_scale(impression), 2)
        return answer
