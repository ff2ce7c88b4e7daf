"""Read what raters wrote: apart from the payload, or inside it if it is from before 2.2.0."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rankme.models import Judgement, Submission
from rankme.protocols.exchange.words import Word, comment_in, with_words

# Whether a payload has a comment or a note itself, as those of before 2.2.0 have.
WORDS_INSIDE = """
    (jsonb_path_exists(rankme_submission.payload, '$.comment ? (@ != "")')
    OR jsonb_path_exists(rankme_submission.payload,
        '$.answers[*].value.*[*].note ? (@ != "")'))"""


def words_of(sent: Submission) -> list[Word]:
    """The words of a submission; fetch it with `select_related("own_words")`."""
    kept = getattr(sent, "own_words", None)
    return kept.words if kept is not None else []


def comment_of(sent: Submission) -> str:
    return comment_in(words_of(sent)) or str(sent.payload.get("comment") or "")


def payload_as_sent(sent: Submission) -> dict[str, Any]:
    return with_words(sent.payload, words_of(sent))


def fill_in_words(sent: Submission, judgements: Iterable[Judgement]) -> None:
    """Give judgements, with their criteria, the words that they are stored without."""
    if words := words_of(sent):
        for judgement in judgements:
            name, place = judgement.criterion.name, judgement.position
            judgement.text = text_with_words(judgement.text, words, name, place)


def text_with_words(text: str, words: Sequence[Word], criterion: str, place: int | None) -> str:
    """The text of a judgement on this output, with what its rater wrote."""
    own = [
        word for word in words if (word.get("criterion"), word.get("place")) == (criterion, place)
    ]
    written = next((str(word["text"]) for word in own if word["at"][2:] == ["value"]), "")
    notes = {word["mark"]: word["text"] for word in own if "mark" in word}
    if not notes or not text:
        return text or written.strip()
    answer = json.loads(text)
    for mark in [*answer["marks"], *answer.get("left_out", ())]:
        mark["note"] = notes.get(mark["id"], mark["note"])
    return json.dumps(answer, ensure_ascii=False, sort_keys=True)
