"""What a report says where each rater judged one system."""

from functools import cache

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.meta_evaluation.people import People
from analysis.meta_evaluation.prediction_powered import prediction_powered
from analysis.report.answer import answer_of
from analysis.report.layout.report_tables import tables_of
from analysis.report.options import ReportOptions
from analysis.report.scale_section import full_mixed_model, units_of
from tests.analysis.studies import from_rows, report_without_mixed_models

COMES_BY_CHANCE = "raters must have come to systems by chance"


@cache
def study(better: float = 0.0, raters: int = 8, items: int = 6):
    """Three systems with raters of their own, who differ in strictness as much as by chance."""
    dice = np.random.default_rng(3)
    rows = []
    for place, system in enumerate(("ash", "birch", "cedar")):
        for rater in range(raters):
            strictness = dice.normal()
            rows += [
                (f"{system}-{rater}", f"i{item}", system, "q", round(value, 1), f"{rater}.{item}")
                for item in range(items)
                for value in [better * (place == 0) + strictness + dice.normal()]
            ]
    return from_rows(rows)


@cache
def reported(better: float = 0.0, raters: int = 8, generality: str = "both"):
    options = {"runs": 2, "agreement_resamples": 0, "kinds": {"q": "scale"}}
    options |= {"generality": generality, "equivalence": {"q": 1.0}}
    return report_without_mixed_models(study(better, raters), options)


def criterion(*given):
    (found,) = reported(*given).criteria
    return found


def test_a_clear_difference_between_raters_is_claimed_and_said_to_need_chance():
    answer = answer_of(criterion(4.0), "both")
    assert answer.headline == "ash is the best system."
    assert COMES_BY_CHANCE in answer.sentence
    assert "for new raters and new items" in answer.sentence
    assert any("Least squares on system, with errors" in each for each in criterion(4.0).sentences)


def test_equal_systems_are_not_told_apart_though_judgements_taken_alone_would_tell():
    """Tukey's comparisons call some pair different, because strict raters look like systems."""
    found = criterion()
    assert any(pair.p < 0.05 for pair in found.scale.tukey.pairs)
    answer = answer_of(found, "both")
    assert answer.headline == "No system was found to be better than another."
    assert not found.effects.equivalence.equivalent()


def test_no_table_says_that_means_are_adjusted_for_raters():
    (found,) = tables_of(reported(4.0))
    notes = [note for table in found.tables for note in table.notes]
    assert any("between raters" in note for note in notes)
    assert not any("adjusted for raters" in note for note in notes)


@pytest.mark.parametrize(
    ("raters", "generality", "reason"),
    [
        (2, "both", "the system that has fewest count. 2 raters cannot show"),
        (8, "items", "cannot be told from one between these raters"),
    ],
)
def test_too_few_raters_of_a_system_or_other_claims_have_a_reason(raters, generality, reason):
    found = criterion(4.0, raters, generality)
    answer = answer_of(found, generality)
    assert answer.headline == "No difference between these systems can be claimed."
    assert reason in answer.sentence
    assert not answer.is_claim
    assert COMES_BY_CHANCE not in answer.sentence


def test_what_compares_systems_within_raters_has_a_reason():
    found = criterion(4.0)
    assert "raters who judge all systems" in found.scale.undefined["generalisability"]
    assert "No rater judged two systems" in found.effects.undefined["comparisons"]
    assert "here there are 0" in found.effects.undefined["rater_tests"]
    with pytest.raises(Undefined, match="need raters who judge several"):
        people = People.from_table(study(4.0))
        prediction_powered(people, "m", np.ones((3, 12)), tuple(f"i{k}" for k in range(12)))


def test_the_full_mixed_model_has_no_more_freedom_than_the_raters_of_a_system():
    """And one effect of raters, which is also that of raters and systems."""
    table, options = study(4.0), ReportOptions(kinds={"q": "scale"})
    model = full_mixed_model(table.value, table, options, True)
    assert "rater:system" not in model.formula and "item:system" in model.formula
    assert units_of(table, options).df == 5
    assert all(pair.df <= 5 for pair in model.contrasts)
