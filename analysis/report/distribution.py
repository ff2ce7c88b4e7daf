"""How often each system got each value: by point of a short scale, or in classes of equal width."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.scales.ordinal_model import MOST_CATEGORIES
from analysis.table import JudgementTable

CLASSES = 30


@dataclass(frozen=True)
class Distribution:
    """Counts of each system's values.

    `values` are the points of the scale, from the lowest to the highest that was given, or the
    edges of the classes, which are equally wide in logarithms if `is_logarithmic`.
    """

    values: tuple[float, ...]
    counts: dict[str, tuple[int, ...]]
    is_points: bool
    is_logarithmic: bool = False


def distribution(part: JudgementTable, *, is_time: bool = False) -> Distribution | None:
    """Count the values of each system; None where all values are equal.

    Parameters
    ----------
    part : the judgements on one criterion
    is_time : whether values are durations, which have long tails
    """
    lowest, highest = float(part.value.min()), float(part.value.max())
    if lowest == highest:
        return None
    has_points = not np.any(part.value % 1) and highest - lowest < MOST_CATEGORIES
    is_logarithmic = is_time and lowest > 0
    if has_points:
        values = np.arange(lowest, highest + 1)
        edges = np.append(values, highest + 1) - 0.5
    elif is_logarithmic:
        values = edges = np.geomspace(lowest, highest, CLASSES + 1)
        edges[[0, -1]] = lowest, highest  # exactly, so that none falls out
    else:
        values = edges = np.linspace(lowest, highest, CLASSES + 1)
    counts = {
        name: tuple(np.histogram(part.value[part.system.codes == code], edges)[0].tolist())
        for code, name in enumerate(part.system.labels)
    }
    return Distribution(
        tuple(values.tolist()), counts, has_points, is_logarithmic and not has_points
    )
