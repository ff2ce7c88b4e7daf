"""Rows into PostgreSQL by COPY: the one way for more rows than a form can hold."""

from __future__ import annotations

import io
import json
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from django.db import DatabaseError, connection

IDS_AT_ONCE = 20_000
# Fewer rows change no plan of a query.
ROWS_WORTH_MEASURING = 10_000
TABLES_THAT_GROW = tuple(
    f"rankme_{name}" for name in ("assignment", "submission", "judgement", "output", "trialoutput")
)
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def copy_rows(table: str, rows: Iterable[Mapping[str, object]]) -> None:
    """Stream rows into a table, inside the caller's transaction; all have the first one's columns.

    None becomes NULL; a dict or a list becomes JSON.
    """
    waiting = iter(rows)
    first = next(waiting, None)
    if first is None:
        return
    names = ", ".join(f'"{column}"' for column in first)
    values = ([row[column] for column in first] for row in chain([first], waiting))
    lines = _Lines(values)
    with connection.cursor() as cursor:
        try:
            with connection.wrap_database_errors:
                cursor.cursor.copy_expert(f'COPY "{table}" ({names}) FROM STDIN', lines)
        except DatabaseError:
            # What stopped the rows is the reason; the driver only says that something did.
            if lines.stopped_by is not None:
                raise lines.stopped_by from None
            raise


def analyze(*tables: str) -> None:
    """Tell the planner how large these tables have become; autovacuum comes too late.

    If it takes a table for empty, it reads a million rows one index entry at a time. Only the
    owner of a table, or a role with the privilege MAINTAIN on it (PostgreSQL 17 and later), can do
    this: for any other role PostgreSQL skips the table with a warning.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(tables)}")


def new_ids(table: str, count: int) -> array[int]:
    """Take ids from the table's own sequence, so that rows by COPY can refer to each other.

    A million of them as Python's own numbers, fetched at once, would need 200 MB.
    """
    ids = array("q")
    with connection.cursor() as cursor:
        while len(ids) < count:
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
                [table, min(count - len(ids), IDS_AT_ONCE)],
            )
            ids.extend(row[0] for row in cursor.fetchall())
    return ids


class _Lines(io.RawIOBase):
    """A file of COPY's text format, made while it is read, so that memory stays flat."""

    def __init__(self, rows: Iterable[Sequence[object]]) -> None:
        self._lines = _lines(rows)
        self._rest = b""
        self.stopped_by: Exception | None = None

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        try:
            return self._read(size)
        except Exception as error:
            self.stopped_by = error
            raise

    def _read(self, size: int) -> bytes:
        parts = [self._rest]
        length = len(self._rest)
        while size < 0 or length < size:
            line = next(self._lines, None)
            if line is None:
                break
            parts.append(line)
            length += len(line)
        text = b"".join(parts)
        self._rest = text[size:] if size >= 0 else b""
        return text[:size] if size >= 0 else text


def _lines(rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    for row in rows:
        yield ("\t".join(_field(value) for value in row) + "\n").encode()


def _field(value: object) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return value.translate(_ESCAPES) if isinstance(value, str) else str(value)
