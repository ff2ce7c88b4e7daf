"""A table of a report: once, as typed cells, for the site, the terminal, LaTeX and CSV to render.

A table says what its numbers are; how they are written is the renderers' business (`text` here,
`latex` next to it). Titles are plain English, which the site translates.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count, groupby
from typing import Any

from analysis.report.sentences import probability
from analysis.table_files import guarded
from analysis.translatable import gettext_noop as _

Cell = str | int | float | tuple[float | None, float | None] | None

MISSING = "–"


class Format(Enum):
    """The type of a column's cells; None is an empty cell in each."""

    TEXT = "text"
    WHOLE = "whole"  # a whole number
    NUMBER = "number"  # a number with `digits` decimals
    DEGREES = "degrees"  # degrees of freedom: decimals only where there are any
    P = "p"
    RANGE = "range"  # (lowest, highest)
    INTERVAL = "interval"  # (low, high)


TWO_NUMBERS = (Format.RANGE, Format.INTERVAL)


class Role(Enum):
    """The place of a table in a report."""

    ANSWER = "answer"  # of the model that may be claimed
    PAPER = "paper"  # as the field's papers print it
    HONEST = "honest"  # what a strict reviewer asks for
    AGREEMENT = "agreement"
    MORE = "more"


@dataclass(frozen=True)
class Column:
    """`group` is what several neighbouring columns are about, printed once above them."""

    title: str
    format: Format = Format.TEXT
    digits: int = 0
    group: str = ""
    is_label: bool = False  # the title is data (a factor's level), so nobody translates it
    is_once: bool = False  # printed only in the first row of a cluster; a file repeats it

    @property
    def full_title(self) -> str:
        """The title where nothing is printed above it."""
        return f"{self.group}: {self.title}" if self.group else self.title

    @property
    def is_number(self) -> bool:
        return self.format is not Format.TEXT


@dataclass(frozen=True)
class Row:
    """`begins` marks the first row of a cluster, so that a rule separates the clusters."""

    cells: tuple[Cell, ...]
    begins: bool = False


@dataclass(frozen=True)
class Table:
    """`heads` is the column that names the row; `file`, the path of its files without an ending."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    role: Role = Role.MORE
    heads: int = 0
    notes: tuple[str, ...] = ()
    file: str = ""

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings above groups of columns and how many each spans; none without groups."""
        if not any(column.group for column in self.columns):
            return []
        runs = groupby(column.group for column in self.columns)
        return [(group, len(list(columns))) for group, columns in runs]

    @property
    def lines(self) -> list[tuple[Row, list[tuple[str, Column, bool]]]]:
        """Each row with its cells as text, their columns, and whether a cell names the row."""
        return [
            (
                row,
                [
                    (text(cell, column), column, place == self.heads)
                    for place, (cell, column) in enumerate(self.printed(row))
                ],
            )
            for row in self.rows
        ]

    def printed(self, row: Row) -> list[tuple[Cell, Column]]:
        """Pair the cells of a row with their columns; what the cluster above says is empty."""
        pairs = zip(row.cells, self.columns, strict=True)
        return [("" if each.is_once and not row.begins else cell, each) for cell, each in pairs]


def rows_of(rows: Iterable[Sequence[Cell]]) -> tuple[Row, ...]:
    """Rows without clusters."""
    return tuple(Row(tuple(cells)) for cells in rows)


def text(cell: Cell, column: Column) -> str:
    """Return a cell as plain text."""
    if cell is None:
        return MISSING
    if isinstance(cell, str):
        return cell
    if isinstance(cell, tuple):
        return _two_numbers(cell, column)
    if not math.isfinite(cell):
        return MISSING
    if column.format is Format.P:
        return probability(cell)
    if column.format is Format.WHOLE:
        return f"{cell:,}"
    if column.format is Format.DEGREES:
        return f"{cell:.{0 if float(cell).is_integer() else 1}f}"
    return f"{cell:.{column.digits}f}"


def _two_numbers(cell: tuple[float | None, float | None], column: Column) -> str:
    low, high = cell
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return MISSING
    ends = f"{low:.{column.digits}f}", f"{high:.{column.digits}f}"
    if column.format is Format.INTERVAL:
        return " … ".join(ends)
    return ends[0] if low == high else "–".join(ends)


def as_csv(table: Table) -> str:
    """Write numbers in full, the ends of an interval in columns of their own.

    Text that a spreadsheet would run as a formula is guarded.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([guarded(title) for column in table.columns for title in _csv_titles(column)])
    for row in table.rows:
        pairs = zip(row.cells, table.columns, strict=True)
        writer.writerow([each for cell, column in pairs for each in _csv_cells(cell, column)])
    return out.getvalue()


def _csv_titles(column: Column) -> list[str]:
    title = column.full_title
    return [f"{title} low", f"{title} high"] if column.format in TWO_NUMBERS else [title]


def _csv_cells(cell: Cell, column: Column) -> list[Any]:
    if column.format in TWO_NUMBERS:
        return ["" if end is None else end for end in cell] if isinstance(cell, tuple) else ["", ""]
    if cell is None:
        return [""]
    return [guarded(cell) if isinstance(cell, str) else cell]


def file_name(label: str) -> str:
    """Return a label as a part of a file's name: letters, digits and hyphens."""
    return "".join(each if each.isascii() and each.isalnum() else "-" for each in label) or "table"


def file_names(labels: Iterable[str]) -> list[str]:
    """Give each label a file name of its own, also where they differ only in other characters."""
    names: list[str] = []
    for label in labels:
        name, number = file_name(label), count(2)
        taken = {each.casefold() for each in names}  # some file systems do not tell cases apart
        while name.casefold() in taken:
            name = f"{file_name(label)}-{next(number)}"
        names.append(name)
    return names


def filed(folder: str, tables: Iterable[Table]) -> tuple[Table, ...]:
    """Say where in a bundle the files of these tables are."""
    tables = tuple(tables)
    names = file_names(table.name for table in tables)
    return tuple(
        replace(table, file=f"tables/{folder}{name}")
        for table, name in zip(tables, names, strict=True)
    )


def whole(title: str) -> Column:
    """Make a column of whole numbers."""
    return Column(title, Format.WHOLE)


def number(title: str, digits: int = 3, *, is_label: bool = False) -> Column:
    """Make a column of numbers with that many decimals."""
    return Column(title, Format.NUMBER, digits, is_label=is_label)


def interval(title: str, digits: int = 3) -> Column:
    """Make a column of intervals, whose ends have that many decimals."""
    return Column(title, Format.INTERVAL, digits)


SYSTEM, A, B = Column(_("System")), Column("A"), Column("B")
P = Column("p", Format.P)
N = whole("n")
INTERVAL = interval(_("Interval"))
