"""The one gate for text from outside: what PostgreSQL cannot hold never gets past it."""

from __future__ import annotations

import math
import re
from typing import Any

from rankme.errors import InvalidAnswer, Problem

from . import strict_json

DEEPEST = 32
LARGEST_NUMBER = 2**63
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def storable(text: str) -> bool:
    """Whether the text has neither NUL nor lone surrogates; anything else is data, kept as is."""
    return "\x00" not in text and (text.isascii() or not LONE_SURROGATE.search(text))


def read_document(body: bytes) -> Any:
    """Read a JSON document that the site keeps: of which every part can be stored.

    Raises
    ------
    InvalidJson : this is not JSON, or has more than one meaning
    InvalidAnswer : a part cannot be stored, or is nested too deep; with its place
    """
    document = strict_json.parse(body)
    check_document(document)
    return document


def check_document(value: Any, *, most_values: int | None = None) -> None:
    """Refuse a JSON document with text or numbers that cannot be stored, too deep or too large.

    Raises
    ------
    InvalidAnswer : with the first problem and its place
    """
    if most_values is not None and _has_more_values(value, most_values):
        raise InvalidAnswer([Problem("", f"there are more than {most_values:,} values")])
    _check(value, "", 0)


def _has_more_values(value: Any, most: int) -> bool:
    """Count the values and names, and stop at the first too many."""
    waiting, count = [value], 0
    while waiting:
        part = waiting.pop()
        count += 2 * len(part) if isinstance(part, dict) else 1
        if count > most:
            return True
        if isinstance(part, dict | list):
            waiting.extend(part.values() if isinstance(part, dict) else part)
    return False


def _check(value: Any, place: str, depth: int) -> None:
    if problem := _problem_with(value, depth):
        raise InvalidAnswer([Problem(place, problem)])
    if isinstance(value, dict):
        for name, part in value.items():
            _check(name, place, depth + 1)
            _check(part, f"{place}.{name}".lstrip("."), depth + 1)
    if isinstance(value, list):
        for number, part in enumerate(value):
            _check(part, f"{place}[{number}]", depth + 1)


def _problem_with(value: Any, depth: int) -> str | None:
    if depth > DEEPEST:
        return "nested too deep"
    if isinstance(value, str):
        return None if storable(value) else "the text contains a character that cannot be stored"
    if isinstance(value, float) and not math.isfinite(value):
        return "must be a finite number"
    # jsonb gives a large float back as a whole number, so both have the same bound.
    if isinstance(value, int | float) and abs(value) >= LARGEST_NUMBER:
        return "the number is too large"
    if not isinstance(value, str | int | float | dict | list | None):  # YAML has dates and bytes
        return "must be text, a number or a list: put a date in quotation marks"
    return None
