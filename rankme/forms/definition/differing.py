"""Where two documents differ, in the words of the form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from .drawing import Group, Leaf, Several, draw_form
from .settings import Document

LONGEST_SHOWN = 200


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
            saved=_shown(before.get(path)),
            typed=_shown(after.get(path)),
        )
        for path, (label, leaf) in (before | after).items()
        if _plain(before.get(path)) != _plain(after.get(path))
    ]


def _values(document: Document) -> dict[str, tuple[str, Leaf]]:
    """Every leaf of the form by its path, with a label that says whose it is."""
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


def _shown(found: tuple[str, Leaf] | None) -> Any:
    value = _plain(found)
    return value[:LONGEST_SHOWN] if isinstance(value, str) else value
