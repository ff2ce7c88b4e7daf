"""Texts in pieces that can be moved without breaking a character of any script.

Words are what spaces separate. In scripts without spaces between words (Chinese, Japanese, Thai,
Lao, Khmer, Burmese) the pieces are grapheme clusters, as in WMT's scripts.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

CLUSTER = regex.compile(r"\X")
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]", regex.V1
)
_LETTER = regex.compile(r"\p{L}")
# Marks after which a clause may end, of any script; a digit on both sides belongs to a number.
CLAUSE_END = regex.compile(r"(?<!\d)[,;:.!?،؛؟。、，；：！？।॥…]+|[,;:.!?]+(?!\d)")
# A closing mark at the end of the text, which stays there whatever happens before it.
LAST_MARK = regex.compile(r"[\p{P}\s]*\Z", regex.V1)


@dataclass(frozen=True)
class Pieces:
    """The pieces of a text, and what joins them."""

    parts: list[str]
    joint: str

    @property
    def is_spaced(self) -> bool:
        return self.joint == " "

    def joined(self, parts: list[str]) -> str:
        return self.joint.join(parts)


def pieces_of(text: str) -> Pieces:
    """Words, or grapheme clusters where most letters are of a script without spaces."""
    unspaced = len(_UNSPACED.findall(text))
    if 2 * unspaced > len(_LETTER.findall(text)):
        return Pieces([cluster for cluster in CLUSTER.findall(text) if cluster.strip()], "")
    return Pieces(text.split(), " ")


def without_last_mark(text: str) -> tuple[str, str]:
    """The text without its closing mark, and that mark."""
    mark = LAST_MARK.search(text)
    start = mark.start() if mark else len(text)
    return text[:start], text[start:]


def found_value(text: str, value: str) -> regex.Match[str] | None:
    """Locate a value in the text, as a whole word where its script has words."""
    if not value.strip():
        return None
    start = r"(?<!\w)" if value[0].isalnum() and not _UNSPACED.match(value[0]) else ""
    end = r"(?!\w)" if value[-1].isalnum() and not _UNSPACED.match(value[-1]) else ""
    return regex.search(f"{start}{regex.escape(value)}{end}", text, regex.IGNORECASE)
