"""What a report claims of single pairs: when it may, and when it must not."""

import numpy as np
import pytest

from analysis import OptionsError
from analysis.report.make import ReportOptions, make_report
from analysis.report.model import CriterionReport
from tests.analysis.judged import table_of_screens
from tests.analysis.studies import QUICK

NAMES = "abcd"


def report_on(values: np.ndarray, **options) -> CriterionReport:
    """The report on values of shape (raters, items, systems)."""
    table = table_of_screens(
        [
            {"rater": f"r{r}", "item": f"i{i}", "values": dict(zip(NAMES, given, strict=False))}
            for r, rows in enumerate(values)
            for i, given in enumerate(rows)
        ]
    )
    return make_report(table, ReportOptions.from_dict({**QUICK, **options})).criteria[0]


@pytest.mark.parametrize(
    ("raters", "claim"), [(5, "needs 6 raters"), (6, "tell 6 of 6 pairs apart")]
)
@pytest.mark.parametrize("kind", ["relative", "scale"])
@pytest.mark.slow
def test_what_every_rater_sees_is_claimed_from_six_raters_on(raters, claim, kind):
    ordered = np.zeros((raters, 10, 4)) + np.array([4, 3, 2, 1])
    found = report_on(ordered, kinds={"quality": kind})
    assert sum(claim in sentence for sentence in found.sentences) == 1
    assert [pair.share for pair in found.effects.pairs] == [1.0] * 6
    assert ("rater_tests" in found.effects.undefined) == (raters == 5)


@pytest.mark.parametrize("kind", ["relative", "scale"])
def test_exact_tests_claim_nothing_of_equal_systems_and_no_new_items(kind):
    equal = np.random.default_rng(4).normal(5, 1, size=(8, 10, 4))
    (said,) = (
        each for each in report_on(equal, kinds={"quality": kind}).sentences if "Exact" in each
    )
    assert "tell 0 of 6 pairs apart" in said and "say nothing about new items" in said


def test_lower_values_are_preferred_where_lower_is_better():
    values = np.random.default_rng(2).normal(size=(7, 5, 3)) + np.array([0, 1, 2])
    for kind in ("relative", "time"):
        found = report_on(values, kinds={"quality": kind}, lower_is_better=["quality"])
        best = found.effects.rest[0]
        assert best.a == "a" and best.share > 0.5 and found.effects.tests.pairs[0].difference > 0


@pytest.mark.parametrize(("kind", "margin"), [("scale", 0.5), ("relative", 0.25)])
@pytest.mark.slow
def test_equivalence_is_said_only_within_the_stated_margin(kind, margin):
    dice = np.random.default_rng(6)
    alike = dice.normal(size=(12, 24, 3)) + np.array([1.5, 0, 0])
    options = {"kinds": {"quality": kind}, "equivalence": {"quality": margin}}
    found = report_on(alike, **options)
    assert [(each.a, each.b) for each in found.effects.equivalence.equivalent()] in (
        [("b", "c")],
        [("c", "b")],
    )
    (said,) = (each for each in found.sentences if "margin of equivalence" in each)
    assert " and " in said.split("differences for:")[1] and "new raters and new items" in said
    scarce = report_on(alike[:3, :4], **options)
    (said,) = (each for each in scarce.sentences if "margin of equivalence" in each)
    assert "smaller differences for: no pair" in said
    assert not any("quivalen" in each for each in report_on(alike).sentences)


def test_a_margin_of_equivalence_is_a_positive_number():
    with pytest.raises(OptionsError, match="equivalence of quality must be above 0"):
        ReportOptions(equivalence={"quality": 0.0})
