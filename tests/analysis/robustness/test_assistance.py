"""What suggestions do to answers: estimates, their intervals, and when there are none."""

import numpy as np
import pytest

from analysis import JudgementTable
from analysis.errors import Undefined
from analysis.inference import critical_t
from analysis.report.layout.robustness_tables import robustness_tables
from analysis.report.make import make_report
from analysis.report.options import ReportOptions
from analysis.report.robustness_section import assistance_of
from analysis.robustness.assistance import assistance, has_held_out, seconds_on_screens
from benchmarks.robustness_level import Planted, assisted_campaign, judged, of_screens


def table_of(**columns) -> JudgementTable:
    number = len(columns["value"])
    same = {"system": ["A"] * number, "criterion": ["errors"] * number}
    return JudgementTable.from_columns(same | columns)


def small(seed: int = 1, raters: int = 4, items: int = 6) -> JudgementTable:
    """Each rater judges each item; two of them without suggestions."""
    rng = np.random.default_rng(seed)
    rater, item = (each.ravel() for each in np.indices((raters, items)))
    held_out = (item + rater) % 3 == 0
    return table_of(
        rater=rater,
        item=item,
        screen=np.arange(len(rater)),
        value=np.round(rng.normal(size=len(rater)) + rater + 2 * ~held_out, 3),
        assisted=np.where(held_out, "no", "yes"),
    )


def found_in(table: JudgementTable, generality: str = "raters", **outcomes):
    outcomes = outcomes or {"value": table.value}
    return assistance(table, outcomes, table.item.codes, generality=generality)


def test_the_estimate_and_its_error_are_those_of_least_squares_with_a_sandwich():
    """The oracle: dummies for raters, and the sum of raters' scores, written out."""
    table = small()
    found = found_in(table)
    helped = np.array(table.factors["assisted"].labels)[table.factors["assisted"].codes] == "yes"
    design = np.column_stack([np.eye(4)[table.rater.codes], helped])
    coefficients, *_ = np.linalg.lstsq(design, table.value, rcond=None)
    scores = design * (table.value - design @ coefficients)[:, None]
    by_rater = np.stack([scores[table.rater.codes == rater].sum(axis=0) for rater in range(4)])
    bread = np.linalg.inv(design.T @ design)
    error = (bread @ by_rater.T @ by_rater @ bread * 4 / 3)[-1, -1] ** 0.5
    (value,) = found.measures
    assert value.effect == pytest.approx(coefficients[-1])
    assert value.high - value.effect == pytest.approx(critical_t(0.05, 1, 3) * error)
    assert value.assisted == pytest.approx(table.value[helped].mean())
    assert value.held_out == pytest.approx(table.value[~helped].mean())
    assert (found.held_out, found.assisted, found.raters) == (8, 16, 4)


def test_intervals_hold_the_truth_and_ignoring_raters_does_not():
    """Draws are fixed. Both measures hold together, so each interval misses in 2.5 %."""
    campaigns, held, naive = 40, 0, 0
    for seed in range(campaigns):
        case = judged(assisted_campaign(seed, 8, 40, Planted(assistance=0.5)), relative=False)
        value, _ = assistance_of(case).measures
        held += value.low <= 0.5 <= value.high
        value, _ = assistance_of(of_screens(case)).measures
        naive += value.low <= 0.5 <= value.high
    assert held >= 0.9 * campaigns
    assert naive < 0.9 * campaigns


def test_two_raters_are_too_few_for_new_raters_and_their_items_enough_for_new_items():
    table = small(raters=2)
    with pytest.raises(Undefined, match=r"too few .* for new raters of these items: 2 raters"):
        found_in(table)
    assert found_in(table, "items").measures


def test_raters_who_never_went_without_suggestions_count_for_nothing():
    table = small()
    cells = table.factors["assisted"]
    marked = np.array(cells.labels)[cells.codes]
    only = np.where(table.rater.codes >= 2, "yes", marked)
    with pytest.raises(Undefined, match="2 raters"):
        found_in(
            table_of(rater=table.rater, item=table.item, screen=table.screen, value=table.value,
                     assisted=only)
        )  # fmt: skip


def test_no_screen_held_out_has_no_section():
    table = small()
    always = table_of(rater=table.rater, item=table.item, screen=table.screen, value=table.value,
                      assisted=["yes"] * len(table))  # fmt: skip
    assert has_held_out(table)
    assert not has_held_out(always)
    assert make_report(always, ReportOptions()).criteria[0].robustness.assistance is None


def test_the_time_of_a_screen_is_counted_once_and_may_be_unknown():
    table = table_of(
        rater=["r"] * 4,
        item=["1", "1", "2", "3"],
        system=["A", "B", "A", "A"],
        screen=["s1", "s1", "s2", "s3"],
        value=[1.0, 2.0, 3.0, 4.0],
        screen_ms=["2000", "2000", "", "4000"],
    )
    times = np.exp(seconds_on_screens(table))
    assert times[[0, 3]] == pytest.approx([2, 4])
    assert np.isnan(times[[1, 2]]).all()


def test_a_measure_without_an_estimate_has_a_reason_and_the_others_stay():
    table = small()
    found = found_in(table, value=table.value, marks=np.ones(len(table)))
    assert [each.name for each in found.measures] == ["value"]
    assert found.refused[0].startswith("marks: ")


def test_the_report_says_it_with_its_claims_bounds():
    case = judged(assisted_campaign(3, 16, 12, Planted(assistance=1.5)), relative=False)
    report = make_report(case.part, ReportOptions())
    section = report.criteria[0].robustness
    found = {each.name: each for each in robustness_tables(section, "both", 0.05)}["assistance"]
    assert next(row.cells[0] for row in found.rows) == "value"
    sentence, rate = found.notes[:2]
    assert "With suggestions, values are higher, by" in sentence
    assert "for new raters and new items" in sentence
    assert "these suggestions: others may do something else" in rate
