"""A file that leaves the site, whatever the protocol."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.core.files import File

from analysis.table_files import guarded

CSV = "text/csv; charset=utf-8"
JSON_LINES = "application/jsonl"
ZIP = "application/zip"


@dataclass(frozen=True)
class ExportedFile:
    """Its name, its media type and its content: whole, in parts, or as an open file."""

    name: str
    media_type: str
    content: bytes | Iterator[bytes] | File[bytes]
    tag: str = ""  # an ETag, where the content has a name of its own


def csv_line(cells: Iterable[object]) -> bytes:
    """One row; a text that a spreadsheet would treat as a formula starts with an apostrophe."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(
        guarded(cell) if isinstance(cell, str) else cell for cell in cells
    )
    return line.getvalue().encode()
