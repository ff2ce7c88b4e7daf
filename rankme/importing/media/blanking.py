"""Notes in MP4, WebM and Ogg, overwritten where they are.

Such files contain positions of their own parts. So nothing moves: a part with notes becomes one of
the same length that players skip, and what cannot be skipped gets a neutral value.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

DEEPEST = 8  # a hostile file could hold parts within parts without end

MP4_HOLDERS = {b"moov", b"trak", b"mdia", b"minf", b"moof", b"traf"}
MP4_NOTES = {b"udta", b"meta", b"uuid", b"free", b"skip"}
# Version and flags, then two times in seconds since 1904, of 4 or 8 bytes each.
MP4_WITH_TIMES = {b"mvhd", b"tkhd", b"mdhd"}

WEBM_SEGMENT, WEBM_INFO, WEBM_TRACKS, WEBM_TRACK = 0x18538067, 0x1549A966, 0x1654AE6B, 0xAE
WEBM_HOLDERS = {WEBM_SEGMENT, WEBM_INFO, WEBM_TRACKS, WEBM_TRACK}
WEBM_TAGS, WEBM_ATTACHMENTS, WEBM_CHAPTERS = 0x1254C367, 0x1941A469, 0x1043A770
# Of Info: title, date, file name, the file's random name. Of a track: its name. And checksums.
WEBM_NOTES = {
    *(WEBM_TAGS, WEBM_ATTACHMENTS, WEBM_CHAPTERS, 0x7BA9, 0x4461, 0x7384, 0x73A4, 0x536E, 0xBF)
}
WEBM_PROGRAMS = {0x4D80, 0x5741}  # needed, but any text will do
WEBM_CLUSTER = 0x1F43B675
VOID = 0xEC

OGG_PAGE, OGG_HEADER_BYTES, OGG_FIRST, OGG_POLYNOMIAL = b"OggS", 27, 2, 0x04C11DB7
# How a packet of comments begins, and whether a bit at its end says that it is whole.
OGG_COMMENTS = {b"\x03vorbis": True, b"OpusTags": False}


def mp4(content: bytes) -> bytes:
    """Without titles, comments, places, programs and dates.

    Raises
    ------
    ValueError : the file is cut off
    """
    blanked = bytearray(content)
    _blank_boxes(blanked, 0, len(blanked), depth=0)
    return bytes(blanked)


def _blank_boxes(content: bytearray, at: int, end: int, depth: int) -> None:
    while at + 8 <= end:
        size, name = int.from_bytes(content[at : at + 4]), bytes(content[at + 4 : at + 8])
        head = 8
        if size == 1:
            size, head = int.from_bytes(content[at + 8 : at + 16]), 16
        elif size == 0:
            size = end - at
        if size < head or at + size > end:
            raise ValueError("a box is cut off")
        body = at + head
        if name in MP4_NOTES:
            content[at + 4 : at + 8] = b"free"
            content[body : at + size] = bytes(at + size - body)
        elif name == b"hdlr":
            # Four fields of four bytes, twelve more, and then the name of what wrote the track.
            content[body + 24 : at + size] = bytes(max(0, at + size - body - 24))
        elif name in MP4_WITH_TIMES:
            times = 16 if content[body] == 1 else 8
            content[body + 4 : body + 4 + times] = bytes(times)
        elif name in MP4_HOLDERS and depth < DEEPEST:
            _blank_boxes(content, body, at + size, depth + 1)
        at += size


def webm(content: bytes) -> bytes:
    """Without tags, names, dates, programs, chapters and attached files."""
    blanked = bytearray(content)
    for name, at, body, end in _elements(blanked, 0, len(blanked)):
        if name in WEBM_PROGRAMS:
            blanked[body:end] = b" " * (end - body)
        elif name in WEBM_NOTES:
            _void(blanked, at, end)
    return bytes(blanked)


def _elements(
    content: bytearray, at: int, end: int, depth: int = 0
) -> Iterator[tuple[int, int, int, int]]:
    """Name, beginning, beginning of the content, and end of each element; sounds are not opened."""
    while at < end:
        name, after = _number(content, at, keep_marker=True)
        length, body = _number(content, after, keep_marker=False)
        is_unknown = length == (1 << 7 * (body - after)) - 1
        if is_unknown and name == WEBM_CLUSTER:
            return  # streamed: what follows is sound and film
        # A film that was cut off still plays.
        stop = end if is_unknown else min(end, body + length)
        yield name, at, body, stop
        if name in WEBM_HOLDERS and depth < DEEPEST:
            yield from _elements(content, body, stop, depth + 1)
        at = stop


def _number(content: bytearray, at: int, *, keep_marker: bool) -> tuple[int, int]:
    """A number of variable length, and where it ends."""
    first = content[at]
    length = 9 - first.bit_length()
    if length > 8 or at + length > len(content):
        raise ValueError("a number is cut off")
    number = int.from_bytes(content[at : at + length])
    return number if keep_marker else number - (1 << 7 * length), at + length


def _void(content: bytearray, at: int, end: int) -> None:
    """An element that players skip; its length is written in so many bytes that all is filled."""
    size = end - at
    if size < 2:
        raise ValueError("an element is too short")
    width = min(8, size - 1)
    rest = size - 1 - width
    content[at] = VOID
    content[at + 1 : at + 1 + width] = (rest | 1 << 7 * width).to_bytes(width)
    content[at + 1 + width : end] = bytes(rest)


@dataclass(frozen=True)
class _Page:
    serial: int
    at: int
    end: int
    is_first: bool
    # The beginning and end of each part of a packet, and whether the packet ends with it.
    parts: list[tuple[int, int, bool]]


def ogg(content: bytes) -> bytes:
    """Without the comments of Vorbis and Opus, which are the second packet of a stream.

    Raises
    ------
    ValueError : a page is missing or cut off
    """
    blanked = bytearray(content)
    packets: Counter[int] = Counter()
    comments: dict[int, list[tuple[int, int]]] = defaultdict(list)
    changed: dict[int, list[_Page]] = defaultdict(list)
    for page in _pages(content):
        if page.is_first:
            packets[page.serial] = 0
        for start, end, is_last in page.parts:
            if packets[page.serial] == 1:
                comments[page.serial].append((start, end))
                changed[page.serial].append(page)
                if is_last:
                    _blank_comments(blanked, comments.pop(page.serial))
                    _sign_again(blanked, changed.pop(page.serial))
            packets[page.serial] += is_last
    return bytes(blanked)


def _pages(content: bytes) -> Iterator[_Page]:
    at = 0
    while at < len(content):
        lengths_at = at + OGG_HEADER_BYTES
        if content[at : at + 4] != OGG_PAGE or lengths_at > len(content):
            raise ValueError("a page is missing")
        start = body = lengths_at + content[lengths_at - 1]
        parts, end = [], body
        lengths = content[lengths_at:body]
        for number, length in enumerate(lengths, 1):
            end += length
            if length < 255 or number == len(lengths):
                parts.append((start, end, length < 255))
                start = end
        if end > len(content):
            raise ValueError("a page is cut off")
        serial = int.from_bytes(content[at + 14 : at + 18])
        yield _Page(serial, at, end, bool(content[at + 5] & OGG_FIRST), parts)
        at = end


def _blank_comments(content: bytearray, parts: list[tuple[int, int]]) -> None:
    """A list of no comments, by a program whose name is as many spaces as are to be filled."""
    packet = b"".join(content[start:end] for start, end in parts)
    for name, has_last_bit in OGG_COMMENTS.items():
        spaces = len(packet) - len(name) - 8 - has_last_bit
        if packet.startswith(name) and spaces >= 0:
            filled = name + spaces.to_bytes(4, "little") + b" " * spaces + bytes(4)
            filled += b"\1" * has_last_bit
            for start, end in parts:
                content[start:end] = filled[: end - start]
                filled = filled[end - start :]


def _sign_again(content: bytearray, pages: list[_Page]) -> None:
    for page in pages:
        content[page.at + 22 : page.at + 26] = bytes(4)
        checksum = _checksum(content[page.at : page.end])
        content[page.at + 22 : page.at + 26] = checksum.to_bytes(4, "little")


def _shifted(number: int) -> int:
    for _ in range(8):
        number = number << 1 ^ (OGG_POLYNOMIAL if number & 0x80000000 else 0)
    return number & 0xFFFFFFFF


CHECKSUMS = [_shifted(byte << 24) for byte in range(256)]


def _checksum(page: bytes | bytearray) -> int:
    """The checksum of RFC 3533, of which the standard library has another variant."""
    found = 0
    for byte in page:
        found = found << 8 & 0xFFFFFFFF ^ CHECKSUMS[found >> 24 ^ byte]
    return found
