"""A check: one text of the page has its words in reverse order, and deserves few points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.random import Generator
from pydantic import Field

from rankme.protocols.checks import CheckKind, Options


class NonsenseOptions(Options):
    at_most: float = Field(2, description="The highest answer that passes")


class Nonsense(CheckKind):
    name = "nonsense"
    title = "A text whose words are in reverse order"
    Options = NonsenseOptions

    def draw(
        self, settings: NonsenseOptions, texts: Sequence[str], rng: Generator
    ) -> tuple[list[str], dict[str, Any]] | None:
        if not texts:
            return None
        shown, place = list(texts), int(rng.integers(len(texts)))
        shown[place] = " ".join(reversed(shown[place].split()))
        return shown, {"output": place, "at_most": settings.at_most}
