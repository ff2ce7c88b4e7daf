"""Whether agreement is low because raters differ, or because the outputs hardly do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.errors import Undefined
from analysis.reliability.generalisability import Generalisability

OF_OUTPUTS = ("system", "item", "item:system")
HIGH = 0.6  # agreement that nothing has to explain
# Answers at random have an SD of a range's 1/√12. Raters who differ by less than half of that on
# the same output do not answer at random; those who differ by nearly as much may.
GUESSING = 1 / np.sqrt(12)
PRECISE, IMPRECISE = 0.5, 0.8


@dataclass(frozen=True)
class AgreementRange:
    """Spread of outputs, and of raters on the same output, in the unit of the values.

    `agreement` is the correlation of two raters' values, ICC(2,1), from the variances of the
    G-study; `if_doubled` what the same raters would have with outputs that differ twice as much.
    `guessing` is the SD of answers at random on the part of the scale that was used. `cause` is
    what makes agreement low: `outputs`, `raters`, or `both`; `none` if it is high.
    """

    outputs: float
    raters: float
    agreement: float
    if_doubled: float
    guessing: float
    cause: str


def agreement_range(found: Generalisability, lowest: float, highest: float) -> AgreementRange:
    """Compare the spread of outputs with that of raters on the same output.

    Parameters
    ----------
    found : variances of the values by source
    lowest, highest : ends of the part of the scale that was used

    Raises
    ------
    Undefined : no output was judged by two raters, so their differences are not known

    Source
    ------
    Restriction of range: Gulliksen (1950), section 10.3, with the error variance kept.
    """
    if "item:system" in found.merged:
        raise Undefined("No output was judged by two raters, so nothing says how far they differ.")
    variance = {share.source: share.variance for share in found.shares}
    outputs = sum(variance.get(name, 0.0) for name in OF_OUTPUTS)
    raters = sum(variance.values()) - outputs
    if not outputs + raters > 0:
        raise Undefined("The values do not vary.")
    agreement = outputs / (outputs + raters)
    guessing = float((highest - lowest) * GUESSING)
    cause = "raters" if np.sqrt(raters) > IMPRECISE * guessing else "both"
    if agreement >= HIGH:
        cause = "none"
    elif np.sqrt(raters) < PRECISE * guessing:
        cause = "outputs"
    return AgreementRange(
        float(np.sqrt(outputs)),
        float(np.sqrt(raters)),
        float(agreement),
        float(4 * outputs / (4 * outputs + raters)),
        guessing,
        cause,
    )
