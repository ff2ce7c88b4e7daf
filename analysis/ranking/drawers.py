"""The runs of each ranking method: scores of systems from resampled comparisons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from analysis.typing import Values

from .bradley_terry import abilities
from .pairs import Pairs
from .resampling import SCHEMES, Resampler, unit_weights
from .trueskill import Game, ordered_pass, reference_runs, screen_pass, screens_of

Drawer = Callable[[int, range], Values]


def _wmt_drawer(pairs: Pairs, scheme: str) -> Drawer:
    resampler = Resampler.of(pairs, scheme)

    def draw(seed: int, runs: range) -> Values:
        drawn = runs if resampler.units else runs[:1]  # without units, all have the same counts
        counts = np.stack([resampler.counts(seed=seed, run=run) for run in drawn])
        return reference_runs(counts, seed=seed, runs=runs)

    return draw


def _one_by_one(draw: Callable[[int, int], Values]) -> Drawer:
    return lambda seed, runs: np.stack([draw(seed, run) for run in runs])


def _bradley_terry_drawer(pairs: Pairs, scheme: str) -> Drawer:
    resampler = Resampler.of(pairs, scheme)
    return _one_by_one(lambda seed, run: abilities(resampler.counts(seed=seed, run=run)))


def _order_drawer(pairs: Pairs, scheme: str) -> Drawer:
    def draw(seed: int, run: int) -> Values:
        rows = np.repeat(np.arange(len(pairs)), _times(pairs, scheme, seed, run))
        return ordered_pass(_some(pairs, rows))[0]

    return _one_by_one(draw)


def _k_player_drawer(pairs: Pairs, scheme: str) -> Drawer:
    def draw(seed: int, run: int) -> Values:
        times = _times(pairs, scheme, seed, run)
        screens = screens_of(pairs, times)
        return screen_pass(screens, len(pairs.systems), Game.of_size(int(times.sum())))[0]

    return _one_by_one(draw)


def _times(pairs: Pairs, scheme: str, seed: int, run: int) -> NDArray[np.int64]:
    """Count each comparison in a run, shape (pairs,)."""
    units = SCHEMES[scheme](pairs)
    if units is None:
        return np.ones(len(pairs), dtype=np.int64)
    first, second = unit_weights(units, seed=seed, run=run)
    times: NDArray[np.int64] = first[units.first] * second[units.second]
    return times


def _some(pairs: Pairs, rows: NDArray[np.int64]) -> Pairs:
    names = ("first", "second", "outcome", "screen", "rater", "item")
    return replace(pairs, **{name: getattr(pairs, name)[rows] for name in names})


DRAWERS: dict[str, Callable[[Pairs, str], Drawer]] = {
    "wmt": _wmt_drawer,
    "bradley-terry": _bradley_terry_drawer,
    "order": _order_drawer,
    "k-player": _k_player_drawer,
}
