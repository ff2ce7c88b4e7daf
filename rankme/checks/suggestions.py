"""Suggested marks on the pages of checks: where outputs come with marks, so do the texts of checks.

Otherwise a page without suggestions would show that it is a check.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Marks = Sequence[Mapping[str, Any]]
TRIES = 20


def moved(
    marks: Marks, text: str, *, original: str, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """The suggestions for `original`, for a text that is shown in its place.

    A marked passage that the text still has stays marked. Any other mark goes to as many words
    somewhere else, or away where there is no room.
    """
    if text == original:
        return [dict(mark) for mark in marks]
    placed: list[dict[str, Any]] = []
    taken: list[tuple[int, int]] = []
    for mark in marks:
        if mark.get("side", "output") != "output" or mark.get("start") is None:
            placed.append(dict(mark))
            continue
        place = _same(mark, text, taken) or _elsewhere(mark, text, taken, rng)
        if place is not None:
            start, end = place
            taken.append(place)
            placed.append({**mark, "start": start, "end": end, "text": text[start:end]})
    return placed


def _same(
    mark: Mapping[str, Any], text: str, taken: Sequence[tuple[int, int]]
) -> tuple[int, int] | None:
    """Find the marked passage nearest to its old place."""
    found = [match.span() for match in re.finditer(re.escape(str(mark["text"])), text)]
    free = [place for place in found if _is_free(place, taken) and place[0] < place[1]]
    return min(free, key=lambda place: abs(place[0] - int(mark["start"])), default=None)


def _elsewhere(
    mark: Mapping[str, Any],
    text: str,
    taken: Sequence[tuple[int, int]],
    rng: np.random.Generator,
) -> tuple[int, int] | None:
    words = [match.span() for match in re.finditer(r"\S+", text)]
    length = max(1, min(len(str(mark["text"]).split()), len(words)))
    if not words:
        return None
    for _ in range(TRIES):
        first = int(rng.integers(len(words) - length + 1))
        place = (words[first][0], words[first + length - 1][1])
        if _is_free(place, taken):
            return place
    return None


def _is_free(place: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    return all(place[1] <= start or end <= place[0] for start, end in taken)
