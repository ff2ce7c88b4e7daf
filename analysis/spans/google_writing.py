"""Google's MQM table, written (see `analysis.spans.google` for what it holds)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from analysis.spans.google import ESCAPES, NAMES, NO_ERROR, OUR_COLUMNS, Ranks
from analysis.spans.jsontext import plain_json
from analysis.spans.model import OUTPUT, SOURCE, Mark, MarkedOutput, Problems, SpanTable, errors_of

NEEDS_ESCAPE = re.compile(r"[\t\n\r]|</?v>")


def write_google(table: SpanTable) -> str:
    """Write Google's table.

    Parameters
    ----------
    table : marked outputs, all with their text

    Returns
    -------
    The file's content, which `read_google` reads back to equal marked outputs.

    Raises
    ------
    TableError : an output has no text, or two places of one error overlap
    """
    problems = Problems()
    ranks = Ranks()
    cell = _escape if any(map(NEEDS_ESCAPE.search, _strings(table))) else str
    rows: list[dict[str, str]] = []
    for each in table.outputs:
        if each.output is None:
            problems.add(f"System {each.system}, item {each.item}", "the text is not known.")
            continue
        shared = {name: cell(text) for name, text in _shared_cells(each, ranks).items()}
        rows.extend({**shared, **row} for row in _rows(each, cell, problems))
    problems.refuse()
    names = [theirs[0] for theirs in NAMES.values()]
    names += sorted({name for row in rows for name in row}.difference(names))
    if cell is _escape:
        names.append("escaped")
        rows = [{**row, "escaped": "backslash"} for row in rows]
    lines = ("\t".join(row.get(name, "") for name in names) for row in rows)
    return "\n".join(["\t".join(names), *lines, ""])


def _strings(table: SpanTable) -> Iterator[str]:
    """Yield every text that becomes a cell; JSON escapes for itself all but the tags."""
    for each in table.outputs:
        yield from (each.rater, each.system, each.item, each.document)
        yield from (each.output or "", each.source or "", plain_json(dict(each.extra)))
        for mark in each.marks:
            yield from (mark.severity, mark.category, mark.note, mark.time)
            yield from (value for value in mark.extra.values() if isinstance(value, str))
            yield plain_json(dict(mark.extra))


def _escape(cell: str) -> str:
    escaped = re.sub(r"[\\\t\n\r]", lambda found: ESCAPES[found[0]], cell)
    return re.sub(r"<(?=/?v>)", lambda _: ESCAPES["<"], escaped)


def _shared_cells(each: MarkedOutput, ranks: Ranks) -> dict[str, str]:
    rest = {name: value for name, value in each.extra.items() if name not in ("doc_id", "no_error")}
    rank = ranks.of(each.document, each.item)
    cells = {
        "system": each.system,
        "doc": each.document,
        "doc_id": str(each.extra.get("doc_id", rank)),
        "seg_id": each.item,
        "rater": each.rater,
        "source": each.source or "",
        "target": each.output or "",
    }
    cells |= {"score": repr(each.score)} if each.score is not None else {}
    return cells | ({"output_extra": plain_json(rest)} if rest else {})


def _rows(
    each: MarkedOutput, cell: Callable[[str], str], problems: Problems
) -> Iterator[dict[str, str]]:
    """Yield one row for each error; one that says so where there is none."""
    if "no_error" in each.extra or not each.marks:
        said = {name: cell(text) for name, text in each.extra.get("no_error", {}).items()}
        yield {"category": NO_ERROR, "severity": NO_ERROR, **said}
    for places in errors_of(each.marks):
        first = places[0]
        row = {"category": first.category, "severity": first.severity, "comment": first.note}
        row |= {"time": first.time} if first.time else {}
        row |= {"missing": "1"} if first.missing else {}
        row = {name: cell(text) for name, text in (row | _extra_cells(first.extra)).items()}
        for side, name in ((OUTPUT, "target"), (SOURCE, "source")):
            marked = [place for place in places if place.side == side and place.start is not None]
            if marked:
                row[name] = _tagged(each, marked, cell, problems)
        yield row


def _extra_cells(extra: Mapping[str, Any]) -> dict[str, str]:
    """Return a column for each text of a name that is free, and one for all else."""
    taken = {theirs for names in NAMES.values() for theirs in names} | {*OUR_COLUMNS}
    columns = {
        name: value
        for name, value in extra.items()
        if isinstance(value, str) and value and name not in taken and name.isidentifier()
    }
    rest = {name: value for name, value in extra.items() if name not in columns}
    return columns | ({"extra": plain_json(rest)} if rest else {})


def _tagged(
    each: MarkedOutput, places: Sequence[Mark], cell: Callable[[str], str], problems: Problems
) -> str:
    text = each.text_of(places[0].side) or ""
    written, at = [], 0
    for place in sorted(places, key=lambda mark: (mark.start or 0, mark.end or 0)):
        start, end = place.start or 0, place.end or 0
        if start < at:
            problems.add(
                f"System {each.system}, item {each.item}",
                "two places of one error overlap, which this table cannot hold.",
            )
        written += [cell(text[at:start]), "<v>", cell(text[start:end]), "</v>"]
        at = end
    return "".join([*written, cell(text[at:])])
