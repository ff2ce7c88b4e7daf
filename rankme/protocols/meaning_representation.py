"""Meaning representations of the E2E kind: `name[The Mill], food[Italian]`."""

from __future__ import annotations

import re

# No two parts may match the same character: where they could share spaces, a text of 100,000
# spaces would take days.
_SLOT = re.compile(r"([^\[\],]+)\[([^\]]*)\]\s*(?:,|$)")


def slots(text: str) -> list[tuple[str, str]]:
    """The attributes and values in order; empty if the text is not a meaning representation."""
    found = []
    position = 0
    while position < len(text):
        match = _SLOT.match(text, position)
        name = match[1].strip() if match else ""
        if not match or not name:
            return []
        found.append((name, match[2]))
        position = match.end()
    return found
