"""Results as plain data that JSON can represent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Make objects of dataclasses, lists of arrays, and null of numbers that are not finite.

    Parameters
    ----------
    value : a result
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def left_empty(value: Any) -> tuple[str, ...]:
    """Return a sentence about the numbers that `plain` leaves empty; none where there are none.

    Parameters
    ----------
    value : a result
    """
    count = sum(1 for _ in _infinities(value))
    if not count:
        return ()
    numbers = "1 number is" if count == 1 else f"{count} numbers are"
    return (f"{numbers} not given, because the calculation led beyond what a computer can hold.",)


def _infinities(value: Any) -> Iterator[float]:
    """Yield every number in it that is not finite."""
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _infinities(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _infinities(part)
    elif isinstance(value, list | tuple | np.ndarray):
        for part in value:
            yield from _infinities(part)
    elif isinstance(value, float) and not math.isfinite(value):
        yield value
