"""The base of corruptions: damage to an output that attentive raters notice."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Specimen:
    """An output with the facts that a corruption may need.

    Attributes
    ----------
    facts : attributes and values of the item's meaning representation; empty for other inputs
    other_values : for each attribute, the values that it has in other items
    donors : outputs or references of other items, from which phrases can be taken
    """

    text: str
    language: str = "en"
    facts: Pairs = ()
    other_values: dict[str, tuple[str, ...]] = field(default_factory=dict)
    donors: Sequence[str] = ()


class Corruption:
    """One way to damage a text. A new one is a subclass and a line in the registry.

    `apply` returns None for a text that it cannot damage. It draws from `rng` alone, so that the
    same seed damages the same text in the same way.
    """

    name: ClassVar[str]
    # One sentence for organisers: what happens to the text.
    title: ClassVar[str]

    def apply(self, specimen: Specimen, rng: random.Random) -> str | None:
        raise NotImplementedError
