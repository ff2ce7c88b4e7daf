"""The result of a command of `python -m analysis`, and its output formats."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from analysis.plain import left_empty, plain
from analysis.report.layout import table_model
from analysis.report.layout.table_model import Column, Table


@dataclass(frozen=True)
class Outcome:
    """A command's result: `document` is its JSON, `notes` are the sentences below the tables.

    `plot` draws it into a file whose ending says the format; None where there is nothing to draw.
    `latex` makes a whole document where there is more to print than the tables.
    """

    document: object
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()
    latex: Callable[[], str] | None = None
    plot: Callable[[Path], None] | None = None


def as_json(outcome: Outcome) -> str:
    """Return the document with its keys in their stable order; what is not finite is null."""
    document = plain(outcome.document)
    if isinstance(document, dict) and (sentences := left_empty(outcome.document)):
        document["not_given"] = " ".join(sentences)
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def as_csv(outcome: Outcome) -> str:
    """Return the tables one after the other, an empty line between them."""
    return "\n".join(map(table_model.as_csv, outcome.tables)).rstrip("\n")


def as_text(outcome: Outcome) -> str:
    """Return the tables in aligned columns, then the notes."""
    return "\n\n".join([*map(_aligned, outcome.tables), *outcome.notes])


def _aligned(table: Table) -> str:
    titles = [column.full_title for column in table.columns]
    rows = [titles, *([cell for cell, _, _ in cells] for _, cells in table.lines)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(titles))]
    lines = [table.caption, _line(titles, widths, table.columns)]
    lines.append("  ".join("-" * width for width in widths))
    return "\n".join([*lines, *(_line(row, widths, table.columns) for row in rows[1:])])


def _line(cells: list[str], widths: list[int], columns: tuple[Column, ...]) -> str:
    placed = zip(cells, widths, columns, strict=True)
    return "  ".join(
        cell.rjust(width) if column.is_number else cell.ljust(width)
        for cell, width, column in placed
    ).rstrip()
