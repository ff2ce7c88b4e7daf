"""An instrument: raters give one star or more."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from rankme.protocols.instruments.base import (
    Instrument,
    Options,
    Refused,
    Subject,
    Value,
    on_the_scale,
    whole_number,
)


class StarsOptions(Options):
    most: int = Field(5, ge=2, le=10, title="Stars to give", description="The best get all")


class Stars(Instrument):
    """The number is that of the stars."""

    name = "stars"
    title = "One star or more."
    kind = "scale"
    words = {"missing_stars": "Please give this text its stars."}
    stylesheets = ("stars",)
    Options = StarsOptions

    def clean(self, answer: Any, options: StarsOptions, subject: Subject) -> Value:
        number = whole_number(answer)
        if not 1 <= number <= options.most:
            raise Refused(f"Give 1 to {options.most} stars.")
        return Value(number)

    def simulate(
        self,
        impression: float,
        options: Mapping[str, Any],
        trial: Mapping[str, Any],
        rng: random.Random,
    ) -> int:
        return 1 + min(int(on_the_scale(impression) * options["most"]), options["most"] - 1)
