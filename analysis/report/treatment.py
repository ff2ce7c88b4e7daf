"""Treatment of a criterion's values before anything is computed."""

from __future__ import annotations

from dataclasses import replace

from analysis.report.options import ReportOptions
from analysis.scales.outliers import OutlierCount, log_magnitudes, treat_outliers, z_by_rater
from analysis.table import JudgementTable


def treated(
    part: JudgementTable, kind: str, options: ReportOptions
) -> tuple[JudgementTable, OutlierCount | None]:
    """Treat the outliers of a criterion, and count them.

    Parameters
    ----------
    part : the judgements on one criterion
    kind : of the criterion
    options : of the report
    """
    name = part.criterion.labels[0]
    treatment = options.outliers.get(name, "replace" if kind == "time" else "none")
    if treatment == "none":
        return part, None
    found = treat_outliers(part.value, treatment, options.outlier_width)
    kept = part if found.kept.all() else part.rows(found.kept)
    return replace(kept, value=found.values), found.count


def z_scores(part: JudgementTable) -> JudgementTable:
    """Turn each value into its distance from its rater's mean in the rater's SDs.

    Parameters
    ----------
    part : the judgements on one criterion

    Source
    ------
    Graham et al. (2013).
    """
    return replace(part, value=z_by_rater(part.value, part.rater.codes)[0])


def logarithms(part: JudgementTable) -> JudgementTable:
    """Put the values on the log scale.

    Parameters
    ----------
    part : the judgements on one criterion

    Raises
    ------
    Undefined : a value is zero or negative
    """
    return replace(part, value=log_magnitudes(part.value))
