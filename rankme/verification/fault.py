"""The error by which a check says what is wrong, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault(Exception):
    """The first thing that is wrong in a part of the record."""

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}"
