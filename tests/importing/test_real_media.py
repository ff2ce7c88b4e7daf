"""Sounds and films as programs write them: what they are, and that raters get none of the notes."""

from pathlib import Path

import pytest

from rankme.importing.limits import LIMITS
from rankme.importing.media import blanking
from rankme.importing.media.media_types import UnfitFile, checked_media

FOLDER = Path(__file__).parents[1] / "data" / "media"
FILES = {
    "film.mp4": ("video/mp4", "film", 0.6),
    "film.webm": ("video/webm", "film", None),
    "sound.flac": ("audio/flac", "sound", 0.6),
    "sound.m4a": ("audio/mp4", "sound", 0.6),
    "sound.mp3": ("audio/mpeg", "sound", 0.7),
    "sound.ogg": ("audio/ogg", "sound", 0.6),
    "sound.opus": ("audio/ogg", "sound", 0.6),
}
# Where nothing moves: how the part begins that is the sound or film itself.
IN_PLACE = {
    "film.mp4": b"mdat",
    "sound.m4a": b"mdat",
    "film.webm": b"\x1f\x43\xb6\x75",
    "sound.ogg": b"\x05vorbis",
    "sound.opus": b"OggS\x00\x04",
}
NOTES = (b"SystemAlder", b"SecretArtist", b"SecretComment")


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_is_known_and_loses_its_notes(name: str):
    given = (FOLDER / name).read_bytes()
    assert all(note in given for note in NOTES)
    media = checked_media(given, name.rpartition(".")[2], LIMITS)
    media_type, kind, seconds = FILES[name]
    assert (media.media_type, media.kind) == (media_type, kind)
    assert media.seconds == (seconds and pytest.approx(seconds, abs=0.1))
    assert not any(note in media.content for note in (*NOTES, b"Lavf"))
    again = checked_media(media.content, name.rpartition(".")[2], LIMITS)
    assert again.content == media.content


@pytest.mark.parametrize("name", IN_PLACE)
def test_notes_are_overwritten_and_nothing_moves(name: str):
    given = (FOLDER / name).read_bytes()
    content = checked_media(given, name.rpartition(".")[2], LIMITS).content
    assert len(content) == len(given)
    begin = given.index(IN_PLACE[name])
    assert content[begin : begin + 1_000] == given[begin : begin + 1_000]


@pytest.mark.parametrize("name", ["sound.ogg", "sound.opus"])
def test_every_page_of_ogg_has_the_checksum_of_its_content(name: str):
    """With a page that is not right, the sound would stop there."""
    content = blanking.ogg((FOLDER / name).read_bytes())
    pages = content.split(b"OggS")[1:]
    assert len(pages) > 2
    for page in pages:
        checksum = int.from_bytes(page[18:22], "little")
        remainder = int.from_bytes(b"OggS" + page[:18] + bytes(4) + page[22:] + bytes(4))
        bits = remainder.bit_length()
        while bits > 32:  # long division, bit by bit, as RFC 3533 describes it
            remainder ^= 0x104C11DB7 << (bits - 33)
            bits = remainder.bit_length()
        assert checksum == remainder


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_file_that_is_cut_off_or_spoilt_never_ends_in_another_error(name: str):
    given = (FOLDER / name).read_bytes()
    ending = name.rpartition(".")[2]
    for at in range(0, len(given), 97):
        for spoilt in (given[:at], given[:at] + b"\xff" * 4 + given[at + 4 :]):
            try:
                content = checked_media(spoilt, ending, LIMITS).content
            except UnfitFile:
                continue
            assert len(content) == len(spoilt)


def test_parts_within_parts_without_end_are_harmless():
    box = b""
    for _ in range(2_000):
        box = (len(box) + 8).to_bytes(4) + b"moov" + box
    assert blanking.mp4(box) == box
    assert blanking.webm(b"\xae\xff" * 5_000) == b"\xae\xff" * 5_000
