"""The errors in judgements or options, with messages for the user."""

from collections.abc import Sequence

SHOWN = 20


class AnalysisError(ValueError):
    """The analysis is not possible; the message says why and what to do."""


class TableError(AnalysisError):
    """The judgements are malformed; `problems` lists each one with its place."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        lines = list(self.problems[:SHOWN])
        if len(self.problems) > SHOWN:
            lines.append(f"… and {len(self.problems) - SHOWN} more problems.")
        super().__init__("\n".join(lines))


class OptionsError(AnalysisError):
    """The options are malformed; `problems` lists each one."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


class RankingError(AnalysisError):
    """The judgements cannot rank the systems: too few, disconnected or separated."""


class Undefined(AnalysisError):
    """A statistic has no value on these judgements; the message is the reason that is shown."""
