"""Files without their metadata: places, dates, programs and names would end the blinding.

Nothing is encoded again, so pictures and sounds stay what they are to the last bit. What follows
the end of a picture is cut off. In Ogg, MP4 and WebM, metadata is overwritten in place (see
`blanking`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from PIL import Image

from . import blanking

PNG_START = b"\x89PNG\r\n\x1a\n"
PNG_KEPT = {
    *(b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB"),
    *(b"bKGD", b"hIST", b"pHYs", b"sPLT", b"acTL", b"fcTL", b"fdAT", b"cICP", b"mDCV", b"cLLI"),
}
WEBP_KEPT = {b"VP8 ", b"VP8L", b"VP8X", b"ANIM", b"ANMF", b"ALPH", b"ICCP"}
WEBP_HAS_EXIF_OR_XMP = 0x0C
WAV_KEPT = {b"fmt ", b"data", b"fact"}
FLAC_KEPT = {0, 3}  # STREAMINFO, SEEKTABLE
JPEG_KEPT = {0xE0, 0xE2, 0xEE}  # JFIF, colour profile, Adobe's colour transform
JPEG_END, JPEG_SCAN, JPEG_EXIF, JPEG_COMMENT = 0xD9, 0xDA, 0xE1, 0xFE
WITHOUT_LENGTH = {0x01, *range(0xD0, 0xD8)}
ORIENTATION = 0x0112
ID3V1_BYTES = 128


def without_metadata(content: bytes, media_type: str) -> bytes:
    """The same picture or sound. Raises `ValueError` or `struct.error` where it is damaged."""
    cleaning = {
        "image/png": _png,
        "image/jpeg": _jpeg,
        "image/gif": _gif,
        "image/webp": _webp,
        "audio/wav": _wav,
        "audio/mpeg": _mp3,
        "audio/flac": _flac,
        "audio/ogg": blanking.ogg,
        "audio/mp4": blanking.mp4,
        "video/mp4": blanking.mp4,
        "video/webm": blanking.webm,
    }
    return cleaning[media_type](content) if media_type in cleaning else content


def _png(content: bytes) -> bytes:
    kept, at = [PNG_START], len(PNG_START)
    while True:
        length, name = struct.unpack_from(">I4s", content, at)
        end = at + 12 + length
        if end > len(content):
            raise ValueError("a chunk is cut off")
        if name in PNG_KEPT:
            kept.append(content[at:end])
        if name == b"IEND":
            return b"".join(kept)
        at = end


def _jpeg(content: bytes) -> bytes:
    """Segments with metadata are left out, except the orientation of the picture."""
    kept, at = [content[:2]], 2
    turned = b""
    while True:
        if content[at] != 0xFF:
            raise ValueError("a marker is missing")
        marker = content[at + 1]
        if marker == 0xFF:  # filling
            at += 1
        elif marker == JPEG_END:
            return b"".join([*kept[:1], turned, *kept[1:], content[at : at + 2]])
        elif marker in WITHOUT_LENGTH:
            kept.append(content[at : at + 2])
            at += 2
        else:
            end = at + 2 + struct.unpack_from(">H", content, at + 2)[0]
            if marker == JPEG_EXIF:
                turned = turned or _turned(content[at + 4 : end])
            elif marker in JPEG_KEPT or not (0xE0 <= marker <= 0xEF or marker == JPEG_COMMENT):
                kept.append(content[at:end])
            at = end
            if marker == JPEG_SCAN:
                at = _end_of_scan(content, at)
                kept.append(content[end:at])


def _end_of_scan(content: bytes, at: int) -> int:
    """Find the next marker; in a scan, 0xFF 0x00 and restarts are data."""
    while True:
        at = content.index(b"\xff", at)
        if content[at + 1] != 0 and content[at + 1] not in WITHOUT_LENGTH:
            return at
        at += 2


def _turned(exif: bytes) -> bytes:
    """A segment that says nothing but the orientation; empty for an upright picture."""
    if not exif.startswith(b"Exif\0\0"):
        return b""
    read = Image.Exif()
    try:
        read.load(exif)
        orientation = int(read.get(ORIENTATION, 1))
    except (SyntaxError, ValueError, TypeError, struct.error):
        return b""
    if orientation not in range(2, 9):
        return b""
    written = Image.Exif()
    written[ORIENTATION] = orientation
    body = written.tobytes()
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


def _gif(content: bytes) -> bytes:
    """Extensions are left out, except transparency, times and repetition."""
    flags = content[10]
    at = 13 + (3 << ((flags & 7) + 1) if flags & 0x80 else 0)
    kept = [content[:at]]
    while content[at] != 0x3B:
        if content[at] == 0x2C:
            local = content[at + 9]
            start = at + 10 + (3 << ((local & 7) + 1) if local & 0x80 else 0) + 1
            end = _end_of_blocks(content, start)
            kept.append(content[at:end])
        elif content[at] == 0x21:
            end = _end_of_blocks(content, at + 2)
            repeats = content[at + 1] == 0xFF and content[at + 3 : at + 14] == b"NETSCAPE2.0"
            if content[at + 1] == 0xF9 or repeats:
                kept.append(content[at:end])
        else:
            raise ValueError("a block has no known beginning")
        at = end
    return b"".join([*kept, b";"])


def _end_of_blocks(content: bytes, at: int) -> int:
    while content[at]:
        at += 1 + content[at]
    return at + 1


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The chunks of a RIFF file, without the byte that makes their length even."""
    at = 12
    while at + 8 <= len(content):
        name, length = struct.unpack_from("<4sI", content, at)
        yield name, content[at + 8 : at + 8 + length]
        at += 8 + length + length % 2


def _riff(form: bytes, chunks: Iterator[tuple[bytes, bytes]]) -> bytes:
    body = b"".join(
        name + struct.pack("<I", len(part)) + part + b"\0" * (len(part) % 2)
        for name, part in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body) + 4) + form + body


def _webp(content: bytes) -> bytes:
    def kept() -> Iterator[tuple[bytes, bytes]]:
        for name, part in _chunks(content):
            if name == b"VP8X" and part:
                yield name, bytes([part[0] & ~WEBP_HAS_EXIF_OR_XMP]) + part[1:]
            elif name in WEBP_KEPT:
                yield name, part

    return _riff(b"WEBP", kept())


def _wav(content: bytes) -> bytes:
    return _riff(b"WAVE", (chunk for chunk in _chunks(content) if chunk[0] in WAV_KEPT))


def _mp3(content: bytes) -> bytes:
    """Without the tags before and after the sound."""
    while content.startswith(b"ID3"):
        *_, one, two, three, four = content[:10]
        content = content[10 + (one << 21 | two << 14 | three << 7 | four) :]
    if content[-ID3V1_BYTES:].startswith(b"TAG"):
        content = content[:-ID3V1_BYTES]
    return content


def _flac(content: bytes) -> bytes:
    kept, at, is_last = [], 4, False
    while not is_last:
        head = content[at]
        is_last = bool(head & 0x80)
        end = at + 4 + int.from_bytes(content[at + 1 : at + 4])
        if head & 0x7F in FLAC_KEPT:
            kept.append(content[at:end])
        at = end
    if not kept:
        raise ValueError("the stream is not described")
    blocks = [bytes([block[0] & 0x7F]) + block[1:] for block in kept]
    blocks[-1] = bytes([blocks[-1][0] | 0x80]) + blocks[-1][1:]
    return b"".join([b"fLaC", *blocks, content[at:]])
