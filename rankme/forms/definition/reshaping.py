"""Rows of the form that come, go and change places."""

from __future__ import annotations

from typing import Any

from .settings import FIRST_INSTRUMENT, Document


def change_shape(document: Document, command: str) -> str:
    """Do what a button asked for: `add:PATH`, `remove:PATH:2`, `up:PATH:2`, `down:PATH:2`.

    Changes the document in place and returns the path of the row to look at.
    """
    verb, _, rest = command.partition(":")
    path, _, number = rest.partition(":")
    rows = _rows(document, path)
    place = int(number) if number.isdecimal() else len(rows)
    if verb == "add":
        rows.append(_fresh_row(path))
        return f"{path}.{len(rows) - 1}"
    if not place < len(rows):
        return path
    row = rows.pop(place)
    if verb == "remove":
        return path
    place = max(place - 1, 0) if verb == "up" else min(place + 1, len(rows))
    rows.insert(place, row)
    return f"{path}.{place}"


def _rows(document: Document, path: str) -> list[Document]:
    found: Any = document
    try:
        for step in path.split("."):
            found = found[int(step)] if isinstance(found, list) else found[step]
    except (KeyError, IndexError, ValueError, TypeError):
        return []
    return found if isinstance(found, list) else []


def _fresh_row(path: str) -> Document:
    kind = path.rpartition(".")[2]
    if kind == "criteria":
        return {"instrument": FIRST_INSTRUMENT}
    if kind == "screens":
        return {"show": [{"block": "input"}, {"block": "outputs"}]}
    return {"block": "outputs"} if kind == "show" else {}
