"""The errors in judgements or options, with messages for the user."""

from collections.abc import Sequence

SHOWN = 20


class AnalysisError(ValueError):
    """The analysis is not possible; the message says why and what to do."""


class TableError(AnalysisError):
    """The judgements are malformed; `errors` holds every fault with its place."""

    def __init__(self, errors: Sequence[str]) -> None:
        self.errors = tuple(errors)
        lines = list(self.errors[:SHOWN])
        if len(self.errors) > SHOWN:
            lines.append(f"… and {len(self.errors) - SHOWN} more errors.")
        super().__init__("\n".join(lines))


class OptionsError(AnalysisError):
    """The options are malformed; `errors` holds every fault."""

    def __init__(self, errors: Sequence[str]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(self.errors))


class RankingError(AnalysisError):
    """The judgements cannot rank the systems: too few, disconnected or separated."""


class Undefined(AnalysisError):
    """A statistic has no value on these judgements; the message is the reason that is shown."""
