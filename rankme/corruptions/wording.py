"""Damage to how a text reads, in any script: doubled clauses, scrambled words, foreign phrases."""

from __future__ import annotations

import random

from analysis.translatable import gettext_noop as _

from .base import Corruption, Specimen
from .pieces import CLAUSE_END, Pieces, pieces_of, without_last_mark

WINDOW_WORDS, WINDOW_CHARACTERS = 6, 12
SHORTEST_CLAUSE = 2


class ClauseDoubled(Corruption):
    name = "clause_doubled"
    title = _("One clause is repeated.")

    def apply(self, specimen: Specimen, rng: random.Random) -> str | None:
        text, mark = without_last_mark(specimen.text)
        ends = [match.end() for match in CLAUSE_END.finditer(text)]
        starts = [0, *ends]
        clauses = [text[start:end] for start, end in zip(starts, [*ends, None], strict=True)]
        long_enough = [
            number
            for number, clause in enumerate(clauses)
            if len(pieces_of(clause).parts) >= SHORTEST_CLAUSE
        ]
        if not long_enough:
            return None
        number = rng.choice(long_enough)
        joint = pieces_of(text).joint
        # The text's last clause has lost its mark, so that a comma has to separate the two.
        pause = "," if joint and not without_last_mark(clauses[number])[1] else ""
        clauses[number] += pause + joint + clauses[number].strip()
        return "".join(clauses) + mark


class WordsScrambled(Corruption):
    name = "words_scrambled"
    title = _("Up to six neighbouring words (or twelve characters) are put in a different order.")

    def apply(self, specimen: Specimen, rng: random.Random) -> str | None:
        text, mark = without_last_mark(specimen.text)
        pieces = pieces_of(text)
        length = min(WINDOW_WORDS if pieces.is_spaced else WINDOW_CHARACTERS, len(pieces.parts))
        if len(set(pieces.parts)) < 3:
            return None
        start = rng.randrange(len(pieces.parts) - length + 1)
        window = pieces.parts[start : start + length]
        scrambled = _other_order(window, rng)
        if scrambled is None:
            return None
        parts = [*pieces.parts[:start], *scrambled, *pieces.parts[start + length :]]
        return pieces.joined(parts) + mark


def _other_order(window: list[str], rng: random.Random) -> list[str] | None:
    """Another order in which most of the pieces have moved; None if they are all alike."""
    if len(set(window)) < 2:
        return None
    best = window
    for _attempt in range(20):
        shuffled = rng.sample(window, len(window))
        if _moved(window, shuffled) > _moved(window, best):
            best = shuffled
        if 2 * _moved(window, best) > len(window):
            break
    return best if best != window else [*window[1:], window[0]]


def _moved(before: list[str], after: list[str]) -> int:
    return sum(one != other for one, other in zip(before, after, strict=True))


class PhraseReplaced(Corruption):
    """WMT's bad reference (Graham et al. 2017): a phrase is replaced with one of another segment.

    As their text says, the first and the last word stay in segments of more than three words.
    """

    name = "phrase_replaced"
    title = _(
        "A phrase is replaced with one of the same length from a text about another item "
        "(as at WMT)."
    )

    def apply(self, specimen: Specimen, rng: random.Random) -> str | None:
        text, mark = without_last_mark(specimen.text)
        pieces = pieces_of(text)
        length = replaced_length(len(pieces.parts), is_spaced=pieces.is_spaced)
        donors = [
            donor
            for other in specimen.donors
            if other != specimen.text
            and (donor := pieces_of(without_last_mark(other)[0])).is_spaced == pieces.is_spaced
            and len(donor.parts) >= length
        ]
        if not pieces.parts or not donors:
            return None
        inner = 1 if len(pieces.parts) > 3 else 0
        last = len(pieces.parts) - inner - length
        if last < inner:
            inner, last = 0, max(0, len(pieces.parts) - length)
        start = inner + rng.randrange(last - inner + 1)
        return self._replaced(pieces, start, length, donors, rng) + mark

    def _replaced(
        self, pieces: Pieces, start: int, length: int, donors: list[Pieces], rng: random.Random
    ) -> str:
        for _attempt in range(20):
            donor = rng.choice(donors)
            place = rng.randrange(len(donor.parts) - length + 1)
            phrase = donor.parts[place : place + length]
            parts = [*pieces.parts[:start], *phrase, *pieces.parts[start + length :]]
            if parts != pieces.parts:
                break
        return pieces.joined(parts)


def replaced_length(size: int, *, is_spaced: bool = True) -> int:
    """Number of words to replace in a segment of this length (create_wmt22_tasks.py).

    Without spaces between words both lengths are in characters, and the phrase is twice as long.
    """
    table = ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5))
    length = next((length for most, length in table if size <= most), 6)
    return length if is_spaced else 2 * length
