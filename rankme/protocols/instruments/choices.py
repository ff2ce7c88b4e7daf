"""Likert points, single choice, check list and counts."""

from __future__ import annotations

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
    on_the_scale,
    whole_number,
)

CHOOSE_HERE = _("choose where you are")
COUNTER_KEYS = (
    ("↑ ↓", _("one more or less")),
    (_("Page ↑ ↓"), _("ten more or less")),
    ("0–9", _("type a number")),
)
MISSING_CHOICE = _("Please choose an answer.")
CHOICES_HINT = _("One per line, as name: text that raters see")
SHUFFLE_TITLE = _("Show the choices in random order")
SHUFFLE_HINT = _("Drawn for each rater and trial; the order is stored with the answer")
BAD_NUMBER = _("Please write a number from {least} to {most}.")


class LikertOptions(Options):
    points: int = Field(7, ge=2, le=11, title=_("Points"))
    labels: list[str] = Field(
        default_factory=list,
        title=_("Labels"),
        description=_("One label per point, one per line, or none at all."),
    )

    @model_validator(mode="before")
    @classmethod
    def points_keep_their_order(cls, options: Any) -> Any:
        if isinstance(options, dict) and "shuffle" in options:
            raise ValueError("the points of a scale have an order, so they cannot be shuffled")
        return options

    @model_validator(mode="after")
    def labels_fit_the_points(self) -> LikertOptions:
        if self.labels and len(self.labels) != self.points:
            raise ValueError(f"there are {self.points} points but {len(self.labels)} labels")
        return self


class Likert(Instrument[LikertOptions]):
    """Its numbers are those of the points, from 1."""

    name = "likert"
    title = _("A scale of labelled points (Likert).")
    kind = "scale"
    heds_response = "2"
    words = {
        "missing_choice": MISSING_CHOICE,
        "point": _("{number} of {count}"),
        "point_named": _("{number} of {count}: {name}"),
    }
    keys = (("← →", _("choose a point")), (_("Space"), CHOOSE_HERE))
    stylesheets = ("likert",)
    Options = LikertOptions
    wording = ("labels",)

    def scale_facts(self, options: LikertOptions, low: str, high: str) -> ScaleFacts:
        labels = self.labels(options).values()
        named = f": {', '.join(labels)}" if any(labels) else ""
        values = f"1 to {options.points}{named}; ends: “{low}”, “{high}”"
        return ScaleFacts(str(options.points), values, "1")

    def lowest(self, options: LikertOptions) -> float:
        return 1.0

    def widest(self, options: LikertOptions) -> float:
        return options.points - 1.0

    def clean(self, answer: Any, options: LikertOptions, subject: Subject) -> Value:
        number = whole_number(answer)
        if not 1 <= number <= options.points:
            raise Refused(f"Choose a point from 1 to {options.points}.")
        return Value(number)

    def columns(self, options: LikertOptions) -> list[str]:
        return options.labels or [str(point) for point in range(1, options.points + 1)]

    def labels(self, options: LikertOptions) -> dict[float, str]:
        return {float(point): label for point, label in enumerate(options.labels, start=1)}

    def said(self, number: float | None, text: str, options: LikertOptions) -> str:
        label = super().said(number, text, options)
        return label if number is None or not options.labels else f"{number:g}: {label}"

    def simulate(self, impression: float, options: Shown, trial: Shown, rng: Random) -> int:
        points = int(options["points"])
        return 1 + min(int(on_the_scale(impression) * points), points - 1)


class ChoiceOptions(Options):
    choices: dict[str, str] = Field(min_length=2, title=_("Choices"), description=CHOICES_HINT)
    shuffle: bool = Field(False, title=SHUFFLE_TITLE, description=SHUFFLE_HINT)


class Choice(Instrument[ChoiceOptions]):
    """The first choice is 0, the second 1, and so on."""

    name = "choice"
    title = _("Exactly one of several choices.")
    has_ends = False
    kind = "category"
    heds_response = "7"
    words = {"missing_choice": MISSING_CHOICE}
    keys = (("↑ ↓", _("choose an answer")), (_("Space"), CHOOSE_HERE))
    stylesheets = ("options",)
    fits_a_narrow_column = True
    Options = ChoiceOptions
    wording = ("choices",)

    def scale_facts(self, options: ChoiceOptions, low: str, high: str) -> ScaleFacts:
        choices = options.choices
        return ScaleFacts(str(len(choices)), ", ".join(choices.values()), "1")

    def clean(self, answer: Any, options: ChoiceOptions, subject: Subject) -> Value:
        names = list(options.choices)
        if not isinstance(answer, str) or answer not in names:
            raise Refused(MISSING_CHOICE)
        return Value(names.index(answer), answer)

    def choices_to_shuffle(self, options: ChoiceOptions) -> list[str]:
        return list(options.choices) if options.shuffle else []

    def labels(self, options: ChoiceOptions) -> dict[float, str]:
        return {float(place): name for place, name in enumerate(options.choices)}

    def said(self, number: float | None, text: str, options: ChoiceOptions) -> str:
        name = text or super().said(number, text, options)
        return options.choices.get(name, name)

    def simulate(self, impression: float, options: Shown, trial: Shown, rng: Random) -> str:
        names = [str(name) for name, _label in options["choices"]]
        return names[min(int(on_the_scale(impression) * len(names)), len(names) - 1)]


