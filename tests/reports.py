"""Comparing reports: words and counts exactly, numbers as far as arithmetic is repeatable."""

import math
from typing import Any

# Sums over arrays differ in their last digit with the arrays' place in memory, and a fit of a
# mixed model on few judgements makes more of it. The draws of a ranking are compared exactly.
TOLERANCE = 1e-5


def assert_same_report(one: dict[str, Any], other: dict[str, Any]) -> None:
    for mine, theirs in zip(one["criteria"], other["criteria"], strict=True):
        if mine["ranking"]:
            assert mine["ranking"]["rankings"] == theirs["ranking"]["rankings"]
            assert mine["ranking"]["rank_shares"] == theirs["ranking"]["rank_shares"]
    assert list(differences(one, other)) == []


def differences(one: Any, other: Any, place: str = "") -> Any:
    """Every place at which two documents differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            yield place, set(one) ^ set(other)
        for name in one.keys() & other.keys():
            yield from differences(one[name], other[name], f"{place}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            yield from differences(mine, theirs, f"{place}[{number}]")
    elif isinstance(one, float) and isinstance(other, float):
        if not math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield place, one, other
    elif one != other:
        yield place, one, other
