"""Sums of comparisons' scores over the clusters that they come from, compiled."""

from __future__ import annotations

from typing import Any

from .compiling import compiled


@compiled()
def add_scores(  # noqa: PLR0917 (compiled code takes no keywords)
    sums: Any,
    sizes: Any,
    clusters: Any,
    first: Any,
    second: Any,
    outcome: Any,
    gains: Any,
    ties: Any,
) -> None:
    """Add what each comparison says of its two systems, and of ties, to its cluster's row.

    All first systems before all second ones: the last digit of a sum depends on the order.

    Parameters
    ----------
    sums : shape (clusters, parameters), systems first
    sizes : shape (clusters,), the comparisons of each
    clusters, first, second, outcome : shape (comparisons,)
    gains : shape (outcomes, systems, systems), the slope in the first system's ability
    ties : the same in the weight of a tie; without entries where ties have none
    """
    for row in range(len(first)):
        sizes[clusters[row]] += 1
        sums[clusters[row], first[row]] += gains[outcome[row], first[row], second[row]]
    for row in range(len(first)):
        sums[clusters[row], second[row]] -= gains[outcome[row], first[row], second[row]]
    if ties.size:
        for row in range(len(first)):
            sums[clusters[row], gains.shape[1]] += ties[outcome[row], first[row], second[row]]
