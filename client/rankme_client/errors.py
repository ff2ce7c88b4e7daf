"""What can go wrong, each with a sentence that says what to do."""

from __future__ import annotations

from dataclasses import dataclass


class RankmeClientError(Exception):
    """The base of all errors of this package."""


@dataclass(frozen=True)
class Problem:
    """One fault of what was sent, with its place (`criteria[0].name`, `line 14`)."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class NoSite(RankmeClientError):
    """No site and key are given, or the address is not safe to send a key to."""


class SiteAway(RankmeClientError):
    """The site cannot be reached, or does not answer in time."""


class ApiError(RankmeClientError):
    """The site refused a request: the status, a code for programs, and every problem."""

    def __init__(
        self, status: int, code: str, message: str, problems: tuple[Problem, ...] = ()
    ) -> None:
        self.status, self.code, self.problems = status, code, problems
        self.message = message
        super().__init__("\n".join([message, *(f"- {problem}" for problem in problems)]))


class JobFailed(RankmeClientError):
    """A worker of the site could not do what was asked; the message is the site's."""


class StillWaiting(RankmeClientError, TimeoutError):
    """The time is over and the work is not; waiting again goes on where this ended."""
