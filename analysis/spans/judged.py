"""Marks in a judgement table: the column `marks`, with the penalty as the value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from analysis.errors import TableError
from analysis.spans.model import OUTPUT, SIDES, Mark, MarkedOutput, SpanTable
from analysis.table import JudgementTable

MARKS = "marks"
# What the site keeps of a mark beyond the names that all files of marks share.
BEYOND = ("prefilled", "confirmed")


def has_marks(table: JudgementTable) -> bool:
    """Whether any judgement of the table comes with the marks that it adds up.

    Parameters
    ----------
    table : judgements
    """
    return MARKS in table.factors and any(table.factors[MARKS].labels)


def marked_outputs(table: JudgementTable) -> SpanTable:
    """The marks of a judgement table; a rater's later judgement of an output replaces an earlier.

    Parameters
    ----------
    table : judgements with the column `marks`

    Returns
    -------
    One marked output for each judgement that has marks, or that found none.

    Raises
    ------
    TableError : a cell that is not what the site writes
    """
    cells = [read_cell(label) if label else None for label in table.factors[MARKS].labels]
    columns = [getattr(table, name) for name in ("rater", "system", "item")]
    found: dict[tuple[str, ...], MarkedOutput] = {}
    for row, code in enumerate(table.factors[MARKS].codes.tolist()):
        cell = cells[code]
        if cell is None:
            continue
        key = tuple(column.labels[column.codes[row]] for column in columns)
        marks, words = cell
        found[key] = MarkedOutput(key[0], key[1], key[2], marks, words=words)
    again = sum(bool(label) for label in _labels_by_row(table)) - len(found)
    notes = (f"{again} outputs were judged again by the same rater; the last counts.",)
    return SpanTable(tuple(found.values()), "judgements", notes if again else ())


def _labels_by_row(table: JudgementTable) -> list[str]:
    column = table.factors[MARKS]
    return [column.labels[code] for code in column.codes.tolist()]


def read_cell(cell: str) -> tuple[tuple[Mark, ...], int | None]:
    """The marks of one judgement, and how many words its output has.

    Parameters
    ----------
    cell : the JSON that the site keeps of an answer

    Raises
    ------
    TableError : it is something else
    """
    try:
        kept = json.loads(cell)
        times = {event["id"]: event["at"] for event in kept.get("events", ())}
        marks = tuple(_mark(each, times.get(each.get("id"))) for each in kept["marks"])
        words = kept.get("words")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TableError([f"A cell of the column {MARKS} is not what the site writes."]) from error
    return marks, words if isinstance(words, int) else None


def _mark(each: Mapping[str, Any], at: float | None) -> Mark:
    side = each.get("side", OUTPUT)
    if side not in SIDES:
        raise ValueError(side)
    return Mark(
        each["start"],
        each["end"],
        each.get("text", ""),
        each.get("severity", ""),
        each.get("category", ""),
        each.get("note", ""),
        side=side,
        missing=bool(each.get("missing")),
        time="" if at is None else datetime.fromtimestamp(at / 1000, UTC).isoformat(),
        extra={name: each[name] for name in BEYOND if name in each},
    )
