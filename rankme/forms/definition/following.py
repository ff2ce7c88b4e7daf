"""Keep screens in step with criteria that are added, renamed, moved or removed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from .settings import Document

LONGEST_NAME = 40


def follow_names(document: Document, before: Sequence[str | None]) -> None:
    """Ask renamed criteria under their new names, and new ones next to their neighbours.

    `before` has the name with which each criterion was drawn: empty for a new one, None where the
    sender does not say. A criterion that was there and is asked nowhere now was taken from its
    screen on purpose, so it is left to the check of the document.
    """
    names = _names(document)
    for old, new in zip(before, names, strict=True):
        if old and new and old != new and old not in names:
            _replace(document, old, new)
    asked = {name for screen in document["screens"] for name in screen["ask"]}
    for number, (old, new) in enumerate(zip(before, names, strict=True)):
        if old is not None and old != new and new and new not in asked:
            _ask_beside_neighbours(document, names, number)


def name_the_nameless(document: Document) -> None:
    """Derive the short names that were left empty: a criterion's from its question."""
    for number, criterion in enumerate(document["criteria"]):
        if not criterion["name"] and criterion["question"]:
            short = _short(criterion["question"]) or "criterion"
            criterion["name"] = _free_name(short, set(_names(document)))
            _ask_beside_neighbours(document, _names(document), number)
    for screen in document["screens"]:
        if not screen["name"]:
            others = {other["name"] for other in document["screens"]}
            screen["name"] = _free_name(_short(screen["title"]) or "screen", others)


def ask_no_longer(document: Document, name: str) -> None:
    for screen in document["screens"]:
        screen["ask"] = [asked for asked in screen["ask"] if asked != name]


def ask_in_order(document: Document, before: Sequence[str]) -> None:
    """Screens that asked their criteria in the order `before` ask them in today's."""
    after = _names(document)
    for screen in document["screens"]:
        ask = screen["ask"]
        if ask == sorted(ask, key=lambda name: _place(before, name)):
            screen["ask"] = sorted(ask, key=lambda name: _place(after, name))


def _place(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names)


def _names(document: Document) -> list[str]:
    return [str(criterion.get("name") or "") for criterion in document["criteria"]]


def _replace(document: Document, old: str, new: str) -> None:
    for screen in document["screens"]:
        screen["ask"] = [new if name == old else name for name in screen["ask"]]
    if document.get("primary") == old:
        document["primary"] = new
    margins = document.get("equivalence")
    if isinstance(margins, dict) and old in margins:
        margins[new] = margins.pop(old)


def _ask_beside_neighbours(document: Document, names: Sequence[str], number: int) -> None:
    """Behind the nearest criterion before it, else in front of the nearest one after it."""
    name = names[number]
    for neighbour in [*reversed(names[:number]), *names[number + 1 :]]:
        for screen in document["screens"]:
            if neighbour and neighbour in screen["ask"]:
                is_before = neighbour in names[:number]
                screen["ask"].insert(screen["ask"].index(neighbour) + is_before, name)
                return
    if document["screens"]:
        document["screens"][-1]["ask"].append(name)


def _short(text: object) -> str:
    """Make a short name: lower case, words joined by hyphens; empty if no letter is left."""
    decomposed = unicodedata.normalize("NFKD", str(text or "").lower())
    letters = "".join(character for character in decomposed if not unicodedata.combining(character))
    joined = "-".join(re.findall(r"[a-z0-9]+", letters)).lstrip("0123456789-")
    if len(joined) <= LONGEST_NAME:
        return joined
    return joined[:LONGEST_NAME].rpartition("-")[0] or joined[:LONGEST_NAME]


def _free_name(name: str, others: set[str]) -> str:
    """The name, with a number where it is taken already."""
    if name not in others:
        return name
    number = 2
    while f"{name}-{number}" in others:
        number += 1
    return f"{name}-{number}"
