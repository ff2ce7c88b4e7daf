"""Scores standardised within each rater: the systems are compared on z, their means shown too."""

import numpy as np
import pytest

from analysis.errors import OptionsError
from analysis.report.make import ReportOptions, make_report
from analysis.table import JudgementTable


def rated(scales: list[tuple[float, float]]) -> JudgementTable:
    """Raters of equal taste on scales of their own: (lowest score, what one step is worth)."""
    rng = np.random.default_rng(4)
    steps = {"good": 2.0, "fair": 1.0, "poor": 0.0}
    rows = [
        (f"r{rater}", f"i{item}", system, low + width * (step + rng.normal(0, 0.3)))
        for rater, (low, width) in enumerate(scales)
        for item in range(20)
        for system, step in steps.items()
    ]
    columns = dict(zip(("rater", "item", "system", "value"), zip(*rows, strict=True), strict=True))
    screens = [f"{rater}-{item}-{system}" for rater, item, system, _ in rows]
    return JudgementTable.from_columns(
        columns | {"criterion": ["adequacy"] * len(rows), "screen": screens}
    )


def report(table: JudgementTable, **options: object):
    kinds = {"adequacy": "scale"}
    return make_report(
        table, ReportOptions(kinds=kinds, agreement_resamples=0, **options)
    ).criterion("adequacy")


def test_raters_scales_do_not_matter_once_they_are_standardised():
    same = report(rated([(0, 10), (0, 10)]), standardise=("adequacy",))
    other = report(rated([(0, 10), (50, 3)]), standardise=("adequacy",))
    assert [row.system for row in same.systems] == ["good", "fair", "poor"]
    assert [row.mean_z for row in same.systems] == pytest.approx(
        [row.mean_z for row in other.systems]
    )
    assert pytest.approx(other.scale.anova.rows[0].F) == same.scale.anova.rows[0].F
    assert other.systems[0].mean > 30, "the mean stays that of the scores as they were given"
    assert other.scale.scale == "standardised within each rater"


def test_without_it_the_scales_of_the_raters_hide_the_systems():
    table = rated([(0, 10), (50, 3)])
    plain = report(table)
    assert [row.mean_z for row in plain.systems] == [None] * 3
    z = report(table, standardise=("adequacy",))
    assert z.scale.anova.rows[0].F > 2 * plain.scale.anova.rows[0].F


def test_the_report_says_that_scores_were_standardised():
    found = report(rated([(0, 10), (50, 3)]), standardise=("adequacy",))
    assert "standardised within each rater" in found.sentences[0]


def test_standardised_scores_have_no_logarithm():
    with pytest.raises(OptionsError, match="standardised values have no logarithm"):
        ReportOptions(standardise=("adequacy",), log_scale=("adequacy",))
