"""Places of checks in a batch: their hosts, their distance from them, and from each other.

The trials of the plan stay as they are: checks are added to a batch, and take nothing from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

TRIES = 100


@dataclass(frozen=True)
class Distance:
    """Two pages of a batch with at least `apart` pages from one to the other.

    If `in_order`, the first comes before the second.
    """

    first: int
    second: int
    apart: int
    in_order: bool = False


def draw_hosts(n_trials: int, counts: Sequence[int], rng: np.random.Generator) -> list[list[int]]:
    """For each check the trials of a batch from which its pages are made, in a random order.

    Every list has all trials, its `counts[k]` own ones first: no two pages of a batch have the
    same host unless there are more pages than trials. The others follow for hosts that turn out
    to be unsuitable.
    """
    order = rng.permutation(n_trials).tolist()
    hosts = []
    for count in counts:
        hosts.append(list(order))
        order = order[count % n_trials :] + order[: count % n_trials]
    return hosts


def interleave(
    n_trials: int, n_checks: int, distances: Sequence[Distance], rng: np.random.Generator
) -> list[int]:
    """An order of a batch's pages: its trials 0, 1, … in their own order, checks in between.

    Checks have the numbers from `n_trials` on.
    """
    n_pages = n_trials + n_checks
    for _attempt in range(TRIES):
        places = np.sort(rng.choice(n_pages, size=n_checks, replace=False))
        checks = iter(rng.permutation(np.arange(n_trials, n_pages)).tolist())
        trials = iter(range(n_trials))
        taken = set(places.tolist())
        order = [next(checks if place in taken else trials) for place in range(n_pages)]
        if _keeps(order, distances):
            return order
    # The later a check, the farther it is from an earlier trial.
    return [*range(n_trials), *_by_source(range(n_trials, n_pages), distances)]


def _by_source(checks: Sequence[int], distances: Sequence[Distance]) -> list[int]:
    source = {distance.second: distance.first for distance in distances}
    return sorted(checks, key=lambda check: source.get(check, -1))


def keep_apart(
    order: Sequence[int], distances: Sequence[Distance], rng: np.random.Generator
) -> list[int]:
    """The order, or another random one, in which everything that must be apart is apart."""
    found = list(order)
    for _attempt in range(TRIES):
        _turn(found, distances)
        if _keeps(found, distances):
            return found
        found = [found[place] for place in rng.permutation(len(found))]
    first = {distance.first for distance in distances}
    last = {distance.second for distance in distances} - first
    rest = [page for page in found if page not in first and page not in last]
    beginning = [page for page in found if page in first]
    rank = {page: place for place, page in enumerate(beginning)}
    partner = {distance.second: rank.get(distance.first, 0) for distance in distances}
    ending = sorted((page for page in found if page in last), key=lambda page: partner[page])
    return [*beginning, *rest, *ending]


def _turn(order: list[int], distances: Sequence[Distance]) -> None:
    """Exchange what is in the wrong order."""
    for distance in distances:
        one, other = order.index(distance.first), order.index(distance.second)
        if distance.in_order and one > other:
            order[one], order[other] = order[other], order[one]


def _keeps(order: Sequence[int], distances: Sequence[Distance]) -> bool:
    place = {page: number for number, page in enumerate(order)}
    return all(
        (gap := place[distance.second] - place[distance.first]) >= distance.apart
        or (not distance.in_order and -gap >= distance.apart)
        for distance in distances
    )


def most_apart(n_trials: int, n_checks: int) -> int:
    """A distance that every batch of this size can keep between all pairs at the same time."""
    return n_trials + n_checks - max(n_checks, 1)
