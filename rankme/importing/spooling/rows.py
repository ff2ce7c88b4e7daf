"""The checked rows that importing delivers."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One test-set input.

    `input` is text, or a JSON document (tables, images). Where a `highlight` was given, its place
    in the `context` is marked by `[[SENTENCE]]`. `position` counts from 0. `media`
    is the number of its picture, sound or film, and `alt` describes that.
    """

    position: int
    key: str
    input: str = ""
    reference: str = ""
    context: str = ""
    highlight: str = ""
    factors: dict[str, str] = field(default_factory=dict)
    media: int | None = None
    alt: str = ""


@dataclass(frozen=True, slots=True)
class MediaRow:
    """A picture, sound or film; `number` is what items and outputs call it, from 0.

    `path` is where it was in the upload, and `content` where its checked copy is. `seconds` is how
    long it plays, where that is known.
    """

    number: int
    path: str
    sha256: str
    media_type: str
    kind: str
    size: int
    seconds: float | None
    content: Path


@dataclass(frozen=True, slots=True)
class OutputRow:
    """A system's text for one item; `system` and `item` are also given by their positions.

    `marks` are suggested marks, as JSON; empty where there are none. `media` and `alt` are as those
    of an item.
    """

    system: str
    item_key: str
    text: str
    system_position: int
    item_position: int
    marks: str = ""
    media: int | None = None
    alt: str = ""


@dataclass(frozen=True, slots=True)
class JudgementRow:
    """One value that a rater gave one output on one criterion.

    `screen_number`, from 0, says what was seen together: rows of one screen follow each other and
    have one rater and one item. `screen` is the file's own name for it. `position` is the output's
    place on the screen, from 0. `label` is the value's name where it has one. Times are ISO 8601,
    as the file gives them. `factors` are those that differ between judgements of one item; the
    others are the item's.
    """

    screen_number: int
    rater: str
    item_key: str
    system: str
    criterion: str
    value: float
    screen: str
    position: int
    started_at: str = ""
    submitted_at: str = ""
    time_ms: float | None = None
    label: str = ""
    late: bool = False
    excluded: bool = False
    factors: dict[str, str] = field(default_factory=dict)
