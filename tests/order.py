"""The order of a test run that is split between processes: tests that wait begin first."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeVar

Test = TypeVar("Test")


def shares(tests: int, workers: int) -> list[int]:
    """How many tests each worker is sent at first by pytest-xdist's `worksteal`, in turn."""
    sizes = []
    for workers_left in range(workers, 0, -1):
        sizes.append(tests // workers_left)
        tests -= sizes[-1]
    return sizes


def in_good_order(
    tests: Sequence[Test],
    *,
    waits: Callable[[Test], bool],
    file_of: Callable[[Test], str],
    workers: int,
    cores: int,
) -> list[Test]:
    """Put the tests that mostly wait first, where other workers compute meanwhile.

    Each worker begins with an equal, contiguous share of the list, and takes half of the rest of
    another's when it has done its own. A test that sleeps at the end of a run leaves a core idle,
    so those that wait come at the beginning. If they began on all workers at once, all cores would
    be idle then; so only as many workers begin with them as there are more workers than cores. The
    tests of a file stay together, because they share what its fixtures started.
    """
    waiting = [test for test in tests if waits(test)]
    computing = iter([test for test in tests if not waits(test)])
    lanes = max(1, workers - cores)
    firsts: list[list[Test]] = [[] for _ in range(workers)]
    for _, together in itertools.groupby(waiting, key=file_of):
        min(firsts[:lanes], key=len).extend(together)
    ordered: list[Test] = []
    for first, share in zip(firsts, shares(len(tests), workers), strict=True):
        ordered += first
        ordered += itertools.islice(computing, max(0, share - len(first)))
    return [*ordered, *computing]
