"""Sliders: RankME's, relative to a standard, and the plain one with its two ends."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from .base import Instrument, Options, Refused, Subject, Value, finite_number


class RankMeOptions(Options):
    """`standard` is the standard's score; the track ends at `track_end`, numbers may go beyond."""

    standard: float = Field(100, gt=0)
    track_end: float = Field(200, gt=0)
    largest: float = Field(999_999, gt=0)

    @model_validator(mode="after")
    def standard_lies_on_the_track(self) -> RankMeOptions:
        if not self.standard < self.track_end <= self.largest:
            raise ValueError(
                "the standard must be below the end of the track, "
                "which must not exceed the largest score"
            )
        return self


class RankMe(Instrument):
    """Magnitude estimation by rank (Novikova, Dušek & Rieser 2018): any positive number."""

    name = "rankme"
    kind = "relative"
    stylesheets = ("line", "rankme")
    Options = RankMeOptions

    def clean(self, answer: Any, options: RankMeOptions, subject: Subject) -> Value:
        number = finite_number(answer)
        if not 0 < number <= options.largest:
            raise Refused(f"The score must be above 0 and at most {options.largest:g}.")
        return Value(number)


class SliderOptions(Options):
    """`confirm` shows a box with which a rater confirms the handle where it is."""

    minimum: float = 0
    maximum: float = 100
    confirm: bool = False
    start: float | None = Field(
        None, description="Initial position of the handle; empty: no handle until the rater clicks"
    )
    faces: bool = False

    @model_validator(mode="after")
    def ends_are_in_order(self) -> SliderOptions:
        if not self.minimum < self.maximum:
            raise ValueError("minimum must be below maximum")
        if self.start is not None and not self.minimum <= self.start <= self.maximum:
            raise ValueError("start must lie between minimum and maximum")
        if self.start is not None and not self.confirm:
            raise ValueError("start needs confirm: an untouched handle is not an answer")
        return self


class Slider(Instrument):
    """A line between two ends without numbers (SR'11, direct assessment)."""

    name = "slider"
    kind = "scale"
    stylesheets = ("line", "slider")
    Options = SliderOptions

    def clean(self, answer: Any, options: SliderOptions, subject: Subject) -> Value:
        number = finite_number(answer)
        if not options.minimum <= number <= options.maximum:
            raise Refused(
                f"The value must lie between {options.minimum:g} and {options.maximum:g}."
            )
        return Value(number)
