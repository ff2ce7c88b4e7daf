"""Tables of any kind as records with their lines; every fault of form is noted."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Any

from rankme.importing.characters import NUL_OR_SURROGATE
from rankme.importing.columns import column_name
from rankme.importing.files import SourceFile
from rankme.importing.limits import LIMITS
from rankme.importing.problems import StopFile
from rankme.importing.sources import CHUNK_BYTES, Sources, opened, text_lines, whole_text
from rankme.untrusted import strict_json

Record = dict[str, str]

DELIMITERS = ("\t", ",", ";", "|")
ELEMENTS_LOOKED_AT = 100
LONGEST_CELL = 2 * 1024**2
MOST_NAMED, LONGEST_NAMED = 20, 40


class Form(Enum):
    """How a table is written."""

    DELIMITED = "delimited text"
    JSON_LINES = "JSON lines"
    JSON_ARRAY = "a JSON array"
    WORKBOOK = "a workbook"
    ARROW = "Parquet or Arrow"


@dataclass(frozen=True)
class Shape:
    """How the file is written, and its columns as they are compared and as they are written."""

    columns: tuple[str, ...]
    names: tuple[str, ...]
    form: Form
    delimiter: str = ""

    @classmethod
    def of(cls, names: Iterable[str], form: Form, delimiter: str = "") -> Shape:
        names = tuple(names)
        return cls(tuple(map(column_name, names)), names, form, delimiter)


def shape_of(file: SourceFile, needed: Collection[str]) -> Shape | None:
    """The shape in which the file has all needed columns; None when it has not."""
    for shape in possible_shapes(file):
        if set(needed) <= set(shape.columns):
            return shape
    return None


def columns_missing(file: SourceFile, needed: Collection[str]) -> str:
    """The message for a file that lacks a column: what is missing, and what is there."""
    if file.media_type:
        return "This is a picture, a sound or a film."
    columns = _most_columns(file)
    missing = [name for name in needed if name not in columns]
    return f"These columns are missing: {', '.join(missing)}. {columns_found(file)}"


def columns_found(file: SourceFile) -> str:
    names = max((shape.names for shape in possible_shapes(file)), key=len, default=())
    found = ", ".join(name[:LONGEST_NAMED] or "(no name)" for name in names[:MOST_NAMED])
    more = ", …" if len(names) > MOST_NAMED else ""
    return f"The file has: {found}{more}." if names else "The first line has no column names."


def _most_columns(file: SourceFile) -> tuple[str, ...]:
    return max((shape.columns for shape in possible_shapes(file)), key=len, default=())


def best_shape(file: SourceFile) -> Shape | None:
    """The shape in which an unknown file has the most columns; None where it is not a table."""
    shapes = [
        shape
        for shape in possible_shapes(file)
        # Commas in a plain text do not make it a table.
        if len(shape.columns) > 1 and (file.ending != "txt" or shape.delimiter in ("", "\t"))
    ]
    return max(shapes, key=lambda shape: len(shape.columns), default=None)


def possible_shapes(file: SourceFile) -> list[Shape]:
    """Every way to read the file as a table with a header."""
    if file.is_workbook or file.is_arrow:
        return _binary_shapes(file)
    first = file.first_line()
    start = first.lstrip()[:1]
    shape = _json_shape(first) if start == "{" else None
    if shape and len(shape.columns) > 1:
        return [shape]
    if start in ("[", "{") and (names := _array_names(file)):
        return [Shape.of(names, Form.JSON_ARRAY)]
    if shape:
        return [shape]
    shapes = (_table_shape(first, delimiter) for delimiter in DELIMITERS)
    return [shape for shape in shapes if shape]


def _binary_shapes(file: SourceFile) -> list[Shape]:
    """The one shape of a workbook or an Arrow table; none where it cannot be read."""
    # Most processes read no such file.
    from rankme.importing import arrow_tables, workbooks

    try:
        if file.is_arrow:
            return [Shape.of(arrow_tables.column_names(file), Form.ARROW)]
        _, header = next(workbooks.sheet_rows(file, LIMITS), (1, []))
        return [Shape.of(header, Form.WORKBOOK)]
    except (arrow_tables.UnreadableTable, workbooks.UnreadableWorkbook):
        return []


def _array_names(file: SourceFile) -> tuple[str, ...]:
    """The names of the first elements, in the order in which they come."""
    if file.size > LIMITS.whole_file_bytes:
        return ()
    names: dict[str, None] = {}
    with file.open() as stream:
        text = stream.read(LIMITS.whole_file_bytes).decode(file.encoding, errors="replace")
    try:
        for _, element in islice(strict_json.elements(text), ELEMENTS_LOOKED_AT):
            if not isinstance(element, dict):
                return ()
            names.update(dict.fromkeys(element))
    except strict_json.InvalidJson:
        pass  # reading the whole file reports it
    return tuple(names)


def _json_shape(line: str) -> Shape | None:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return Shape.of(document, Form.JSON_LINES) if isinstance(document, dict) else None


def _table_shape(line: str, delimiter: str) -> Shape | None:
    try:
        cells = next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])
    except csv.Error:
        return None
    return Shape.of(cells, Form.DELIMITED, delimiter)


def records(sources: Sources, file: SourceFile, shape: Shape) -> Iterator[tuple[int, Record]]:
    """The file's records, each with the line where it begins."""
    try:
        yield from READINGS[shape.form](sources, file, shape)
    except StopFile:
        return


# --- tables ----------------------------------------------------------------------------------


def _table_records(
    sources: Sources, file: SourceFile, shape: Shape
) -> Iterator[tuple[int, Record]]:
    yield from _as_records(sources, file, _table_rows(sources, file, shape))


