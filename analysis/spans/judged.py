"""Marks in a judgement table: the column `marks`, with the penalty as the value."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from analysis.errors import TableError
from analysis.spans.jsontext import plain_json
from analysis.spans.marking import own_cells
from analysis.spans.model import OUTPUT, SIDES, Mark, MarkedOutput, SpanTable
from analysis.spans.own import sha256_of
from analysis.table import JudgementTable
from analysis.typing import Values

MARKS = "marks"
LEFT_OUT = "left_out"  # suggestions that nobody touched, and that weigh nothing
# What the site keeps of a mark beyond the names that all files of marks share.
BEYOND = ("prefilled", "confirmed")
OWN = ("start", "end", "text", "severity", "category")


def has_marks(table: JudgementTable) -> bool:
    """Say whether any judgement of the table has its marks.

    Parameters
    ----------
    table : judgements
    """
    return MARKS in table.factors and any(table.factors[MARKS].labels)


def numbers_of_marks(table: JudgementTable) -> Values:
    """Count the errors that each judgement marks; further places of an error are not counted.

    Parameters
    ----------
    table : judgements with the column `marks`

    Returns
    -------
    shape (judgements,); NaN without the column's value

    Raises
    ------
    TableError : a cell that is not what the site writes
    """
    column = table.factors[MARKS]
    counts = np.array(
        [
            sum(not mark.continues for mark in read_cell(label).marks) if label else np.nan
            for label in column.labels
        ]
    )
    numbers: Values = counts[column.codes]
    return numbers


def marked_outputs(table: JudgementTable, document: str = "") -> SpanTable:
    """Return the marks of a judgement table; a rater's later judgement of an output replaces an
    earlier.

    Parameters
    ----------
    table : judgements with the column `marks`
    document : the factor that names the document of each item, if there are any

    Returns
    -------
    One marked output for each judgement that has marks, or that found none.

    Raises
    ------
    TableError : a cell that is not what the site writes
    """
    cells = [read_cell(label) if label else None for label in table.factors[MARKS].labels]
    columns = [getattr(table, name) for name in ("rater", "system", "item")]
    columns += [table.groups(document)] * bool(document)
    found: dict[tuple[str, ...], MarkedOutput] = {}
    for row, code in enumerate(table.factors[MARKS].codes.tolist()):
        cell = cells[code]
        if cell is None:
            continue
        key = tuple(column.labels[column.codes[row]] for column in columns)
        rater, system, item, *groups = key
        found[key] = replace(
            cell, rater=rater, system=system, item=item, document=groups[0] if groups else ""
        )
    column = table.factors[MARKS]
    again = sum(bool(column.labels[code]) for code in column.codes.tolist()) - len(found)
    notes = [f"{again} outputs were judged again by the same rater; the last counts."] * bool(again)
    return SpanTable(
        tuple(found.values()), "judgements", (*notes, *_notes_on_suggestions(found.values()))
    )


def _notes_on_suggestions(outputs: Collection[MarkedOutput]) -> Iterator[str]:
    """Say how many suggested marks their raters left untouched, and whether these count."""
    left_out = sum(each.extra.get(LEFT_OUT, 0) for each in outputs)
    kept = [mark.extra for each in outputs for mark in each.marks if "prefilled" in mark.extra]
    counted = sum(extra.get("confirmed") is not True for extra in kept)
    if not kept and not left_out:
        return
    untouched, suggested = counted + left_out, len(kept) + left_out
    share = f"{untouched:,} of {suggested:,} ({100 * untouched / suggested:.1f} %)"
    yield (
        f"Of the suggested marks that raters did not remove, {share} were left untouched; "
        f"{counted:,} of these count as the raters' own."
    )


def read_cell(cell: str) -> MarkedOutput:
    """Read one judgement, without the names of its rater, system and item.

    Parameters
    ----------
    cell : the JSON that the site keeps of an answer

    Returns
    -------
    The marks, and how many words the output has.

    Raises
    ------
    TableError : it is something else
    """
    try:
        kept = json.loads(cell)
        times = {event["id"]: event["at"] for event in kept.get("events", ())}
        marks = tuple(_mark(each, times.get(each.get("id"))) for each in kept["marks"])
        words, extra = kept.get("words"), kept.get("extra", {})
        if left_out := len(kept.get(LEFT_OUT, ())):
            extra = {**extra, LEFT_OUT: left_out}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TableError([f"A cell of the column {MARKS} is not what the site writes."]) from error
    known = words if isinstance(words, int) else None
    return MarkedOutput("", "", "", marks, extra=extra, words=known)


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
        continues=bool(each.get("continues")),
        time=each.get("time", "") if at is None else _moment(at),
        extra={
            **{name: each[name] for name in BEYOND if name in each},
            **each.get("extra", {}),
        },
    )


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")


def write_cell(each: MarkedOutput) -> str:
    """Return the cell of a marked output that came from elsewhere; `read_cell` reads it.

    Parameters
    ----------
    each : what a rater marked in an output
    """
    marks = [{name: getattr(mark, name) for name in OWN} | own_cells(mark) for mark in each.marks]
    words = each.word_count
    kept = {"marks": marks, **({} if words is None else {"words": words})}
    kept |= {"extra": dict(each.extra)} if each.extra else {}
    if each.output is not None:
        kept |= {"sha256": sha256_of(each.output), "length": len(each.output)}
    return plain_json(kept)
