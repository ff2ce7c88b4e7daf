"""Sums over permutations of one rater's answers between items and within them, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.ranking.compiling import compiled
from analysis.ranking.streams import GAMMA, below, mixed, stream
from analysis.typing import Codes, Values

PERMUTATIONS = 3  # the purpose of these streams


def permuted_sums(table: Values, given: Codes, items: Codes, draws: int, seed: int) -> Values:
    """Sum what the permuted answers are worth, once for each permutation.

    Answers are exchanged between items with equally many outputs, and within each item.

    Parameters
    ----------
    table : shape (outputs, categories), what each answer to an output is worth
    given : shape (outputs,), the rater's answers
    items : shape (outputs,), codes
    draws : number of permutations
    seed : of all permutations; the number of one is part of its stream

    Returns
    -------
    array, shape (draws,)

    Source
    ------
    Fisher & Yates (1938), as Durstenfeld (1964): swaps from the last place to the first.
    """
    order = np.argsort(items, kind="stable")
    starts, sizes = np.unique(items[order], return_index=True, return_counts=True)[1:]
    by_size = np.argsort(sizes, kind="stable")
    sums: Values = _sums(
        np.ascontiguousarray(table[order]),
        given[order].astype(np.int64),
        starts[by_size].astype(np.int64),
        sizes[by_size].astype(np.int64),
        draws,
        np.uint64(seed),
    )
    return sums


@compiled()
def _sums(  # noqa: PLR0917 (compiled code takes no keywords)
    table: Any, given: Any, starts: Any, sizes: Any, draws: int, seed: Any
) -> Any:
    """Let `starts` and `sizes` say where each item's outputs are, items of equal size together."""
    sums = np.zeros(draws)
    taken = np.empty(len(starts), dtype=np.int64)  # whose answers an item gets
    answers = np.empty(sizes[-1], dtype=np.int64)
    for draw in range(draws):
        key = stream(seed, PERMUTATIONS, draw)
        first = 0
        while first < len(starts):
            size, end = sizes[first], first
            while end < len(starts) and sizes[end] == size:
                taken[end] = starts[end]
                end += 1
            for item in range(end - 1, first - 1, -1):
                key += GAMMA
                bits = mixed(key)
                other = first + np.int64(below(bits >> np.uint64(32), item - first + 1))
                taken[item], taken[other] = taken[other], taken[item]
                for place in range(size):
                    answers[place] = given[taken[item] + place]
                for place in range(size - 1, -1, -1):
                    if place > 0:
                        key += GAMMA
                        swapped = np.int64(below(mixed(key) >> np.uint64(32), place + 1))
                        answers[place], answers[swapped] = answers[swapped], answers[place]
                    sums[draw] += table[starts[item] + place, answers[place]]
            first = end
    return sums
