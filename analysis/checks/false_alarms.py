"""How often careful people look like frauds in traces, as measured by `benchmarks/persons.py`.

A rule may use a measure of traces only from a bound on at which this is known to be rare, with
every device and every assistive technology that was measured.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

MEASURED = Path(__file__).with_name("false_alarms.json")
MOST_FALSE_ALARMS = 0.01


@dataclass(frozen=True)
class FalseAlarms:
    """Careful people of one group, of whom so many are above a bound of a measure.

    `upper` is the end of Wilson's 95 % interval of their share.
    """

    measure: str
    bound: float
    group: str
    visits: int
    above: int
    upper: float


@cache
def measured() -> tuple[FalseAlarms, ...]:
    """Read the committed table."""
    return tuple(FalseAlarms(**row) for row in json.loads(MEASURED.read_text(encoding="utf-8")))


def at_least_bound(measure: str, rows: Iterable[FalseAlarms]) -> list[FalseAlarms]:
    """Find the rows of a measure at the least bound that was measured, one for each group.

    Parameters
    ----------
    measure : of traces
    rows : of a table of false alarms
    """
    of_measure = [row for row in rows if row.measure == measure]
    least = min((row.bound for row in of_measure), default=None)
    return [row for row in of_measure if row.bound == least]


def least_bound(measure: str, rows: Iterable[FalseAlarms]) -> float | None:
    """Find from which bound on a rule may ask whether the measure is above it.

    Parameters
    ----------
    measure : of traces
    rows : of a table of false alarms

    Returns
    -------
    The least bound that was measured, if false alarms are rare there in every group; else None.
    Whether they are rare at a larger bound only hangs on how many screens of a batch a careful
    person does so on, which the visits assume and nobody has measured.
    """
    found = at_least_bound(measure, rows)
    if not found or any(row.upper > MOST_FALSE_ALARMS for row in found):
        return None
    return found[0].bound


def worst_group(measure: str, rows: Iterable[FalseAlarms]) -> FalseAlarms | None:
    """Find the group with the most false alarms at the least bound of a measure.

    Parameters
    ----------
    measure : of traces
    rows : of a table of false alarms
    """
    return max(at_least_bound(measure, rows), key=lambda row: row.upper, default=None)
