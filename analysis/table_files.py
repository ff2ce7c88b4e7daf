"""Files of judgements: CSV, Parquet, bundles and the E2E challenge's ratings."""

import csv
import gzip
import io
import math
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

from analysis.e2e_ratings import layout_of, ratings_of
from analysis.errors import TableError
from analysis.table import (
    FLAG_COLUMNS,
    LABEL_COLUMNS,
    REQUIRED_COLUMNS,
    Column,
    JudgementTable,
    column_of,
    release_memory,
    require_columns,
)

TRUE_WORDS = {"1", "true", "yes"}
FALSE_WORDS = {"", "0", "false", "no"}
ROWS_PER_PART = 65_536
FORMULA_START = re.compile(r"'*[=+\-@\t\r\0]")
PLAIN_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


def read_table(
    source: str | Path | IO[bytes],
    format: str | None = None,
    *,
    shared: str | None = None,
    as_given: bool = False,
) -> JudgementTable:
    """Read a judgement table, an E2E RankME CSV or a bundle, with its rows in order.

    Parameters
    ----------
    source : path or open binary file; `-` is standard input. CSV may be compressed with gzip.
    format : `csv`, `parquet`, `e2e` or `bundle`; detected from the content when None
    shared : with `shared=","`, a system "A,B" is one text that two systems produced, and its value
        counts for both
    as_given : keep the order of the rows in the file, which only single passes are about

    Returns
    -------
    JudgementTable : checked, one row per value

    Raises
    ------
    TableError : an unknown format, an unreadable file, or malformed rows, with every problem
    """
    content = content_of(source)
    format = format or _guessed_format(content)
    if format not in FORMATS:
        raise TableError([f"Unknown format {format!r}: {', '.join(FORMATS)}."])
    table = FORMATS[format](content, shared)
    del content  # before the table is copied: it may be as large
    if not as_given:
        table = table.in_order()
    release_memory()
    return table


def write_table(table: JudgementTable, file: IO[bytes] | gzip.GzipFile) -> None:
    """Write the CSV that `read_table` reads back to an equal table.

    Parameters
    ----------
    table : the judgements
    file : open binary file
    """
    for part in csv_parts(table):
        file.write(part)


def csv_parts(table: JudgementTable, *, header: bool = True) -> Iterator[bytes]:
    """Write the CSV of `write_table` in parts of some megabytes, so that it can be streamed.

    A label that a spreadsheet would take for a formula has a `'` before it; reading removes it.

    Parameters
    ----------
    table : the judgements
    header : whether the first part begins with the names of the columns
    """
    columns: dict[str, Any] = {}
    for name in REQUIRED_COLUMNS:
        columns[name] = table.value if name == "value" else _dictionary(getattr(table, name))
    if table.time_ms is not None:
        columns["time_ms"] = pa.array(table.time_ms, mask=np.isnan(table.time_ms))
    for name in FLAG_COLUMNS:
        if getattr(table, name) is not None:
            columns[name] = getattr(table, name).astype(np.int8)
    columns.update({guarded(name): _dictionary(column) for name, column in table.factors.items()})
    rows = pa.table(columns)
    for start in range(0, max(len(table), 1), ROWS_PER_PART):
        part = io.BytesIO()
        options = arrow_csv.WriteOptions(include_header=header and start == 0)
        arrow_csv.write_csv(rows.slice(start, ROWS_PER_PART), part, options)
        yield part.getvalue()


def guarded(label: str) -> str:
    """Put a `'` before text that a spreadsheet would run as a formula; numbers stay numbers.

    Parameters
    ----------
    label : a cell
    """
    is_risky = FORMULA_START.match(label) and not PLAIN_NUMBER.fullmatch(label)
    return f"'{label}" if is_risky else label


def unguarded(label: str) -> str:
    """Undo `guarded`.

    Parameters
    ----------
    label : a cell
    """
    return label[1:] if label.startswith("'") and FORMULA_START.match(label) else label


def _dictionary(column: Column) -> "pa.DictionaryArray":
    labels = pa.array([guarded(label) for label in column.labels], pa.string())
    return pa.DictionaryArray.from_arrays(column.codes, labels)


# --- reading -------------------------------------------------------------------------------


def content_of(source: str | Path | IO[bytes]) -> bytes:
    """Read the bytes of a file, of an open stream, or with "-" of the standard input.

    Parameters
    ----------
    source : a path, a binary file, or "-"; optionally compressed with gzip

    Raises
    ------
    TableError : the file cannot be read or decompressed
    """
    if source == "-":
        content = sys.stdin.buffer.read()
    elif isinstance(source, str | Path):
        try:
            content = Path(source).read_bytes()
        except OSError as error:
            raise TableError([f"Cannot read {source}: {error.strerror}."]) from error
    else:
        content = source.read()
    if content[:2] != b"\x1f\x8b":
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError([f"The file cannot be decompressed: {error}."]) from error


