"""Marked errors: spans of an output or its source, counted in code points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from analysis.errors import AnalysisError, TableError

OUTPUT, SOURCE = "output", "source"
SIDES = (OUTPUT, SOURCE)
SHOWN_LETTERS = 40
# A file that is not what it seems has a problem on every line: the first of them are enough.
MOST_PROBLEMS = 1000


class MarkError(AnalysisError):
    """A mark is not where it says it is; the message says why."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One error that a rater marked.

    Attributes
    ----------
    start, end : code-point offsets into the text of its side, `end` exclusive; equal where the
        rater marked a place between two characters; both None where the error has no place
    text : what the output has there, as the rater saw it
    severity, category : as the file spells them; levels of a category are separated by "/"
    note : the rater's remark
    side : "output" or "source"
    missing : True where something is absent from the output, so that there is nothing to mark
    continues : True where this is another place of the error before it, which counts once
    time : when it was marked, as the file writes it
    extra : what the file says beyond this, under the file's own names
    """

    start: int | None
    end: int | None
    text: str = ""
    severity: str = ""
    category: str = ""
    note: str = ""
    side: str = OUTPUT
    missing: bool = False
    continues: bool = False
    time: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Count the marked characters."""
        return 0 if self.start is None or self.end is None else self.end - self.start


@dataclass(frozen=True, slots=True)
class MarkedOutput:
    """The marks of one rater in one system's output for one item.

    Attributes
    ----------
    rater, system, item : their names
    marks : in the order of the file; none where the rater found no error
    output, source : the texts as stored, unchanged; None where the file does not have them
    document : the document that the item belongs to
    score : the rater's score of the whole output, where the protocol asks for one
    extra : what the file says beyond this, under the file's own names
    words : how many words the output has, where its text is not here
    """

    rater: str
    system: str
    item: str
    marks: tuple[Mark, ...] = ()
    output: str | None = None
    source: str | None = None
    document: str = ""
    score: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    words: int | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """Rater, system and item: a rater judges an output once."""
        return self.rater, self.system, self.item

    @property
    def word_count(self) -> int | None:
        """Count the output's words, separated by white space; None without its text."""
        return self.words if self.output is None else len(self.output.split())

    def text_of(self, side: str) -> str | None:
        """Return the text that marks of a side point into."""
        return self.output if side == OUTPUT else self.source


@dataclass(frozen=True)
class SpanTable:
    """All marked outputs of a file, in its order.

    `notes` are sentences about what reading had to decide.
    """

    outputs: tuple[MarkedOutput, ...]
    form: str = ""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.outputs)

    @property
    def marks(self) -> int:
        """Count the errors; an error with several places counts once."""
        return sum(not mark.continues for each in self.outputs for mark in each.marks)

    def without_raters(self, names: Iterable[str]) -> SpanTable:
        """Leave out the marks of these raters; refuse an unknown rater."""
        gone = set(names)
        unknown = sorted(gone - {each.rater for each in self.outputs})
        if unknown:
            raise TableError([f"There is no rater {name!r} to exclude." for name in unknown])
        kept = tuple(each for each in self.outputs if each.rater not in gone)
        return SpanTable(kept, self.form, self.notes)


def errors_of(marks: Iterable[Mark]) -> list[list[Mark]]:
    """Group marks into errors: a mark, and those that continue it.

    Parameters
    ----------
    marks : of one output, in their order
    """
    errors: list[list[Mark]] = []
    for mark in marks:
        if mark.continues and errors:
            errors[-1].append(mark)
        else:
            errors.append([mark])
    return errors


class Problems:
    """The problems of a file, each with its place, raised together."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, place: str, message: str) -> None:
        """Note a problem; a file that is full of them is refused at once."""
        self._found.append(f"{place}: {message}")
        if len(self._found) >= MOST_PROBLEMS:
            self.refuse()

    def refuse(self) -> None:
        """Refuse the file if it has any problem."""
        if self._found:
            raise TableError(self._found)


def short(text: object) -> str:
    """Shorten a value so that it can be quoted in a message.

    Parameters
    ----------
    text : of any type
    """
    written = str(text)
    if len(written) > SHOWN_LETTERS:
        written = f"{written[: SHOWN_LETTERS - 1]}…"
    return repr(written)


def check_unique(
    outputs: Sequence[MarkedOutput], places: Sequence[str], problems: Problems
) -> None:
    """Note each output that a rater judges a second time.

    Parameters
    ----------
    outputs, places : the marked outputs and where each begins in the file
    problems : where the problems are noted
    """
    first: dict[tuple[str, str, str], str] = {}
    for each, place in zip(outputs, places, strict=True):
        before = first.setdefault(each.key, place)
        if before is not place:
            rater, system, item = map(short, each.key)
            problems.add(
                place,
                f"rater {rater} judges system {system} on item {item} again, as in "
                f"{before[0].lower()}{before[1:]}.",
            )
