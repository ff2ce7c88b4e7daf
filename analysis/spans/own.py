"""Our own files of spans: one JSON object per marked output, or one CSV row per mark.

Offsets count code points of the output as stored, ends are exclusive, and the marked text and the
output's SHA-256 follow them, so that a file shows whether it still fits its text.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping
from typing import Any

from analysis.errors import TableError
from analysis.spans.jsontext import Record, json_object, plain_json, read_number, table_of_records
from analysis.spans.marking import own_cells, own_parts, placed
from analysis.spans.model import Mark, MarkedOutput, Problems, SpanTable, short
from analysis.table_files import FALSE_WORDS, TRUE_WORDS, guarded, unguarded

MARK_COLUMNS = (
    "start", "end", "text", "severity", "category", "note",
    "side", "missing", "continues", "time", "extra",
)  # fmt: skip
OUTPUT_COLUMNS = (
    "rater", "system", "item", "document", "score", "source", "output", "sha256",
    "output_extra",
)  # fmt: skip
REQUIRED = ("rater", "system", "item", "start", "end")
LARGEST_CELL = 2**31 - 1


# --- JSON lines ------------------------------------------------------------------------------


def read_json_lines(text: str) -> SpanTable:
    """Read our JSON lines.

    Parameters
    ----------
    text : the file's content

    Returns
    -------
    The marked outputs, one of each line.

    Raises
    ------
    TableError : every problem with its line
    """
    return table_of_records(text, _read_output, "json")


def _read_output(record: Record) -> MarkedOutput:
    output = record.text("output") if record.has("output") else None
    source = record.text("source") or None
    hash_stated = record.text("sha256")
    if output is not None and hash_stated and hash_stated != sha256_of(output):
        record.problem("sha256", "the output is not the one that was marked.")
    texts = {"output": output, "source": source}
    return MarkedOutput(
        record.label("rater"),
        record.label("system"),
        record.label("item"),
        tuple(_read_mark(mark, texts) for mark in record.records("marks")),
        output,
        source,
        record.text("document"),
        record.number("score"),
        record.record("extra").parts,
    )


def _read_mark(record: Record, texts: Mapping[str, str | None]) -> Mark:
    own = own_parts(record)
    start = record.whole("start") if record.has("start") else None
    end = record.whole("end") if record.has("end") else None
    text = record.text("text") if record.has("text") else None
    where = placed(record, start, end, text, texts[own["side"]])
    return Mark(*where, record.text("severity"), record.text("category"), **own)


def write_json_lines(table: SpanTable) -> str:
    """Write our JSON lines.

    Parameters
    ----------
    table : marked outputs

    Returns
    -------
    The file's content, which `read_json_lines` reads back to equal marked outputs.
    """
    return "".join(f"{plain_json(_written(each))}\n" for each in table.outputs)


def _written(each: MarkedOutput) -> dict[str, Any]:
    texts = {
        "document": each.document or None,
        "source": each.source,
        "output": each.output,
        "sha256": None if each.output is None else sha256_of(each.output),
        "score": each.score,
    }
    return {
        **{"rater": each.rater, "system": each.system, "item": each.item},
        **{name: value for name, value in texts.items() if value is not None},
        "marks": [_written_mark(mark) for mark in each.marks],
        **({"extra": dict(each.extra)} if each.extra else {}),
    }


def _written_mark(mark: Mark) -> dict[str, Any]:
    names = ("start", "end", "text", "severity", "category")
    return {name: getattr(mark, name) for name in names} | own_cells(mark)


def fingerprint(table: SpanTable) -> str:
    """Hash all that was marked, whatever the order and the form of the file.

    Parameters
    ----------
    table : the marked outputs
    """
    digest = hashlib.sha256()
    for line in sorted(plain_json(_written(each)) for each in table.outputs):
        digest.update(line.encode())
    return digest.hexdigest()


def sha256_of(text: str) -> str:
    """Compute the hash by which an output is known.

    Parameters
    ----------
    text : of the output
    """
    return hashlib.sha256(text.encode()).hexdigest()


# --- CSV -------------------------------------------------------------------------------------


def is_span_csv(columns: list[str]) -> bool:
    """Recognise the columns of a CSV of marks.

    Parameters
    ----------
    columns : of the header
    """
    return {"start", "end", "system"} <= set(columns)


def read_csv(text: str) -> SpanTable:
    """Read our CSV: one row per mark, and one without a mark for an output that has none.

    Parameters
    ----------
    text : the file's content; line breaks within quoted cells are kept as they are

    Returns
    -------
    The marked outputs in the order in which they first appear.

    Raises
    ------
    TableError : every problem with its line and column
    """
    csv.field_size_limit(LARGEST_CELL)
    rows = csv.DictReader(io.StringIO(text, newline=""), restkey="", strict=True)
    try:
        names = rows.fieldnames or ()
    except csv.Error as error:
        raise TableError([f"Line 1: this is not CSV: {error}."]) from error
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        raise TableError([f"Line 1: missing column: {', '.join(missing)}."])
    problems = Problems()
    outputs: dict[tuple[str, ...], tuple[Record, list[Record]]] = {}
    for line, row in _csv_rows(rows, problems):
        place = f"Line {line}"
        cells = {name: unguarded(cell) for name, cell in row.items() if cell}
        record = Record(_typed(cells, place, problems), place, problems)
        key = tuple(cells.get(name, "") for name in ("rater", "system", "item"))
        first, marks = outputs.setdefault(key, (record, []))
        _check_same(first, record)
        if any(name in cells for name in MARK_COLUMNS):
            marks.append(record)
    read = tuple(_read_row_group(first, marks) for first, marks in outputs.values())
    problems.refuse()
    return SpanTable(read, "csv")


def _csv_rows(
    rows: csv.DictReader[str], problems: Problems
) -> Iterator[tuple[int, dict[str, str]]]:
    while True:
        line = rows.line_num + 1
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            problems.add(f"Line {line}", f"this is not CSV: {error}.")
            return
        if "" in row or None in row.values():
            problems.add(f"Line {line}", "the row has not as many cells as the header.")
        else:
            yield line, row


def _typed(cells: Mapping[str, str], place: str, problems: Problems) -> dict[str, Any]:
    """Return the cells of a row as JSON would have them."""
    typed: dict[str, Any] = {}
    for name, cell in cells.items():
        typed[name] = cell
        if name in ("start", "end"):
            # int() would also take "1_0", " 10" and digits of other scripts.
            is_whole = cell.isascii() and cell.removeprefix("-").isdigit()
            typed[name] = int(cell) if is_whole and len(cell) < 16 else cell
        elif name in ("missing", "continues"):
            typed[name] = _flag(cell, f"{place}, {name}", problems)
        elif name == "score":
            typed[name], problem = read_number(cell)
            if problem:
                problems.add(f"{place}, {name}", problem)
        elif name in ("extra", "output_extra"):
            typed[name], problem = json_object(cell)
            if problem:
                problems.add(f"{place}, {name}", problem)
    return typed


def _flag(cell: str, place: str, problems: Problems) -> bool:
    if cell.casefold() in TRUE_WORDS:
        return True
    if cell.casefold() not in FALSE_WORDS:
        problems.add(place, f"{short(cell)} is neither true nor false.")
    return False


def _check_same(first: Record, record: Record) -> None:
    for name in ("document", "score", "source", "output", "sha256"):
        before, now = first.parts.get(name), record.parts.get(name)
        if before != now:
            where = f"{first.place[0].lower()}{first.place[1:]}"
            record.problem(name, f"{short(now)} is not what {where} says: {short(before)}.")


def _read_row_group(first: Record, marks: list[Record]) -> MarkedOutput:
    parts = first.rest(*MARK_COLUMNS, "output_extra")
    parts |= {"extra": first.parts.get("output_extra")}
    each = _read_output(Record(parts, first.place, first.problems))
    texts = {"output": each.output, "source": each.source}
    read = tuple(_read_mark(mark, texts) for mark in marks)
    return MarkedOutput(
        *each.key, read, each.output, each.source, each.document, each.score, each.extra
    )


def write_csv(table: SpanTable) -> str:
    """Write our CSV.

    Parameters
    ----------
    table : marked outputs

    Returns
    -------
    The file's content, which `read_csv` reads back to equal marked outputs. A cell that a
    spreadsheet would run as a formula has a `'` before it.

    Raises
    ------
    TableError : a mark that says nothing at all
    """
    rows = [row for each in table.outputs for row in _csv_cells(each)]
    used = {name for row in rows for name, cell in row.items() if cell != ""}
    names = [name for name in (*OUTPUT_COLUMNS, *MARK_COLUMNS) if name in used.union(REQUIRED)]
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(names)
    writer.writerows([guarded(str(row.get(name, ""))) for name in names] for row in rows)
    return out.getvalue()


def _csv_cells(each: MarkedOutput) -> Iterator[dict[str, Any]]:
    shared = {
        name: value
        for name, value in _written(each).items()
        if name not in ("marks", "extra", "score")
    }
    shared |= {"score": repr(each.score)} if each.score is not None else {}
    shared |= {"output_extra": plain_json(dict(each.extra))} if each.extra else {}
    if not each.marks:
        yield shared
    for mark in each.marks:
        cells = {name: value for name, value in _written_mark(mark).items() if value is not None}
        if not any(value != "" for value in cells.values()):
            raise TableError([f"System {each.system}, item {each.item}: a mark says nothing."])
        cells |= {name: "1" for name in ("missing", "continues") if name in cells}
        cells |= {"extra": plain_json(cells["extra"])} if "extra" in cells else {}
        yield shared | cells
