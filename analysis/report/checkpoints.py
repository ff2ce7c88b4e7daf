"""Where a long computation may keep its finished parts, so that another process can continue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

Result = TypeVar("Result")


class Parts(Protocol):
    """Returns the part of this name if it is stored; otherwise computes it and stores it.

    `result_type` is a dataclass or a tuple of them. A computation that raises stores nothing.
    """

    def __call__(self, name: str, result_type: Any, compute: Callable[[], Result]) -> Result: ...


def computed_now(name: str, result_type: Any, compute: Callable[[], Result]) -> Result:
    """Store nothing."""
    return compute()


def parts_of(section: str, parts: Parts) -> Parts:
    """The parts of one section, whose names begin with the section's."""

    def of_section(name: str, result_type: Any, compute: Callable[[], Result]) -> Result:
        return parts(f"{section}/{name}", result_type, compute)

    return of_section
