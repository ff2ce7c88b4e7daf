"""A file that leaves the site, before anybody says over which protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.core.files import File

CSV = "text/csv; charset=utf-8"
JSON_LINES = "application/jsonl"
ZIP = "application/zip"


@dataclass(frozen=True)
class ExportedFile:
    """Its name, its media type and its content: whole, in parts, or as an open file."""

    name: str
    media_type: str
    content: bytes | Iterator[bytes] | File[bytes]
