"""Sheets of workbooks (Excel, OpenDocument) as tables. Formulas never run: their values count."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook

from rankme.importing.files import SourceFile
from rankme.importing.limits import Limits
from rankme.importing.problems import UnreadableTable

from .reading import LAST_HEADER


def sheet_of(file: SourceFile, limits: Limits, wanted: str) -> tuple[str, list[str]]:
    """The name of the sheet that is read, and those of the other sheets with content.

    Unless another one is wanted, it is the sheet with the most filled cells.
    """
    book = _open(file, limits)
    filled = {name: _n_filled(book.get_sheet_by_name(name)) for name in book.sheet_names}
    if wanted and wanted not in filled:
        raise UnreadableTable(f'There is no sheet "{wanted[:60]}".')
    names = [name for name, count in filled.items() if count]
    if not names:
        raise UnreadableTable("The workbook is empty.")
    chosen = wanted or max(names, key=filled.__getitem__)
    return chosen, [name for name in names if name != chosen]


def _n_filled(sheet: CalamineSheet) -> int:
    return sum(cell != "" for cells in sheet.iter_rows() for cell in cells)


def sheet_rows(file: SourceFile, limits: Limits) -> Iterator[tuple[int, list[str]]]:
    """The rows of `file.sheet` that are not empty, each with its number in the sheet.

    A cell that is merged downwards counts in each of its rows.
    """
    sheet = _open(file, limits).get_sheet_by_name(file.sheet)
    ends = {start: end[0] for start, end in sheet.merged_cell_ranges or () if end[0] > start[0]}
    merged: dict[int, tuple[int, str]] = {}  # by column: the last row, and the text
    width = 0
    for number, cells in enumerate(sheet.iter_rows()):
        texts = [_text(cell) for cell in cells]
        for column, (last, text) in [*merged.items()]:
            if number > last:
                del merged[column]
            elif column < len(texts):
                texts[column] = texts[column] or text
        if ends:
            for column, text in enumerate(texts):
                if (number, column) in ends:
                    merged[column] = (ends[number, column], text)
        if not any(texts):
            continue
        width = width or _without_empty_end(texts)
        beyond = _without_empty_end(texts)
        yield number + 1, texts[: max(width, beyond)]


def headings_above(file: SourceFile, limits: Limits) -> dict[int, dict[int, str]]:
    """Cells that are merged to the right: by row, the text above each of their columns."""
    sheet = _open(file, limits).get_sheet_by_name(file.sheet)
    wide = {start: end for start, end in sheet.merged_cell_ranges or () if end[1] > start[1]}
    if not wide:
        return {}
    found: dict[int, dict[int, str]] = {}
    for number, cells in enumerate(islice(sheet.iter_rows(), LAST_HEADER)):
        for column, cell in enumerate(cells):
            if end := wide.get((number, column)):
                row = found.setdefault(number + 1, {})
                row |= dict.fromkeys(range(column, end[1] + 1), _text(cell))
    return found


def _without_empty_end(texts: list[str]) -> int:
    return max((place for place, text in enumerate(texts, start=1) if text), default=0)


def _open(file: SourceFile, limits: Limits) -> CalamineWorkbook:
    with file.open() as stream:
        content = stream.read(limits.whole_file_bytes + 1)
    if len(content) > limits.whole_file_bytes:
        most = limits.whole_file_bytes // 1024**2
        raise UnreadableTable(f"A workbook has at most {most} MB. Save large tables as CSV.")
    _check_parts(content, limits)
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(content))
    except (CalamineError, OSError, ValueError) as error:
        raise UnreadableTable(f"The workbook cannot be read: {error}.") from error


def _check_parts(content: bytes, limits: Limits) -> None:
    """Unpack every part once, counting: an archive may lie about its sizes."""
    left = limits.workbook_bytes
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.infolist():
                with archive.open(member) as part:
                    while chunk := part.read(2**20):
                        left -= len(chunk)
                        if left < 0:
                            raise UnreadableTable(
                                "The workbook is too large. Save large tables as CSV."
                            )
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise UnreadableTable(f"The workbook is damaged: {error}.") from error


def _text(cell: Any) -> str:
    """A cell as the text that a person sees in it, or nearly so."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return json.dumps(cell)
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(cell)
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, int | timedelta) else ""
