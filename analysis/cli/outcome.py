"""What a command of `python -m analysis` finds, and the shapes in which it can be shown."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.plain import left_empty, plain

Cell = str | int | float | None


@dataclass(frozen=True)
class Grid:
    """A table to read: a title, the columns' names and rows of cells."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Outcome:
    """A command's result: `document` is its JSON, `notes` are the sentences below the tables.

    `latex` makes the table as the papers print it; `plot` draws it into a file whose ending says
    the format. Either is None where there is nothing to show in that shape.
    """

    document: object
    grids: tuple[Grid, ...]
    notes: tuple[str, ...] = ()
    latex: Callable[[], str] | None = None
    plot: Callable[[Path], None] | None = None


def as_json(outcome: Outcome) -> str:
    """The document with its keys in their stable order; what is not finite is null."""
    document = plain(outcome.document)
    if isinstance(document, dict) and (sentences := left_empty(outcome.document)):
        document["not_given"] = " ".join(sentences)
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def as_csv(outcome: Outcome) -> str:
    """The tables one after the other, an empty line between them."""
    parts = []
    for grid in outcome.grids:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([grid.header, *grid.rows])
        parts.append(text.getvalue())
    return "\n".join(parts).rstrip("\n")


def as_text(outcome: Outcome) -> str:
    """The tables in aligned columns, then the notes."""
    parts = [_aligned(grid) for grid in outcome.grids]
    return "\n\n".join([*parts, *outcome.notes])


def _aligned(grid: Grid) -> str:
    rows = [grid.header, *(tuple(_shown(cell) for cell in row) for row in grid.rows)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(grid.header))]
    numeric = [_is_numeric(grid, place) for place in range(len(widths))]
    lines = [
        grid.title,
        _line(rows[0], widths, numeric),
        "  ".join("-" * width for width in widths),
    ]
    return "\n".join([*lines, *(_line(row, widths, numeric) for row in rows[1:])])


def _line(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    placed = zip(cells, widths, numeric, strict=True)
    return "  ".join(
        cell.rjust(width) if number else cell.ljust(width) for cell, width, number in placed
    ).rstrip()


def _is_numeric(grid: Grid, place: int) -> bool:
    cells = [row[place] for row in grid.rows if row[place] is not None]
    return bool(cells) and all(isinstance(cell, int | float) for cell in cells)


def _shown(cell: Cell) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.4g}" if 0 < abs(cell) < 1e-3 or abs(cell) >= 1e5 else f"{cell:.3f}"
    return str(cell)
