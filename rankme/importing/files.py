"""One file of an upload: its organiser's name, its first bytes, and how it is read."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any

from rankme.importing.encodings import UTF8
from rankme.importing.limits import LIMITS
from rankme.importing.media.media_types import media_type_of

HEAD_BYTES = 64 * 1024
UTF8_BOM = b"\xef\xbb\xbf"
ZIP_START = b"PK\x03\x04"
ZIP_END = b"PK\x05\x06"
GZIP = b"\x1f\x8b"
PARQUET, ARROW_FILE, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
# Of Excel (two forms) and of OpenDocument.
WORKBOOK_PARTS = ("xl/workbook.xml", "xl/workbook.bin", "META-INF/manifest.xml")
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError)


@dataclass
class SourceFile:
    """One text file at any path. `label` is the organiser's name for it."""

    label: str
    size: int
    packed_size: int
    open: Callable[[], IO[bytes]]
    folder: str = ""
    # The path within the upload, by which rows name it; empty where it is not a path.
    path: str = ""
    number: int = 0
    rows: int = 0
    sha256: str = ""
    head: bytes = b""
    encoding: str = UTF8
    sheet: str = ""
    sheets: tuple[str, ...] = ()
    is_workbook: bool = False
    header: int = 0  # the row of the headings, if the organiser says it
    # Every way to read the file as a table, found once by `records.possible_shapes`.
    shapes: list[Any] | None = None

    @property
    def name(self) -> str:
        return self.label.rsplit("/", 1)[-1]

    @property
    def stem(self) -> str:
        """The file's name without its last ending; of one of all sheets, the sheet's name."""
        if self.sheet and self.label.endswith(f"/{self.sheet}"):
            return self.sheet
        stem, dot, ending = self.name.rpartition(".")
        return stem if dot and stem and len(ending) <= 5 else self.name

    @property
    def ending(self) -> str:
        return self.name.rpartition(".")[2].lower()

    @property
    def is_arrow(self) -> bool:
        return self.head.startswith((PARQUET, ARROW_FILE, ARROW_STREAM))

    @property
    def is_binary(self) -> bool:
        return self.is_workbook or self.is_arrow

    @property
    def text_head(self) -> bytes:
        """The head of a text; nothing of a workbook or an Arrow table, whose bytes say nothing."""
        return b"" if self.is_binary else self.head

    @cached_property
    def media_type(self) -> str | None:
        """That of a picture, a sound or a film, by the head, which has to have been read."""
        return media_type_of(self.head)

    def first_line(self) -> str:
        """The first line that is not empty. A line of JSON may be longer than the head."""
        first = _first_line(self.text_head, self.encoding)
        if not first.lstrip().startswith("{") or first.endswith("\n"):
            return first
        try:
            with self.open() as stream:
                return _first_line(stream.read(LIMITS.line_bytes), self.encoding)
        except DAMAGE:
            return first  # reading the whole file reports the damage


# A file and a line of it, from 1.
Place = tuple[SourceFile, int]


def _first_line(raw: bytes, encoding: str) -> str:
    """The first line with its end, which is missing where the bytes stop within the line."""
    text = raw.removeprefix(UTF8_BOM).decode(encoding, errors="replace")
    return next((line for line in io.StringIO(text, newline="\n") if line.strip()), "")


def holds_workbook(stream: IO[bytes]) -> bool:
    try:
        with zipfile.ZipFile(stream) as archive:
            return any(name in WORKBOOK_PARTS for name in archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error):
        return False


def size_in_words(n_bytes: int) -> str:
    return f"{n_bytes / 1024**2:,.0f} MB"


def where(first: Place, again: Place) -> str:
    """Say on which line something was first, and in which file if that is another one."""
    line = f"line {first[1]}"
    return line if first[0] is again[0] else f"{line} of {first[0].label}"
