"""The hash of a payload, and the chain that links the submissions of a sitting."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def canonical(payload: Mapping[str, Any]) -> bytes:
    """The bytes that the payload's hash is of: JSON with sorted names and no spaces.

    A payload that was read back from the database gives the same bytes.
    """
    written = _written(payload)
    if "-0.0" in written or "e+" in written:
        return _written(_as_the_database_keeps_it(payload)).encode()
    return written.encode()


def _written(payload: object) -> str:
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _as_the_database_keeps_it(value: object) -> object:
    """PostgreSQL keeps numbers as decimals: 1e+16 with all of its digits, and -0.0 as 0.0."""
    if isinstance(value, Mapping):
        return {name: _as_the_database_keeps_it(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_as_the_database_keeps_it(each) for each in value]
    if isinstance(value, float):
        return int(Decimal(repr(value))) if abs(value) >= 1e16 else value + 0.0
    return value


def chained(before: str, digest: str) -> str:
    """The link of the chain for a payload after the one whose link is `before` ("": the first)."""
    return hashlib.sha256((before + digest).encode()).hexdigest()
