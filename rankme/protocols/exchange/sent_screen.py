"""What a rater's browser sends about a screen: read once, before anything uses it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from rankme.errors import InvalidAnswer, Problem
from rankme.protocols.playing import PlayLog, logs_by_place
from rankme.untrusted import strict_json
from rankme.untrusted.clean_text import check_document

from .page_shapes import Report, SentTo, Submission
from .payload_hashes import canonical
from .traces import read_trace

VERSION = 1
LONGEST_COMPLAINT = 2_000
MOST_PROBLEMS = 10


@dataclass(frozen=True)
class SentTimes:
    """Times of the browser's clock; anything else is left out, not refused."""

    spent_seconds: float | None = None
    paused_seconds: float = 0.0
    page_was_hidden: bool = False
    was_early: bool = False  # a key was pressed before anybody could have seen the stimulus
    was_touched: bool = False  # with a finger or a pen
    files: Mapping[int | None, PlayLog] = field(default_factory=dict)  # of sounds and films

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
            logs_by_place(times.get("files")),
        )

    @property
    def has_failed_file(self) -> bool:
        """Whether the rater's browser could not load a file, at least for a time."""
        return any(log.failed for log in self.files.values())


@dataclass(frozen=True)
class SentScreen:
    """One answered screen of a sitting.

    `trial` is the trial's position in the sitting. `answers` is checked against the definition
    (see `rankme.protocols.answers`). `replaces` is the key of the answer that this one changes.
    `document` is all that was sent, which the record keeps as it came, and `payload` the bytes that
    its hash is of.
    """

    key: UUID
    assignment: int
    trial: int
    screen: int
    answers: Any
    replaces: str | None
    comment: str
    times: SentTimes
    document: Mapping[str, Any]
    payload: bytes
    bytes_of_times: int
    trace: Mapping[str, float] | None = None

    @classmethod
    def read(cls, document: Mapping[str, Any], trace: object = None) -> SentScreen:
        """Read a document of this version, and the trace that came with it.

        Raises
        ------
        InvalidAnswer : it names no screen, or has unknown fields
        """
        if problems := _unknown_fields(document, Submission, "a submission"):
            raise InvalidAnswer(problems)
        key = _key(document.get("key"), problems)
        assignment, trial, screen = (
            _whole_number(name, document, problems, 2**63)
            for name in ("assignment", "trial", "screen")
        )
        if problems:
            raise InvalidAnswer(problems)
        replaces, comment = document.get("replaces"), document.get("comment")
        times = document.get("times")
        return cls(
            key,
            assignment,
            trial,
            screen,
            answers=document.get("answers"),
            replaces=replaces if isinstance(replaces, str) else None,
            comment=comment if isinstance(comment, str) else "",
            times=SentTimes.read(times),
            document=document,
            payload=canonical(document),
            bytes_of_times=len(canonical({"times": times})),
            trace=read_trace(trace),
        )


@dataclass(frozen=True)
class SentComplaint:
    """A report as the browser sends it; `trial` is its place in the sitting, None in practice."""

    key: UUID
    assignment: int
    trial: int | None
    screen: int
    text: str

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> SentComplaint:
        """Read a report; raise `InvalidAnswer` where it is not one."""
        problems = _unknown_fields(document, Report, "a report")
        text = document["complaint"]
        if not isinstance(text, str) or not text.strip():
            problems.append(Problem("complaint", _("Please say what is wrong.")))
        elif len(text) > LONGEST_COMPLAINT:
            problems.append(Problem("complaint", _("This text is too long.")))
        key = _key(document.get("key"), problems)
        in_practice = document.get("trial") is None
        assignment, trial, screen = (
            0 if name == "trial" and in_practice else _whole_number(name, document, problems, 2**31)
            for name in ("assignment", "trial", "screen")
        )
        if problems:
            raise InvalidAnswer(problems[:MOST_PROBLEMS])
        return cls(key, assignment, None if in_practice else trial, screen, text.strip())


@dataclass(frozen=True)
class OtherVersion:
    """What a page of another release sent: kept as it came, because this one cannot read it."""

    body: str
    version: object


def read_sent(body: bytes) -> SentScreen | SentComplaint | OtherVersion:
    """Read what the work page's script has sent.

    Raises
    ------
    InvalidAnswer : it is neither a screen nor a report, or contains what cannot be stored
    """
    try:
        document = strict_json.parse(body)
    except strict_json.InvalidJson as error:
        raise InvalidAnswer([Problem("", str(error))]) from error
    if not isinstance(document, dict):
        raise InvalidAnswer([Problem("", "a submission is a JSON object")])
    if document.get("version") != VERSION:
        return OtherVersion(body.decode("utf-8", "replace"), document.get("version"))
    # First: a trace that cannot be read must not cost the rater an answer.
    trace = document.pop("trace", None)
    check_document(document)
    if "complaint" in document:
        return SentComplaint.read(document)
    return SentScreen.read(document, trace)


def _unknown_fields(document: Mapping[str, Any], shape: type[SentTo], what: str) -> list[Problem]:
    unknown = sorted(set(document) - set(shape.__annotations__))[:MOST_PROBLEMS]
    return [Problem(name[:60], f"is not a field of {what}") for name in unknown]


def _key(value: object, problems: list[Problem]) -> UUID:
    try:
        return UUID(str(value))
    except ValueError:
        problems.append(Problem("key", "must be a UUID"))
        return UUID(int=0)


def _whole_number(
    name: str, document: Mapping[str, Any], problems: list[Problem], limit: int
) -> int:
    value = document.get(name)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < limit:
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
