"""Collect every problem of a file with its place before refusing anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

QUOTED_OR_NUMBER = re.compile(r'"[^"]*"|\d[\d,.]*|0x[0-9A-F]{2}')
LINES_SHOWN = 10


@dataclass(frozen=True)
class FileProblem:
    """One fault. `line` counts from 1; `column` is a column's name or the character's number."""

    message: str
    file: str = ""
    line: int | None = None
    column: str = ""

    def __str__(self) -> str:
        places = [self.file]
        if self.line is not None:
            places.append(f"line {self.line}")
        if self.column:
            places.append(f"column {self.column}")
        return f"{', '.join(place for place in places if place)}: {self.message}"


@dataclass(frozen=True)
class ProblemGroup:
    """The same problem in one or many rows; `message` is that of the first of them."""

    file: str
    column: str
    message: str
    lines: tuple[int, ...]
    count: int
    text: str


def grouped(problems: Sequence[FileProblem]) -> list[ProblemGroup]:
    """Problems that differ only in their rows, and in what they quote, as one each."""
    groups: dict[tuple[str, str, str], list[FileProblem]] = {}
    for problem in problems:
        wording = QUOTED_OR_NUMBER.sub("…", problem.message)
        column = "" if problem.column.isdigit() else problem.column
        groups.setdefault((problem.file, column, wording), []).append(problem)
    return [_group(alike) for alike in groups.values()]


def _group(alike: Sequence[FileProblem]) -> ProblemGroup:
    first = alike[0]
    lines = [problem.line for problem in alike if problem.line is not None]
    more = len(alike) - 1
    text = str(first)
    if more:
        shown = ", ".join(map(str, lines[1:LINES_SHOWN]))
        tail = ", …" if more >= LINES_SHOWN else ""
        text += f" (and in {more:,} more rows: {shown}{tail})" if shown else f" ({more:,} more)"
    return ProblemGroup(
        first.file, first.column, first.message, tuple(lines[:LINES_SHOWN]), len(alike), text
    )


class ImportRefused(ValueError):
    """The material is not valid; `problems` are the first, `count` says how many there are."""

    def __init__(self, problems: Sequence[FileProblem], count: int | None = None) -> None:
        self.problems = tuple(problems)
        self.count = len(problems) if count is None else count
        # What could be read anyway, if the reader got that far.
        self.tables: tuple[Any, ...] = ()
        self.n_systems = 0
        self.n_items = 0
        super().__init__("\n".join(str(problem) for problem in self.problems))


def refusal(message: str, file: str = "", line: int | None = None) -> ImportRefused:
    """The refusal for a single reason."""
    return ImportRefused([FileProblem(message, file, line)])


class Problems:
    """Collects every fault, and keeps the first of them to be listed."""

    def __init__(self, listed: int) -> None:
        self._listed = listed
        self._problems: list[FileProblem] = []
        # How a file is called where its label is not enough: with the sheet that is read.
        self.called: dict[str, str] = {}
        self.count = 0

    def add(
        self, message: str, *, file: str = "", line: int | None = None, column: str | int = ""
    ) -> None:
        self.count += 1
        if not self.is_full:
            name = self.called.get(file, file)
            self._problems.append(FileProblem(message, name, line, str(column)))

    @property
    def is_full(self) -> bool:
        """Tell whether further problems are only counted, and need no wording."""
        return len(self._problems) >= self._listed

    def refuse_if_any(self) -> None:
        if self.count:
            in_order = sorted(self._problems, key=lambda problem: (problem.file, problem.line or 0))
            raise ImportRefused(in_order, self.count)


class StopFile(Exception):
    """The rest of this file cannot be read; the problem is already noted."""


class UnreadableTable(ValueError):
    """A library cannot read a workbook or an Arrow table; the message says why, for people."""
