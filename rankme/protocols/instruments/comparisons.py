"""Choosing among the outputs of a screen: preference between two, best and worst of several."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext
from pydantic import Field

from analysis.translatable import gettext_noop as _

from .base import Instrument, Options, Refused, Subject, Value, finite_number
from .choices import CHOOSE_HERE


class PreferenceOptions(Options):
    ties: bool = Field(True, title=_("Allow ties"))


class Preference(Instrument[PreferenceOptions]):
    """One answer about both outputs of a screen."""

    name = "preference"
    title = _(
        "Two outputs: 1 for the one preferred, 0 for the other, 0.5 for both when there is a tie."
    )
    kind = "relative"
    words = {
        "better": _("This one is better"),
        "tie": _("Both are equally good"),
        "missing_preference": _("Please choose the better text."),
    }
    keys = (("← →", _("choose a text")), (_("Space"), CHOOSE_HERE))
    stylesheets = ("preference",)
    fits_a_narrow_column = True
    Options = PreferenceOptions

    def clean(self, answer: Any, options: PreferenceOptions, subject: Subject) -> Value:
        number = finite_number(answer)
        if number not in ((0, 0.5, 1) if options.ties else (0, 1)):
            raise Refused("Choose one of the two texts.")
        return Value(number)

    def check_together(self, values: Sequence[Value], options: PreferenceOptions) -> None:
        numbers = sorted(value.number or 0 for value in values)
        if numbers not in ([0, 1], [0.5, 0.5]):
            raise Refused("Choose one of the two texts, or that they are equally good.")

    def said(self, number: float | None, text: str, options: PreferenceOptions) -> str:
        words = {1.0: self.words["better"], 0.5: self.words["tie"]}
        return gettext(words[number]) if number in words else "–"

    def simulate_together(
        self,
        impressions: Sequence[float],
        options: Mapping[str, Any],
        trial: Mapping[str, Any],
        rng: random.Random,
    ) -> list[float]:
        first, second = impressions
        if options["ties"] and abs(first - second) < 0.3:
            return [0.5, 0.5]
        return [1.0, 0.0] if first > second else [0.0, 1.0]


class BestWorst(Instrument[Options]):
    """One answer about all outputs of a screen."""

    name = "best_worst"
    title = _(
        "Best–worst scaling (Louviere & Woodworth 1990): 1 for the best, −1 for the worst, else 0."
    )
    kind = "relative"
    words = {
        "best": _("best"),
        "worst": _("worst"),
        "missing_best_worst": _("Please choose the best and the worst text."),
    }
    keys = (("↑ ↓", _("choose a text")), (_("Space"), CHOOSE_HERE))
    stylesheets = ("options",)
    fits_a_narrow_column = True

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
        return gettext(words[number]) if number in words else "–"

    def simulate_together(
        self,
        impressions: Sequence[float],
        options: Mapping[str, Any],
        trial: Mapping[str, Any],
        rng: random.Random,
    ) -> list[int]:
        best, worst = (impressions.index(pick(impressions)) for pick in (max, min))
        return [1 if n == best else -1 if n == worst else 0 for n in range(len(impressions))]
