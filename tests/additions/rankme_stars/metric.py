"""A metric of the texts alone: the share of vowels."""

from __future__ import annotations

from collections.abc import Iterator

from analysis.text_metrics.scoring import Scored, Settings


def vowels(name: str, settings: Settings) -> Iterator[Scored]:
    yield settings.each(name, "a, e, i, o, u / letters", share_of_vowels, better=None)


def share_of_vowels(item: str, text: str) -> float:
    letters = [letter for letter in text.lower() if letter.isalpha()]
    return sum(letter in "aeiou" for letter in letters) / max(len(letters), 1)
