"""Sheets of workbooks (Excel, OpenDocument) as tables. Formulas never run: their values count."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook

from rankme.importing.files import SourceFile
from rankme.importing.limits import Limits


class UnreadableWorkbook(ValueError):
    """The message says why, for people."""


def sheet_of(file: SourceFile, limits: Limits, wanted: str) -> tuple[str, list[str]]:
    """The name of the sheet that is read, and those of the other sheets with content."""
    book = _open(file, limits)
    filled = [name for name in book.sheet_names if book.get_sheet_by_name(name).height]
    if wanted and wanted not in book.sheet_names:
        raise UnreadableWorkbook(f'There is no sheet "{wanted[:60]}".')
    if not filled:
        raise UnreadableWorkbook("The workbook is empty.")
    chosen = wanted or filled[0]
    return chosen, [name for name in filled if name != chosen]


def sheet_rows(file: SourceFile, limits: Limits) -> Iterator[tuple[int, list[str]]]:
    """The rows of `file.sheet` that are not empty, each with its number in the sheet."""
    sheet = _open(file, limits).get_sheet_by_name(file.sheet)
    width = 0
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        texts = [_text(cell) for cell in cells]
        if not any(texts):
            continue
        width = width or _without_empty_end(texts)
        beyond = _without_empty_end(texts)
        yield number, texts[: max(width, beyond)]


def _without_empty_end(texts: list[str]) -> int:
    return max((place for place, text in enumerate(texts, start=1) if text), default=0)


def _open(file: SourceFile, limits: Limits) -> CalamineWorkbook:
    with file.open() as stream:
        content = stream.read(limits.whole_file_bytes + 1)
    if len(content) > limits.whole_file_bytes:
        most = limits.whole_file_bytes // 1024**2
        raise UnreadableWorkbook(f"A workbook has at most {most} MB. Save large tables as CSV.")
    _check_parts(content, limits)
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(content))
    except (CalamineError, OSError, ValueError) as error:
        raise UnreadableWorkbook(f"The workbook cannot be read: {error}.") from error


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
                            raise UnreadableWorkbook(
                                "The workbook is too large. Save large tables as CSV."
                            )
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise UnreadableWorkbook(f"The workbook is damaged: {error}.") from error


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
