"""Zip archives: their members as files of an upload, checked before anything is unpacked."""

from __future__ import annotations

import re
import stat
import struct
import unicodedata
import zipfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from rankme.importing.files import ZIP_END, SourceFile, size_in_words
from rankme.importing.limits import Limits
from rankme.importing.problems import Problems

ZIP64_LOCATOR = b"PK\x06\x07"
ZIP_END_BYTES = 22
LONGEST_COMMENT = 65_535
LOCAL_HEADER_BYTES = 30
SHORTEST_ENTRY_BYTES = 46
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ENCRYPTED = 0x1
LITTER = re.compile(r"(^|/)(__MACOSX/|\.[^./]|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)


def open_archive(
    label: str, path: Path, limits: Limits, problems: Problems, opened: ExitStack
) -> list[SourceFile]:
    """The members of a zip as files, which can be read until `opened` is closed.

    What is wrong with the archive or a member is noted.
    """
    trouble = trouble_with_directory(path, limits)
    if trouble:
        problems.add(trouble, file=label)
        return []
    try:
        archive = opened.enter_context(zipfile.ZipFile(path))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
        problems.add(f"The archive is damaged: {error}.", file=label)
        return []
    if not _is_without_overlap(archive):
        problems.add("The archive is damaged: its files overlap.", file=label)
    members = [member for member in archive.infolist() if not _is_litter(member)]
    files = (_file_of(member, label, archive, limits, problems) for member in members)
    return [file for file in files if file is not None]


def trouble_with_directory(path: Path, limits: Limits) -> str | None:
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


def _is_litter(member: zipfile.ZipInfo) -> bool:
    return member.is_dir() or bool(LITTER.search(member.filename.replace("\\", "/")))


def _is_without_overlap(archive: zipfile.ZipFile) -> bool:
    """Members that share their bytes make small archives of endless text; zipfile allows them."""
    members = sorted(archive.infolist(), key=lambda member: member.header_offset)
    starts = [member.header_offset for member in members[1:]] + [archive.start_dir]
    return all(
        member.header_offset >= 0
        and member.header_offset + LOCAL_HEADER_BYTES + member.compress_size <= next_start
        for member, next_start in zip(members, starts, strict=True)
    )


def _file_of(
    member: zipfile.ZipInfo,
    label: str,
    archive: zipfile.ZipFile,
    limits: Limits,
    problems: Problems,
) -> SourceFile | None:
    parts = member.filename.replace("\\", "/").removeprefix("./").split("/")
    *folders, name = (clean_name(part) for part in parts)
    folder = folders[-1] if folders else ""
    place = "/".join(part for part in (label, folder, name or ascii(member.filename)) if part)
    trouble = _trouble_with_member(member, name, limits)
    if trouble:
        problems.add(trouble, file=place)
        return None
    opener = partial(archive.open, member)
    path = "/".join([*folders, name]) if all(folders) else ""
    return SourceFile(place, member.file_size, member.compress_size, opener, folder, path)


def clean_name(part: str) -> str:
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
        return f"The file is larger than {size_in_words(limits.file_bytes)}."
    if is_bomb(member.file_size, member.compress_size, limits):
        return "The file is suspiciously small for the size of its content."
    return None


def is_bomb(size: int, packed_size: int, limits: Limits) -> bool:
    is_large = size > limits.packing_ratio_from_bytes
    return is_large and size > limits.packing_ratio * max(packed_size, 1)
