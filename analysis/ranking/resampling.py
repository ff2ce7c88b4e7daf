"""The judgements of a run: the table itself, or whole units of it drawn with replacement."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.errors import RankingError
from analysis.scales.codes import compact

from .compiling import compiled
from .pairs import Pairs, cells
from .streams import GAMMA, RESAMPLING, below, mixed, stream

MOST_PLACES = 2**63 - 1  # in the table of cells and both units


@dataclass(frozen=True)
class Units:
    """The two units of each comparison; a comparison counts as often as both are drawn."""

    first: NDArray[Any]
    second: NDArray[Any]

    @property
    def sizes(self) -> tuple[int, int]:
        """Count the units of either kind."""
        return _number_of(self.first), _number_of(self.second)


def _small(numbers: NDArray[Any]) -> NDArray[Any]:
    """Keep numbers in as few bytes as the largest needs: there are millions, read in each run."""
    return numbers.astype(np.min_scalar_type(numbers.max(initial=0)))


def _digit(places: NDArray[np.int64], base: int) -> NDArray[Any]:
    """Take the last digit off numbers written in this base, block by block within NumPy."""
    digit = np.empty(len(places), dtype=np.min_scalar_type(base - 1))
    np.remainder(places, base, out=digit, casting="unsafe")
    places //= base
    return digit


def _number_of(units: NDArray[Any]) -> int:
    return int(units.max()) + 1 if len(units) else 0


def _dense(codes: NDArray[Any]) -> NDArray[Any]:
    """Number the units that have comparisons 0, 1, 2, … in the order of their codes."""
    return _small(compact(codes))


def _alone(units: NDArray[Any]) -> Units:
    return Units(_dense(units), np.zeros(len(units), dtype=np.uint8))


def _single(pairs: Pairs) -> Units:
    """Number comparisons by their content, so that rows may come in any order."""
    by_content = np.argsort(cells(pairs), kind="stable")
    place = np.empty(len(pairs), dtype=np.int32)
    place[by_content] = np.arange(len(pairs), dtype=np.int32)
    return _alone(place)


SCHEMES: dict[str, Callable[[Pairs], Units | None]] = {
    "none": lambda pairs: None,
    "pairs": _single,
    "screens": lambda pairs: _alone(pairs.screen),
    "items": lambda pairs: _alone(pairs.item),
    "raters": lambda pairs: _alone(pairs.rater),
    # the two-way pigeonhole bootstrap (Owen 2007)
    "raters-items": lambda pairs: Units(_dense(pairs.rater), _dense(pairs.item)),
}


@dataclass(frozen=True, eq=False)
class Resampler:
    """Comparisons folded to what resampling needs: memory is linear in them at most.

    `cell`, `times`, `units.first` and `units.second` have shape (distinct comparisons,).
    """

    systems: int
    cell: NDArray[Any]
    times: NDArray[Any]
    units: Units | None
    fixed: NDArray[np.int64]

    @classmethod
    def of(cls, pairs: Pairs, scheme: str) -> "Resampler":
        """Fold comparisons that always come together."""
        units = SCHEMES[scheme](pairs)
        if units is None:
            nothing = np.empty(0, dtype=np.int32)
            return cls(len(pairs.systems), nothing, nothing, None, pairs.tallies)
        first, second = units.sizes
        if pairs.tallies.size * first * second > MOST_PLACES:
            raise RankingError(
                f"There are too many systems, raters and items to resample by {scheme}."
            )
        # A comparison's cell and units as one number, which sorts much faster than three.
        places = cells(pairs)
        places *= second
        places += units.second
        places *= first
        places += units.first
        del units  # as large as the places, like all that follows
        places.sort()
        times = np.zeros(len(places), dtype=np.int32)
        number = _fold(places, times)
        times, places = _small(times[:number]), places[:number]
        drawn = Units(_digit(places, first), _digit(places, second))
        return cls(len(pairs.systems), _small(places), times, drawn, pairs.tallies)

    def counts(self, *, seed: int, run: int) -> NDArray[np.int64]:
        """Wins, ties and losses of i against j (i < j) in one run, shape (systems, systems, 3)."""
        if self.units is None:
            return self.fixed
        weights = unit_weights(self.units, seed=seed, run=run)
        counts = np.zeros(self.fixed.size, dtype=np.int64)
        _add_up(self.cell, self.times, self.units.first, self.units.second, *weights, counts)
        return counts.reshape(self.fixed.shape)


def unit_weights(
    units: Units, *, seed: int, run: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw how often each unit of either kind counts in one run.

    Parameters
    ----------
    units : what is resampled, such as raters and items
    seed : of the ranking
    run : its number
    """
    first, second = units.sizes
    drawn: tuple[NDArray[np.int64], NDArray[np.int64]] = _weights(
        first, second, np.uint64(seed % 2**64), run
    )
    return drawn


@compiled()
def _fold(places: Any, times: Any) -> int:
    """Keep one of equal numbers, which are in order, and how often it came; return how many."""
    number = 0
    for row in range(len(places)):
        if row == 0 or places[row] != places[number - 1]:
            places[number] = places[row]
            number += 1
        times[number - 1] += 1
    return number


@compiled()
def _weights(first: int, second: int, seed: Any, run: int) -> Any:
    key = stream(seed, RESAMPLING, run)
    drawn = np.zeros(first, dtype=np.int64), np.zeros(second, dtype=np.int64)
    for units in drawn:
        for _ in range(len(units)):
            key += GAMMA
            units[below(mixed(key) >> np.uint64(32), len(units))] += 1
    return drawn


@compiled()
def _add_up(  # noqa: PLR0917 (compiled code takes no keywords)
    cell: Any, times: Any, first: Any, second: Any, weight: Any, other: Any, counts: Any
) -> None:
    for row in range(len(cell)):
        counts[cell[row]] += times[row] * weight[first[row]] * other[second[row]]