def _as_records(
    sources: Sources, file: SourceFile, rows: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, Record]]:
    """Rows under a header, each as wide as it."""
    _, header = next(rows, (1, []))
    columns = [column_name(cell) for cell in header]
    _check_header(sources, file, columns)
    width = len(columns)
    for line, cells in rows:
        if len(cells) != width:
            message = (
                f"The row has {len(cells)} cells, but the header has {width}. Put quotation marks "
                "around texts that contain the separator, or add the missing cells."
            )
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
        if not name and number > 1:  # a data frame's index has no name
            sources.problems.add(
                file.label, 1, number, "The column has no name. Write one into the first line."
            )
        elif name in seen:
            message = "The header has this column twice. Rename one of them."
            sources.problems.add(file.label, 1, name, message)
        elif len(name) > sources.limits.factor_name:
            sources.problems.add(
                file.label, 1, number, "The column's name is too long. Shorten it."
            )
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
        message = f"A quotation mark is opened here and never closed (up to line {last_line}). "
        message += "Close it, or remove it."
    elif "field larger" in error:
        message = "This cell is too long. Look for a quotation mark that is not closed."
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


def _workbook_records(
    sources: Sources, file: SourceFile, shape: Shape
) -> Iterator[tuple[int, Record]]:
    """Spreadsheets leave out empty cells at the end of a row."""
    from rankme.importing import workbooks

    width = len(shape.columns)
    rows = workbooks.sheet_rows(file, sources.limits)
    full = ((line, cells + [""] * (width - len(cells))) for line, cells in rows)
    try:
        for line, record in _as_records(sources, file, _limited(sources, file, full)):
            if not _note_unstorable(sources, file, line, record):
                yield line, record
    except workbooks.UnreadableWorkbook as refused:
        sources.problems.add(file.label, None, "", str(refused))
    _count_whole(sources, file)


def _arrow_records(
    sources: Sources, file: SourceFile, shape: Shape
) -> Iterator[tuple[int, Record]]:
    from rankme.importing import arrow_tables

    rows = _limited(sources, file, arrow_tables.table_rows(file, sources.limits))
    try:
        for line, record in _as_records(sources, file, rows):
            if not _note_unstorable(sources, file, line, record):
                yield line, record
    except arrow_tables.UnreadableTable as refused:
        sources.problems.add(file.label, None, "", str(refused))
    _count_whole(sources, file)


def _limited(
    sources: Sources, file: SourceFile, rows: Iterable[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    for number, (line, cells) in enumerate(rows):
        if number > sources.limits.rows:
            message = f"There are more than {sources.limits.rows:,} rows."
            sources.problems.add(file.label, line, "", message)
            return
        yield line, cells


def _note_unstorable(sources: Sources, file: SourceFile, line: int, record: Record) -> bool:
    for name, cell in record.items():
        if found := NUL_OR_SURROGATE.search(cell):
            message = f"U+{ord(found.group()):04X} cannot be stored. Delete this character."
            sources.problems.add(file.label, line, name, message)
            return True
    return False


def _count_whole(sources: Sources, file: SourceFile) -> None:
    """Count and hash a file that its library reads in its own order."""
    with opened(sources, file) as stream:
        while stream.read(CHUNK_BYTES):
            pass


# --- JSON ------------------------------------------------------------------------------


def _json_records(sources: Sources, file: SourceFile, shape: Shape) -> Iterator[tuple[int, Record]]:
    for line, text in enumerate(text_lines(sources, file), start=1):
        if not text.strip():
            continue
        file.rows += 1
        try:
            document = strict_json.parse(text, deepest=sources.limits.json_depth)
            record = _record_of(document, sources, "line")
        except strict_json.InvalidJson as refused:
            sources.problems.add(file.label, line, "", str(refused))
            continue
        yield line, record


def _array_records(
    sources: Sources, file: SourceFile, shape: Shape
) -> Iterator[tuple[int, Record]]:
    """The elements of an array, each with the line on which it begins."""
    text = whole_text(sources, file)
    line = 1
    try:
        for line, element in strict_json.elements(text, deepest=sources.limits.json_depth):
            file.rows += 1
            record = _record_of(element, sources, "element")
            yield line, {name: record.get(name, "") for name in (*shape.columns, *record)}
    except strict_json.InvalidJson as refused:
        sources.problems.add(file.label, refused.line or line, "", str(refused))


def _record_of(document: Any, sources: Sources, what: str) -> Record:
    if not isinstance(document, dict):
        raise strict_json.InvalidJson(f"The {what} is not a JSON object.")
    if len(document) > sources.limits.columns:
        message = f"The object has {len(document):,} names; at most "
        raise strict_json.InvalidJson(f"{message}{sources.limits.columns:,} are allowed.")
    return {column_name(name): _cell(value) for name, value in document.items()}


def _cell(value: Any) -> str:
    """A JSON value as the text that a table would have in its cell."""
    if isinstance(value, str):
        text = value
    elif value is None:
        text = ""
    else:
        text = json.dumps(value, ensure_ascii=False)
    if found := NUL_OR_SURROGATE.search(text):
        raise strict_json.InvalidJson(
            f"U+{ord(found.group()):04X} cannot be stored. Delete this character."
        )
    return text


READINGS: dict[Form, Callable[[Sources, SourceFile, Shape], Iterator[tuple[int, Record]]]] = {
    Form.DELIMITED: _table_records,
    Form.JSON_LINES: _json_records,
    Form.JSON_ARRAY: _array_records,
    Form.WORKBOOK: _workbook_records,
    Form.ARROW: _arrow_records,
}
