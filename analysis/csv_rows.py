"""Rows of a CSV with their lines, for the files that come with judgements."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from analysis.errors import TableError
from analysis.table_files import content_of, unguarded

Source = str | Path | IO[bytes]


@dataclass(frozen=True)
class RowProblem:
    """Something wrong on a line; `column` is empty if the whole line is wrong."""

    file: str
    line: int
    column: str
    message: str

    def __str__(self) -> str:
        place = f"Line {self.line}, {self.column}" if self.column else f"Line {self.line}"
        return f"{self.file}: {place}: {self.message}" if self.file else f"{place}: {self.message}"


class RowsError(TableError):
    """A file with problems; `places` has each one with its line and column."""

    def __init__(self, places: Sequence[RowProblem]) -> None:
        self.places = tuple(places)
        super().__init__([str(each) for each in places])


@dataclass
class Rows:
    """The header and the rows of a file; `problems` collects what is wrong, with its place."""

    name: str
    header: list[str]
    rows: list[tuple[int, dict[str, str]]]
    problems: list[RowProblem] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[int, dict[str, str]]]:
        return iter(self.rows)

    def problem(self, line: int, column: str, message: str) -> None:
        """Note a problem; the place is a line and, if only one is wrong, a column."""
        self.problems.append(RowProblem(self.name, line, column, message))

    def require(self, columns: Sequence[str]) -> None:
        """Refuse a file that lacks columns."""
        if missing := [name for name in columns if name not in self.header]:
            found = ", ".join(self.header) or "none"
            self.problem(1, "", f"missing column {', '.join(missing)}; the file has: {found}.")
            self.refuse()

    def refuse(self) -> None:
        """Raise RowsError if there are problems."""
        if self.problems:
            raise RowsError(self.problems)


def read_rows(source: Source, name: str = "") -> Rows:
    """Read a CSV, optionally compressed with gzip, as it is written by people and spreadsheets.

    Parameters
    ----------
    source : a path, a binary file, or `-` for standard input
    name : what to call the file in messages where there are several

    Returns
    -------
    Rows, which already hold as problems the lines that have too few or too many cells.

    Raises
    ------
    TableError : the file cannot be read, is not UTF-8, is empty or names a column twice
    """
    prefix = f"{name}: " if name else ""
    content = content_of(source)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise TableError([f"{prefix}Line {line}: the file is not UTF-8 text."]) from error
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    found = Rows(name, [], [])
    try:
        found.header = [unguarded(cell.strip()) for cell in next(lines, [])]
        _check_header(found)
        start = lines.line_num + 1
        for cells in lines:
            if cells:
                _add(found, start, cells)
            start = lines.line_num + 1
    except csv.Error as error:
        found.problem(lines.line_num, "", f"{error}.")
        found.refuse()
    return found


def _check_header(found: Rows) -> None:
    if not found.header:
        found.problem(1, "", "the file is empty.")
    for name in sorted({name for name in found.header if found.header.count(name) > 1}):
        found.problem(1, name, "there are two columns of this name.")
    found.refuse()


def _add(found: Rows, line: int, cells: list[str]) -> None:
    if len(cells) != len(found.header):
        found.problem(line, "", f"{len(cells)} cells, but the header has {len(found.header)}.")
        return
    # Few cells have a guard, and this runs once a row.
    values = [unguarded(cell) if cell[:1] == "'" else cell for cell in cells]
    found.rows.append((line, dict(zip(found.header, values, strict=True))))


def finite_number(text: str) -> float | None:
    """Read the number in a cell; None for text, NaN and infinities.

    Parameters
    ----------
    text : the cell
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
