"""Largest differences of simulated systems, compiled.

A separate module, so that reading results does not load the compiler.
"""

from typing import Any

import numpy as np

from .compiling import compiled


@compiled()
def largest_distances(values: Any, inverse: Any) -> Any:
    """For each row of `values` the largest |difference| × `inverse` of any two columns."""
    largest = np.zeros(len(values))
    for draw in range(len(values)):
        for i in range(values.shape[1]):
            for j in range(i):
                distance = abs(values[draw, i] - values[draw, j]) * inverse[i, j]
                largest[draw] = max(largest[draw], distance)
    return largest
