"""Tables of any kind as records with their lines; every fault of form is noted."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Any, Protocol

from rankme.importing.characters import NUL_OR_SURROGATE
from rankme.importing.files import HEAD_BYTES, UTF8_BOM, SourceFile
from rankme.importing.limits import LIMITS
from rankme.importing.problems import StopFile, UnreadableTable
from rankme.importing.sources import CHUNK_BYTES, Sources, opened, text_lines, whole_text
from rankme.untrusted import strict_json

from .annotation_tools import AppraiseRows, appraise_columns, unfolded
from .answer_columns import answer_columns
from .columns import column_name, one_line
from .names import DOCUMENTS_IN_JSON, KNOWN_HEADINGS, plain_name

Record = dict[str, str]

DELIMITERS = ("\t", ",", ";", "|")
ELEMENTS_LOOKED_AT = 100
LONGEST_CELL = 2 * 1024**2
MOST_NAMED, LONGEST_NAMED = 20, 60
ROWS_LOOKED_AT = 40
MOSTLY = 0.9
LINES_OF_JSON = ("jsonl", "ndjson")
QUALTRICS = '{"ImportId"'


class Form(Enum):
    """The notation of a table."""

    DELIMITED = "delimited text"
    JSON_LINES = "JSON lines"
    JSON_ARRAY = "a JSON array"
    WORKBOOK = "a workbook"
    ARROW = "Parquet or Arrow"


class RowReader(Protocol):
    """Makes rows with a column for each answer of those that a tool wrote."""

    def __call__(self, cells: list[str]) -> list[str] | None:
        """The cells of a row; None where it holds no judgement."""

    def notes(self) -> Iterable[str]:
        """What was decided, once all rows were read."""


@dataclass(frozen=True)
class Shape:
    """The notation of a file, and its columns' names: normalized and as written."""

    columns: tuple[str, ...]
    names: tuple[str, ...]
    form: Form
    delimiter: str = ""
    # The line of the headings, and the last line above the data; 0 where records have names.
    header: int = 0
    last_above: int = 0
    is_regular: bool = True  # nearly all rows that were looked at are as long as the header
    # Names whose values are objects, of which each part is a column.
    nested: frozenset[str] = frozenset()
    # How wide the rows of a tool are, and what makes rows under these columns of them.
    width: int = 0
    row_reader: Callable[[], RowReader] | None = None

    @classmethod
    def of(cls, names: Iterable[str], form: Form, **more: Any) -> Shape:
        names = tuple(map(one_line, names))
        return cls(tuple(map(column_name, names)), names, form, **more)


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
    if len(columns) > LIMITS.columns:
        return f"The header has {len(columns):,} columns; at most {LIMITS.columns:,} are allowed."
    missing = [name for name in needed if name not in columns]
    return f"These columns are missing: {', '.join(missing)}. {columns_found(file)}"


def columns_found(file: SourceFile) -> str:
    names = max((shape.names for shape in possible_shapes(file)), key=len, default=())
    found = ", ".join(_shortened(name) or "(no name)" for name in names[:MOST_NAMED])
    more = ", …" if len(names) > MOST_NAMED else ""
    return f"The file has: {found}{more}." if names else "The first line has no column names."


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAMED else f"{name[:LONGEST_NAMED].rstrip()}…"


def _most_columns(file: SourceFile) -> tuple[str, ...]:
    return max((shape.columns for shape in possible_shapes(file)), key=len, default=())


def best_shape(file: SourceFile) -> Shape | None:
    """The shape in which an unknown file has the most columns; None where it is not a table."""
    shapes = [
        shape
        for shape in possible_shapes(file)
        # Commas in a plain text do not make it a table.
        if (len(shape.columns) > 1 or shape.form is Form.WORKBOOK)
        and (file.ending != "txt" or shape.delimiter in ("", "\t"))
    ]
    return max(shapes, key=_likelihood, default=None)


def _likelihood(shape: Shape) -> tuple[bool, bool, int]:
    """Texts may contain another separator: then their rows differ, or a title seems to be there."""
    return shape.is_regular, shape.header <= 1, len(shape.columns)


