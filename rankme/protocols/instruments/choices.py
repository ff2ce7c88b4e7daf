"""Likert points, single choice, check list and counts."""

from __future__ import annotations

from typing import Any

from pydantic import Field, model_validator

from .base import Instrument, Options, Refused, Subject, Value, whole_number


class LikertOptions(Options):
    points: int = Field(7, ge=2, le=11)
    labels: list[str] = Field(default_factory=list, description="One per point, or none")

    @model_validator(mode="after")
    def labels_fit_the_points(self) -> LikertOptions:
        if self.labels and len(self.labels) != self.points:
            raise ValueError(f"there are {self.points} points but {len(self.labels)} labels")
        return self


class Likert(Instrument):
    """A fixed number of points between two ends."""

    name = "likert"
    kind = "scale"
    stylesheets = ("likert",)
    Options = LikertOptions

    def clean(self, answer: Any, options: LikertOptions, subject: Subject) -> Value:
        number = whole_number(answer)
        if not 1 <= number <= options.points:
            raise Refused(f"Choose a point from 1 to {options.points}.")
        return Value(number)

    def labels(self, options: LikertOptions) -> dict[float, str]:
        return {float(point): label for point, label in enumerate(options.labels, start=1)}


class ChoiceOptions(Options):
    choices: dict[str, str] = Field(min_length=2, description="name: what the rater reads")


class Choice(Instrument):
    """Exactly one of several choices; the number is the choice's position in the list, from 0."""

    name = "choice"
    kind = "category"
    stylesheets = ("options",)
    fits_a_narrow_column = True
    Options = ChoiceOptions

    def clean(self, answer: Any, options: ChoiceOptions, subject: Subject) -> Value:
        names = list(options.choices)
        if not isinstance(answer, str) or answer not in names:
            raise Refused("Choose one of the answers.")
        return Value(names.index(answer), answer)

    def labels(self, options: ChoiceOptions) -> dict[float, str]:
        return {float(place): name for place, name in enumerate(options.choices)}


class ChecklistOptions(Options):
    choices: dict[str, str] = Field(min_length=1, max_length=16)
    none: str = Field("", description="Label of the box for none of these")
    none_name: str = "none"


class Checklist(Instrument):
    """Any of several choices, or none; the number is the sum of 2^position of the ticked ones.

    With the choices (added, missing) of the E2E quality form: 0 OK, 1 A, 2 M, 3 A+M.
    """

    name = "checklist"
    kind = "category"
    stylesheets = ("options",)
    fits_a_narrow_column = True
    Options = ChecklistOptions

    def clean(self, answer: Any, options: ChecklistOptions, subject: Subject) -> Value:
        names = list(options.choices)
        if not isinstance(answer, list) or any(name not in names for name in answer):
            raise Refused("Tick the boxes that apply.")
        if len(set(answer)) != len(answer):
            raise Refused("A box can be ticked only once.")
        number = sum(2 ** names.index(name) for name in answer)
        ticked = sorted(answer, key=names.index)
        return Value(number, "+".join(ticked) or options.none_name)

    def labels(self, options: ChecklistOptions) -> dict[float, str]:
        names = list(options.choices)
        labelled = {0.0: options.none_name}
        for number in range(1, 2 ** len(names)):
            ticked = [name for place, name in enumerate(names) if number >> place & 1]
            labelled[float(number)] = "+".join(ticked)
        return labelled


class CountOptions(Options):
    most: int = Field(99, ge=1)


class Count(Instrument):
    """A count: a whole number from 0."""

    name = "count"
    kind = "count"
    stylesheets = ("counter", "count")
    fits_a_narrow_column = True
    Options = CountOptions

    def clean(self, answer: Any, options: CountOptions, subject: Subject) -> Value:
        number = whole_number(answer)
        if not 0 <= number <= options.most:
            raise Refused(f"The count must lie between 0 and {options.most}.")
        return Value(number)
