"""Limits on the contents of a file; beyond them it is refused."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Sizes in bytes for files, in characters for texts."""

    total_bytes: int = 2 * 1024**3
    file_bytes: int = 1024**3
    line_bytes: int = 4 * 1024**2
    files: int = 10_000
    # Text of a thousand equal lines packs 200-fold; a bomb packs 1,000-fold.
    packing_ratio: int = 400
    packing_ratio_from_bytes: int = 16 * 1024**2
    columns: int = 1_000
    rows: int = 10_000_000
    items: int = 1_000_000
    systems: int = 1_000
    system_name: int = 200
    item_key: int = 2_000
    text: int = 100_000
    # An input may be a document: tables, or pictures in it.
    document: int = 2_000_000
    picture_bytes: int = 500_000
    # Files that raters are shown, each for itself.
    shown_picture_bytes: int = 10 * 1024**2
    picture_pixels: int = 40_000_000
    sound_bytes: int = 25 * 1024**2
    film_bytes: int = 100 * 1024**2
    whole_file_bytes: int = 32 * 1024**2
    workbook_bytes: int = 256 * 1024**2  # unpacked
    sample_rows: int = 2_000
    factors: int = 50
    factor_name: int = 100
    column_name: int = 2_000  # forms have whole questions as headings
    factor_value: int = 1_000
    json_depth: int = 32
    listed_problems: int = 1_000
    # Of the process that reads an upload (`fence.py`). Without the first, there is none.
    reader_memory: int = 2 * 1024**3
    reader_seconds: int = 1_800


LIMITS = Limits()
