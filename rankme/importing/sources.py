"""Files, folders and archives as streams of checked lines; nothing is ever unpacked to disk."""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from rankme.importing.archives import (
    LITTER,
    clean_name,
    is_bomb,
    open_archive,
    trouble_with_directory,
)
from rankme.importing.encodings import ENCODINGS, UTF8, encoding_of
from rankme.importing.files import (
    DAMAGE,
    GZIP,
    HEAD_BYTES,
    UTF8_BOM,
    ZIP_END,
    ZIP_START,
    Place,
    SourceFile,
    holds_workbook,
    size_in_words,
)
from rankme.importing.limits import Limits
from rankme.importing.media.media_types import is_media_name
from rankme.importing.problems import Problems, StopFile, UnreadableTable
from rankme.importing.tabular.columns import About
from rankme.importing.tabular.reading import ALL_SHEETS, AS_PROPOSED, Reading

Progress = Callable[[int, int], None]
Paths = str | Path | Sequence[str | Path] | Mapping[str, str | Path]

DAMAGED_PARTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError)
CHUNK_BYTES = 256 * 1024
PROGRESS_EVERY_BYTES = 1024**2
NUL_MESSAGE = "The line contains a NUL character."
MOST_SHEETS_NAMED, MOST_SHEETS_OFFERED = 5, 100
TABLE_ENDINGS = ("csv", "tsv", "jsonl", "json", "parquet", "arrow", "xlsx", "ods")
# What libraries write next to the tables of a data set.
DESCRIPTIONS = ("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json")


@dataclass
class Sources:
    """All files of one upload, with what has been read of them."""

    files: list[SourceFile]
    limits: Limits
    problems: Problems
    # Pictures, sounds and films, of readers that set them aside.
    media: list[SourceFile] = field(default_factory=list, init=False)
    progress: Progress | None = None
    reading: Reading = AS_PROPOSED
    about: About = "outputs"
    bytes_read: int = 0
    notes: list[str] = field(default_factory=list)
    # What is proposed for each file, by its number: found once.
    tables: dict[int, Any] = field(default_factory=dict)
    opened: ExitStack = field(default_factory=ExitStack)
    _told: int = 0

    @property
    def total_bytes(self) -> int:
        return sum(file.size for file in (*self.files, *self.media))

    def problem(self, place: Place, column: str | int, message: str) -> None:
        self.problems.add(message, file=place[0].label, line=place[1], column=column)

    def has_all(self, names: Sequence[str], record: Mapping[str, str], place: Place) -> bool:
        """Note the cells that a line lacks: each line of JSON names them again."""
        missing = [name for name in names if name not in record]
        for name in missing:
            self.problem(place, name, f'The line has no "{name}". Add it.')
        return not missing

    def set_media_aside(self) -> None:
        """Leave only what is read as text or as a table in `files`."""
        found = self.files
        self.files, self.media = [], []
        for file in found:
            (self.media if is_media(file) else self.files).append(file)
        for number, file in enumerate([*self.files, *self.media]):
            file.number = number

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
    *,
    reading: Reading = AS_PROPOSED,
    about: About = "outputs",
) -> Iterator[Sources]:
    """Find the files behind the paths: files, folders, and archives looked into."""
    sources = Sources([], limits, problems, progress, reading, about)
    with sources.opened:
        for label, path in labelled(paths):
            _add_path(sources, label, path)
        _leave_out_descriptions(sources)
        for file in sources.files:
            _read_head(sources, file)
        if reading.sheet == ALL_SHEETS:
            sources.files[:] = [sheet for file in sources.files for sheet in _sheets(file)]
        for number, file in enumerate(sources.files):
            file.number = number
            file.header = reading.header
        if sources.total_bytes > limits.total_bytes:
            problems.add(f"Together the files are larger than {size_in_words(limits.total_bytes)}.")
        elif not sources.files and not problems.count:
            problems.add("The upload has no files.")
        problems.refuse_if_any()
        yield sources


def is_media(file: SourceFile) -> bool:
    """Whether the file is a picture, a sound or a film by its name or by its content.

    Archives are refused for what they are, whatever they are called.
    """
    if file.head.startswith((ZIP_START, ZIP_END)):
        return False
    return is_media_name(file.name) or file.media_type is not None


def _leave_out_descriptions(sources: Sources) -> None:
    """Data sets of Hugging Face come with files about the data."""
    tables = [file for file in sources.files if file.name not in DESCRIPTIONS]
    if tables:
        readme = {"readme.md"} if any(file.ending in TABLE_ENDINGS for file in tables) else set()
        sources.files[:] = [file for file in tables if file.name.lower() not in readme]


def labelled(paths: Paths) -> list[tuple[str, Path]]:
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
                _add_plain(sources, name, inner, folder=clean_name(inner.parent.name))
        return
    with path.open("rb") as file:
        is_archive = file.read(4) in (ZIP_START, ZIP_END)
    if is_archive and not _is_workbook(path, sources.limits):
        sources.files += open_archive(label, path, sources.limits, sources.problems, sources.opened)
    else:
        _add_plain(sources, label, path)


def _is_workbook(path: Path, limits: Limits) -> bool:
    """Workbooks are archives, too."""
    if trouble_with_directory(path, limits):
        return False
    try:
        with path.open("rb") as stream:
            return holds_workbook(stream)
    except DAMAGE:
        return False


