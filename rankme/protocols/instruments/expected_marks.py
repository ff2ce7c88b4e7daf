"""Compare a rater's marks with those that a practice example expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from rankme.protocols.exchange.marks import Mark, Side

MOST_EXPECTED = 20
LEAST_OVERLAP = 0.5  # of the characters that either mark covers
UNREADABLE = "write each mark with its text, severity, category, side or missing"
Names = list[str]


class ExpectedMark(BaseModel):
    """An error that raters should mark. Any of several names or passages is right; without any,
    it does not matter which.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: Names = Field(default_factory=list)
    severity: Names = Field(default_factory=list)
    category: Names = Field(default_factory=list)
    side: str = "output"
    missing: bool = False

    @field_validator("text", "severity", "category", mode="before")
    @classmethod
    def one_or_several(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value


@dataclass(frozen=True)
class ExpectedMarks:
    """The marks that an example expects in one output, and the texts that they are in."""

    marks: tuple[ExpectedMark, ...]
    texts: Mapping[str, str]  # by side

    @classmethod
    def read(cls, written: Any, texts: Mapping[str, str]) -> ExpectedMarks:
        """Read the marks of a campaign file; raise ValueError for anything else."""
        marks = [written] if isinstance(written, Mapping) else written
        try:
            return cls(tuple(ExpectedMark.model_validate(mark) for mark in marks), texts)
        except ValidationError as error:
            raise ValueError(UNREADABLE) from error

    def problems(self, severities: Sequence[str], categories: Sequence[str]) -> Iterator[str]:
        """Find expectations that no mark in these texts can meet."""
        if len(self.marks) > MOST_EXPECTED:
            yield f"at most {MOST_EXPECTED} marks can be expected"
        for mark in self.marks[:MOST_EXPECTED]:
            if mark.side not in self.texts:
                yield f"“{mark.side[:60]}” cannot be marked: choose {', '.join(self.texts)}"
            for text in mark.text:
                if not text or text not in self.texts.get(mark.side, ""):
                    yield f"“{text[:60]}” is not in the text"
            for name in mark.severity:
                if name not in severities:
                    yield f"there is no severity “{name[:60]}”"
            for name in mark.category:
                if name not in categories:
                    yield f"there is no category “{name[:60]}”"

    def are_met_by(self, marks: Sequence[Mapping[str, Any]]) -> bool:
        """Whether each expected mark was made, and no other."""
        if len(marks) != len(self.marks):
            return False
        taken: dict[int, int] = {}
        return all(self._assigned(number, marks, taken, set()) for number in range(len(self.marks)))

    def _assigned(
        self, number: int, marks: Sequence[Mapping[str, Any]], taken: dict[int, int], seen: set[int]
    ) -> bool:
        """Find a mark for an expected one, by an augmenting path: others may get another mark."""
        for place, mark in enumerate(marks):
            if place in seen or not self._is(self.marks[number], mark):
                continue
            seen.add(place)
            if place not in taken or self._assigned(taken[place], marks, taken, seen):
                taken[place] = number
                return True
        return False

    def _is(self, expected: ExpectedMark, mark: Mapping[str, Any]) -> bool:
        if mark["missing"] is not expected.missing or mark["side"] != expected.side:
            return False
        if expected.severity and mark["severity"] not in expected.severity:
            return False
        if expected.category and mark["category"] not in expected.category:
            return False
        # Something that is missing has no passage, or the place where it should be.
        return (
            not expected.text
            or mark["start"] is None
            or any(_overlap(place, mark) >= LEAST_OVERLAP for place in self._places(expected))
        )

    def _places(self, expected: ExpectedMark) -> Iterator[tuple[int, int]]:
        whole = self.texts[expected.side]
        for text in expected.text:
            start = whole.find(text)
            while start >= 0:
                yield start, start + len(text)
                start = whole.find(text, start + 1)

    def shown(self) -> list[Mark]:
        """The marks as a rater would make them, with the first of several right answers."""
        marks: list[Mark] = []
        for number, expected in enumerate(self.marks, start=1):
            start, end = next(self._places(expected), (None, None))
            marks.append(
                {
                    "id": number,
                    "side": cast(Side, expected.side),
                    "start": start,
                    "end": end,
                    "text": self.texts[expected.side][start:end] if start is not None else "",
                    "severity": next(iter(expected.severity), ""),
                    "category": next(iter(expected.category), ""),
                    "note": "",
                    "missing": expected.missing,
                }
            )
        return marks


def _overlap(place: tuple[int, int], mark: Mapping[str, Any]) -> float:
    """The share of characters in both, of those in either."""
    start, end = place
    shared = min(end, mark["end"]) - max(start, mark["start"])
    whole = max(end, mark["end"]) - min(start, mark["start"])
    return shared / whole if shared > 0 else 0.0
