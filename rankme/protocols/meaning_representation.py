"""Meaning representations of the E2E kind: `name[The Mill], food[Italian]`."""

from __future__ import annotations

import re

_SLOT = re.compile(r"\s*([^\[\],]+?)\s*\[([^\]]*)\]\s*(?:,|$)")


def slots(text: str) -> list[tuple[str, str]]:
    """The attributes and values in order; empty when the text is no meaning representation."""
    found = []
    position = 0
    while position < len(text):
        match = _SLOT.match(text, position)
        if match is None:
            return []
        found.append((match[1], match[2]))
        position = match.end()
    return found
