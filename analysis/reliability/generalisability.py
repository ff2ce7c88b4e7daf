"""What scores vary with (G-study), and what other numbers of raters and items give (D-study)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.errors import Undefined
from analysis.scales.codes import distinct
from analysis.scales.mixed_model import variance_components
from analysis.scales.tukey_hsd import range_quantile
from analysis.typing import Codes, Values

# Numbers of raters and of items that a report shows the width for.
PRODUCTS = ("rater:system", "item:system", "rater:item")
RATERS, ITEMS = (3, 5, 8, 12, 24), (10, 20, 50, 100, 200)


@dataclass(frozen=True)
class VarianceShare:
    """Variance that one source adds to a judgement, and its share of all variance."""

    source: str
    variance: float
    share: float


@dataclass(frozen=True)
class PlannedSize:
    """What a campaign finds in which every one of so many raters judges every item and system.

    `relative` is Eρ² and `absolute` is Φ of the systems' means; `half_width` is that of the
    simultaneous intervals of all differences of two systems.
    """

    raters: int
    items: int
    relative: float
    absolute: float
    half_width: float | None


@dataclass(frozen=True)
class Generalisability:
    """Shares of variance, the coefficients of sizes that were asked for, and what was left out.

    `merged` names the products that this design cannot tell from the residual.
    """

    shares: tuple[VarianceShare, ...]
    sizes: tuple[PlannedSize, ...]
    systems: int
    merged: tuple[str, ...]


def generalisability(
    values: Values,
    systems: Codes,
    raters: Codes,
    items: Codes,
    *,
    alpha: float = 0.05,
    sizes: Iterable[tuple[int, int]] | None = None,
) -> Generalisability:
    """Divide the variance of judgements among systems, raters, items and their products.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    systems, raters, items : shape (judgements,), codes
    alpha : 1 − confidence of the intervals whose width is given
    sizes : (raters, items) to plan for; by default a grid

    Returns
    -------
    Generalisability : REML variances in the squared unit of `values`

    Raises
    ------
    Undefined : fewer than two systems, raters or items; no variation; or no convergence

    Source
    ------
    Cronbach, Gleser, Nanda & Rajaratnam (1972); Brennan (2001), with variances by REML.
    """
    variance = variances(values, systems, raters, items)
    total = sum(variance.values())
    count = distinct(systems)
    asked = ((r, i) for r in RATERS for i in ITEMS) if sizes is None else sizes
    return Generalisability(
        tuple(VarianceShare(name, each, each / total) for name, each in variance.items()),
        tuple(planned_size(variance, r, i, count, alpha=alpha) for r, i in asked),
        count,
        tuple(name for name in PRODUCTS if name not in variance),
    )


def variances(
    values: Values, systems: Codes, raters: Codes, items: Codes, *, without: Sequence[str] = ()
) -> dict[str, float]:
    """Estimate the variance of each source by REML; a product that is the residual has none.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    systems, raters, items : shape (judgements,), codes
    without : products to leave in the residual

    Raises
    ------
    Undefined : fewer than two systems, raters or items; no variation; or no convergence
    """
    main = {"system": systems, "rater": raters, "item": items}
    for name, codes in main.items():
        if distinct(codes) < 2:
            raise Undefined(f"The variance of {name}s needs at least two of them.")
    products = {
        product: main[one].astype(np.int64) * (int(main[other].max()) + 1) + main[other]
        for product in PRODUCTS
        for one, other in [product.split(":")]
        if product not in without
    }
    told_apart = {name: codes for name, codes in products.items() if distinct(codes) < len(codes)}
    parts = variance_components(values, {**main, **told_apart})
    return {part.source: part.variance for part in parts}


def planned_size(
    variance: dict[str, float], raters: int, items: int, systems: int, *, alpha: float = 0.05
) -> PlannedSize:
    """Predict coefficients and interval widths of a campaign in which all raters judge everything.

    The variance of a difference of two systems is twice (rater:system / raters + item:system /
    items + residual / (raters × items)). The width takes the degrees of freedom of the report's
    full mixed model: the smaller number of raters and items, less one.

    Parameters
    ----------
    variance : by source: `system`, `rater`, `item`, their products with a colon, and `Residual`
    raters, items, systems : numbers of the planned campaign
    alpha : 1 − confidence of all differences together

    Returns
    -------
    PlannedSize : the half width is None with a single rater or item

    Source
    ------
    Brennan (2001), sections 4.1 and 4.3, for the coefficients.
    """

    def of(source: str) -> float:
        return variance.get(source, 0.0)

    error = of("rater:system") / raters + of("item:system") / items
    error += of("Residual") / (raters * items)
    level = of("rater") / raters + of("item") / items + of("rater:item") / (raters * items)
    system, df = of("system"), min(raters, items) - 1
    width = range_quantile(1 - alpha, systems, float(df)) * np.sqrt(error) if df > 0 else None
    return PlannedSize(
        raters,
        items,
        system / (system + error) if system + error > 0 else 0.0,
        system / (system + error + level) if system + error + level > 0 else 0.0,
        None if width is None else float(width),
    )
