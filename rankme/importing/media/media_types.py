"""Pictures, sounds and films: what a file is by its content, and the copy of it that raters get."""

from __future__ import annotations

import io
import struct
import warnings
from dataclasses import dataclass
from typing import Literal

import filetype
from PIL import Image
from tinytag import TinyTag, TinyTagException

from rankme.importing.limits import Limits

from . import svg
from .metadata import without_metadata

Kind = Literal["picture", "sound", "film"]

# What browsers show or play, by the name that `filetype` gives it: our name, and the kind.
TYPES: dict[str, tuple[str, Kind]] = {
    "image/png": ("image/png", "picture"),
    "image/jpeg": ("image/jpeg", "picture"),
    "image/gif": ("image/gif", "picture"),
    "image/webp": ("image/webp", "picture"),
    "audio/x-wav": ("audio/wav", "sound"),
    "audio/wav": ("audio/wav", "sound"),
    "audio/mpeg": ("audio/mpeg", "sound"),
    "audio/ogg": ("audio/ogg", "sound"),
    "audio/x-flac": ("audio/flac", "sound"),
    "audio/mp4": ("audio/mp4", "sound"),
    "video/mp4": ("video/mp4", "film"),
    "video/webm": ("video/webm", "film"),
}
PILLOW_FORMATS = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WEBP",
}
KIND_OF_ENDING: dict[str, Kind] = {
    **dict.fromkeys(("png", "jpg", "jpeg", "jpe", "gif", "webp", "svg"), "picture"),
    **dict.fromkeys(("wav", "mp3", "ogg", "oga", "opus", "flac", "m4a"), "sound"),
    **dict.fromkeys(("mp4", "m4v", "webm"), "film"),
}
# Not accepted, but common: the message should not be that a table is missing.
OTHER_ENDINGS = {
    "bmp", "tif", "tiff", "heic", "avif", "ico", "psd", "eps",
    "aac", "aif", "aiff", "wma", "mid", "midi", "ogv", "avi", "mov", "mkv", "wmv", "mpg", "mpeg",
}  # fmt: skip
ENDINGS = {*KIND_OF_ENDING, *OTHER_ENDINGS}
ARTICLES: dict[Kind, str] = {"picture": "a picture", "sound": "a sound", "film": "a film"}
HEAD_BYTES = 8192
THEORA = b"\x80theora"
DAMAGED = (OSError, SyntaxError, ValueError, EOFError, struct.error, IndexError, KeyError)


class UnfitFile(ValueError):
    """The file cannot be shown to raters; the message says why."""


@dataclass(frozen=True)
class MediaContent:
    """The bytes that raters get: checked, and without metadata."""

    content: bytes
    media_type: str
    kind: Kind
    seconds: float | None = None  # of a sound or film, where the file says it


def media_type_of(head: bytes) -> str | None:
    """The media type by a file's first bytes; None for what raters cannot be shown."""
    found = TYPES.get(filetype.guess_mime(head[:HEAD_BYTES]) or "")
    return None if found is None or THEORA in head[:HEAD_BYTES] else found[0]


def is_media_name(name: str) -> bool:
    """Tell whether a cell or file has the name of a picture, sound or film."""
    return name.strip().rpartition(".")[2].lower() in ENDINGS


def checked_media(content: bytes, ending: str, limits: Limits) -> MediaContent:
    """Make sure that the content is what raters can be shown, and of the kind that its name says.

    Raises
    ------
    UnfitFile : with the reason, for the organiser
    """
    media_type = media_type_of(content)
    if media_type is None:
        if ending == "svg" or svg.is_svg(content[:HEAD_BYTES]):
            return MediaContent(_clean_svg(content, limits), "image/svg+xml", "picture")
        raise UnfitFile(
            "By its content this is not a file that raters can be shown: use PNG, JPEG, GIF, WebP "
            "or SVG, WAV, MP3, Ogg, FLAC or M4A, MP4 or WebM."
        )
    kind = next(kind for name, kind in TYPES.values() if name == media_type)
    if ending == "m4a" and media_type == "video/mp4":
        media_type, kind = "audio/mp4", "sound"
    named = KIND_OF_ENDING.get(ending)
    if named and named != kind:
        raise UnfitFile(f"By its name this is {ARTICLES[named]}, but its content is {media_type}.")
    _refuse_large(content, kind, limits)
    if kind == "picture":
        return MediaContent(_checked_picture(content, media_type, limits), media_type, kind)
    content = _without_metadata(content, media_type)
    return MediaContent(content, media_type, kind, _seconds(content, media_type))


def _refuse_large(content: bytes, kind: Kind, limits: Limits) -> None:
    most = {
        "picture": limits.shown_picture_bytes,
        "sound": limits.sound_bytes,
        "film": limits.film_bytes,
    }[kind]
    if len(content) > most:
        raise UnfitFile(f"This is larger than {most // 1024**2} MB.")


def _clean_svg(content: bytes, limits: Limits) -> bytes:
    _refuse_large(content, "picture", limits)
    try:
        return svg.clean(content)
    except svg.InvalidSvg as error:
        raise UnfitFile(str(error)) from error


def _checked_picture(content: bytes, media_type: str, limits: Limits) -> bytes:
    """Decode the picture as a browser would; a header that promises too much is never decoded."""
    content = _without_metadata(content, media_type)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(content), formats=[PILLOW_FORMATS[media_type]]) as picture:
                if picture.width * picture.height > limits.picture_pixels:
                    most = limits.picture_pixels // 1_000_000
                    raise UnfitFile(
                        f"The picture has {picture.width} × {picture.height} pixels; at most "
                        f"{most} million are allowed."
                    )
                picture.load()
    except UnfitFile:
        raise
    except (*DAMAGED, Image.DecompressionBombError) as error:
        raise UnfitFile("The picture is damaged.") from error
    return content


def _without_metadata(content: bytes, media_type: str) -> bytes:
    try:
        return without_metadata(content, media_type)
    except DAMAGED as error:
        raise UnfitFile("The file is damaged.") from error


def _seconds(content: bytes, media_type: str) -> float | None:
    """Read the duration in seconds; WebM has none, and MP4 may lack it."""
    if media_type == "video/webm":
        return None
    try:
        seconds = TinyTag.get(file_obj=io.BytesIO(content), tags=False).duration
    except (TinyTagException, *DAMAGED) as error:
        if media_type == "video/mp4":
            return None
        raise UnfitFile("The sound is damaged.") from error
    if not seconds and media_type.startswith("audio/"):
        raise UnfitFile("The sound is damaged or empty.")
    return round(seconds, 3) if seconds else None
