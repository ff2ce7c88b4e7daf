"""Treatment of outlying values and of raters' different scales, chosen before and counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.typing import Codes, Flags, Values

# No value of a million is further from their mean than this many of their SDs.
LARGEST_WIDTH = 1000

TREATMENTS = {
    "none": "Values were used as given.",
    "replace": "Values beyond mean ± {width:g} SD were replaced by the overall mean.",
    "winsorise": "Values beyond mean ± {width:g} SD were moved to that limit.",
    "drop": "Values beyond mean ± {width:g} SD were left out.",
}


@dataclass(frozen=True)
class OutlierCount:
    """The treatment and its number of values; the limits are None without treatment."""

    treatment: str
    sentence: str
    low: float | None
    high: float | None
    below: int
    above: int
    values: int

    @property
    def treated(self) -> int:
        return self.below + self.above


@dataclass(frozen=True, eq=False)
class Treated:
    """The values after treatment, and which of the original rows remain; both in table order."""

    values: Values
    kept: Flags
    count: OutlierCount


def treat_outliers(values: ArrayLike, treatment: str = "none", width: float = 2.0) -> Treated:
    """Find values beyond mean ± `width` SD once, and replace, winsorise or drop them.

    The mean and SD are those of all values, the outliers included.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    treatment : `none`, `replace` (by the overall mean), `winsorise` (to the limit) or `drop`
    width : number of standard deviations

    Returns
    -------
    Treated : the values (shape (judgements,), fewer after `drop`), which rows were kept, and the
        number of outliers below and above

    Raises
    ------
    KeyError : an unknown treatment

    Source
    ------
    TUNA (Gatt, Belz & Kow 2008) replaced outliers by the overall mean.
    """
    values = np.asarray(values, dtype=np.float64)
    kept = np.ones(len(values), dtype=bool)
    if treatment == "none" or len(values) < 2:
        sentence = TREATMENTS["none"]
        return Treated(values, kept, OutlierCount("none", sentence, None, None, 0, 0, len(values)))
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    low, high = mean - width * sd, mean + width * sd
    below, above = values < low, values > high
    if treatment == "replace":
        treated = np.where(below | above, mean, values)
    elif treatment == "winsorise":
        treated = np.clip(values, low, high)
    else:
        kept = ~(below | above)
        treated = values[kept]
    sentence = TREATMENTS[treatment].format(width=width)
    counts = (int(below.sum()), int(above.sum()), len(values))
    return Treated(treated, kept, OutlierCount(treatment, sentence, low, high, *counts))


def width_problems(name: str, width: float) -> list[str]:
    """Say why this width cannot be used.

    Parameters
    ----------
    name : of the option
    width : in standard deviations
    """
    if 0 < width <= LARGEST_WIDTH:
        return []
    return [f"{name} must be above 0 and at most {LARGEST_WIDTH:,} SDs, not {width:g}."]


def z_by_rater(values: ArrayLike, raters: Codes) -> tuple[Values, Flags]:
    """Standardise within each rater: subtract the mean, divide by the SD.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    raters : shape (judgements,), code of the rater of each value

    Returns
    -------
    z : shape (judgements,), in standard deviations; 0 where the rater's values do not vary
    varies : shape (judgements,), False for the rows of raters whose values do not vary

    Source
    ------
    Graham, Baldwin, Moffat & Zobel (2013).
    """
    values = np.asarray(values, dtype=np.float64)
    sizes = np.maximum(np.bincount(raters), 1)
    moved = values - (np.bincount(raters, values) / sizes)[raters]
    freedom = np.maximum(sizes - 1, 1)
    sd = np.sqrt(np.bincount(raters, moved**2) / freedom)
    varies = sd[raters] > 1e-12 * max(float(np.abs(values).max(initial=0.0)), 1.0)
    return np.divide(moved, sd[raters], out=np.zeros_like(values), where=varies), varies


def log_magnitudes(values: ArrayLike) -> Values:
    """Put magnitudes on the log scale, where equal ratios are equal distances.

    Parameters
    ----------
    values : shape (judgements,)

    Raises
    ------
    Undefined : a magnitude is zero or negative

    Source
    ------
    Stevens (1957); Bard, Robertson & Sorace (1996).
    """
    values = np.asarray(values, dtype=np.float64)
    if np.any(values <= 0):
        count = int(np.sum(values <= 0))
        raise Undefined(f"{count} magnitudes are zero or negative and have no logarithm.")
    logs: Values = np.log(values)
    return logs
