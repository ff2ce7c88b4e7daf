"""Largest differences of simulated systems, compiled.

A separate module, so that reading results does not load the compiler.
"""

from typing import Any

import numpy as np

from .compiling import compiled


@compiled()
def largest_distances(values: Any, inverse: Any) -> Any:
    """Find the largest |difference| × `inverse` of any two columns in each row, shape (draws,).

    Parameters
    ----------
    values : shape (draws, systems)
    inverse : 1 / standard error of each difference, shape (systems, systems)
    """
    largest = np.zeros(len(values))
    for draw in range(len(values)):
        for i in range(values.shape[1]):
            for j in range(i):
                distance = abs(values[draw, i] - values[draw, j]) * inverse[i, j]
                largest[draw] = max(largest[draw], distance)
    return largest
