"""The errors that users see, each with a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID


class RankmeError(Exception):
    """Something that the user can understand and fix."""


class RefusedTransition(RankmeError):
    """The campaign's state does not allow this action."""


class RefusedAction(RankmeError):
    """The action is not possible now; the message says why and what would help."""


class ChangedMeanwhile(RankmeError):
    """Somebody else saved the same thing after this person had opened it."""


class FilesInPreparation(RankmeError):
    """The files of a report are missing, and a worker makes them again."""


@dataclass(frozen=True)
class Problem:
    """One fault of a file or a form, with its place (`screens[0].ask[1]`, `Line 14`)."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class InvalidInput(RankmeError):
    """Something sent that cannot be used; carries every problem, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class InvalidDefinition(InvalidInput):
    """A campaign file that cannot be used."""


class InvalidAnswer(InvalidInput):
    """An answer that the campaign's own instruments do not allow, with its place on the screen."""


class KeyReused(RankmeError):
    """The same key came with another payload."""

    def __init__(self, key: UUID | str, message: str) -> None:
        self.key = key
        super().__init__(message)


class TooManySubmissions(RankmeError):
    """A rater sends more than a person can; `seconds` says when to try again."""

    seconds = 30


class InvalidOptions(InvalidInput):
    """Options that cannot be used."""
