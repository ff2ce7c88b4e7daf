"""The organiser's choices for reading tables: columns, encoding, sheet and header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankme.importing.encodings import ENCODINGS

from .columns import Columns, columns_from, is_texts
from .headings import InvalidColumns

ALL_SHEETS = "*"
LAST_HEADER = 30  # rows above the table are a title and notes


@dataclass(frozen=True)
class Reading:
    """The organiser's choices for reading tables; the rest is found in the files.

    Each of `columns` is used for the files that have all of its columns. `sheet` may be
    `ALL_SHEETS`. `header` is the row of the headings, from 1; 0: to be found.
    """

    columns: tuple[Columns, ...] = ()
    encoding: str = ""
    sheet: str = ""
    header: int = 0

    def __post_init__(self) -> None:
        if self.encoding and self.encoding not in ENCODINGS:
            raise InvalidColumns(f'There is no encoding "{self.encoding[:40]}".')
        if not 0 <= self.header <= LAST_HEADER:
            raise InvalidColumns(f"The header is in one of the first {LAST_HEADER} rows.")

    def as_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {}
        if self.columns:
            document["tables"] = [columns.as_document() for columns in self.columns]
        for name in ("encoding", "sheet", "header"):
            if value := getattr(self, name):
                document[name] = value
        return document


AS_PROPOSED = Reading()


def reading_from(document: Mapping[str, Any]) -> Reading:
    """Read what `Reading.as_document` wrote.

    Raises
    ------
    InvalidColumns : with the reason, for people
    """
    if not isinstance(document, Mapping):
        raise InvalidColumns("A description of columns is an object.")
    tables, header = document.get("tables", []), document.get("header", 0)
    texts = {name: document.get(name, "") for name in ("encoding", "sheet")}
    if not isinstance(tables, list) or not all(isinstance(each, Mapping) for each in tables):
        raise InvalidColumns("`tables` is a list of descriptions, each with its columns.")
    if not is_texts(texts):
        raise InvalidColumns("`encoding` and `sheet` are names.")
    if not isinstance(header, int):
        raise InvalidColumns("`header` is the number of a row.")
    return Reading(tuple(map(columns_from, tables)), **texts, header=header)
