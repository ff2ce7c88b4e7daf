"""Places in a text: checked, and converted between code points and what other tools count.

Python counts code points. A browser counts UTF-16 units, of which a character beyond U+FFFF (most
emoji) has two. Pearmut counts UTF-16 units without line feeds, and its ends are inclusive.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from analysis.spans.model import MarkError, short

LAST_OF_ONE_UNIT = "\uffff"


def check_mark(output: str, start: int, end: int, text: str) -> None:
    """Refuse a mark whose text differs from the output at that position.

    Parameters
    ----------
    output : the text as stored
    start, end : code-point offsets, `end` exclusive
    text : what the rater marked

    Raises
    ------
    MarkError : the offsets are not whole numbers with 0 ≤ start < end ≤ length, or the output has
        another text there, be it only another normal form of the same letters
    """
    for name, number in (("start", start), ("end", end)):
        if not isinstance(number, int) or isinstance(number, bool):
            raise MarkError(f"{name} is {short(number)}, not a whole number.")
    if start == end:
        raise MarkError(f"The mark at {start} is empty.")
    if problem := place_problem(output, start, end, text):
        raise MarkError(problem)


def place_problem(output: str | None, start: int, end: int, text: str | None) -> str:
    """Explain why a mark cannot be at its offsets; empty where it can.

    Parameters
    ----------
    output : the text as stored; None where it is not known, so that only the order is checked
    start, end : code-point offsets; equal for a place between two characters
    text : what the rater marked; None where the file does not say
    """
    if not 0 <= start <= end:
        return f"a mark cannot be from {start} to {end}."
    if output is None:
        return ""
    if end > len(output):
        return f"the mark ends at {end}, but the text has {len(output)} characters."
    if text is not None and output[start:end] != text:
        return (
            f"the text from {start} to {end} is {short(output[start:end])}, "
            f"but the mark says {short(text)}."
        )
    return ""


# --- UTF-16 ----------------------------------------------------------------------------------


def utf16_length(text: str) -> int:
    """Count the UTF-16 units of a text: JavaScript's `text.length`.

    Parameters
    ----------
    text : any
    """
    if _has_one_unit_each(text):
        return len(text)
    return len(text) + sum(letter > LAST_OF_ONE_UNIT for letter in text)


def _has_one_unit_each(text: str) -> bool:
    """Say whether both counts are the same, as in most texts."""
    return text.isascii() or max(text, default="") <= LAST_OF_ONE_UNIT


def to_utf16(text: str, offset: int) -> int:
    """Convert a code-point offset to UTF-16 units.

    Parameters
    ----------
    text : in which it counts
    offset : from 0 to the length of the text
    """
    return utf16_length(text[:offset])


def from_utf16(text: str, offset: int) -> int:
    """Convert an offset in UTF-16 units to code points.

    Parameters
    ----------
    text : in which it counts
    offset : in UTF-16 units

    Raises
    ------
    MarkError : the offset is negative, beyond the end, or between the two halves of a character
    """
    if _has_one_unit_each(text) and 0 <= offset <= len(text):
        return offset
    starts = list(accumulate((1 + (letter > LAST_OF_ONE_UNIT) for letter in text), initial=0))
    if not 0 <= offset <= starts[-1]:
        raise MarkError(f"{offset} is outside the text of {starts[-1]} UTF-16 units.")
    place = bisect_left(starts, offset)
    if starts[place] != offset:
        raise MarkError(f"{offset} is in the middle of {short(text[place - 1])}.")
    return place


# --- Pearmut ---------------------------------------------------------------------------------


def pearmut_places(text: str) -> Sequence[int]:
    """Find the code point that each of Pearmut's characters belongs to.

    Pearmut cuts a text into UTF-16 units (`text.split("")`) and gives each of them an index, except
    line feeds, which become line breaks without an index.

    Parameters
    ----------
    text : any

    Source
    ------
    github.com/zouharvi/pearmut, web/src/utils.ts, `contentToCharSpans`
    """
    if _has_one_unit_each(text) and "\n" not in text:
        return range(len(text))
    places: list[int] = []
    for place, letter in enumerate(text):
        if letter != "\n":
            places.extend([place] * (1 + (letter > LAST_OF_ONE_UNIT)))
    return places
