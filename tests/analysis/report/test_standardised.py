"""Scores standardised within each rater: the systems are compared on z, their means shown too."""

import numpy as np
import pytest

from analysis.errors import OptionsError
from analysis.report.make import ReportOptions, make_report
from analysis.table import JudgementTable
from tests.analysis.judged import from_rows


def rated(scales: list[tuple[float, float]]) -> JudgementTable:
    """Raters of equal taste on scales of their own: (lowest score, what one step is worth)."""
    rng = np.random.default_rng(4)
    steps = {"good": 2.0, "fair": 1.0, "poor": 0.0}
    return from_rows(
        [
            (f"r{rater}", f"i{item}", system, "adequacy",
             low + width * (step + rng.normal(0, 0.3)), f"{rater}-{item}-{system}")
            for rater, (low, width) in enumerate(scales)
            for item in range(20)
            for system, step in steps.items()
        ]
    )  # fmt: skip


def report(table: JudgementTable, **options: object):
    kinds = {"adequacy": "scale"}
    return make_report(
        table, ReportOptions(kinds=kinds, agreement_resamples=0, **options)
    ).criterion("adequacy")


def test_raters_scales_hide_the_systems_until_they_are_standardised():
    same = report(rated([(0, 10), (0, 10)]), standardise=("adequacy",))
    other = report(rated([(0, 10), (50, 3)]), standardise=("adequacy",))
    assert [row.system for row in same.systems] == ["good", "fair", "poor"]
    assert [row.mean_z for row in same.systems] == pytest.approx(
        [row.mean_z for row in other.systems]
    )
    assert pytest.approx(other.scale.anova.rows[0].F) == same.scale.anova.rows[0].F
    assert other.systems[0].mean > 30, "the mean stays that of the scores as they were given"
    assert other.scale.scale == "standardised within each rater"
    assert "standardised within each rater" in other.sentences[0]
    plain = report(rated([(0, 10), (50, 3)]))
    assert [row.mean_z for row in plain.systems] == [None] * 3
    assert other.scale.anova.rows[0].F > 2 * plain.scale.anova.rows[0].F


def test_standardised_scores_have_no_logarithm():
    with pytest.raises(OptionsError, match="standardised values have no logarithm"):
        ReportOptions(standardise=("adequacy",), log_scale=("adequacy",))
