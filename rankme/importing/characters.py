"""Characters that are kept as they are, but that an organiser should know of."""

from __future__ import annotations

import re
import unicodedata

SENTENCE_MARK = "[[SENTENCE]]"

BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
INVISIBLE = "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\ufeff"
CONTROL = "\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029"
NO_CHARACTER = "\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff\U0010fffe\U0010ffff\ue000-\uf8ff"

CHARACTER_CLASSES = {
    "text direction mark": BIDI,
    "invisible character": INVISIBLE,
    "control character": CONTROL,
    "replacement character": "\ufffd",
    "unassigned or private character": NO_CHARACTER,
}
NOT_NORMAL = "not in the normal form NFC"
STRANGE = {
    character_class: re.compile(f"[{characters}]")
    for character_class, characters in CHARACTER_CLASSES.items()
}
ANY_STRANGE = re.compile("[" + "".join(CHARACTER_CLASSES.values()) + "]")

NUL_OR_SURROGATE = re.compile("[\x00\ud800-\udfff]")


def strange_characters(text: str) -> list[tuple[str, str]]:
    """The classes of unusual characters in the text, each with the first such character."""
    if text.isascii() and text.isprintable():
        return []
    found = []
    if ANY_STRANGE.search(text):
        found = [
            (character_class, f"U+{ord(match.group()):04X}")
            for character_class, pattern in STRANGE.items()
            if (match := pattern.search(text))
        ]
    if not unicodedata.is_normalized("NFC", text):
        found.append((NOT_NORMAL, ""))
    return found


def folded(name: str) -> str:
    """The name as compared with others: case and ways of composing letters make no difference."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
