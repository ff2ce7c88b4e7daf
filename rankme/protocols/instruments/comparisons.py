"""Choosing among the outputs of a screen: preference between two, best and worst of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Instrument, Options, Refused, Subject, Value, finite_number


class PreferenceOptions(Options):
    ties: bool = True


class Preference(Instrument):
    """Two outputs: 1 for the one preferred, 0 for the other, 0.5 for both when there is a tie."""

    name = "preference"
    kind = "relative"
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


class BestWorst(Instrument):
    """Best–worst scaling (Louviere & Woodworth 1990): 1 for the best, −1 for the worst, else 0."""

    name = "best_worst"
    kind = "relative"
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
