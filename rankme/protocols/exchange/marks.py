"""Marks in texts as they are suggested, sent and shown."""

from __future__ import annotations

from typing import Literal, NotRequired

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
