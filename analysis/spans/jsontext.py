"""JSON as files of spans have it: read with the place of every problem, written in one way."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from analysis.errors import TableError
from analysis.spans.model import MarkedOutput, Problems, SpanTable, check_unique, short

KINDS = {
    dict: "an object",
    list: "a list",
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
INTEGER_LIMIT = 2**53
# An escape that may be one of a surrogate pair, or stand alone.
HALF_A_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


def plain_json(value: object) -> str:
    """Write a value on one line, its letters as they are.

    Parameters
    ----------
    value : any JSON
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def read_number(cell: str) -> tuple[float | None, str]:
    """Return a number that may be absent, and why it is not a number.

    Parameters
    ----------
    cell : the text of a cell

    Returns
    -------
    The finite number or None, and the problem, which is empty where there is none.
    """
    if not cell.strip():
        return None, ""
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        return None, f"{short(cell)} is not a finite number."
    return number, ""


def json_records(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the records of a file of JSON lines, or of one document: a list, or lists by name.

    Parameters
    ----------
    text : the file's content

    Returns
    -------
    Each record with its place, as it is written in messages ("Line 3", "[2]", "name[2]").

    Raises
    ------
    TableError : text that is not JSON, with its line and column
    """
    if _is_document(text):
        yield from _document_records(read_json_value(text, 1))
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"Line {number}", read_json_value(line, number)


def table_of_records(text: str, read: Callable[[Record], MarkedOutput], form: str) -> SpanTable:
    """Read a table with a marked output in each record.

    Parameters
    ----------
    text : JSON or JSON lines
    read : makes a marked output of a record, or raises
    form : its name, for messages

    Raises
    ------
    TableError : every problem with its place
    """
    problems = Problems()
    outputs, places = [], []
    for place, value in json_records(text):
        outputs.append(read(Record(value, place, problems)))
        places.append(place)
    check_unique(outputs, places, problems)
    problems.refuse()
    return SpanTable(tuple(outputs), form)


def _is_document(text: str) -> bool:
    """Say whether the whole file is one value, rather than one per line."""
    if text.lstrip()[:1] == "[":
        return True
    first, _, rest = text.strip().partition("\n")
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return bool(rest) and first.strip() in ("{", "[")
    return not rest and isinstance(record, dict) and _is_lists(record)


def _is_lists(value: Mapping[str, Any]) -> bool:
    """Recognise an object of lists of records, such as a download of several campaigns."""
    return bool(value) and all(
        isinstance(part, list) and all(isinstance(each, dict) for each in part)
        for part in value.values()
    )


def _document_records(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        yield from ((f"[{place}]", each) for place, each in enumerate(value))
    elif isinstance(value, dict) and _is_lists(value):
        for name, part in value.items():
            yield from ((f"{short(name)}[{place}]", each) for place, each in enumerate(part))
    else:
        yield "Line 1", value


def read_json_value(text: str, line: int) -> Any:
    """Return one JSON value, as it can be written again.

    Parameters
    ----------
    text : the value
    line : the line on which it begins

    Returns
    -------
    What JSON makes of it.

    Raises
    ------
    TableError : text that is not JSON, a number that is not finite, or half a character
    """
    try:
        value = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
        if HALF_A_CHARACTER.search(text):
            plain_json(value).encode()
    except json.JSONDecodeError as error:
        place = f"Line {line + error.lineno - 1}, column {error.colno}"
        raise TableError([f"{place}: this is not JSON: {error.msg}."]) from error
    except UnicodeEncodeError as error:
        raise TableError([f"Line {line}: a text has half a character (a surrogate)."]) from error
    except (RecursionError, ValueError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise TableError([f"Line {line}: this is not JSON: {short(reason)}."]) from error
    return value


def json_object(cell: str) -> tuple[dict[str, Any], str]:
    """Return the JSON object of a cell, and why it is not one.

    Parameters
    ----------
    cell : the text of a cell

    Returns
    -------
    The object, empty where there is a problem, and the problem, empty where there is none.
    """
    try:
        value = read_json_value(cell, 1) if cell else {}
    except TableError:
        value = None
    return (value, "") if isinstance(value, dict) else ({}, "this is not a JSON object.")


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(f"{number} is too large")
    return value


class Record:
    """An object of a file, whose parts are asked for by name and kind.

    A problem is noted with its place, and the part's default is given instead.
    """

    def __init__(self, value: Any, place: str, problems: Problems) -> None:
        self.place = place
        self.problems = problems
        self.parts: dict[str, Any] = {}
        if isinstance(value, dict):
            self.parts = value
        else:
            problems.add(place, f"{short(value)} is not an object.")

    def has(self, name: str) -> bool:
        """Say whether this part exists and is not null."""
        return self.parts.get(name) is not None

    def problem(self, name: str, message: str) -> None:
        """Note a problem of one part."""
        self.problems.add(f"{self.place}, {name}", message)

    def text(self, name: str, default: str = "") -> str:
        """Return a part that is text; null counts as absent."""
        found = self._kind(name, str)
        if found is None:
            return default
        return str(found)

    def label(self, name: str, *others: str) -> str:
        """Return a name, written as text or as a whole number, that must be there."""
        for each in (name, *others):
            found = self.parts.get(each)
            if isinstance(found, int) and not isinstance(found, bool):
                return str(found)
            if found is not None:
                label = self.text(each)
                if isinstance(found, str) and not label.strip():
                    self.problem(each, "the name is empty.")
                return label
        self.problem(name, "this is missing.")
        return ""

    def whole(self, name: str) -> int | None:
        """Return a whole number, which must be there."""
        found = self._kind(name, int)
        if found is None and name not in self.parts:
            self.problem(name, "this is missing.")
        if found is not None and abs(found) > INTEGER_LIMIT:
            self.problem(name, f"{short(found)} is too large.")
            return None
        return None if found is None else int(found)

    def number(self, name: str) -> float | None:
        """Return a number, or None where there is none."""
        found = self.parts.get(name)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int | float):
            self.problem(name, f"{short(found)} is not a number.")
            return None
        if isinstance(found, int) and abs(found) > INTEGER_LIMIT:
            self.problem(name, f"{short(found)} is too large.")
            return None
        return float(found)

    def flag(self, name: str) -> bool:
        """True or false; false where it is absent."""
        return bool(self._kind(name, bool))

    def records(self, name: str) -> list[Record]:
        """Return the objects of a list; none where it is absent."""
        found = self._kind(name, list) or []
        return [
            Record(each, f"{self.place}, {name}[{place}]", self.problems)
            for place, each in enumerate(found)
        ]

    def record(self, name: str) -> Record:
        """Return an object; an empty one where it is absent."""
        return Record(self._kind(name, dict) or {}, f"{self.place}, {name}", self.problems)

    def rest(self, *known: str) -> dict[str, Any]:
        """Return the parts beyond the known ones."""
        return {name: part for name, part in self.parts.items() if name not in known}

    def _kind(self, name: str, kind: type) -> Any:
        found = self.parts.get(name)
        is_other = isinstance(found, bool) and kind is not bool
        if found is not None and (not isinstance(found, kind) or is_other):
            self.problem(name, f"{short(found)} is not {KINDS[kind]}.")
            return None
        return found
