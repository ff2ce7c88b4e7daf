"""Place items in documents: check them row by row, and their completeness at the end."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rankme.importing.files import Place, where
from rankme.importing.problems import Problems

LARGEST_NUMBER = 10**9


@dataclass
class _Document:
    """The items of a document by the numbers of their segments, and where each was read."""

    name: str
    items: dict[int, int] = field(default_factory=dict)
    places: dict[int, Place] = field(default_factory=dict)

    def in_order(self) -> list[int]:
        return [self.items[number] for number in sorted(self.items)]


class Documents:
    """The documents of an upload; segments are counted from 1 once all of them are known."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._documents: dict[str, _Document] = {}
        self._of_item: dict[int, tuple[str, int]] = {}

    def put(self, item: int, document: str, segment: str, place: Place) -> None:
        """Note that the item is this segment of the document."""
        name, digits = document.strip(), segment.strip()
        if not name:
            return self._problem(place, "document", "The document has no name.")
        if not digits.isdecimal() or len(digits) > 15 or int(digits) > LARGEST_NUMBER:
            message = f"A segment has a whole number, not {_quoted(segment)}."
            return self._problem(place, "segment", message)
        number = int(digits)
        known = self._of_item.setdefault(item, (name, number))
        if known != (name, number):
            message = f"This item is segment {known[1]} of document {_quoted(known[0])} elsewhere."
            return self._problem(place, "segment", message)
        found = self._documents.setdefault(name, _Document(name))
        if found.items.setdefault(number, item) != item:
            first = where(found.places[number], place)
            message = f"Document {_quoted(name)} already has a segment {number} ({first})."
            return self._problem(place, "segment", message)
        found.places.setdefault(number, place)
        return None

    def finish(self, database: sqlite3.Connection, systems: Sequence[str]) -> None:
        """Note what is missing, and write each item's document and segment among its factors."""
        for document in self._documents.values():
            self._note_gaps(document)
        self._note_missing_outputs(database, systems)
        self._note_strays(database)
        database.executemany("UPDATE item SET factors = ? WHERE id = ?", self._factors(database))

    def _note_gaps(self, document: _Document) -> None:
        numbers = sorted(document.items)
        for before, after in pairwise(numbers):
            if after > before + 1:
                message = (
                    f"Document {_quoted(document.name)} has no segment {before + 1}: segments are "
                    "numbered without gaps."
                )
                self._problem(document.places[after], "segment", message)

    def _note_missing_outputs(self, database: sqlite3.Connection, systems: Sequence[str]) -> None:
        """A system has an output for every segment of a document, or for none."""
        for document in self._documents.values():
            items = {item: number for number, item in document.items.items()}
            rows = database.execute(
                "SELECT system, item FROM output WHERE item IN (SELECT value FROM json_each(?))",
                (json.dumps(list(items)),),
            )
            covered: dict[int, set[int]] = {}
            for system, item in rows:
                covered.setdefault(system, set()).add(item)
            for system, there in sorted(covered.items()):
                for item in sorted(items.keys() - there, key=items.__getitem__):
                    message = (
                        f'System "{systems[system]}" has no output for segment {items[item]} of '
                        f"document {_quoted(document.name)}: a document is judged whole."
                    )
                    self._problem(document.places[items[item]], "output", message)

    def _note_strays(self, database: sqlite3.Connection) -> None:
        rows = database.execute(
            "SELECT item.id, item.key, file.label, line FROM item JOIN file ON file.id = item.file"
        )
        for item, key, label, line in rows:
            if item not in self._of_item:
                message = f"Item {_quoted(key)} is in no document, but others are."
                self._problems.add(message, file=label, line=line, column="document")

    def _factors(self, database: sqlite3.Connection) -> Iterator[tuple[str, int]]:
        ordered = {
            item: (document.name, str(number))
            for document in self._documents.values()
            for number, item in enumerate(document.in_order(), start=1)
        }
        rows = database.execute("SELECT id, factors FROM item").fetchall()
        for item, factors in rows:
            if item in ordered:
                document, segment = ordered[item]
                known = json.loads(factors) if factors else {}
                placed = known | {"document": document, "segment": segment}
                yield json.dumps(placed, ensure_ascii=False), item

    def _problem(self, place: Place, column: str, message: str) -> None:
        self._problems.add(message, file=place[0].label, line=place[1], column=column)


def _quoted(text: str) -> str:
    return f"“{text[:60]}…”" if len(text) > 60 else f"“{text}”"
