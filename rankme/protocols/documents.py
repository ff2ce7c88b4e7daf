"""Documents in a campaign file: their screens, and how segments follow each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from .definition import Definition
from .problem_words import Finding
from .screens import ScreenSpec

# Where an item is, among its factors. Segments are counted from 1.
DOCUMENT, SEGMENT = "document", "segment"


def is_first_segment(factors: Mapping[str, Any]) -> bool:
    return factors.get(SEGMENT) == "1"


def place_of(factors: Mapping[str, Any]) -> tuple[str, int]:
    """The item's document and segment; ("", 0) where it is in none."""
    segment = str(factors.get(SEGMENT, ""))
    if not segment.isdecimal():
        return "", 0
    return str(factors.get(DOCUMENT, "")), int(segment)


def runs_of(places: Sequence[tuple[str, int]]) -> list[range]:
    """Group places that follow each other in a document; items in no document stay alone."""
    starts = [0] * bool(places)
    for index, ((before, number), (after, following)) in enumerate(pairwise(places), start=1):
        if not following or before != after or following != number + 1:
            starts.append(index)
    return [range(start, end) for start, end in pairwise([*starts, len(places)])]


def document_problems(definition: Definition) -> Iterator[Finding]:
    """Find what a campaign with documents cannot have."""
    if not definition.has_documents:
        return
    is_closing = [screen.scope == "document" for screen in definition.screens]
    if all(is_closing):
        yield ("screens",), "ask about the segments too: add a screen with the scope “item”"
    if is_closing != sorted(is_closing):
        yield ("screens",), "screens about the whole document come after those about its segments"
    for number, screen in enumerate(definition.screens):
        for words in _screen_problems(screen):
            yield ("screens", number, "show"), words
    if any(check.tool.is_trial for check in definition.checks):
        yield ("checks",), "checks are pages of their own, which would tear documents apart"


def _screen_problems(screen: ScreenSpec) -> Iterator[str]:
    if screen.scope == "document" and not screen.shows("document"):
        yield "a screen about the whole document shows the block `document`"
    if screen.shows("document") and screen.shows("outputs"):
        yield "the block `document` has the outputs in it: leave out the block `outputs`"
    if screen.shows("document") and screen.timed:
        yield "a timed screen shows one text, not a document"
