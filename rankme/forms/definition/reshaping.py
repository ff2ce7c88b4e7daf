"""Rows of the form that come, go and change places."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from rankme.protocols.instruments import INSTRUMENTS
from rankme.untrusted.whole_numbers import number_in

from .following import ask_in_order, ask_no_longer
from .settings import FIRST_CHECK, FIRST_INSTRUMENT, Document

SCALE = ("instrument", "low", "high", "options")


def change_shape(document: Document, command: str) -> str:
    """Carry out a button's command: `add:PATH`, `remove:PATH:2`, `up:PATH:2`, `down:PATH:2`.

    Changes the document in place and returns the path of the row to look at.
    """
    verb, _, rest = command.partition(":")
    path, _, number = rest.partition(":")
    rows = _rows(document, path)
    place = number_in(number, len(rows))
    if verb == "add":
        rows.append(_fresh_row(path, rows))
        return f"{path}.{len(rows) - 1}"
    if not place < len(rows):
        return path
    before = [row.get("name", "") for row in rows]
    row = rows.pop(place)
    if verb == "remove":
        if path == "criteria":
            ask_no_longer(document, row.get("name", ""))
        return path
    place = max(place - 1, 0) if verb == "up" else min(place + 1, len(rows))
    rows.insert(place, row)
    if path == "criteria":
        ask_in_order(document, before)
    return f"{path}.{place}"


def _rows(document: Document, path: str) -> list[Document]:
    found: Any = document
    try:
        for step in path.split("."):
            found = found[int(step)] if isinstance(found, list) else found[step]
    except (KeyError, IndexError, ValueError, TypeError):
        return []
    return found if isinstance(found, list) else []


def _fresh_row(path: str, rows: list[Document]) -> Document:
    kind = path.rpartition(".")[2]
    if kind == "criteria":
        return _fresh_criterion(rows)
    if kind == "screens":
        return {"show": [{"block": "input"}, {"block": "outputs"}]}
    if kind == "checks":
        return {"kind": FIRST_CHECK}
    return {"block": "outputs"} if kind == "show" else {}


def _fresh_criterion(rows: list[Document]) -> Document:
    """Criteria on one scale are the rule: the new one has the scale of the one before it."""
    last = rows[-1] if rows else {}
    instrument = INSTRUMENTS.get(last.get("instrument", ""))
    if instrument is None or instrument.kind != "scale":
        return {"instrument": FIRST_INSTRUMENT}
    return {name: deepcopy(last[name]) for name in SCALE if name in last}
