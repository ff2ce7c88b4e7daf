"""Choosing among the outputs of a screen: preference between two, best and worst of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext
from pydantic import Field, model_validator

from analysis.translatable import gettext_noop as _

from .base import (
    Instrument,
    Kind,
    Options,
    Refused,
    ScaleFacts,
    Shown,
    Subject,
    Value,
    finite_number,
)
from .choices import CHOOSE_HERE

BAD = "bad"


class PreferenceOptions(Options):
    ties: bool = Field(True, title=_("Allow ties"))
    both_bad: bool = Field(
        False,
        title=_("Allow “both are bad”"),
        description=_("Needs ties: it counts as one, and is counted separately as well."),
    )

    @model_validator(mode="after")
    def both_bad_is_a_tie(self) -> PreferenceOptions:
        if self.both_bad and not self.ties:
            raise ValueError("both_bad counts as a tie: set ties to true as well")
        return self


class Preference(Instrument[PreferenceOptions]):
    """One answer about both outputs of a screen.

    “Both are bad” says two things. As a comparison it is a tie, since neither text was preferred.
    That neither is good is about each of them alone, so it is a criterion of its own: `NAME_bad` is
    1 for both texts of such a screen, and 0 for those of all other screens.
    """

    name = "preference"
    title = _("Which of two outputs is better, with or without ties.")
    has_ends = False
    kind = "relative"
    heds_response = "3"
    words = {
        "better": _("This one is better"),
        "better_number": _("Text {number} is better"),
        "tie": _("Both are equally good"),
        BAD: _("Both are bad"),
        "missing_preference": _("Please choose the better text."),
    }
    keys = (("← →", _("choose a text")), (_("Space"), CHOOSE_HERE))
    stylesheets = ("preference",)
    fits_a_narrow_column = True
    Options = PreferenceOptions

    def scale_facts(self, options: PreferenceOptions, low: str, high: str) -> ScaleFacts:
        tie = ", or a tie" if options.ties else ""
        return ScaleFacts("3" if options.ties else "2", f"either output is better{tie}", "1")

    def clean(self, answer: Any, options: PreferenceOptions, subject: Subject) -> Value:
        if options.both_bad and answer == BAD:
            return Value(0.5, BAD)
        number = finite_number(answer)
        if number not in ((0, 0.5, 1) if options.ties else (0, 1)):
            raise Refused("Choose one of the two texts.")
        return Value(number)

    def check_together(self, values: Sequence[Value], options: PreferenceOptions) -> None:
        numbers = sorted(value.number or 0 for value in values)
        if numbers not in ([0, 1], [0.5, 0.5]) or len({value.text for value in values}) > 1:
            raise Refused("Choose one of the two texts, or that they are equally good.")

    def derived(self, options: PreferenceOptions) -> Mapping[str, Kind]:
        return {BAD: "category"} if options.both_bad else {}

    def derived_labels(self, options: PreferenceOptions) -> Mapping[str, dict[float, str]]:
        return {BAD: {0.0: "not said", 1.0: "both bad"}} if options.both_bad else {}

    def derive(self, answer: Any, options: PreferenceOptions, subject: Subject) -> dict[str, Value]:
        return {BAD: Value(float(answer == BAD))} if options.both_bad else {}

    def said(self, number: float | None, text: str, options: PreferenceOptions) -> str:
        if text == BAD:
            return gettext(self.words[BAD])
        words = {1.0: self.words["better"], 0.5: self.words["tie"]}
        return gettext(words[number] if number in words else _("The other one is better"))

    def simulate_together(
        self, impressions: Sequence[float], options: Shown, trial: Shown, rng: Random
    ) -> list[float | str]:
        first, second = impressions
        if options["both_bad"] and max(impressions) < -0.5:
            return [BAD, BAD]
        if options["ties"] and abs(first - second) < 0.3:
            return [0.5, 0.5]
        return [1.0, 0.0] if first > second else [0.0, 1.0]


class BestWorst(Instrument[Options]):
    """One answer about all outputs of a screen."""

    name = "best_worst"
    title = _("The best and the worst of several outputs (best–worst scaling).")
    has_ends = False
    kind = "relative"
    heds_response = "3"
    words = {
        "best": _("best"),
        "worst": _("worst"),
        "missing_best_worst": _("Please choose the best and the worst text."),
    }
    keys = (("↑ ↓", _("choose a text")), (_("Space"), CHOOSE_HERE))
    stylesheets = ("options",)
    fits_a_narrow_column = True

    def scale_facts(self, options: Options, low: str, high: str) -> ScaleFacts:
        return ScaleFacts("2", "the best and the worst of the outputs on a screen", "1")

    def clean(self, answer: Any, options: Options, subject: Subject) -> Value:
        number = finite_number(answer)
        if number not in (-1, 0, 1):
            raise Refused("Choose the best and the worst text.")
        return Value(number)

    def check_together(self, values: Sequence[Value], options: Options) -> None:
        numbers = [value.number for value in values]
        if numbers.count(1) != 1 or numbers.count(-1) != 1:
            raise Refused("Choose exactly one best and one worst text.")

    def said(self, number: float | None, text: str, options: Options) -> str:
        words = {1.0: self.words["best"], -1.0: self.words["worst"]}
        return gettext(words[number] if number in words else _("Neither the best nor the worst"))

    def simulate_together(
        self, impressions: Sequence[float], options: Shown, trial: Shown, rng: Random
    ) -> list[int]:
        best, worst = (impressions.index(pick(impressions)) for pick in (max, min))
        return [1 if n == best else -1 if n == worst else 0 for n in range(len(impressions))]
