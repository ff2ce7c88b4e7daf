"""The size of a campaign, how far its judgements scatter, and the error of a difference."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from analysis.errors import OptionsError
from analysis.inference import LEAST_UNITS, generality_problems

MOST_RATERS, MOST_ITEMS, MOST_SYSTEMS, MOST_REPEATS = 10_000, 1_000_000, 500, 1_000


@dataclass(frozen=True)
class Spreads:
    """Standard deviations of what moves a judgement, all in one unit.

    `rater_system` are tastes of raters and `item_system` how well a system handles an item; the
    strictness of raters cancels from every difference. `system` is how much systems differ.
    """

    rater_system: float
    item_system: float
    residual: float
    item: float = 0.0
    rater_item: float = 0.0
    system: float = 0.5

    def __post_init__(self) -> None:
        problems = [
            f"The spread {name} is {value}, but must be 0 or more."
            for name, value in vars(self).items()
            if not (math.isfinite(value) and value >= 0)
        ]
        if not problems and self.residual == 0:
            problems.append("The spread residual is 0: judgements always scatter.")
        if problems:
            raise OptionsError(problems)


@dataclass(frozen=True)
class Size:
    """A campaign: each output is judged by `repeats` raters, `shown` systems on a screen.

    Each system is judged on the share `coverage` of the items, drawn at random, and raters do
    equally many screens.
    """

    raters: int
    items: int
    repeats: int = 1
    systems: int = 2
    shown: int | None = None
    generality: str = "both"
    coverage: float = 1.0

    def __post_init__(self) -> None:
        if problems := list(_problems(self)):
            raise OptionsError(problems)

    @property
    def on_a_screen(self) -> int:
        return self.systems if self.shown is None else self.shown

    @property
    def items_of_a_system(self) -> float:
        return self.items * self.coverage

    @property
    def judgements_of_a_system(self) -> float:
        return self.items_of_a_system * self.repeats

    @property
    def screens(self) -> int:
        """Screens of all raters."""
        return math.ceil(round(self.judgements_of_a_system * self.systems / self.on_a_screen, 6))

    @property
    def judgements_of_a_rater(self) -> float:
        return self.judgements_of_a_system * self.systems / self.raters

    @property
    def pairs(self) -> int:
        return self.systems * (self.systems - 1) // 2

    @property
    def units(self) -> int:
        """The scarcer of the raters and items that claims go beyond."""
        if self.generality == "both":
            return min(self.raters, self.items)
        return self.raters if self.generality == "raters" else self.items

    @property
    def claims(self) -> bool:
        """Whether the report claims anything beyond the people and the items."""
        return self.units >= LEAST_UNITS


def _problems(size: Size) -> Iterator[str]:
    limits = {
        "raters": (1, MOST_RATERS),
        "items": (1, MOST_ITEMS),
        "repeats": (1, MOST_REPEATS),
        "systems": (2, MOST_SYSTEMS),
    }
    for name, (least, most) in limits.items():
        value = getattr(size, name)
        if not least <= value <= most:
            yield f"{name} is {value}; say {least} to {most:,}."
    if size.repeats > size.raters:
        yield (
            f"Each output is judged by {size.repeats} different raters, but there are only "
            f"{size.raters}."
        )
    if not 1 <= size.on_a_screen <= size.systems:
        yield f"A screen shows {size.on_a_screen} systems; say 1 to {size.systems}."
    if not 0 < size.coverage <= 1:
        yield f"coverage is {size.coverage}; say more than 0, at most 1."
    yield from generality_problems(size.generality)


@dataclass(frozen=True)
class DifferenceError:
    """Variance of the difference of two systems, and what the report's estimates of it average.

    `by_rater`, `by_item` and `by_both` are the expectations of the three clustered variances.
    """

    variance: float
    by_rater: float
    by_item: float
    by_both: float


def difference_error(size: Size, spreads: Spreads) -> DifferenceError:
    """Compute the variance of a difference of two systems' means.

    It is twice (rater:system / raters + item:system / items + residual / judgements of a system).
    Raters who judge fewer outputs than there are systems lose the efficiency of incomplete blocks.
    A screen that shows only some systems does not cancel what rater and item have in common.

    Parameters
    ----------
    size, spreads : of the campaign; variances are in the squared unit of the spreads

    Source
    ------
    Brennan (2001), section 4.1, and Westfall, Kenny & Judd (2014) for the components; Cochran &
    Cox (1957), section 9.3, for the efficiency; `analysis.scales.clustered` for what it estimates.
    """
    raters, items, repeats = size.raters, size.items_of_a_system, size.repeats
    judgements = size.judgements_of_a_system
    others = max(size.systems - 1, 1)
    share_missing = (size.systems - size.on_a_screen) / others
    residual = spreads.residual**2 + spreads.rater_item**2 * share_missing
    loss = 1 / _efficiency(size)
    tastes = 2 * spreads.rater_system**2 / raters * loss
    # Where two systems are not judged on the same items, the items' own level does not cancel.
    apart_items = spreads.item**2 * size.systems * (1 - size.coverage) / others
    fits = 2 * (spreads.item_system**2 + apart_items) / items
    scatter = 2 * residual / judgements * loss
    # Items that a rater saw with some systems only: their level is in the rater's clusters.
    level = max(2 * (spreads.item**2 * share_missing - apart_items) / judgements, 0.0)
    # What all raters share on all items cancels from the spread between raters, and the reverse.
    apart = 1 - repeats / raters
    per_rater = judgements / raters
    by_rater = tastes + scatter + level + fits / repeats * apart
    by_item = fits + scatter + tastes / per_rater * apart
    by_both = scatter + level + tastes / per_rater + fits / repeats
    variance = {
        "raters": tastes + scatter + level,
        "items": fits + scatter,
        "both": tastes + fits + scatter,
    }[size.generality]
    return DifferenceError(variance, by_rater, by_item, by_both)


def _efficiency(size: Size) -> float:
    """Efficiency of the raters as blocks of so few judgements, relative to complete ones."""
    block = size.judgements_of_a_rater
    if block >= size.systems:
        return 1.0
    return max((1 - 1 / max(block, 1 + 1e-9)) / (1 - 1 / size.systems), 0.05)
