"""Storage of finished parts, so that another process can continue a long computation."""

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
    """Compute a part and store nothing.

    Parameters
    ----------
    name : of the part
    result_type : what it is read back as
    compute : makes it
    """
    return compute()


def parts_of(section: str, parts: Parts) -> Parts:
    """Store the parts of one section, whose names begin with the section's.

    Parameters
    ----------
    section : its name
    parts : where all parts are stored
    """

    def of_section(name: str, result_type: Any, compute: Callable[[], Result]) -> Result:
        return parts(f"{section}/{name}", result_type, compute)

    return of_section
