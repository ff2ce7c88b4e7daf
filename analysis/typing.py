"""Types that the modules of this package share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Numbers; the shape is in each docstring.
Values = NDArray[np.float64]
# Numbers of labels: row r belongs to the label `labels[codes[r]]`.
Codes = NDArray[np.integer[Any]]
Flags = NDArray[np.bool_]
# Told the share that is done, from 0 to 1.
Progress = Callable[[float], None]