class ChecklistOptions(Options):
    choices: dict[str, str] = Field(
        min_length=1, max_length=16, title=_("Choices"), description=CHOICES_HINT
    )
    none: str = Field("", title=_("Label of the box for none of these"))
    none_name: str = Field("none", title=_("Name of that answer in exports"))
    shuffle: bool = Field(False, title=SHUFFLE_TITLE, description=SHUFFLE_HINT)


class Checklist(Instrument[ChecklistOptions]):
    """With the choices (added, missing) of the E2E quality form: 0 OK, 1 A, 2 M, 3 A+M."""

    name = "checklist"
    title = _("Any of several choices, or none.")
    has_ends = False
    kind = "category"
    heds_response = "7"
    is_objective = True
    words = {"missing_ticks": _("Please tick what applies.")}
    keys = ((_("Space"), _("tick a box")),)
    stylesheets = ("options",)
    fits_a_narrow_column = True
    Options = ChecklistOptions
    wording = ("choices", "none")

    def scale_facts(self, options: ChecklistOptions, low: str, high: str) -> ScaleFacts:
        choices = options.choices
        return ScaleFacts(str(len(choices)), ", ".join(choices.values()), "2")

    def clean(self, answer: Any, options: ChecklistOptions, subject: Subject) -> Value:
        names = list(options.choices)
        if not isinstance(answer, list) or any(name not in names for name in answer):
            raise Refused("Tick the boxes that apply.")
        if len(set(answer)) != len(answer):
            raise Refused("A box can be ticked only once.")
        number = sum(2 ** names.index(name) for name in answer)
        ticked = sorted(answer, key=names.index)
        return Value(number, "+".join(ticked) or options.none_name)

    def choices_to_shuffle(self, options: ChecklistOptions) -> list[str]:
        return list(options.choices) if options.shuffle else []

    def labels(self, options: ChecklistOptions) -> dict[float, str]:
        names = list(options.choices)
        labelled = {0.0: options.none_name}
        for number in range(1, 2 ** len(names)):
            ticked = [name for place, name in enumerate(names) if number >> place & 1]
            labelled[float(number)] = "+".join(ticked)
        return labelled

    def said(self, number: float | None, text: str, options: ChecklistOptions) -> str:
        names = text or super().said(number, text, options)
        if names == options.none_name:
            return options.none or names
        return ", ".join(options.choices.get(name, name) for name in names.split("+"))

    def simulate(self, impression: float, options: Shown, trial: Shown, rng: Random) -> list[str]:
        """The worse the text, the more is ticked."""
        likely = 0.3 + on_the_scale(impression)
        return [name for name, _label in options["choices"] if rng.random() > likely]


class CountOptions(Options):
    most: int = Field(99, ge=1, title=_("Largest count"))


class Count(Instrument[CountOptions]):
    """For facts or errors that raters find in a text."""

    name = "count"
    title = _("A count: a whole number from 0.")
    has_ends = False
    kind = "count"
    heds_response = "4"
    keys = COUNTER_KEYS
    words = {"missing_count": _("Please give a number."), "bad_number": BAD_NUMBER}
    stylesheets = ("counter", "count")
    fits_a_narrow_column = True
    Options = CountOptions

    def scale_facts(self, options: CountOptions, low: str, high: str) -> ScaleFacts:
        return ScaleFacts("count", f"whole numbers from 0 to {options.most}", "5: a field")

    def clean(self, answer: Any, options: CountOptions, subject: Subject) -> Value:
        number = whole_number(answer)
        if not 0 <= number <= options.most:
            raise Refused(BAD_NUMBER, least=0, most=options.most)
        return Value(number)

    def simulate(self, impression: float, options: Shown, trial: Shown, rng: Random) -> int:
        return min(int(4 * (1 - on_the_scale(impression))), int(options["most"]))
