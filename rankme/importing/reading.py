"""How the organiser wants tables to be read: their columns, their encoding and their sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankme.importing.columns import Columns, InvalidColumns, columns_from, is_texts
from rankme.importing.encodings import ENCODINGS
from rankme.importing.judgement_columns import (
    JudgementColumns,
    is_about_judgements,
    judgement_columns_from,
)


@dataclass(frozen=True)
class Reading:
    """How the organiser wants tables to be read; what is not said is found in the files.

    Each of `columns` is used for the files that have all of its columns.
    """

    columns: tuple[Columns | JudgementColumns, ...] = ()
    encoding: str = ""
    sheet: str = ""

    def __post_init__(self) -> None:
        if self.encoding and self.encoding not in ENCODINGS:
            raise InvalidColumns(f'There is no encoding "{self.encoding[:40]}".')

    def as_document(self) -> dict[str, Any]:
        document: dict[str, Any] = {}
        if self.columns:
            document["tables"] = [columns.as_document() for columns in self.columns]
        for name in ("encoding", "sheet"):
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
    tables = document.get("tables", [])
    texts = {name: document.get(name, "") for name in ("encoding", "sheet")}
    if not isinstance(tables, list) or not all(isinstance(each, Mapping) for each in tables):
        raise InvalidColumns("`tables` is a list of descriptions, each with its columns.")
    if not is_texts(texts):
        raise InvalidColumns("`encoding` and `sheet` are names.")
    return Reading(tuple(map(_columns_from, tables)), **texts)


def _columns_from(document: Mapping[str, Any]) -> Columns | JudgementColumns:
    if is_about_judgements(document):
        return judgement_columns_from(document)
    return columns_from(document)