def possible_shapes(file: SourceFile) -> list[Shape]:
    """Every way to read the file as a table with a header."""
    if file.shapes is None:
        file.shapes = _binary_shapes(file) if file.is_binary else _shapes(file)
    return file.shapes


def _shapes(file: SourceFile) -> list[Shape]:
    first = file.first_line()
    start = first.lstrip()[:1]
    shape = _json_shape(file, first) if start == "{" else None
    is_lines = file.ending in LINES_OF_JSON or not _is_whole(file, first)
    if shape and (len(shape.columns) > 1 or shape.nested) and is_lines:
        return [shape]
    if start in ("[", "{") and (found := _array_shape(file)):
        return [found]
    if shape:
        return [shape]
    if start == "{":
        return []
    shapes = (_table_shape(file, first, delimiter) for delimiter in DELIMITERS)
    return [shape for shape in shapes if shape]


def _is_whole(file: SourceFile, first: str) -> bool:
    """Tell whether the first line is the whole file: one object that may contain the records."""
    return not file.head.strip()[len(first.strip().encode()) :].strip()


def _binary_shapes(file: SourceFile) -> list[Shape]:
    """The one shape of a workbook or an Arrow table; none where it cannot be read."""
    # Most processes read no such file.
    from . import arrow_tables, workbooks

    try:
        if file.is_arrow:
            return [Shape.of(arrow_tables.column_names(file), Form.ARROW)]
        rows = [*islice(workbooks.sheet_rows(file, LIMITS), ROWS_LOOKED_AT)]
        above = workbooks.headings_above(file, LIMITS)
    except UnreadableTable:
        return []
    if not rows:
        return [Shape.of([], Form.WORKBOOK)]
    header, last_above = header_of(rows, file.header, frozenset(above))
    names = dict(rows)[header]
    groups = above.get(header - 1, {})
    names = [_joined(groups.get(place, ""), name) for place, name in enumerate(names)]
    width = max(len(cells) for line, cells in rows if line >= header)
    names += [""] * (width - len(names))
    named = [name or _letters(place) for place, name in enumerate(names)]
    # The first column without a name is an index.
    named[0] = names[0]
    full = [cells + [""] * (width - len(cells)) for line, cells in rows if line > last_above]
    return [_shape_of_answers(named, full, Form.WORKBOOK, header=header, last_above=last_above)]


def _shape_of_answers(
    names: Sequence[str], rows: Sequence[Sequence[str]], form: Form, **more: Any
) -> Shape:
    """The shape of a table with headings, whose answers may be spread over columns."""
    answers = answer_columns(names, rows)
    if answers is None:
        return Shape.of(names, form, **more)
    return Shape.of(answers.columns, form, width=len(names), row_reader=answers.reader, **more)


def _joined(group: str, name: str) -> str:
    return name if not group.strip() or group == name else f"{group} - {name}".removesuffix(" - ")


def _letters(place: int) -> str:
    """The name of a spreadsheet's column: A, B, … Z, AA."""
    letters = ""
    number = place + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"column {letters}"


