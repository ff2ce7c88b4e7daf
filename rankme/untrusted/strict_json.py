"""Reading JSON from strangers: one meaning per document, finite numbers, bounded depth."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

ARRAY_START = re.compile(r'\ufeff?\s*(?:\{\s*"[^"\\]{1,60}"\s*:\s*)?\[\s*')
OBJECT_START = re.compile(r"\ufeff?\s*\{\s*")
NAME = re.compile(r'"[^"\\]{0,200}"\s*:\s*')
ARRAY_END = re.compile(r"\s*\]")
COMMA = re.compile(r"\s*,\s*")


class InvalidJson(ValueError):
    """The text is not a JSON document that the site accepts; the message says why.

    `line` is that of the element which is wrong, where elements are read one after the other.
    """

    line: int | None = None


def parse(document: bytes | str, *, deepest: int | None = None) -> Any:
    """Read a document; refuse doubled names, infinite numbers, and what is nested too deep.

    Parameters
    ----------
    deepest : most levels of objects and lists; None where the reader counts them later

    Raises
    ------
    InvalidJson : with the reason, for people
    """
    with _in_words():
        value = json.loads(document, **STRICT)
    _check_depth(value, deepest)
    return value


def elements(text: str, *, deepest: int | None = None) -> Iterator[tuple[int, Any]]:
    """The elements of an array, one after the other, each with the line on which it begins.

    The array may be in an object, as `{"meta": {…}, "data": […]}`: the longest list of objects.

    Raises
    ------
    InvalidJson : with the reason, for people, at the element that is wrong
    """
    within = _longest_list(text)
    start = ARRAY_START.match(text, within or 0)
    if start is None:
        raise InvalidJson("This is not a JSON array.")
    at, line, counted = start.end(), 1, 0
    while not (end := ARRAY_END.match(text, at)):
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = _element(text, at, deepest)
        except InvalidJson as refused:
            refused.line = line
            raise
        yield line, value
    if within is None and text[end.end() :].strip(" \t\r\n}"):
        raise InvalidJson("There is text after the end of the array.")


def _longest_list(text: str) -> int | None:
    """Find where the longest list of objects begins in an object; None without such a list."""
    opening = OBJECT_START.match(text)
    found: dict[int, int] = {}
    decoder = json.JSONDecoder()
    at = opening.end() if opening else len(text)
    try:
        while name := NAME.match(text, at):
            value, end = decoder.raw_decode(text, name.end())
            if isinstance(value, list) and value and isinstance(value[0], dict):
                found[name.end()] = len(value)
            comma = COMMA.match(text, end)
            at = comma.end() if comma else len(text)
    except (ValueError, RecursionError):
        return None  # read from the beginning, which says what is wrong and where
    return max(found, key=found.__getitem__, default=None)


def _element(text: str, at: int, deepest: int | None) -> tuple[Any, int]:
    """The value that begins here, and where the next one would begin."""
    with _in_words():
        value, at = json.JSONDecoder(**STRICT).raw_decode(text, at)
    _check_depth(value, deepest)
    comma = COMMA.match(text, at)
    if comma is None and not ARRAY_END.match(text, at):
        raise InvalidJson("There is no comma or closing bracket after this element.")
    return value, comma.end() if comma else at


@contextmanager
def _in_words() -> Iterator[None]:
    """Explain a parser's error in words for people."""
    try:
        yield
    except InvalidJson:
        raise
    except json.JSONDecodeError as error:
        raise InvalidJson(f"This is not JSON ({_place(error)}): {error.msg}.") from error
    except RecursionError as error:
        raise InvalidJson("The document is nested too deeply.") from error
    except UnicodeDecodeError as error:
        raise InvalidJson("The document is not UTF-8.") from error
    except ValueError as error:  # a whole number of more digits than Python reads
        raise InvalidJson("The document contains a number that is too long.") from error


def _check_depth(value: Any, deepest: int | None) -> None:
    if deepest is not None and _is_deeper(value, deepest):
        raise InvalidJson(f"The document is nested more than {deepest} levels deep.")


def _place(error: json.JSONDecodeError) -> str:
    character = f"character {error.colno}"
    return character if error.lineno == 1 else f"line {error.lineno}, {character}"


def _is_deeper(document: Any, deepest: int) -> bool:
    level = [document]
    for _ in range(deepest + 1):
        level = [part for value in level for part in _parts(value)]
        if not level:
            return False
    return True


def _parts(value: Any) -> Collection[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise InvalidJson(f'The name "{twice[:60]}" appears twice in one object.')
    return document


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidJson(f"The number {digits[:20]} is too large.")
    return number


def _refuse_constant(name: str) -> Any:
    raise InvalidJson(f"{name} is not a number.")


STRICT: dict[str, Any] = {
    "object_pairs_hook": _without_doubles,
    "parse_float": _finite,
    "parse_constant": _refuse_constant,
}
