"""The encoding of a text file: UTF-8 if the bytes fit, otherwise the likeliest usual one."""

from __future__ import annotations

import codecs

UTF8 = "utf-8"
UTF16_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

# What an organiser can choose, by Python's name; the titles are for people.
ENCODINGS = {
    UTF8: "UTF-8",
    "cp1252": "Windows-1252 (Western Europe)",
    "cp1250": "Windows-1250 (Central Europe)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "koi8_r": "KOI8-R (Russian)",
    "mac_roman": "Mac Roman",
    "cp932": "Shift JIS (Japanese)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp949": "EUC-KR (Korean)",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 LE, without a byte order mark",
    "utf-16-be": "UTF-16 BE, without a byte order mark",
}
SINGLE_OR_MULTI_BYTE = tuple(name for name in ENCODINGS if not name.startswith("utf"))
WESTERN = "cp1252"
# Another encoding must look this much better than the Western one, which most exports have.
CLEARLY_BETTER = 0.05
FEW_BYTES = 12  # too few to tell languages apart


def encoding_of(head: bytes) -> str:
    """A key of `ENCODINGS` for a file that begins with these bytes; UTF-8 when unsure.

    A file with more valid than invalid UTF-8 characters is a damaged UTF-8 file: its faults are
    reported with their places, which another encoding would hide.
    """
    if head.startswith(UTF16_BOMS):
        return "utf-16"
    if unmarked := _unmarked_utf16(head):
        return unmarked
    decoder = codecs.getincrementaldecoder(UTF8)  # the last character may be cut off
    try:
        decoder().decode(head)
    except UnicodeDecodeError:
        pass
    else:
        return UTF8
    text = decoder("surrogateescape").decode(head)
    wrong = sum("\udc80" <= character <= "\udcff" for character in text)
    right = sum(not character.isascii() for character in text) - wrong
    if right >= wrong or b"\0" in head:
        return UTF8
    if wrong < FEW_BYTES and _decodes(head, WESTERN):
        return WESTERN
    return _likeliest(head)


def _decodes(head: bytes, encoding: str) -> bool:
    try:
        head.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _unmarked_utf16(head: bytes) -> str | None:
    """Every second byte of European text in UTF-16 is NUL."""
    needed = max(len(head), 4)
    if head[1::2].count(0) * 4 > needed:
        return "utf-16-le"
    return "utf-16-be" if head[0::2].count(0) * 4 > needed else None


def _likeliest(head: bytes) -> str:
    from charset_normalizer import from_bytes  # takes a moment, and few files need it

    found = {
        match.encoding: match for match in from_bytes(head, cp_isolation=[*SINGLE_OR_MULTI_BYTE])
    }
    if not found:
        return UTF8
    best = min(found.values(), key=lambda match: (match.chaos, -match.coherence))
    if _decodes(head, WESTERN) and head.decode(WESTERN) == head.decode(best.encoding, "replace"):
        return WESTERN
    western = found.get(WESTERN)
    if western and western.chaos - best.chaos + best.coherence - western.coherence < CLEARLY_BETTER:
        return WESTERN
    return best.encoding
