"""The first rows of a table, and what their cells look like."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankme.importing.media.media_types import is_media_name

from .annotation_tools import bare
from .columns import column_name

# What pandas and its relatives write next to the data.
FRAME_INDEX = re.compile(r"^$|^unnamed: ?\d+$|^(__index_level_\d__|level_\d)$")
INDEX = re.compile(FRAME_INDEX.pattern + r"|^(index|idx|row|#)$")
LONG_TEXT = 200  # a system's name is shorter
MOST_FACTOR_VALUES = 50
ENOUGH_ROWS = 10  # to call a column constant
DIALOGUES_LOOKED_AT = 20
MOSTLY = 0.9


@dataclass
class Sample:
    """The first rows of a table: a header, and for each column its cells from the top."""

    header: Sequence[str]
    cells: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, header: Sequence[str], rows: Iterable[dict[str, str]]) -> Sample:
        cells: dict[str, list[str]] = {column_name(name): [] for name in header}
        for row in rows:
            for name, column in cells.items():
                column.append(row.get(name, ""))
        return cls(header, cells)

    def of_column(self, name: str) -> list[str]:
        return self.cells.get(column_name(name), [])

    def filled(self, name: str) -> list[str]:
        return [cell for cell in self.of_column(name) if cell.strip()]

    def is_number(self, name: str) -> bool:
        """Whether the column has only numbers (and at least one)."""
        filled = self.filled(name)
        return bool(filled) and all(map(_is_number, filled))

    def is_mostly_numbers(self, name: str) -> bool:
        """Whether nearly all cells are numbers, so that another one is a mistake."""
        filled = self.filled(name)
        return bool(filled) and sum(map(_is_number, filled)) >= MOSTLY * len(filled)

    def is_text(self, name: str) -> bool:
        return not self.is_number(name) and any(cell.strip() for cell in self.of_column(name))

    def is_files(self, name: str) -> bool:
        """Whether all cells that are filled name pictures, sounds or films."""
        filled = self.filled(name)
        return bool(filled) and all(map(is_media_name, filled))

    def is_counting(self, name: str) -> bool:
        """Whether the column only numbers the rows."""
        cells = self.of_column(name)
        return any(
            all(cell == str(number) for number, cell in enumerate(cells, first)) for first in (0, 1)
        )

    def is_repeated(self, name: str) -> bool:
        cells = self.of_column(name)
        return len(set(cells)) < len(cells)

    def is_short(self, name: str) -> bool:
        return all(len(cell) <= LONG_TEXT for cell in self.of_column(name))

    def is_index(self, name: str) -> bool:
        """Whether a data frame numbered its rows in the column."""
        plain = column_name(name)
        if FRAME_INDEX.match(plain):
            return True
        return bool(INDEX.match(plain)) and self.is_counting(name)

    def is_constant(self, name: str) -> bool:
        """Whether the column says the same throughout a table of some length."""
        cells = self.of_column(name)
        return len(cells) >= ENOUGH_ROWS and len(set(cells)) == 1

    def is_names(self, name: str) -> bool:
        """Whether the column has few values, each of them short and often there."""
        cells = self.of_column(name)
        n_values = len(set(cells))
        most = min(MOST_FACTOR_VALUES, len(cells) / 2)
        return self.is_short(name) and len(cells) > 2 and 2 <= n_values <= most

    def is_dialogues(self, name: str) -> bool:
        """Whether all cells are lists of turns, as language models read and write them."""
        filled = self.filled(name)[:DIALOGUES_LOOKED_AT]
        return bool(filled) and all(map(turns_of, filled))

    def length(self, name: str) -> float:
        """The mean length of the texts."""
        filled = self.filled(name)
        return sum(map(len, filled)) / len(filled) if filled else 0.0

    def agrees(self, name: str, items: Sequence[str]) -> bool:
        """Whether the column never differs within an item."""
        pairs = set(zip(items, self.of_column(name), strict=False))
        return len(pairs) == len(set(items))


def turns_of(cell: str) -> list[dict[str, Any]]:
    """The turns of a dialogue in a cell; [] where it is another text."""
    if not cell.lstrip().startswith("["):
        return []
    try:
        turns = json.loads(cell)
    except (ValueError, RecursionError):
        return []
    is_list = isinstance(turns, list) and all(isinstance(turn, dict) for turn in turns)
    return turns if is_list and all({"role", "content"} <= set(turn) for turn in turns) else []


def _is_number(cell: str) -> bool:
    try:
        float(bare(cell))
    except ValueError:
        return False
    return True
