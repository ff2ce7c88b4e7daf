"""CSV, TSV and JSON lines as records with their lines; every fault of form is noted."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rankme.importing.characters import NUL_OR_SURROGATE
from rankme.importing.problems import StopFile
from rankme.importing.sources import SourceFile, Sources, picture_type, text_lines
from rankme.untrusted import strict_json

Record = dict[str, str]

DELIMITERS = ("\t", ",", ";")
LONGEST_CELL = 2 * 1024**2
MOST_NAMED, LONGEST_NAMED = 20, 40


@dataclass(frozen=True)
class Shape:
    """How the file is written: as JSON lines, or as a table with this delimiter and header."""

    columns: tuple[str, ...]
    delimiter: str | None

    @property
    def is_json(self) -> bool:
        return self.delimiter is None


def shape_of(file: SourceFile, needed: Collection[str]) -> Shape | None:
    """The shape in which the file has all needed columns; None when it has not."""
    for shape in _possible_shapes(file):
        if set(needed) <= set(shape.columns):
            return shape
    return None


def columns_missing(file: SourceFile, needed: Collection[str]) -> str:
    """The message for a file that lacks a column: what is missing, and what is there."""
    if picture_type(file.head):
        return "This is a picture."
    shapes = _possible_shapes(file)
    columns = max((shape.columns for shape in shapes), key=len, default=())
    missing = [name for name in needed if name not in columns]
    found = ", ".join(name[:LONGEST_NAMED] or "(no name)" for name in columns[:MOST_NAMED])
    more = ", …" if len(columns) > MOST_NAMED else ""
    return f"These columns are missing: {', '.join(missing)}. " + (
        f"The file has: {found}{more}." if columns else "The first line contains no column names."
    )


def _possible_shapes(file: SourceFile) -> list[Shape]:
    first = file.first_line()
    if first.lstrip().startswith("{") and (shape := _json_shape(first)):
        return [shape]
    shapes = (_table_shape(first, delimiter) for delimiter in DELIMITERS)
    return [shape for shape in shapes if shape]


def _json_shape(line: str) -> Shape | None:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return Shape(tuple(map(_column_name, document)), None) if isinstance(document, dict) else None


def _table_shape(line: str, delimiter: str) -> Shape | None:
    try:
        cells = next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])
    except csv.Error:
        return None
    return Shape(tuple(map(_column_name, cells)), delimiter)


def _column_name(cell: str) -> str:
    return cell.strip().casefold()


def records(sources: Sources, file: SourceFile, shape: Shape) -> Iterator[tuple[int, Record]]:
    """The file's records, each with the line where it begins."""
    reading = _json_records if shape.is_json else _table_records
    try:
        yield from reading(sources, file, shape)
    except StopFile:
        return


# --- tables ----------------------------------------------------------------------------------


def _table_records(
    sources: Sources, file: SourceFile, shape: Shape
) -> Iterator[tuple[int, Record]]:
    rows = _table_rows(sources, file, shape)
    _, header = next(rows, (1, []))
    columns = [_column_name(cell) for cell in header]
    _check_header(sources, file, columns)
    width = len(columns)
    for line, cells in rows:
        if len(cells) != width:
            message = f"The row has {len(cells)} cells, but the header has {width}."
            sources.problems.add(file.label, line, min(len(cells), width) + 1, message)
            continue
        file.rows += 1
        yield line, dict(zip(columns, cells, strict=True))


def _check_header(sources: Sources, file: SourceFile, columns: list[str]) -> None:
    if len(columns) > sources.limits.columns:
        message = f"The header has {len(columns):,} columns; at most {sources.limits.columns:,} "
        sources.problems.add(file.label, 1, "", f"{message}are allowed.")
        raise StopFile
    seen = set()
    for number, name in enumerate(columns, start=1):
        if not name:
            sources.problems.add(file.label, 1, number, "The column has no name.")
        elif name in seen:
            sources.problems.add(file.label, 1, name, "The header has this column twice.")
        elif len(name) > sources.limits.factor_name:
            sources.problems.add(file.label, 1, number, "The column's name is too long.")
        seen.add(name)


def _table_rows(
    sources: Sources, file: SourceFile, shape: Shape
) -> Iterator[tuple[int, list[str]]]:
    """Rows under the strict rules of RFC 4180; without them an open quote swallows rows unseen."""
    # The limit is the process's own; all readers set the same.
    csv.field_size_limit(LONGEST_CELL)
    rows = csv.reader(text_lines(sources, file), delimiter=shape.delimiter or ",", strict=True)
    n_rows = 0
    while True:
        line = rows.line_num + 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            _note_csv_error(sources, file, line, rows.line_num, str(error))
            continue
        if cells:
            n_rows += 1
            if n_rows > sources.limits.rows:
                message = f"There are more than {sources.limits.rows:,} rows."
                sources.problems.add(file.label, line, "", message)
                return
            yield line, cells


def _note_csv_error(
    sources: Sources, file: SourceFile, line: int, last_line: int, error: str
) -> None:
    """Say what the csv module found; after an endless cell nothing that follows can be trusted."""
    if "unexpected end of data" in error:
        message = f"A quotation mark is opened here and never closed (up to line {last_line})."
    elif "field larger" in error:
        message = "This cell is too long. A quotation mark may not be closed."
    elif "new-line character" in error:
        message = "There is a line break within the row. Use LF or CRLF throughout."
    elif "expected after" in error:
        message = (
            "There is text after a closing quotation mark. Double quotation marks within a text."
        )
    else:
        message = f"The row cannot be read: {error}."
    sources.problems.add(file.label, line, "", message)
    if "field larger" in error:
        raise StopFile


# --- JSON lines ------------------------------------------------------------------------------


def _json_records(sources: Sources, file: SourceFile, shape: Shape) -> Iterator[tuple[int, Record]]:
    for line, text in enumerate(text_lines(sources, file), start=1):
        if not text.strip():
            continue
        file.rows += 1
        try:
            document = strict_json.parse(text, deepest=sources.limits.json_depth)
            if not isinstance(document, dict):
                raise strict_json.InvalidJson("The line is not a JSON object.")
            if len(document) > sources.limits.columns:
                message = f"The object has {len(document):,} names; at most "
                raise strict_json.InvalidJson(f"{message}{sources.limits.columns:,} are allowed.")
            record = {_column_name(name): _cell(value) for name, value in document.items()}
        except strict_json.InvalidJson as refused:
            sources.problems.add(file.label, line, "", str(refused))
            continue
        yield line, record


def _cell(value: Any) -> str:
    """A JSON value as the text that a table would have in its cell."""
    if isinstance(value, str):
        text = value
    elif value is None:
        text = ""
    else:
        text = json.dumps(value, ensure_ascii=False)
    if found := NUL_OR_SURROGATE.search(text):
        raise strict_json.InvalidJson(f"U+{ord(found.group()):04X} cannot be stored.")
    return text


def without(record: Mapping[str, str], names: Collection[str]) -> Record:
    """All other cells of the row."""
    return {name: value for name, value in record.items() if name not in names}
