"""Marks in texts as they are suggested, sent and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, cast

from typing_extensions import TypedDict

Side = Literal["output", "source"]


class Mark(TypedDict):
    """An error in a text, marked or suggested. One without a place says that words are missing."""

    id: int
    side: Side
    start: int | None  # in code points
    end: int | None
    text: str
    severity: str
    category: str
    note: str
    missing: bool
    prefilled: NotRequired[str]  # who suggested it
    confirmed: NotRequired[bool]  # of a suggestion


class ShownMark(Mark):
    """A mark with how severe it looks, from 0 to 3."""

    level: int


def whole_mark(stored: Mapping[str, Any]) -> Mark:
    """A stored mark with all of its parts; one from a file has only those that say anything."""
    parts = {"side": "output", "severity": "", "category": "", "note": "", "missing": False}
    return cast(Mark, {**parts, **stored})
