"""The order of a test run that is split between processes: at no time do all workers wait."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import TypeVar

Test = TypeVar("Test")


class Kind(Enum):
    """What a test spends its time on."""

    WAITING = auto()  # mostly waits for processes
    BROWSING = auto()  # waits for a browser as long as it keeps the processor busy
    LONG = auto()  # computes for many seconds
    SHORT = auto()


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
    kind_of: Callable[[Test], Kind],
    file_of: Callable[[Test], str],
    workers: int,
) -> list[Test]:
    """Let a quarter of the workers begin with tests that wait, half of them with a browser's.

    Each worker begins with an equal, contiguous share of the list, and takes half of the rest of
    another's when it has done its own. Where workers wait at the same time, cores are idle; so the
    other workers compute meanwhile, and the end of the run, when little is left to choose from, is
    for tests that are short and never wait. The tests of a file stay together, because they share
    what its fixtures started.
    """
    of_kind: dict[Kind, list[Test]] = {kind: [] for kind in Kind}
    for test in tests:
        of_kind[kind_of(test)].append(test)
    firsts: list[list[Test]] = [[] for _ in range(workers)]
    quarter, half = max(1, workers // 4), workers // 2
    lanes = {
        Kind.WAITING: firsts[:quarter],
        Kind.LONG: firsts[quarter:half] or firsts[:quarter],
        Kind.BROWSING: firsts[half:],
    }
    for kind, its_workers in lanes.items():
        for _, together in itertools.groupby(of_kind[kind], key=file_of):
            min(its_workers, key=len).extend(together)
    rest = iter(of_kind[Kind.SHORT])
    ordered: list[Test] = []
    for first, share in zip(firsts, shares(len(tests), workers), strict=True):
        ordered += first
        ordered += itertools.islice(rest, max(0, share - len(first)))
    return [*ordered, *rest]
