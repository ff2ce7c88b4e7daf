"""List where two documents differ, in the words of the form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from .drawing import Group, Leaf, Several, draw_form
from .settings import Document

LONGEST_SHOWN = 200
BEFORE_THE_DIFFERENCE = 60


@dataclass(frozen=True)
class Difference:
    """One setting that two people gave different values."""

    element: str
    label: str
    saved: Any
    typed: Any


def differences(saved: Document, typed: Document) -> list[Difference]:
    """The settings whose values differ, in the order of the form."""
    before, after = _values(saved), _values(typed)
    return [
        Difference(
            element=leaf.element,
            label=label,
            saved=shown[0],
            typed=shown[1],
        )
        for path, (label, leaf) in (before | after).items()
        if _plain(before.get(path)) != _plain(after.get(path))
        for shown in [_shown(_plain(before.get(path)), _plain(after.get(path)))]
    ]


def _values(document: Document) -> dict[str, tuple[str, Leaf]]:
    """Map the path of each leaf to a label with its section or group, and the leaf."""
    sections, _findings = draw_form(document)
    found = (pair for section in sections for pair in _leaves(section.parts, section.title))
    return {leaf.path: (label, leaf) for label, leaf in found}


def _leaves(parts: Iterable[Any], title: Any) -> Iterator[tuple[str, Leaf]]:
    for part in parts:
        if isinstance(part, Leaf):
            yield f"{title}: {part.label}", part
        elif isinstance(part, Several):
            for row in part.rows:
                yield from _leaves([row], title)
        elif isinstance(part, Group) and part.is_there is not False:
            yield from _leaves([*part.parts, *part.more], part.title or title)


def _plain(found: tuple[str, Leaf] | None) -> Any:
    value = found[1].value if found else None
    return value.strip() if isinstance(value, str) else value


def _shown(saved: Any, typed: Any) -> tuple[Any, Any]:
    """Both values, of long texts the part in which they begin to differ."""
    if not isinstance(saved, str) or not isinstance(typed, str):
        return _cut(saved, 0), _cut(typed, 0)
    same = sum(
        1 for _pair in takewhile(lambda pair: pair[0] == pair[1], zip(saved, typed, strict=False))
    )
    start = max(0, same - BEFORE_THE_DIFFERENCE)
    return _cut(saved, start), _cut(typed, start)


def _cut(value: Any, start: int) -> Any:
    """Cut a long text to the part around the difference."""
    if not isinstance(value, str) or len(value) <= LONGEST_SHOWN:
        return value
    before = "…" if start else ""
    after = "…" if len(value) > start + LONGEST_SHOWN else ""
    return f"{before}{value[start : start + LONGEST_SHOWN]}{after}"
