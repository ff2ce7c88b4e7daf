"""Numbers of labels, in the order of the labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def renumber(codes: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Number the distinct codes 0, 1, 2, … in their order, as `numpy.unique` does.

    Codes that are not much larger than their number are counted instead of sorted, which takes an
    eighth of the time for millions.

    Parameters
    ----------
    codes : shape (rows,)

    Returns
    -------
    the distinct codes, and the number of each row's code, shape (rows,)
    """
    if len(codes) and codes.dtype.kind == "i" and codes.min() >= 0 and codes.max() < 4 * len(codes):
        used = np.bincount(codes) > 0
        return np.flatnonzero(used).astype(codes.dtype), (np.cumsum(used) - 1)[codes]
    return np.unique(codes, return_inverse=True)


def compact(codes: NDArray[Any]) -> NDArray[np.int64]:
    """Number codes without gaps, in their order.

    Parameters
    ----------
    codes : shape (rows,)
    """
    return renumber(codes)[1]
