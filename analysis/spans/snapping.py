"""Marks that end where a reader would end them: at grapheme clusters, at words, without spaces.

The package `regex` knows the segmentation rules of Unicode's Annex 29, which browsers follow too
(`Intl.Segmenter`). Browsers also find words in Thai, Lao, Khmer, Burmese, Chinese and Japanese, by
dictionaries; here a word of those scripts is one grapheme cluster.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import regex

from analysis.spans.model import MarkError

CLUSTER = regex.compile(r"\X")
WORD_BOUNDARY = regex.compile(r"\b", regex.WORD)


def snap_to_graphemes(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a mark to whole grapheme clusters.

    Parameters
    ----------
    text : the output as stored
    start, end : code-point offsets, `end` exclusive

    Returns
    -------
    The offsets of the smallest run of whole clusters that contains the mark.

    Raises
    ------
    MarkError : the offsets are not in the text

    Source
    ------
    Unicode Standard Annex 29, extended grapheme clusters
    """
    return _widened(_grapheme_boundaries(text), *_in_text(text, start, end))


def snap_to_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a mark to whole words, after leaving out white space at its ends.

    Parameters
    ----------
    text : the output as stored
    start, end : code-point offsets, `end` exclusive

    Returns
    -------
    The offsets of the smallest run of whole words (or punctuation) that contains the mark. A mark
    of white space alone stays as it is.

    Raises
    ------
    MarkError : the offsets are not in the text

    Source
    ------
    Unicode Standard Annex 29, word boundaries
    """
    place = trim_space(text, start, end)
    words = sorted({0, len(text), *(found.start() for found in WORD_BOUNDARY.finditer(text))})
    clusters = _grapheme_boundaries(text)
    # In Thai a word boundary may fall within a cluster: both must hold.
    while True:
        wider = _widened(clusters, *_widened(words, *place))
        if wider == place:
            return place
        place = wider


def trim_space(text: str, start: int, end: int) -> tuple[int, int]:
    """Leave out white space at both ends of a mark; a mark of white space alone stays.

    Parameters
    ----------
    text : the output as stored
    start, end : code-point offsets, `end` exclusive

    Returns
    -------
    The offsets without the white space at the ends.

    Raises
    ------
    MarkError : the offsets are not in the text
    """
    _in_text(text, start, end)
    marked = text[start:end]
    if not marked.strip():
        return start, end
    return start + len(marked) - len(marked.lstrip()), end - len(marked) + len(marked.rstrip())


def _in_text(text: str, start: int, end: int) -> tuple[int, int]:
    if not 0 <= start <= end <= len(text):
        raise MarkError(f"A mark from {start} to {end} is not in a text of {len(text)} characters.")
    return start, end


def _grapheme_boundaries(text: str) -> list[int]:
    return [0, *(found.end() for found in CLUSTER.finditer(text))]


def _widened(boundaries: list[int], start: int, end: int) -> tuple[int, int]:
    before = boundaries[bisect_right(boundaries, start) - 1]
    return before, boundaries[bisect_left(boundaries, end)]
