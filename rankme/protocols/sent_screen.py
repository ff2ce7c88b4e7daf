"""One screen's answers as a rater's browser sends them: read once, before anything uses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rankme.errors import InvalidAnswer, Problem
from rankme.untrusted.clean_text import check_document

VERSION = 1
FIELDS = {
    "version", "key", "assignment", "trial", "screen",
    "answers", "times", "comment", "replaces",
}  # fmt: skip
MOST_PROBLEMS = 10


@dataclass(frozen=True)
class SentTimes:
    """Times of the browser's clock; anything else is left out, not refused."""

    spent_seconds: float | None = None
    paused_seconds: float = 0.0
    page_was_hidden: bool = False
    was_early: bool = False  # a key was pressed before anybody could have seen the stimulus
    was_touched: bool = False  # with a finger or a pen

    @classmethod
    def read(cls, times: object) -> SentTimes:
        if not isinstance(times, Mapping):
            return cls()
        inputs = str(times.get("input", "")).split("+")
        return cls(
            _seconds(times.get("spent_ms")),
            _total(times.get("paused")),
            bool(times.get("hidden")),
            bool(times.get("early")),
            "touch" in inputs or "pen" in inputs,
        )


@dataclass(frozen=True)
class SentScreen:
    """One answered screen of a sitting.

    `trial` is the trial's position in the sitting. `answers` is checked against the definition
    (see `rankme.protocols.answers`). `replaces` is the key of the answer that this one changes.
    `document` is all that was sent, which the record keeps as it came.
    """

    key: UUID
    assignment: int
    trial: int
    screen: int
    answers: object
    replaces: str | None
    times: SentTimes
    document: Mapping[str, Any]

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> SentScreen:
        """Read a document of this version.

        Raises
        ------
        InvalidAnswer : it names no screen, has unknown fields, or holds what cannot be stored
        """
        check_document(dict(document))
        _refuse_unknown_fields(document)
        problems: list[Problem] = []
        key = _key(document.get("key"), problems)
        assignment, trial, screen = (
            _whole_number(name, document.get(name), problems)
            for name in ("assignment", "trial", "screen")
        )
        if problems:
            raise InvalidAnswer(problems)
        replaces = document.get("replaces")
        return cls(
            key,
            assignment,
            trial,
            screen,
            answers=document.get("answers"),
            replaces=replaces if isinstance(replaces, str) else None,
            times=SentTimes.read(document.get("times")),
            document=document,
        )


def _refuse_unknown_fields(document: Mapping[str, Any]) -> None:
    unknown = sorted(set(document) - FIELDS)[:MOST_PROBLEMS]
    if unknown:
        raise InvalidAnswer(
            [Problem(name[:60], "is not a field of a submission") for name in unknown]
        )


def _key(value: object, problems: list[Problem]) -> UUID:
    try:
        return UUID(str(value))
    except ValueError:
        problems.append(Problem("key", "must be a UUID"))
        return UUID(int=0)


def _whole_number(name: str, value: object, problems: list[Problem]) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63:
        return value
    problems.append(Problem(name, "must be a whole number"))
    return 0


def _seconds(milliseconds: object) -> float | None:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return None
    return milliseconds / 1000


def _total(spans: object) -> float:
    """Add up spans [from, to] in milliseconds, as seconds; leave out anything else."""
    if not isinstance(spans, list):
        return 0.0
    pairs = [span for span in spans if isinstance(span, list) and len(span) == 2]
    ends = [(_seconds(begun), _seconds(ended)) for begun, ended in pairs]
    return sum(
        max(0.0, ended - begun) for begun, ended in ends if begun is not None and ended is not None
    )