def header_of(
    rows: Sequence[tuple[int, list[str]]], given: int, grouping: Collection[int] = ()
) -> tuple[int, int]:
    """The line of the headings, and the last line above the data.

    Without a `given` one, it is the first row that is about as full as those below: above it are a
    title and notes. Rows of Qualtrics that repeat the headings for programs are passed over, and
    rows that group the headings below (`grouping`) are not headings.
    """
    ids = next((at for at, (_, cells) in enumerate(rows) if _is_qualtrics(cells)), 0)
    last_above = rows[ids][0] if ids else 0
    if given:
        line = next((line for line, _ in rows if line >= given), rows[-1][0])
        return line, max(line, last_above)
    if ids:
        return rows[ids - 1][0], last_above
    filled = [_n_filled(cells, rows) for _, cells in rows]
    usual = sorted(filled)[len(filled) // 2]
    for (line, cells), count in zip(rows, filled, strict=True):
        is_title = 2 * count <= usual or (usual > 3 and 3 * count <= 2 * usual)
        is_known = sum(plain_name(cell) in KNOWN_HEADINGS for cell in cells) > 1
        if (is_known or not is_title) and line not in grouping:
            return line, line
    return rows[0][0], rows[0][0]


def _n_filled(cells: Sequence[str], rows: Sequence[tuple[int, list[str]]]) -> int:
    """The first heading is empty above the index of a data frame."""
    is_index = not cells[0].strip() and all(below[0].strip() for _, below in rows[1:])
    return sum(bool(cell.strip()) for cell in cells) + is_index


def _is_qualtrics(cells: Sequence[str]) -> bool:
    return 2 * sum(cell.startswith(QUALTRICS) for cell in cells) > len(cells)


def _array_shape(file: SourceFile) -> Shape | None:
    """The names of the first elements, in the order in which they come."""
    if file.size > LIMITS.whole_file_bytes:
        return None
    with file.open() as stream:
        text = stream.read(LIMITS.whole_file_bytes).decode(file.encoding, errors="replace")
    found: list[dict[str, Any]] = []
    try:
        for _, element in islice(strict_json.elements(text), ELEMENTS_LOOKED_AT):
            if not isinstance(element, dict):
                return None
            found += unfolded(element)
    except strict_json.InvalidJson:
        pass  # reading the whole file reports it
    return _shape_of_records(found, Form.JSON_ARRAY) if any(found) else None


def _json_shape(file: SourceFile, first: str) -> Shape | None:
    """The names in the first lines; a line may omit some."""
    document = _object(first)
    if document is None:
        return None
    head = file.head.decode(file.encoding, errors="replace")
    others = map(_object, head.splitlines()[1:ELEMENTS_LOOKED_AT])
    found = [document, *(each for each in others if each)]
    return _shape_of_records([row for each in found for row in unfolded(each)], Form.JSON_LINES)


def _object(line: str) -> dict[str, Any] | None:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _shape_of_records(found: Sequence[dict[str, Any]], form: Form) -> Shape:
    names = dict.fromkeys(name for record in found for name in record)
    nested = frozenset(name for name in names if _is_nested(name, found))
    flat = (name for record in found for name in _flat(record, nested))
    return Shape.of(dict.fromkeys(flat), form, nested=nested)


def _is_nested(name: str, found: Sequence[dict[str, Any]]) -> bool:
    """Whether the values are objects of plain values: an input may be a document in JSON."""
    if plain_name(name) in DOCUMENTS_IN_JSON:
        return False
    values = [record[name] for record in found if record.get(name) is not None]
    return bool(values) and all(
        isinstance(value, dict)
        and value
        and not any(isinstance(part, dict | list) for part in value.values())
        for value in values
    )


def _flat(record: dict[str, Any], nested: frozenset[str]) -> dict[str, Any]:
    """The record with the parts of its nested values as names of their own: `responses.gpt`."""
    if not nested:
        return record
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if name in nested and isinstance(value, dict):
            flat |= {f"{name}.{part}": each for part, each in value.items()}
        else:
            flat[name] = value
    return flat


def _table_shape(file: SourceFile, first: str, delimiter: str) -> Shape | None:
    rows = _first_rows(file, first, delimiter)
    if not rows:
        return None
    columns = () if file.header else appraise_columns([cells for _, cells in rows])
    if columns and delimiter == ",":
        return Shape.of(
            columns,
            Form.DELIMITED,
            delimiter=delimiter,
            width=len(columns) - 1,
            row_reader=AppraiseRows,
        )
    header, last_above = header_of(rows, file.header)
    if not file.header and not _is_regular(rows, header):
        header, last_above = rows[0][0], rows[0][0]
    names = dict(rows)[header]
    below = [cells for line, cells in rows if line > last_above]
    return _shape_of_answers(
        _without_gaps(names, below),
        below,
        Form.DELIMITED,
        delimiter=delimiter,
        header=header,
        last_above=last_above,
        is_regular=_is_regular(rows, header),
    )


def _without_gaps(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Name the columns of a separator too many at the end of each line, as PsychoPy writes it."""
    return [
        name or ("" if any("".join(row[place : place + 1]) for row in rows) else _letters(place))
        for place, name in enumerate(names)
    ]


def _is_regular(rows: Sequence[tuple[int, list[str]]], header: int) -> bool:
    width = len(dict(rows)[header])
    lengths = [len(cells) for line, cells in rows if line > header]
    return sum(length == width for length in lengths) >= MOSTLY * len(lengths)


def _first_rows(file: SourceFile, first: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """The rows at the beginning of a file of text, each with its line."""
    rows, is_cut = _rows_in(file.head, file.encoding, delimiter)
    if is_cut and len(rows) < 2:
        with file.open() as stream:
            rows, is_cut = _rows_in(stream.read(LIMITS.line_bytes), file.encoding, delimiter)
    if is_cut and len(rows) > 1:
        rows.pop()
    if not rows:
        cells = next(csv.reader([first.rstrip("\r\n")], delimiter=delimiter), [])
        return [(1, cells)] if cells else []
    return rows


def _rows_in(
    head: bytes, encoding: str, delimiter: str
) -> tuple[list[tuple[int, list[str]]], bool]:
    """The first rows, and whether the last of them may be cut off."""
    text = head.removeprefix(UTF8_BOM).decode(encoding, errors="replace")
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    found: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for cells in islice(reader, ROWS_LOOKED_AT):
            if cells:
                found.append((line, cells))
            line = reader.line_num + 1
        is_at_end = next(reader, None) is None
    except csv.Error:
        return [], False
    return found, is_at_end and len(head) >= HEAD_BYTES


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
    rows = _limited(sources, file, _table_rows(sources, file, shape))
    yield from _as_records(sources, file, shape, rows)


def _as_records(
    sources: Sources, file: SourceFile, shape: Shape, rows: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, Record]]:
    """Rows under a header, each as wide as it."""
    columns = shape.columns
    _check_header(sources, file, shape)
    width = shape.width or len(columns)
    read = shape.row_reader() if shape.row_reader else None
    for line, cells in rows:
        if line <= shape.last_above:
            continue
        if len(cells) != width:
            message = (
                f"The row has {len(cells)} cells, but the header has {width}. Put quotation marks "
                "around texts that contain the separator, or add the missing cells."
            )
            sources.problem((file, line), min(len(cells), width) + 1, message)
            continue
        file.rows += 1
        try:
            found = read(cells) if read else cells
        except ValueError as error:
            sources.problem((file, line), "", f"The answers cannot be read: {error}")
            continue
        if found is not None:
            yield line, dict(zip(columns, found, strict=True))
    for note in read.notes() if read else ():
        sources.notes.append(f"{file.label}: {note}")


def _check_header(sources: Sources, file: SourceFile, shape: Shape) -> None:
    columns, header = shape.columns, shape.header or 1
    if len(columns) > sources.limits.columns:
        message = f"The header has {len(columns):,} columns; at most {sources.limits.columns:,} "
        sources.problem((file, header), "", f"{message}are allowed.")
        raise StopFile
    seen = set()
    for number, name in enumerate(columns, start=1):
        if not name and number > 1:  # a data frame's index has no name
            sources.problem(
                (file, header), number, "The column has no name. Write one into the first line."
            )
        elif name in seen:
            message = "The header has this column twice. Rename one of them."
            sources.problem((file, header), name, message)
        elif len(name) > sources.limits.column_name:
            sources.problem((file, header), number, "The column's name is too long. Shorten it.")
        seen.add(name)


def _table_rows(
    sources: Sources, file: SourceFile, shape: Shape
) -> Iterator[tuple[int, list[str]]]:
    """Rows under the strict rules of RFC 4180; without them an open quote swallows rows unseen."""
    # The limit is the process's own; all readers set the same.
    csv.field_size_limit(LONGEST_CELL)
    rows = csv.reader(text_lines(sources, file), delimiter=shape.delimiter or ",", strict=True)
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
    sources.problem((file, line), "", message)
    if "field larger" in error:
        raise StopFile


def _workbook_records(
    sources: Sources, file: SourceFile, shape: Shape
) -> Iterator[tuple[int, Record]]:
    """Spreadsheets leave out empty cells at the end of a row."""
    from . import workbooks

    width = shape.width or len(shape.columns)
    rows = workbooks.sheet_rows(file, sources.limits)
    full = ((line, cells + [""] * (width - len(cells))) for line, cells in rows)
    yield from _binary_records(sources, file, shape, _limited(sources, file, full))


def _arrow_records(
    sources: Sources, file: SourceFile, shape: Shape
) -> Iterator[tuple[int, Record]]:
    from . import arrow_tables

    rows = _limited(sources, file, arrow_tables.table_rows(file, sources.limits))
    next(rows, None)
    yield from _binary_records(sources, file, shape, rows)


def _binary_records(
    sources: Sources, file: SourceFile, shape: Shape, rows: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, Record]]:
    """The records of a file that its library reads in its own order, which is then hashed."""
    try:
        for line, record in _as_records(sources, file, shape, rows):
            if not _note_unstorable(sources, file, line, record):
                yield line, record
    except UnreadableTable as refused:
        sources.problems.add(str(refused), file=file.label)
    with opened(sources, file) as stream:
        while stream.read(CHUNK_BYTES):
            pass


def _limited(
    sources: Sources, file: SourceFile, rows: Iterable[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    for number, (line, cells) in enumerate(rows):
        if number > sources.limits.rows:  # the header is none of them
            message = f"There are more than {sources.limits.rows:,} rows."
            sources.problem((file, line), "", message)
            return
        yield line, cells


def _note_unstorable(sources: Sources, file: SourceFile, line: int, record: Record) -> bool:
    for name, cell in record.items():
        if found := NUL_OR_SURROGATE.search(cell):
            message = f"U+{ord(found.group()):04X} cannot be stored. Delete this character."
            sources.problem((file, line), name, message)
            return True
    return False


# --- JSON ------------------------------------------------------------------------------


def _json_records(sources: Sources, file: SourceFile, shape: Shape) -> Iterator[tuple[int, Record]]:
    columns = dict(zip(shape.names, shape.columns, strict=True))
    for line, text in enumerate(text_lines(sources, file), start=1):
        if not text.strip():
            continue
        file.rows += 1
        try:
            document = strict_json.parse(text, deepest=sources.limits.json_depth)
            rows = unfolded(document)
            found = [_record_of(row, sources, shape.nested, columns) for row in rows]
        except strict_json.InvalidJson as refused:
            sources.problem((file, line), "", str(refused))
            continue
        for record in found:
            yield line, record


def _array_records(
    sources: Sources, file: SourceFile, shape: Shape
) -> Iterator[tuple[int, Record]]:
    """The elements of an array, each with the line on which it begins."""
    text = whole_text(sources, file)
    columns = dict(zip(shape.names, shape.columns, strict=True))
    line = 1
    try:
        for line, element in strict_json.elements(text, deepest=sources.limits.json_depth):
            file.rows += 1
            for row in unfolded(element):
                record = _record_of(row, sources, shape.nested, columns)
                yield line, {name: record.get(name, "") for name in (*shape.columns, *record)}
    except strict_json.InvalidJson as refused:
        sources.problem((file, refused.line or line), "", str(refused))


def _record_of(
    document: Any, sources: Sources, nested: frozenset[str], columns: Mapping[str, str]
) -> Record:
    """The object by the names of columns, of which `columns` has the most usual."""
    if not isinstance(document, dict):
        raise strict_json.InvalidJson("This is not a JSON object.")
    if len(document) > sources.limits.columns:
        message = f"The object has {len(document):,} names; at most "
        raise strict_json.InvalidJson(f"{message}{sources.limits.columns:,} are allowed.")
    flat = _flat(document, nested)
    return {columns.get(name) or column_name(name): _cell(value) for name, value in flat.items()}


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
