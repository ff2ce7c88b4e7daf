"""How a screen was worked on, as a rater's browser counts it, read without trust."""

from __future__ import annotations

from collections.abc import Mapping

from .page_shapes import Trace

NAMES = tuple(Trace.__annotations__)
# More than a day in milliseconds, and more than a screen takes of anything else.
MOST = 1e8


def read_trace(sent: object) -> dict[str, float] | None:
    """Read what can be read: numbers of known names within bounds; None if nothing can.

    Nothing is refused, because the answer that came with it counts either way.
    """
    if not isinstance(sent, Mapping):
        return None
    found = {name: sent[name] for name in NAMES if name in sent and _is_countable(sent[name])}
    return {name: round(float(value), 1) for name, value in found.items()} or None


def _is_countable(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return 0 <= value <= MOST  # neither infinite nor NaN
