"""The one gate for text from outside: what PostgreSQL cannot hold never gets past it."""

from __future__ import annotations

import math
from typing import Any

from rankme.errors import InvalidAnswer, Problem

DEEPEST = 32
LARGEST_NUMBER = 2**63


def storable(text: str) -> bool:
    """Whether the text has neither NUL nor lone surrogates; anything else is data, kept as is."""
    return "\x00" not in text and not any("\ud800" <= sign <= "\udfff" for sign in text)


def check_document(value: Any, place: str = "", depth: int = 0) -> None:
    """Refuse a JSON document that holds unstorable text or numbers, or is nested too deep."""
    if depth > DEEPEST:
        raise InvalidAnswer([Problem(place, "nested too deep")])
    if isinstance(value, str) and not storable(value):
        raise InvalidAnswer([Problem(place, "the text holds a sign that cannot be stored")])
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidAnswer([Problem(place, "must be a finite number")])
    if isinstance(value, int) and abs(value) >= LARGEST_NUMBER:
        raise InvalidAnswer([Problem(place, "the number is too large")])
    if not isinstance(value, str | int | float | dict | list | None):  # YAML has dates and bytes
        raise InvalidAnswer([Problem(place, "must be text, a number or a list: quote it")])
    if isinstance(value, dict):
        for name, part in value.items():
            check_document(name, place, depth + 1)
            check_document(part, f"{place}.{name}".lstrip("."), depth + 1)
    if isinstance(value, list):
        for number, part in enumerate(value):
            check_document(part, f"{place}[{number}]", depth + 1)