def _guessed_format(content: bytes) -> str:
    if content[:4] == b"PK\x03\x04":
        return "bundle"
    if content[:4] == b"PAR1":
        return "parquet"

    end = content.find(b"\n")
    header = content[: end if end >= 0 else None].decode("utf-8-sig", errors="replace")
    names = next(csv.reader([header]), [])
    if set(SCORE_COLUMNS) <= set(names):
        return "scores"
    return "e2e" if layout_of(names) else "csv"


def _bundled_judgements(content: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as bundle:
            return bundle.read("judgements.csv")
    except (zipfile.BadZipFile, KeyError) as error:
        raise TableError(["This is not a bundle: it contains no judgements.csv."]) from error


def _read_csv(content: bytes, shared: str | None) -> JudgementTable:
    """Read fast; if anything is wrong, read again, slowly, to name the line of every problem."""
    try:
        return _table(_csv_columns(content), shared)
    except TableError as error:
        raise TableError(list(_csv_problems(content)) or error.problems) from error


def _table(columns: dict[str, Any], shared: str | None) -> JudgementTable:
    return JudgementTable.from_columns(_unshared(columns, shared) if shared else columns)


def _csv_columns(content: bytes) -> dict[str, Any]:
    header = _csv_header(content)
    types = {name: pa.dictionary(pa.int32(), pa.string()) for name in header}
    types |= {"value": pa.float64(), "time_ms": pa.float64()}
    types |= {name: pa.string() for name in FLAG_COLUMNS}
    try:
        rows = arrow_csv.read_csv(
            io.BytesIO(content),
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=types, null_values=[""], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise TableError([f"The CSV cannot be read: {error}."]) from error
    return {
        unguarded(name): Column(cells.codes, tuple(map(unguarded, cells.labels)))
        if isinstance(cells, Column)
        else cells
        for name, cells in _arrow_columns(rows).items()
    }


def _csv_header(content: bytes) -> list[str]:
    try:
        first = content[: content.find(b"\n") + 1 or len(content)].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TableError(["Line 1: the file is not UTF-8 text."]) from error
    header = next(csv.reader([first]), [])
    require_columns(header)
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise TableError([f"Line 1: column {name} stands twice." for name in twice])
    return header


def _csv_problems(content: bytes) -> Iterator[str]:
    """Yield every problem of a CSV with its line."""
    try:
        lines = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        yield f"Line {line}: the file is not UTF-8 text."
        return
    header = next(lines, [])
    if set(REQUIRED_COLUMNS) - {*header, "screen"}:
        return
    seen: dict[tuple[str, ...], int] = {}
    try:
        start = lines.line_num + 1
        for cells in lines:
            if cells:
                yield from (f"Line {start}: {problem}" for problem in _row_problems(header, cells))
                yield from _repeated(dict(zip(header, cells, strict=False)), start, seen)
            start = lines.line_num + 1
    except csv.Error as error:
        yield f"Line {lines.line_num}: {error}."


def _row_problems(header: list[str], cells: list[str]) -> Iterator[str]:
    if len(cells) != len(header):
        yield f"{len(cells)} cells, but the header has {len(header)}."
        return
    row = dict(zip(header, cells, strict=True))
    needed = [name for name in REQUIRED_COLUMNS if name in row]
    yield from (f"{name} is empty." for name in needed if not row[name].strip())
    if row["value"].strip() and not _is_finite(row["value"]):
        yield f"value is {row['value']!r}, not a finite number."
    if row.get("time_ms") and not (_is_finite(row["time_ms"]) and float(row["time_ms"]) >= 0):
        yield f"time_ms is {row['time_ms']!r}, not a number of milliseconds."
    for name in FLAG_COLUMNS:
        if row.get(name, "").strip().lower() not in TRUE_WORDS | FALSE_WORDS:
            yield f"{name} is {row[name]!r}; say 1 or 0."


def _repeated(row: dict[str, str], line: int, seen: dict[tuple[str, ...], int]) -> Iterator[str]:
    key = tuple(row[name] for name in LABEL_COLUMNS if name in row)
    first = seen.setdefault(key, line)
    if all(key) and first != line:
        yield f"Line {line} judges the same output as line {first}."


def _is_finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _parquet_columns(content: bytes) -> dict[str, Any]:
    try:
        return _arrow_columns(parquet.read_table(pa.BufferReader(content)))
    except pa.ArrowException as error:
        raise TableError([f"The Parquet file cannot be read: {error}."]) from error


def _arrow_columns(rows: "pa.Table") -> dict[str, Any]:
    """Columns for `from_columns` out of an Arrow table; missing cells become empty labels."""
    columns: dict[str, Any] = {}
    for name in rows.column_names:
        cells = rows.column(name)
        if name in ("value", "time_ms"):
            columns[name] = cells.cast(pa.float64()).to_numpy()
        elif name in FLAG_COLUMNS:
            columns[name] = _truths(cells.cast(pa.string()).to_pylist(), name)
        else:
            columns[name] = _encoded(cells)
    return columns


def _encoded(cells: "pa.ChunkedArray") -> Column:
    if not pa.types.is_dictionary(cells.type):
        cells = compute.fill_null(cells.cast(pa.string()), "").dictionary_encode()
    whole = cells.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], cells.type)
    return Column(whole.indices.to_numpy(), tuple(whole.dictionary.to_pylist()))


