"""Overlap of two raters' marks in one text: by characters, and mark by mark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy

from analysis.spans.model import OUTPUT, SIDES, Mark, MarkedOutput
from analysis.typing import Codes, Values

# Of the WMT shared tasks on quality estimation at the level of errors.
CREDIT_OF_ANOTHER_SEVERITY = 0.5


class Overlap(NamedTuple):
    """Sums of which all shares consist; they may be added up over outputs.

    `first`, `second` and `shared` count marked characters, `weighted` the shared ones, of which one
    counts half where the severities differ. `first_marks` and `second_marks` count marks, and
    `first_credit` and `second_credit` add up which share of each lies in its counterpart.
    """

    first: float
    second: float
    shared: float
    weighted: float
    first_marks: float
    second_marks: float
    first_credit: float
    second_credit: float


@dataclass(frozen=True, eq=False)
class Reading:
    """One rater's marks of one output, ready to be compared with another's."""

    marked: MarkedOutput
    weigh: Callable[[Mark], float]
    severities: dict[str, int]

    @cached_property
    def spans(self) -> dict[str, list[Mark]]:
        """The marks of at least one character, by side, the lightest first."""
        found: dict[str, list[Mark]] = {side: [] for side in SIDES}
        for mark in sorted(self.marked.marks, key=self.weigh):
            if mark.length:
                found[mark.side].append(mark)
        return found

    @cached_property
    def ends(self) -> dict[str, int]:
        """Return the end of the last mark of each side."""
        return {
            side: max((mark.end or 0 for mark in marks), default=0)
            for side, marks in self.spans.items()
        }

    def characters(self, side: str, length: int) -> Codes:
        """Return the number of each character's heaviest severity, 0 where it is not marked."""
        codes = np.zeros(length, dtype=np.int16)
        for mark in self.spans[side]:
            severity = mark.severity.casefold()
            number = self.severities.setdefault(severity, len(self.severities) + 1)
            codes[mark.start : mark.end] = number
        return codes


def comparable(first: MarkedOutput, second: MarkedOutput) -> bool:
    """Say whether offsets agree in both texts: they are equal, or one continues the other.

    Parameters
    ----------
    first, second : what two raters said about the same output

    Returns
    -------
    True also where a text is not known.
    """
    for side in SIDES:
        one, other = first.text_of(side), second.text_of(side)
        if one is not None and other is not None and one != other:
            shorter, longer = sorted((one, other), key=len)
            if not longer.startswith(shorter):
                return False
    return True


def overlap(first: Reading, second: Reading, side: str = OUTPUT) -> Overlap:
    """Compare two raters' marks of one output, or of its source.

    Parameters
    ----------
    first, second : the raters' marks
    side : `output` or `source`; shared tasks score marks of the output alone

    Returns
    -------
    The sums. A character that a rater marked several times counts once, with the severity that
    weighs most. Marks are matched one to one, so that the matched marks coincide as much as they
    can: the sum of both shares is the largest that any matching has.

    Source
    ------
    Characters: precision and recall of the WMT shared tasks on quality estimation. Marks: after
    "match with partial overlap and partial credit" of Perrella et al. (2026), arXiv:2603.19921
    """
    sums = np.zeros(len(Overlap._fields))
    one, other = first.spans[side], second.spans[side]
    if one and other:
        sums[:4] = _characters(first, second, side)
        sums[6:] = _credits(one, other)
    else:
        length = first.ends[side] + second.ends[side]
        for place, reading in enumerate((first, second)):
            sums[place] = np.count_nonzero(reading.characters(side, length))
    sums[4:6] = len(one), len(other)
    return Overlap(*sums.tolist())


def _characters(first: Reading, second: Reading, side: str) -> tuple[float, ...]:
    length = max(first.ends[side], second.ends[side])
    one, other = first.characters(side, length), second.characters(side, length)
    both = (one > 0) & (other > 0)
    shared = int(np.count_nonzero(both))
    same = int(np.count_nonzero(both & (one == other)))
    weighted = same + CREDIT_OF_ANOTHER_SEVERITY * (shared - same)
    return int(np.count_nonzero(one)), int(np.count_nonzero(other)), shared, weighted


def _credits(one: Sequence[Mark], other: Sequence[Mark]) -> tuple[float, float]:
    """Return the sums of the shares of matched marks that lie in their counterparts."""
    starts, ends = _places(one)
    other_starts, other_ends = _places(other)
    inside = np.minimum(ends[:, None], other_ends) - np.maximum(starts[:, None], other_starts)
    inside = np.maximum(inside, 0)
    first_share = inside / (ends - starts)[:, None]
    second_share = inside / (other_ends - other_starts)
    rows, columns = scipy.optimize.linear_sum_assignment(first_share + second_share, maximize=True)
    return float(first_share[rows, columns].sum()), float(second_share[rows, columns].sum())


def _places(marks: Sequence[Mark]) -> tuple[Values, Values]:
    places = np.array([(mark.start, mark.end) for mark in marks], dtype=np.float64)
    return places[:, 0], places[:, 1]
