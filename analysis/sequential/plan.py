"""How a campaign is looked at while it runs: fixed at its launch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from analysis.errors import OptionsError

FIXED, GROUP_SEQUENTIAL, ANYTIME = "fixed", "group-sequential", "anytime"
MODES = (FIXED, GROUP_SEQUENTIAL, ANYTIME)
BEST, ALL = "best", "all"
GOALS = (BEST, ALL)
# The t of fewer raters is too far from normal for the tails that early looks need.
LEAST_RATERS_AT_FIRST_LOOK = 10
# Bets on fewer raters win too little: the interval would be wider than half of the whole scale.
LEAST_RATERS_TO_BET = 12
FEWEST_LOOKS, MOST_LOOKS = 2, 5


@dataclass(frozen=True)
class LookPlan:
    """How a campaign is looked at, and what its looks have seen.

    `mode` is `fixed` (nobody looks before the end), `group-sequential` or `anytime`. `planned` is
    the number of raters that the plan needs. `goal` says when a look proposes an end: when the
    `best` system, or when `all` systems are told apart from the others, or shown to be equivalent.

    `order` names the raters in the order in which they began, up to the first whose sitting has
    not ended. `looks` says how many of them each earlier look had.
    """

    mode: str = FIXED
    planned: int = 0
    goal: str = BEST
    order: tuple[str, ...] = ()
    looks: tuple[int, ...] = ()

    @property
    def is_fixed(self) -> bool:
        """Whether nobody looks before the end."""
        return self.mode == FIXED

    @property
    def ends(self) -> tuple[int, ...]:
        """The number of raters at each look, the present one included."""
        earlier = [number for number in self.looks if number < len(self.order)]
        return (*earlier, len(self.order))

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Read plain data; problems are reported together.

        Parameters
        ----------
        given : as `as_dict` writes it; what is missing has its default

        Raises
        ------
        OptionsError : a part is unknown, or is none of those that are possible
        """
        if problems := list(_misfits(given)):
            raise OptionsError(problems)
        plan = cls(
            **{name: given[name] for name in ("mode", "planned", "goal") if name in given},
            order=tuple(given.get("order", ())),
            looks=tuple(given.get("looks", ())),
        )
        if problems := list(plan.problems()):
            raise OptionsError(problems)
        return plan

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that `from_dict` reads back; nothing for a fixed plan."""
        return {} if self == LookPlan() else asdict(self)

    def problems(self) -> Iterator[str]:
        """Yield every problem, in words."""
        if self.mode not in MODES:
            yield f"looking: mode must be one of {', '.join(MODES)}, not {self.mode!r}."
        if self.goal not in GOALS:
            yield f"looking: goal must be one of {', '.join(GOALS)}, not {self.goal!r}."
        if self.mode == GROUP_SEQUENTIAL and self.planned < 1:
            yield "looking: a group-sequential plan needs the planned number of raters."
        if len(set(self.order)) < len(self.order):
            yield "looking: a rater can begin only once."
        if list(self.looks) != sorted(set(self.looks)) or any(each < 1 for each in self.looks):
            yield "looking: looks must have more and more raters."
        if self.mode == GROUP_SEQUENTIAL and len(self.looks) > MOST_LOOKS:
            yield f"looking: there are at most {MOST_LOOKS} looks."


def _misfits(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield what has another type than it must have."""
    known = LookPlan.__dataclass_fields__
    yield from (f"looking has no part {name!r}." for name in sorted(set(given) - set(known)))

    def whole(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool)

    fits: dict[str, Callable[[Any], bool]] = {
        "mode": lambda value: isinstance(value, str),
        "planned": lambda value: whole(value) and value >= 0,
        "goal": lambda value: isinstance(value, str),
        "order": lambda value: (
            isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
        ),
        "looks": lambda value: isinstance(value, list | tuple) and all(map(whole, value)),
    }
    for name, check in fits.items():
        if name in given and not check(given[name]):
            yield f"looking: {name} cannot be {given[name]!r}."