def _truths(cells: Sequence[str | None], name: str) -> list[bool]:
    words = [(cell or "").strip().lower() for cell in cells]
    problems = [
        f"Row {row}: {name} is {word!r}; say 1 or 0."
        for row, word in enumerate(words, start=1)
        if word not in TRUE_WORDS | FALSE_WORDS
    ]
    if problems:
        raise TableError(problems)
    return [word in TRUE_WORDS for word in words]


def _unshared(columns: dict[str, Any], separator: str) -> dict[str, Any]:
    """Give every system of a shared text its own row."""
    systems = column_of(columns["system"])
    makers = [label.split(separator) for label in systems.labels]
    copies = np.array([len(names) for names in makers])[systems.codes]
    source = np.repeat(np.arange(len(copies)), copies)
    spread: dict[str, Any] = {}
    for name, cells in columns.items():
        if isinstance(cells, Column):
            spread[name] = Column(np.asarray(cells.codes)[source], cells.labels)
        else:
            spread[name] = np.asarray(cells)[source]
    spread["system"] = [name.strip() for code in systems.codes for name in makers[code]]
    return spread


# --- ratings of the E2E challenge and of RankME ----------------------------------------------


def _e2e_columns(content: bytes) -> dict[str, Any]:
    """One screen per line; see `analysis.e2e_ratings`."""
    lines = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    layout = layout_of(list(lines.fieldnames or ()))
    if layout is None:
        raise TableError(["Line 1: these are not the columns of ratings of the E2E challenge."])
    names = [*REQUIRED_COLUMNS, "unit"] if layout.has_units else [*REQUIRED_COLUMNS]
    rows: list[tuple[object, ...]] = []
    problems: list[str] = []
    for number, line in enumerate(lines, start=1):
        if None in line or None in line.values():
            problems.append(
                f"Line {lines.line_num}: the row and the header have different numbers of cells."
            )
            continue
        for each in ratings_of(layout, line, number):
            problem = each.problem
            if not problem and not _is_finite(each.value):
                problem = f'"{each.value[:40]}" is not a finite number.'
            if problem:
                problems.append(f"Line {lines.line_num}, {each.column}: {problem}")
                continue
            value = float(each.value)
            row = (each.rater, each.item, each.system, each.criterion, value, each.screen)
            rows.append((*row, line["_unit_id"]) if layout.has_units else row)
    if problems:
        raise TableError(problems)
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


# --- scores of single outputs, as `score --segments` writes them ------------------------------

SCORE_COLUMNS = ("system", "item", "metric", "score")
METRIC_AS_RATER = "metric"


def _score_columns(content: bytes) -> dict[str, Any]:
    """Take each metric as a criterion, judged by one rater; leave out scores of whole systems."""
    lines = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    rows: list[tuple[str, ...]] = []
    problems: list[str] = []
    for line in lines:
        cells = tuple(unguarded(line[name] or "") for name in SCORE_COLUMNS)
        if not _is_finite(cells[-1]):
            problems.append(f"Line {lines.line_num}: score is {cells[-1]!r}, not a finite number.")
        elif cells[1].strip():
            rows.append(cells)
    if not rows and not problems:
        problems.append("There are no scores of single outputs; `score --segments` makes them.")
    if problems:
        raise TableError(problems)
    system, item, metric, score = (list(column) for column in zip(*rows, strict=True))
    return {
        "rater": [METRIC_AS_RATER] * len(rows),
        "item": item,
        "system": system,
        "criterion": metric,
        "value": [float(each) for each in score],
        "screen": [f"{a}, {b}" for a, b in zip(system, item, strict=True)],
    }


FORMATS: dict[str, Callable[[bytes, str | None], JudgementTable]] = {
    "csv": _read_csv,
    "parquet": lambda content, shared: _table(_parquet_columns(content), shared),
    "e2e": lambda content, shared: _table(_e2e_columns(content), shared),
    "scores": lambda content, shared: _table(_score_columns(content), shared),
    "bundle": lambda content, shared: _read_csv(_bundled_judgements(content), shared),
}
