"""What a report does to the values of a criterion before anything is computed."""

from __future__ import annotations

from dataclasses import replace

from analysis.report.options import ReportOptions
from analysis.scales.outliers import OutlierCount, log_magnitudes, treat_outliers, z_by_rater
from analysis.table import JudgementTable


def treated(
    part: JudgementTable, kind: str, options: ReportOptions
) -> tuple[JudgementTable, OutlierCount | None]:
    """The judgements on a criterion after its outliers were treated, and how many there were."""
    name = part.criterion.labels[0]
    treatment = options.outliers.get(name, "replace" if kind == "time" else "none")
    if treatment == "none":
        return part, None
    found = treat_outliers(part.value, treatment, options.outlier_width)
    kept = part if found.kept.all() else part.rows(found.kept)
    return replace(kept, value=found.values), found.count


def z_scores(part: JudgementTable) -> JudgementTable:
    """Each value as its distance from its rater's mean in the rater's SDs (Graham et al. 2013)."""
    return replace(part, value=z_by_rater(part.value, part.rater.codes)[0])


def logarithms(part: JudgementTable) -> JudgementTable:
    """The values on the log scale.

    Raises
    ------
    Undefined : a value is zero or negative
    """
    return replace(part, value=log_magnitudes(part.value))
