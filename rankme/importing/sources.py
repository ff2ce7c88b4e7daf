"""Files, folders and archives as streams of checked lines; nothing is ever unpacked to disk."""

from __future__ import annotations

import hashlib
import io
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from rankme.importing.columns import Columns, InvalidColumns
from rankme.importing.encodings import ENCODINGS, UTF8, encoding_of
from rankme.importing.limits import LIMITS, Limits
from rankme.importing.problems import Problems, StopFile

Progress = Callable[[int, int], None]
Paths = str | Path | Sequence[str | Path] | Mapping[str, str | Path]

HEAD_BYTES = 64 * 1024
CHUNK_BYTES = 256 * 1024
PROGRESS_EVERY_BYTES = 1024**2
UTF8_BOM = b"\xef\xbb\xbf"
NUL_MESSAGE = "The line contains a NUL character."
MOST_SHEETS_NAMED = 5
ZIP_START = b"PK\x03\x04"
ZIP_END = b"PK\x05\x06"
ZIP64_LOCATOR = b"PK\x06\x07"
ZIP_END_BYTES = 22
LONGEST_COMMENT = 65_535
LOCAL_HEADER_BYTES = 30
SHORTEST_ENTRY_BYTES = 46
PICTURE_STARTS = {
    b"\x89PNG\r\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
}
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1
# Of Excel (two forms) and of OpenDocument.
WORKBOOK_PARTS = ("xl/workbook.xml", "xl/workbook.bin", "META-INF/manifest.xml")
TABLE_ENDINGS = ("csv", "tsv", "jsonl", "json", "parquet", "arrow", "xlsx", "ods")
ARROW_STARTS = (b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")
# What libraries write beside the tables of a data set.
DESCRIPTIONS = ("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json")
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError)
LITTER = re.compile(r"(^|/)(__MACOSX/|\.[^./]|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)


@dataclass
class SourceFile:
    """One text file at any path. `label` is the organiser's name for it."""

    label: str
    size: int
    packed_size: int
    open: Callable[[], IO[bytes]]
    folder: str = ""
    number: int = 0
    rows: int = 0
    sha256: str = ""
    head: bytes = b""
    encoding: str = UTF8
    sheet: str = ""
    is_workbook: bool = False

    @property
    def name(self) -> str:
        return self.label.rsplit("/", 1)[-1]

    @property
    def stem(self) -> str:
        """The file's name without its last ending."""
        stem, dot, ending = self.name.rpartition(".")
        return stem if dot and stem and len(ending) <= 5 else self.name

    @property
    def ending(self) -> str:
        return self.name.rpartition(".")[2].lower()

    @property
    def is_arrow(self) -> bool:
        return self.head.startswith(ARROW_STARTS)

    def first_line(self) -> str:
        """The first line that is not empty. A line of JSON may be longer than the head."""
        first = _first_line(self.head, self.encoding)
        if not first.lstrip().startswith("{") or first.endswith("\n"):
            return first
        try:
            with self.open() as stream:
                return _first_line(stream.read(LIMITS.line_bytes), self.encoding)
        except DAMAGE:
            return first  # reading the whole file reports the damage


def _first_line(raw: bytes, encoding: str) -> str:
    """The first line with its end, which is missing where the bytes stop within the line."""
    text = raw.removeprefix(UTF8_BOM).decode(encoding, errors="replace")
    return next((line for line in io.StringIO(text, newline="\n") if line.strip()), "")


@dataclass(frozen=True)
class Reading:
    """How the organiser wants tables to be read; what is not said is found in the files.

    Each of `columns` is used for the files that have all of its columns.
    """

    columns: tuple[Columns, ...] = ()
    encoding: str = ""
    sheet: str = ""

    def __post_init__(self) -> None:
        if self.encoding and self.encoding not in ENCODINGS:
            raise InvalidColumns(f'There is no encoding "{self.encoding}".')


AS_PROPOSED = Reading()


@dataclass
class Sources:
    """All files of one upload, with what has been read of them."""

    files: list[SourceFile]
    limits: Limits
    problems: Problems
    progress: Progress | None = None
    reading: Reading = AS_PROPOSED
    bytes_read: int = 0
    notes: list[str] = field(default_factory=list)
    # What is proposed for each file, by its number: found once.
    tables: dict[int, Any] = field(default_factory=dict)
    _closers: list[Callable[[], None]] = field(default_factory=list)
    _told: int = 0

    @property
    def total_bytes(self) -> int:
        return sum(file.size for file in self.files)

    def close(self) -> None:
        for close in self._closers:
            close()

    def report(self, n_bytes: int) -> None:
        self.bytes_read += n_bytes
        if self.progress and self.bytes_read - self._told >= PROGRESS_EVERY_BYTES:
            self._told = self.bytes_read
            self.progress(min(self.bytes_read, self.total_bytes), self.total_bytes)


@contextmanager
def open_sources(
    paths: Paths,
    limits: Limits,
    problems: Problems,
    progress: Progress | None = None,
    reading: Reading = AS_PROPOSED,
) -> Iterator[Sources]:
    """Find the files behind the paths: files, folders, and archives looked into."""
    sources = Sources([], limits, problems, progress, reading)
    try:
        for label, path in _labelled(paths):
            _add_path(sources, label, path)
        _leave_out_descriptions(sources)
        for number, file in enumerate(sources.files):
            file.number = number
            _read_head(sources, file)
        if sources.total_bytes > limits.total_bytes:
            problems.add(
                "", None, "", f"Together the files are larger than {_size(limits.total_bytes)}."
            )
        elif not sources.files and not problems.count:
            problems.add("", None, "", "The upload has no files.")
        problems.refuse_if_any()
        yield sources
    finally:
        sources.close()


def _leave_out_descriptions(sources: Sources) -> None:
    """Data sets of Hugging Face come with files about the data."""
    tables = [file for file in sources.files if file.name not in DESCRIPTIONS]
    if tables:
        readme = {"readme.md"} if any(file.ending in TABLE_ENDINGS for file in tables) else set()
        sources.files[:] = [file for file in tables if file.name.lower() not in readme]


def _labelled(paths: Paths) -> list[tuple[str, Path]]:
    if isinstance(paths, Mapping):
        return [(label, Path(path)) for label, path in paths.items()]
    if isinstance(paths, str | Path):
        paths = [paths]
    return [(Path(path).name, Path(path)) for path in paths]


def _add_path(sources: Sources, label: str, path: Path) -> None:
    if path.is_dir():
        for inner in sorted(path.rglob("*")):
            name = inner.relative_to(path).as_posix()
            if inner.is_file() and not inner.is_symlink() and not LITTER.search(name):
                _add_plain(sources, name, inner, folder=_clean_name(inner.parent.name))
        return
    with path.open("rb") as file:
        is_archive = file.read(4) in (ZIP_START, ZIP_END)
    if is_archive and not _is_workbook(path, sources.limits):
        _add_archive(sources, label, path)
    else:
        _add_plain(sources, label, path)


def _is_workbook(path: Path, limits: Limits) -> bool:
    """Workbooks are archives, too."""
    if _trouble_with_directory(path, limits):
        return False
    try:
        with path.open("rb") as stream:
            return _holds_workbook(stream)
    except DAMAGE:
        return False


def _holds_workbook(stream: IO[bytes]) -> bool:
    try:
        with zipfile.ZipFile(stream) as archive:
            return any(name in WORKBOOK_PARTS for name in archive.namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error):
        return False


def _add_plain(sources: Sources, label: str, path: Path, *, folder: str = "") -> None:
    size = path.stat().st_size
    if len(sources.files) >= sources.limits.files:
        sources.problems.add(label, None, "", f"There are more than {sources.limits.files} files.")
        sources.problems.refuse_if_any()
    if size > sources.limits.file_bytes:
        largest = _size(sources.limits.file_bytes)
        sources.problems.add(label, None, "", f"The file is larger than {largest}.")
        return
    sources.files.append(SourceFile(label, size, size, partial(_open_plain, path), folder))


def _open_plain(path: Path) -> IO[bytes]:
    return path.open("rb")


# --- archives --------------------------------------------------------------------------------


def _add_archive(sources: Sources, label: str, path: Path) -> None:
    trouble = _trouble_with_directory(path, sources.limits)
    if trouble:
        sources.problems.add(label, None, "", trouble)
        return
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
        sources.problems.add(label, None, "", f"The archive is damaged: {error}.")
        return
    sources._closers.append(archive.close)
    members = [member for member in archive.infolist() if not _is_passed_over(member)]
    _check_no_overlap(sources, label, archive)
    for member in members:
        _add_member(sources, label, archive, member)


def _trouble_with_directory(path: Path, limits: Limits) -> str | None:
    """Look at the archive's end before anything reads its directory into memory."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - ZIP_END_BYTES - LONGEST_COMMENT - 20))
        tail = file.read()
    start = tail.rfind(ZIP_END)
    if start < 0 or len(tail) - start < ZIP_END_BYTES:
        return "The archive is damaged: its end is missing."
    if tail[max(0, start - 20) : start].startswith(ZIP64_LOCATOR):
        return "Zip64 archives are not supported: the archive is too large or has too many files."
    entries, directory_bytes = struct.unpack("<HL", tail[start + 10 : start + 16])
    if max(entries, directory_bytes // 1_024) > limits.files:
        return f"The archive has more than {limits.files} files."
    if directory_bytes // SHORTEST_ENTRY_BYTES < entries:
        return "The archive is damaged: its directory is too short."
    return None


def _is_passed_over(member: zipfile.ZipInfo) -> bool:
    return member.is_dir() or bool(LITTER.search(member.filename.replace("\\", "/")))


def _check_no_overlap(sources: Sources, label: str, archive: zipfile.ZipFile) -> None:
    """Members that share their bytes make small archives of endless text; zipfile allows them."""
    members = sorted(archive.infolist(), key=lambda member: member.header_offset)
    starts = [member.header_offset for member in members[1:]] + [archive.start_dir]
    for member, next_start in zip(members, starts, strict=True):
        end = member.header_offset + LOCAL_HEADER_BYTES + member.compress_size
        if member.header_offset < 0 or end > next_start:
            sources.problems.add(label, None, "", "The archive is damaged: its files overlap.")
            return


def _add_member(
    sources: Sources, label: str, archive: zipfile.ZipFile, member: zipfile.ZipInfo
) -> None:
    *folders, name = (_clean_name(part) for part in member.filename.replace("\\", "/").split("/"))
    folder = folders[-1] if folders else ""
    parts = [label, folder, name or ascii(member.filename)]
    place = "/".join(part for part in parts if part)
    trouble = _trouble_with_member(member, name, sources.limits)
    if trouble:
        sources.problems.add(place, None, "", trouble)
        return
    opener = partial(archive.open, member)
    sizes = (member.file_size, member.compress_size)
    sources.files.append(SourceFile(place, *sizes, opener, folder))


def _clean_name(part: str) -> str:
    """A part of a path as a label, which is its only use; empty if it is not a name."""
    name = unicodedata.normalize("NFC", part)
    is_name = name.strip(". ") and name.isprintable() and not name.endswith(":")
    return name if is_name else ""


def _trouble_with_member(member: zipfile.ZipInfo, name: str, limits: Limits) -> str | None:
    if not name:
        return "This is not a valid file name."
    if stat.S_ISLNK(member.external_attr >> 16):
        return "Archives must not contain links."
    if member.flag_bits & ENCRYPTED:
        return "The file is encrypted."
    if member.compress_type not in METHODS:
        return "The file uses a compression that is not supported: create an ordinary ZIP file."
    if member.file_size > limits.file_bytes:
        return f"The file is larger than {_size(limits.file_bytes)}."
    if _is_bomb(member.file_size, member.compress_size, limits):
        return "The file is suspiciously small for the size of its content."
    return None


def _is_bomb(size: int, packed_size: int, limits: Limits) -> bool:
    is_large = size > limits.packing_ratio_from_bytes
    return is_large and size > limits.packing_ratio * max(packed_size, 1)


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1024**2:,.0f} MB"


# --- reading ---------------------------------------------------------------------------------


class _CountedStream(io.RawIOBase):
    """Bytes read from the file, counted against the limits regardless of the size it claims."""

    def __init__(self, sources: Sources, file: SourceFile) -> None:
        self._sources = sources
        self._file = file
        self._stream = file.open()
        self._digest = hashlib.sha256()
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        chunk = self._read(len(buffer))
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _read(self, n_bytes: int) -> bytes:
        try:
            chunk = self._stream.read(n_bytes)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            self._stop(f"The file is damaged: {error}.")
        self._count += len(chunk)
        self._digest.update(chunk)
        self._sources.report(len(chunk))
        limits = self._sources.limits
        if self._count > limits.file_bytes or self._sources.bytes_read > limits.total_bytes:
            self._stop("The file is larger than is allowed.")
        if _is_bomb(self._count, self._file.packed_size, limits):
            self._stop("The file is suspiciously small for the size of its content.")
        if not chunk:
            self._file.sha256 = self._digest.hexdigest()
        return chunk

    def _stop(self, message: str) -> None:
        self._sources.problems.add(self._file.label, None, "", message)
        raise StopFile

    def close(self) -> None:
        if not self.closed:
            self._stream.close()
        super().close()


def _read_head(sources: Sources, file: SourceFile) -> None:
    """Keep the first bytes, by which formats are told apart."""
    try:
        with file.open() as stream:
            file.head = stream.read(HEAD_BYTES)
    except DAMAGE as error:
        sources.problems.add(file.label, None, "", f"The file is damaged: {error}.")
        return
    if file.head.startswith((ZIP_START, ZIP_END)):
        _note_workbook(sources, file)
    elif not picture_type(file.head) and not file.is_arrow:
        file.encoding = sources.reading.encoding or encoding_of(file.head)
        if file.encoding != UTF8:
            title = ENCODINGS[file.encoding]
            sources.notes.append(f"{file.label}: read as {title}, because it is not UTF-8.")


def _note_workbook(sources: Sources, file: SourceFile) -> None:
    """Find the sheet to read; an archive that is not a workbook is refused."""
    from rankme.importing.workbooks import UnreadableWorkbook, sheet_of

    if file.size <= sources.limits.whole_file_bytes:
        with file.open() as stream:
            file.is_workbook = _holds_workbook(io.BytesIO(stream.read()))
    if not file.is_workbook:
        sources.problems.add(file.label, None, "", "Archives within archives are not supported.")
        return
    try:
        file.sheet, others = sheet_of(file, sources.limits, sources.reading.sheet)
    except UnreadableWorkbook as refused:
        sources.problems.add(file.label, None, "", str(refused))
        return
    sources.problems.called[file.label] = f"{file.label}, sheet {file.sheet}"
    if others:
        named = ", ".join(others[:MOST_SHEETS_NAMED])
        sources.notes.append(
            f'{file.label}: only the sheet "{file.sheet}" is read. Not read: {named}.'
        )


def picture_type(head: bytes) -> str | None:
    """The media type of a picture that browsers show, by its first bytes."""
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return next((media for start, media in PICTURE_STARTS.items() if head.startswith(start)), None)


@contextmanager
def opened(sources: Sources, file: SourceFile) -> Iterator[IO[bytes]]:
    """The file's bytes, counted; the byte order mark is passed over."""
    counted = _CountedStream(sources, file)
    with io.BufferedReader(counted, CHUNK_BYTES) as stream:
        if stream.peek(3)[:3] == UTF8_BOM:
            stream.read(3)
        yield stream


def text_lines(sources: Sources, file: SourceFile) -> Iterator[str]:
    """The lines of the file with their ends; what is not text is noted, with its column."""
    if file.encoding != UTF8:
        yield from _lines_in_encoding(sources, file)
        return
    limit = sources.limits.line_bytes
    with opened(sources, file) as stream:
        for number, raw in enumerate(iter(partial(stream.readline, limit), b""), start=1):
            if len(raw) >= limit and not raw.endswith(b"\n"):
                _stop_at_long_line(sources, file, number)
            if b"\0" in raw:
                column = raw.index(b"\0") + 1
                sources.problems.add(file.label, number, column, NUL_MESSAGE)
                raw = raw.replace(b"\0", b"")
            try:
                yield raw.decode()
            except UnicodeDecodeError as error:
                column = len(raw[: error.start].decode()) + 1
                message = _not_utf8(raw[error.start])
                sources.problems.add(file.label, number, column, message)
                yield raw.decode(errors="replace")


def _lines_in_encoding(sources: Sources, file: SourceFile) -> Iterator[str]:
    limit, number = sources.limits.line_bytes, 0
    with (
        opened(sources, file) as stream,
        io.TextIOWrapper(stream, file.encoding, newline="\n") as text,
    ):
        try:
            for number, line in enumerate(iter(partial(text.readline, limit), ""), start=1):
                if len(line) >= limit and not line.endswith("\n"):
                    _stop_at_long_line(sources, file, number)
                if "\0" in line:
                    column = line.index("\0") + 1
                    sources.problems.add(file.label, number, column, NUL_MESSAGE)
                    line = line.replace("\0", "")
                yield line
        except UnicodeError as error:
            title = ENCODINGS[file.encoding]
            message = f"From about here on, this is not text in {title}: choose another encoding."
            sources.problems.add(file.label, number + 1, "", message)
            raise StopFile from error


def _stop_at_long_line(sources: Sources, file: SourceFile, number: int) -> None:
    message = f"The line is longer than {_size(sources.limits.line_bytes)}."
    sources.problems.add(file.label, number, "", message)
    raise StopFile


def _not_utf8(byte: int) -> str:
    # These bytes are quotation marks, dashes and accented letters in Windows-1252.
    advice = (
        "It looks like Windows-1252: in Excel, save the file as “CSV UTF-8”."
        if 0x80 <= byte <= 0xFF and byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
        else "Save the file as UTF-8."
    )
    return f"This is not UTF-8 text (byte 0x{byte:02X}). {advice}"


def whole_text(sources: Sources, file: SourceFile) -> str:
    """The text of a file that has to be read as one document."""
    limit = sources.limits.whole_file_bytes
    if file.size > limit:
        sources.problems.add(file.label, None, "", f"The file is larger than {_size(limit)}.")
        raise StopFile
    return "".join(text_lines(sources, file))


def whole_bytes(sources: Sources, file: SourceFile) -> bytes:
    """The bytes of a picture."""
    limit = sources.limits.picture_bytes
    if file.size > limit:
        message = f"The picture is larger than {limit // 1000} kB."
        sources.problems.add(file.label, None, "", message)
        raise StopFile
    with opened(sources, file) as stream:
        return stream.read()
