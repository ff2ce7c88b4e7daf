"""Damaged copies of outputs, by which checks tell who reads: a class and a line for each kind."""

from __future__ import annotations

import random
from collections.abc import Sequence

from .base import Corruption, Specimen
from .facts import EntitiesSwapped, Negation, NumberChanged, SlotChanged, SlotDropped
from .wording import ClauseDoubled, PhraseReplaced, WordsScrambled

CORRUPTIONS: dict[str, Corruption] = {
    corruption.name: corruption
    for corruption in (
        SlotChanged(),
        SlotDropped(),
        NumberChanged(),
        EntitiesSwapped(),
        Negation(),
        ClauseDoubled(),
        WordsScrambled(),
        PhraseReplaced(),
    )
}

# Work on any text of a few words, in any script.
ALWAYS_POSSIBLE = ("phrase_replaced", "words_scrambled", "clause_doubled")


def corrupted(
    specimen: Specimen, kinds: Sequence[str], rng: random.Random
) -> tuple[str, str] | None:
    """A damaged copy and the kind of its damage; None where no kind can damage this text.

    The kinds are tried in a random order, so that each is as frequent as it is possible.
    """
    for name in rng.sample(list(kinds), len(kinds)):
        text = CORRUPTIONS[name].apply(specimen, rng)
        if text is not None and text.strip() and text != specimen.text:
            return text, name
    return None


__all__ = ["ALWAYS_POSSIBLE", "CORRUPTIONS", "Corruption", "Specimen", "corrupted"]
