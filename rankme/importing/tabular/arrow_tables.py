"""Parquet and Arrow files, as data sets of Hugging Face have them, as streams of records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from rankme.importing.files import ARROW_FILE, PARQUET, SourceFile
from rankme.importing.limits import Limits
from rankme.importing.problems import UnreadableTable

ROWS_AT_ONCE = 1_000
WITHOUT_THREADS = pyarrow.ipc.IpcReadOptions(use_threads=False)


def column_names(file: SourceFile) -> list[str]:
    with file.open() as stream:
        return list(_schema_and_batches(stream, file, None)[0].names)


def table_rows(file: SourceFile, limits: Limits) -> Iterator[tuple[int, list[str]]]:
    """The header, then the rows, numbered from 1 as the lines of a CSV file would be."""
    with file.open() as stream:
        schema, batches = _schema_and_batches(stream, file, limits)
        yield 1, list(schema.names)
        number = 1
        try:
            for part in _parts(batches, limits):
                columns = [column.to_pylist() for column in part.columns]
                for cells in zip(*columns, strict=True):
                    number += 1
                    yield number, [_text(cell) for cell in cells]
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise UnreadableTable(f"The file is damaged: {error}.") from error


def _parts(batches: Iterator[pa.RecordBatch], limits: Limits) -> Iterator[pa.RecordBatch]:
    """A few rows at a time: a batch of a kilobyte may say that it has a billion empty ones."""
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        if rows > limits.rows:
            raise UnreadableTable(f"There are more than {limits.rows:,} rows.")
        for start in range(0, batch.num_rows, ROWS_AT_ONCE):
            yield batch.slice(start, ROWS_AT_ONCE)


def _schema_and_batches(
    stream: IO[bytes], file: SourceFile, limits: Limits | None
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    try:
        if file.head.startswith(PARQUET):
            parquet = pyarrow.parquet.ParquetFile(stream)
            if limits:
                _check_size(parquet.metadata, limits)
            # Threads would each take address space, of which the reading process has little.
            return parquet.schema_arrow, parquet.iter_batches(ROWS_AT_ONCE, use_threads=False)
        if file.head.startswith(ARROW_FILE):
            opened = pyarrow.ipc.open_file(stream, options=WITHOUT_THREADS)
            numbers = range(opened.num_record_batches)
            return opened.schema, (opened.get_batch(number) for number in numbers)
        reader = pyarrow.ipc.open_stream(stream, options=WITHOUT_THREADS)
        return reader.schema, iter(reader)
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise UnreadableTable(f"The file is damaged: {error}.") from error


def _check_size(metadata: Any, limits: Limits) -> None:
    unpacked = sum(
        metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)
    )
    if metadata.num_rows > limits.rows:
        raise UnreadableTable(f"There are more than {limits.rows:,} rows.")
    if unpacked > limits.file_bytes:
        raise UnreadableTable(f"Unpacked, the file is larger than {limits.file_bytes:,} bytes.")


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    if isinstance(cell, bytes):
        return cell.decode(errors="replace")
    try:
        return json.dumps(cell, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        return str(cell)
