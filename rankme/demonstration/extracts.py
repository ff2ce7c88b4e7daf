"""Made-up extracts of five sentences, and made-up systems that realise one of them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

PLACE_OF_SENTENCE = "[[SENTENCE]]"
SENTENCES_PER_EXTRACT = 5
WHO = (
    *("the council", "the museum", "a young baker", "the harbour master", "the new teacher"),
    *("a group of students", "the choir", "our neighbour", "the railway", "the local paper"),
)
DID = (
    *("repaired", "opened", "painted", "visited", "described", "closed", "sold", "measured"),
    *("photographed", "borrowed"),
)
WHAT = (
    *("the old bridge", "a small garden", "the town hall", "two rooms", "the northern gate"),
    *("a collection of maps", "the clock tower", "the winter market", "an empty house"),
)
WHERE = ("near the river", "behind the station", "in the old town", "on the hill", "by the lake")
WHEN = ("last year", "on Monday", "in early spring", "after the storm", "before the holidays")


@dataclass(frozen=True)
class Sentence:
    """A sentence by its parts, in the order in which a person would write them."""

    who: str
    did: str
    what: str
    where: str
    when: str


@dataclass(frozen=True)
class Extract:
    name: str
    sentences: tuple[Sentence, ...]

    def around(self, place: int) -> str:
        """The extract with a gap in place of its sentence number `place`."""
        texts = [realise(sentence, "Corpus") for sentence in self.sentences]
        texts[place] = PLACE_OF_SENTENCE
        return " ".join(texts)


def draw_extracts(n_extracts: int, *, seed: int = 11) -> list[Extract]:
    """Extracts in which no sentence occurs twice."""
    rng = np.random.default_rng(seed)
    sentences: dict[Sentence, None] = {}
    while len(sentences) < n_extracts * SENTENCES_PER_EXTRACT:
        parts = (str(rng.choice(part)) for part in (WHO, DID, WHAT, WHERE, WHEN))
        sentences[Sentence(*parts)] = None
    drawn = list(sentences)
    size = SENTENCES_PER_EXTRACT
    return [
        Extract(f"t{number + 1:02d}", tuple(drawn[number * size : (number + 1) * size]))
        for number in range(n_extracts)
    ]


def realise(sentence: Sentence, system: str) -> str:
    """The sentence as a made-up system writes it."""
    words = SYSTEMS[system](sentence)
    return f"{words[0].upper()}{words[1:]}."


def _scrambled(one: Sentence) -> str:
    words = f"{one.when} {one.what} {one.did} {one.where} {one.who}".split()
    return " ".join(words[1::2] + words[::2])


SYSTEMS: dict[str, Callable[[Sentence], str]] = {
    "Corpus": lambda one: f"{one.who} {one.did} {one.what} {one.where} {one.when}",
    "Alder": lambda one: f"{one.when}, {one.who} {one.did} {one.what} {one.where}",
    "Beech": lambda one: f"{one.who} {one.when} {one.did} {one.what} {one.where}",
    "Clover": lambda one: f"{one.where} {one.who} {one.what} {one.did} {one.when}",
    "Dill": _scrambled,
}
