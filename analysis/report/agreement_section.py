"""The coefficients of agreement that a report gives for a criterion."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.errors import Undefined
from analysis.reliability.coefficients import Coefficient, defined, fleiss_kappa, kendall_w
from analysis.reliability.intraclass import intraclass_correlation
from analysis.reliability.krippendorff import METRICS, Pairable, alpha_of, self_consistency
from analysis.report.options import ReportOptions
from analysis.scales.codes import compact
from analysis.table import JudgementTable
from analysis.typing import Values


def agreement_of(
    part: JudgementTable, kind: str, options: ReportOptions
) -> tuple[Coefficient, ...]:
    """Return the coefficients that make sense for the kind; each undefined one has its reason."""
    outputs = part.system.codes.astype(np.int64) * len(part.item.labels) + part.item.codes
    outputs = compact(outputs)
    raters, values = part.rater.codes, part.value
    rng = np.random.default_rng([options.seed, 3])

    @cache
    def pairable() -> Pairable:
        return Pairable.of(values, outputs, raters, part.groups(options.item_groups).codes)

    def alpha(metric: str) -> Coefficient:
        name = f"Krippendorff α, {metric}"
        return defined(
            name,
            lambda: alpha_of(
                pairable(),
                metric,
                rng=rng if options.agreement_resamples else None,
                resamples=options.agreement_resamples,
            ),
        )

    if kind == "category":
        labels = np.unique(values, return_inverse=True)[1]
        fleiss = defined("Fleiss κ", lambda: fleiss_kappa(labels, outputs, raters))
        return (alpha("nominal"), fleiss)
    found = [alpha(metric) for metric in METRICS]
    pairable.cache_clear()  # of millions of judgements, they are large
    found += _intraclass(values, outputs, raters)
    if kind == "relative":
        found.append(
            defined(
                "Kendall W",
                lambda: kendall_w(values, part.screen.codes, part.item.codes, part.system.codes),
            )
        )
    consistency = "Self-consistency (α, interval)"
    found.append(defined(consistency, lambda: self_consistency(values, outputs, raters)))
    return tuple(found)


def _intraclass(values: Values, outputs: NDArray[Any], raters: NDArray[Any]) -> list[Coefficient]:
    try:
        found = intraclass_correlation(values, outputs, raters)
    except Undefined as why:
        return [Coefficient(name, None, reason=str(why)) for name in ("ICC(2,1)", "ICC(2,k)")]
    return [found.single, found.mean]
