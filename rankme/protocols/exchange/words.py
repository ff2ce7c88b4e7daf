"""Words of a rater in an answered screen, kept apart from the payload so that they can be erased.

The payload has their digest, keyed with a random salt that is kept with the words. Once both are
erased, nobody can find the words again, not even by trying short ones.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Container, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from .payload_hashes import canonical

# The field of a payload that has the digest. It is not among the fields that browsers can send.
DIGEST = "words"
# Words as they are stored: `at` is their place in the payload, and `text` what was there. Those of
# answers also say of which criterion and output, and those of a mark its id.
Word = dict[str, Any]


@dataclass(frozen=True)
class KeptScreen:
    """A payload as the record keeps it, and the words that were taken out of it."""

    payload: bytes
    words: tuple[Word, ...] = ()
    salt: str = ""

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.payload).hexdigest()


def new_salt() -> str:
    return secrets.token_hex(32)


def kept_screen(document: Mapping[str, Any], personal: Container[str], salt: str) -> KeptScreen:
    """Take comments, and the answers to `personal` criteria, out of what a browser has sent.

    It need not be valid: what looks like no answer stays as it is.
    """
    words = list(_words(document, personal))
    if not words:
        return KeptScreen(canonical(document))
    payload = deepcopy(dict(document))
    for word in words:
        *way, last = word["at"]
        del _followed(payload, way)[last]
    payload[DIGEST] = words_digest(words, salt)
    return KeptScreen(canonical(payload), tuple(words), salt)


def with_words(payload: Mapping[str, Any], words: Sequence[Word]) -> dict[str, Any]:
    """Put words back to where they were: the payload as it was sent."""
    whole = deepcopy(dict(payload))
    if words:
        del whole[DIGEST]
    for word in words:
        *way, last = word["at"]
        _followed(whole, way)[last] = word["text"]
    return whole


def words_digest(words: Sequence[Word], salt: str) -> str:
    """Return the keyed digest of the words that were in one payload."""
    written = canonical({DIGEST: list(words)})
    return hmac.new(bytes.fromhex(salt), written, hashlib.sha256).hexdigest()


def comment_in(words: Sequence[Word]) -> str:
    return next((str(word["text"]) for word in words if word["at"] == ["comment"]), "")


def _followed(payload: Any, way: Sequence[str | int]) -> Any:
    for step in way:
        payload = payload[step]
    return payload


def _words(document: Mapping[str, Any], personal: Container[str]) -> Iterator[Word]:
    if comment := document.get("comment"):
        yield {"at": ["comment"], "text": comment}
    answers = document.get("answers")
    for number, answer in enumerate(answers if isinstance(answers, list) else ()):
        if isinstance(answer, Mapping):
            of_answer = {"criterion": answer.get("criterion"), "place": answer.get("place")}
            for word in _words_of_answer(answer, personal):
                yield {**word, **of_answer, "at": ["answers", number, *word["at"]]}


def _words_of_answer(answer: Mapping[str, Any], personal: Container[str]) -> Iterator[Word]:
    value, criterion = answer.get("value"), answer.get("criterion")
    if isinstance(criterion, str) and criterion in personal and "value" in answer:
        yield {"at": ["value"], "text": value}
    elif isinstance(value, Mapping):
        # Notes of marks. The log of marking repeats them.
        for part in ("marks", "events"):
            entries = value.get(part)
            for number, entry in enumerate(entries if isinstance(entries, list) else ()):
                if isinstance(entry, Mapping) and entry.get("note"):
                    mark = {"mark": entry.get("id")} if part == "marks" else {}
                    yield {"at": ["value", part, number, "note"], "text": entry["note"], **mark}