def _add_plain(sources: Sources, label: str, path: Path, *, folder: str = "") -> None:
    size = packed = path.stat().st_size
    opener = partial(_open_plain, path)
    with path.open("rb") as file:
        is_packed = file.read(2) == GZIP
    if is_packed:
        opener, label = partial(_open_packed, path), label.removesuffix(".gz")
        size = _unpacked_size(opener, sources.limits)
    if len(sources.files) >= sources.limits.files:
        sources.problems.add(f"There are more than {sources.limits.files} files.", file=label)
        sources.problems.refuse_if_any()
    if size > sources.limits.file_bytes:
        largest = size_in_words(sources.limits.file_bytes)
        sources.problems.add(f"The file is larger than {largest}.", file=label)
        return
    sources.files.append(SourceFile(label, size, packed, opener, folder, path=label))


def _open_plain(path: Path) -> IO[bytes]:
    return path.open("rb")


def _open_packed(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path))


def _unpacked_size(opener: Callable[[], IO[bytes]], limits: Limits) -> int:
    """The size of what is packed, up to one that is refused; damage is found by reading."""
    size = 0
    try:
        with opener() as stream:
            while size <= limits.file_bytes and (chunk := stream.read(CHUNK_BYTES)):
                size += len(chunk)
    except DAMAGE:
        pass
    return size


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

    # The readers above it hand in a bytearray or a memoryview, and no other buffer.
    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        chunk = self._read(len(buffer))
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def _read(self, n_bytes: int) -> bytes:
        try:
            chunk = self._stream.read(n_bytes)
        except (gzip.BadGzipFile, *DAMAGED_PARTS) as error:
            self._stop(f"The file is damaged: {error}.")
        self._count += len(chunk)
        self._digest.update(chunk)
        self._sources.report(len(chunk))
        limits = self._sources.limits
        if self._count > limits.file_bytes or self._sources.bytes_read > limits.total_bytes:
            self._stop("The file is larger than is allowed.")
        if is_bomb(self._count, self._file.packed_size, limits):
            self._stop("The file is suspiciously small for the size of its content.")
        if not chunk:
            self._file.sha256 = self._digest.hexdigest()
        return chunk

    def _stop(self, message: str) -> None:
        self._sources.problems.add(message, file=self._file.label)
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
        sources.problems.add(f"The file is damaged: {error}.", file=file.label)
        return
    if file.head.startswith((ZIP_START, ZIP_END)):
        _note_workbook(sources, file)
    elif not is_media(file) and not file.is_arrow:
        file.encoding = sources.reading.encoding or encoding_of(file.head)
        if file.encoding != UTF8:
            reason = "" if sources.reading.encoding else ", because it is not UTF-8"
            sources.notes.append(f"{file.label}: read as {ENCODINGS[file.encoding]}{reason}.")


def _note_workbook(sources: Sources, file: SourceFile) -> None:
    """Find the sheet to read; an archive that is not a workbook is refused."""
    from rankme.importing.tabular.workbooks import sheet_of

    if file.size <= sources.limits.whole_file_bytes:
        with file.open() as stream:
            file.is_workbook = holds_workbook(io.BytesIO(stream.read()))
    if not file.is_workbook:
        sources.problems.add("Archives within archives are not supported.", file=file.label)
        return
    wanted = sources.reading.sheet
    try:
        file.sheet, others = sheet_of(file, sources.limits, "" if wanted == ALL_SHEETS else wanted)
    except UnreadableTable as refused:
        sources.problems.add(str(refused), file=file.label)
        return
    file.sheets = (file.sheet, *others[:MOST_SHEETS_OFFERED])
    if wanted == ALL_SHEETS:
        return
    sources.problems.called[file.label] = f"{file.label}, sheet {file.sheet}"
    if others:
        named = ", ".join(others[:MOST_SHEETS_NAMED])
        sources.notes.append(
            f'{file.label}: only the sheet "{file.sheet}" is read. Not read: {named}.'
        )


def _sheets(file: SourceFile) -> list[SourceFile]:
    """Each sheet of a workbook as a file of its own, which its name may name as a system."""
    if not file.is_workbook:
        return [file]
    return [replace(file, label=f"{file.label}/{sheet}", sheet=sheet) for sheet in file.sheets]


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
                sources.problem((file, number), column, NUL_MESSAGE)
                raw = raw.replace(b"\0", b"")
            try:
                yield raw.decode()
            except UnicodeDecodeError as error:
                column = len(raw[: error.start].decode()) + 1
                message = _not_utf8(raw[error.start])
                sources.problem((file, number), column, message)
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
                    sources.problem((file, number), column, NUL_MESSAGE)
                    line = line.replace("\0", "")
                yield line
        except UnicodeError as error:
            title = ENCODINGS[file.encoding]
            message = f"From about here on, this is not text in {title}: choose another encoding."
            sources.problem((file, number + 1), "", message)
            raise StopFile from error


def _stop_at_long_line(sources: Sources, file: SourceFile, number: int) -> None:
    message = f"The line is longer than {size_in_words(sources.limits.line_bytes)}."
    sources.problem((file, number), "", message)
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
        sources.problems.add(f"The file is larger than {size_in_words(limit)}.", file=file.label)
        raise StopFile
    return "".join(text_lines(sources, file))


def whole_bytes(sources: Sources, file: SourceFile, limit: int) -> bytes:
    """The bytes of a picture, a sound or a film."""
    if file.size > limit:
        message = f"The file is larger than {limit / 1_000_000:.3g} MB."
        sources.problems.add(message, file=file.label)
        raise StopFile
    with opened(sources, file) as stream:
        return stream.read()
