"""A design: its options, its check of a request, and its drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.translatable import gettext_noop as _
from rankme.designs.growth import Growth, no_growth
from rankme.designs.plan import DesignRequest, Layout, OptionValue

MOST_TRIALS = 20_000_000
TOO_MANY_TRIALS = f"That makes more than {MOST_TRIALS:,} trials."


@dataclass(frozen=True)
class Option:
    """One setting of a design, enough to check a value and to make a form field.

    `minimum` and `maximum` are those of a number, or of the length of a text.
    """

    name: str
    type: type[int] | type[bool] | type[str]
    default: OptionValue
    help: str
    title: str = ""
    minimum: int = 0
    maximum: int = 1_000_000

    def problem_with(self, value: object) -> str | None:
        if self.type is bool:
            return None if isinstance(value, bool) else f"{self.name} must be true or false."
        if self.type is str:
            if not isinstance(value, str):
                return f"{self.name} must be a text."
            is_short = len(value) <= self.maximum
            return None if is_short else f"{self.name} has more than {self.maximum:,} characters."
        if not isinstance(value, int) or isinstance(value, bool):
            return f"{self.name} must be a whole number."
        if not self.minimum <= value <= self.maximum:
            return f"{self.name} must be a number from {self.minimum} to {self.maximum}."
        return None

    def shown(self, value: object) -> str:
        """Describe a value in a line: of a table, how long it is."""
        return f"{len(value.splitlines())} lines" if isinstance(value, str) else str(value)


def trials_per_batch(default: int, help: str, *, maximum: int = 1_000_000) -> Option:
    """The option that most designs have; 0 is for no limit."""
    title = _("Trials per batch")
    return Option("trials_per_batch", int, default, title=title, maximum=maximum, help=help)


def no_problems(request: DesignRequest) -> Sequence[str]:
    """For a design that can be drawn from any material."""
    return ()


@dataclass(frozen=True)
class Design:
    """A way to divide the material among raters.

    Attributes
    ----------
    check : says, in sentences for the organiser, why a request cannot be drawn
    draw : draws the plan of a request that `check` found nothing against
    check_growth : says why a plan cannot take what has come to its material
    grow : draws the batches to add to a plan, where `check_growth` found nothing; None: a plan of
        the new items alone
    """

    title: str
    help: str
    draw: Callable[[DesignRequest], Layout]
    options: tuple[Option, ...]
    check: Callable[[DesignRequest], Sequence[str]] = no_problems
    needs_outputs: bool = True
    check_growth: Callable[[Growth], Sequence[str]] = no_growth
    grow: Callable[[Growth], Layout] | None = None

    def grown(self, growth: Growth) -> Layout:
        """The batches to add to a plan."""
        if self.grow is not None:
            return self.grow(growth)
        return growth.on_new_items(self.draw(growth.for_new_items))
