"""What may be claimed from few raters and few items: the one rule that all methods follow.

A claim is about new raters, about new items, or about both: its *generality*. The raters or items
that it is about are its *units*. Effective numbers count units that gave more judgements than
others as fewer. Claims need at least three units of each kind; t has the smaller effective number
less one degrees of freedom. Where each rater judged one system, the units are those of the system
that has fewest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import scipy

from analysis.errors import OptionsError, Undefined
from analysis.scales.codes import distinct
from analysis.typing import Codes, Values

GENERALITIES = ("raters", "items", "both")
# Below this number nobody can say how far other raters, or items, would differ from these.
LEAST_UNITS = 3
# All of n equal raters favour the same of two systems by chance in 2^(1 − n), which resampling
# takes for certainty: .06 for 5 and .03 for 6.
LEAST_RESAMPLED_UNITS = 6


def effective_number(codes: Codes) -> float:
    """Return Kish's number of units with equal shares of the judgements: (Σn)²/Σn².

    Parameters
    ----------
    codes : shape (judgements,), the unit of each judgement

    Source
    ------
    Kish (1965).
    """
    shares = np.bincount(codes).astype(np.float64)
    return float(shares.sum() ** 2 / np.sum(shares**2))


def share_correction(codes: Codes) -> float:
    """Return by what a clustered variance, times n/(n − 1), is too small with unequal shares.

    A unit with a large share draws the mean towards itself, so that it seems to differ less than
    it does. Of Σw²(y − ȳ)², for a mean that weighs units by their shares w, the expectation is
    1 − 2Σw³/Σw² + Σw² of the variance: 1 − 1/n for equal shares, and never more.

    Parameters
    ----------
    codes : shape (judgements,), the unit of each judgement

    Returns
    -------
    1 for equal shares, more for others

    Source
    ------
    Bell & McCaffrey (2002), for a weighted mean.
    """
    sizes = np.bincount(codes)
    sizes = sizes[sizes > 0]
    if len(sizes) < 2 or sizes.min() == sizes.max():
        return 1.0
    shares = sizes / sizes.sum()
    squares = np.sum(shares**2)
    seen = 1 - 2 * np.sum(shares**3) / squares + squares
    return float((1 - 1 / len(sizes)) / seen)


def is_between_raters(raters: Codes, systems: Codes) -> bool:
    """Say whether every rater judged one system only, and there are several systems.

    Parameters
    ----------
    raters, systems : shape (judgements,), codes
    """
    met = raters.astype(np.int64) * (int(systems.max(initial=0)) + 1) + systems
    return distinct(systems) > 1 and distinct(met) == distinct(raters)


@dataclass(frozen=True)
class Unit:
    """Raters or items: how many there are, and how many there would be with equal shares.

    `correction` is what variances that are clustered by them lack where shares are unequal.
    """

    name: str
    number: int
    effective: float
    correction: float = 1.0

    def lacks(self, least: int) -> bool:
        """Say whether there are fewer than that many; effective numbers are rounded."""
        return min(self.number, round(self.effective)) < least

    def counted(self) -> str:
        """Write the number, and the effective one where that is clearly less."""
        name = self.name if self.number != 1 else self.name.removesuffix("s")
        if round(self.effective) == self.number:
            return f"{self.number} {name}"
        return f"{self.number} {name} of unequal shares, worth {self.effective:.1f} of equal ones,"


@dataclass(frozen=True)
class Units:
    """The raters and items that judgements come from, and which of them claims go beyond.

    `is_between` says that each rater judged one system, and that these are the units of the system
    that has fewest.
    """

    raters: Unit
    items: Unit
    generality: str = "both"
    is_between: bool = False

    @classmethod
    def of(
        cls, raters: Codes, items: Codes, generality: str = "both", *, systems: Codes | None = None
    ) -> Self:
        """Count the units.

        Parameters
        ----------
        raters, items : shape (judgements,), codes of the rater and the item of each judgement
        generality : `raters`, `items` or `both`: what claims are about
        systems : shape (judgements,), codes, for claims that raters of one system each may support

        Raises
        ------
        OptionsError : another generality
        """
        if problems := list(generality_problems(generality)):
            raise OptionsError(problems)

        def unit(name: str, codes: Codes) -> Unit:
            return Unit(name, distinct(codes), effective_number(codes), share_correction(codes))

        if systems is None or not is_between_raters(raters, systems):
            return cls(unit("raters", raters), unit("items", items), generality)
        parts = [systems == system for system in np.unique(systems)]

        def fewest(name: str, codes: Codes) -> Unit:
            least = min(
                (unit(name, codes[part]) for part in parts), key=lambda each: each.effective
            )
            return replace(least, correction=1.0)  # each system's variance has its own

        return cls(fewest("raters", raters), fewest("items", items), generality, is_between=True)

    @property
    def sampled(self) -> tuple[Unit, ...]:
        """The units that claims go beyond."""
        both = self.raters, self.items
        return both if self.generality == "both" else (getattr(self, self.generality),)

    @property
    def effective(self) -> float:
        """The effective number of the scarcer units."""
        return min(unit.effective for unit in self.sampled)

    @property
    def df(self) -> float:
        """Degrees of freedom of t: the effective number of the scarcer units, less one."""
        return self.effective - 1

    @property
    def beyond(self) -> str:
        """What claims are about, as words for a sentence."""
        return beyond(self.generality)

    def refusal(self, least: int = LEAST_UNITS) -> str | None:
        """Say why nothing can be claimed beyond these units; None where it can."""
        scarce = [unit for unit in self.sampled if unit.lacks(least)]
        if not scarce and self.is_between and self.generality == "items":
            return (
                "Each rater judged one system, so a difference between systems cannot be told from "
                "one between these raters: claim nothing about the systems beyond these judgements."
            )
        if not scarce:
            return None
        counted = " and ".join(unit.counted() for unit in scarce)
        names = " and ".join(unit.name for unit in scarce)
        of_one = (
            "Each rater judged one system, so those of the system that has fewest count. "
            if self.is_between
            else ""
        )
        return (
            f"{of_one}{counted} cannot show what other {names} would give: claim nothing about the "
            f"systems beyond these {names}. A claim {self.beyond} needs at least {least}"
            f"{' of each' if len(self.sampled) > 1 else ''}."
        )

    def require(self, least: int = LEAST_UNITS) -> None:
        """Refuse claims from fewer units.

        Parameters
        ----------
        least : of each kind of unit that claims go beyond

        Raises
        ------
        Undefined : there are fewer
        """
        if reason := self.refusal(least):
            raise Undefined(reason)


def generality_problems(generality: str) -> Iterator[str]:
    """Yield what is wrong with a generality.

    Parameters
    ----------
    generality : as somebody wrote it
    """
    if generality not in GENERALITIES:
        yield f"There is no generality {generality!r}: {', '.join(GENERALITIES)}."


def beyond(generality: str) -> str:
    """Write what claims are about, for a sentence.

    Parameters
    ----------
    generality : `raters`, `items` or `both`
    """
    return {
        "raters": "for new raters of these items",
        "items": "for new items and these raters",
        "both": "for new raters and new items",
    }[generality]


def difference_variances(covariance: Values) -> Values:
    """Compute the variance of every difference of two estimates, shape (systems, systems).

    Parameters
    ----------
    covariance : shape (systems, systems)
    """
    spread = np.diag(covariance)
    variances: Values = spread[:, None] + spread[None, :] - 2 * covariance
    return variances


def clustered_variances(
    by_rater: Values, by_item: Values, by_both: Values, units: Units
) -> tuple[Values, Values]:
    """Combine covariances of estimates that are clustered by rater, by item and by their cells.

    With few units, the two-way covariance can be too small by chance. No variance is taken to be
    smaller than that of raters or of items alone. Those of units with unequal shares are corrected.

    Parameters
    ----------
    by_rater, by_item, by_both : shape (systems, systems), times n/(n − 1)
    units : the raters and items, and which of them claims are about

    Returns
    -------
    Variances of the estimates, shape (systems,), and of their differences, shape (systems, systems)

    Source
    ------
    Cameron, Gelbach & Miller (2011); MacKinnon, Nielsen & Webb (2021).
    """
    by_rater = by_rater * units.raters.correction
    by_item = by_item * units.items.correction
    ways = {
        "raters": (by_rater,),
        "items": (by_item,),
        "both": (by_rater + by_item - by_both, by_rater, by_item),
    }[units.generality]
    spread: Values = np.max([np.diag(way) for way in ways], axis=0)
    variances: Values = np.max([difference_variances(way) for way in ways], axis=0)
    return spread, variances


def critical_t(alpha: float, comparisons: int, df: float) -> float:
    """Return the width, in standard errors, of intervals that all hold together.

    Bonferroni's t. Where each comparison has a variance of its own, as clustered errors do, this
    is also the quantile of the largest |t| (within 4 % if units are exchangeable, for 2 to 20
    systems and 2 to 60 degrees of freedom). Tukey's range would need one variance for all, and a
    covariance estimated from fewer units than systems has no distribution to draw from.

    Parameters
    ----------
    alpha : 1 − confidence of all intervals together
    comparisons : their number
    df : degrees of freedom of each variance; infinity for a known one
    """
    return float(scipy.stats.t.isf(alpha / (2 * comparisons), df))


def adjusted_p(ratios: Values, comparisons: int, df: float) -> Values:
    """Adjust the p-values of t statistics so that all claims hold together (see `critical_t`).

    Parameters
    ----------
    ratios : differences divided by their standard errors, any shape
    comparisons : the number of tests
    df : degrees of freedom
    """
    p: Values = np.minimum(2 * comparisons * scipy.stats.t.sf(np.abs(ratios), df), 1.0)
    return p


def widened_alpha(alpha: float, units: float) -> float:
    """Return the level at which percentiles of resampled units hold at the level `alpha`.

    Resampled units scatter less than new ones, and by normal quantiles instead of those of t.

    Parameters
    ----------
    alpha : 1 − confidence
    units : the effective number of those that are resampled

    Source
    ------
    Hesterberg (2015), "expanded percentiles".
    """
    if units < 2:
        return 0.0
    width = np.sqrt(units / (units - 1)) * scipy.stats.t.isf(alpha / 2, units - 1)
    return float(2 * scipy.stats.norm.sf(width))


def percentile_interval(
    drawn: Values, confidence: float, units: int
) -> tuple[float | None, float | None]:
    """Cut the tails of a statistic of resampled units; (None, None) where it has no interval.

    Parameters
    ----------
    drawn : shape (resamples,), NaN where undefined
    confidence : between 0 and 1
    units : how many were resampled; below three there is no interval
    """
    defined = drawn[~np.isnan(drawn)]
    if not len(defined) or units < LEAST_UNITS:
        return None, None
    tail = widened_alpha(1 - confidence, units) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)
