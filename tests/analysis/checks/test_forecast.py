"""What a rule does before anybody has worked."""

import math

import numpy as np
import pytest

from analysis.checks.forecast import fates, forecast
from analysis.checks.joint import Planned, caught, measures_by_batch, simulated_measures
from analysis.checks.measures import CheckAnswer, measures_of
from analysis.checks.rater_models import (
    CAREFUL,
    CARELESS,
    LINE,
    MODELS,
    Drawn,
    Scale,
    drawn_answers,
)
from analysis.checks.rules import parse_rule
from analysis.checks.simulation import caught_shares

CHECKS = (
    Planned("look", "instructed", 2),
    Planned("spoiled", "corruption", 5),
    Planned("again", "repeat", 8),
)


def foretold(rule: str, checks=CHECKS):
    return forecast(parse_rule(rule), checks).parts


def test_each_part_has_its_own_losses():
    failures, pairs, repeats, time = foretold(
        "instructed.failed >= 2 or spoiled.paired_p > .05 or again.icc < .3 or median_seconds < 5"
    )
    # A careful rater who slips still passes a fifth of the time.
    assert failures.careful_lost == pytest.approx((0.03 * 0.8) ** 2, abs=0.002)
    assert failures.careless_kept == pytest.approx(1 - 0.8**2, abs=0.03)
    assert 0.4 < pairs.careful_lost < 0.6  # all five differences must be positive
    assert pairs.careless_kept == pytest.approx(1 / 32, abs=0.01)
    assert 0 < repeats.careful_lost < 0.2 and 0.05 < repeats.careless_kept < 0.35
    assert (time.careful_lost, time.careless_kept, time.warning) == (None, None, "")


@pytest.mark.parametrize(
    "measure",
    ["failed_share > .3", "unpaired_p > .05", "mean_drop < 15", "paired_p > .05", "failed >= 3"],
)
@pytest.mark.slow
def test_every_measure_of_damage_has_a_forecast_with_or_without_and(measure):
    [alone] = foretold(f"spoiled.{measure}")
    [joined] = foretold(f"spoiled.{measure} and spoiled.answered >= 5")
    assert None not in (alone.careful_lost, alone.careless_kept)
    assert (alone.careful_lost, alone.careless_kept) == (joined.careful_lost, joined.careless_kept)
    assert alone.careful_lost < 1 - alone.careless_kept


def test_the_difference_between_two_answers_has_a_forecast():
    [found] = foretold("again.mean_difference > 25")
    assert found.careful_lost < 0.1 and found.careless_kept < 0.2


# Careful raters who fail `paired_p > .05`, by the points of the scale: an independent simulation
# (3,000 raters each) of the documented rater, from a review of release 1.4.5.
REVIEWED = {
    7: {None: 0.19, 7: 0.27, 5: 0.36, 3: 0.66, 2: 0.83},
    10: {None: 0.05, 7: 0.09, 5: 0.11, 3: 0.32, 2: 0.55},
}


@pytest.mark.parametrize("pairs", REVIEWED)
@pytest.mark.parametrize("points", REVIEWED[7])
@pytest.mark.slow
def test_coarse_scales_lose_more_careful_raters(pairs, points):
    check = Planned("spoiled", "corruption", pairs, scale=Scale(1, points or 100, points))
    [found] = foretold("spoiled.paired_p > .05", [check])
    assert found.careful_lost == pytest.approx(REVIEWED[pairs][points], abs=0.06)


def test_the_page_and_the_documented_table_have_one_careful_rater():
    for rule, pages in (
        ("instructed.failed >= 2", {"instructed": 10}),
        ("corruption.paired_p > .05", {"corruption": 10}),
        ("repeat.icc < .3", {"repeat": 10}),
    ):
        [(kind, count)] = pages.items()
        accepted = 0.14 if kind == "instructed" else 0.5
        [found] = foretold(rule, [Planned(kind, kind, count, accepted)])
        [shares] = caught_shares([rule], pages, raters=4_000, seed=3)
        assert found.careful_lost == pytest.approx(shares["careful"], abs=0.02)
        assert 1 - found.careless_kept == pytest.approx(shares["careless"], abs=0.02)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("scale", [LINE, Scale(1, 5, 5), Scale(1, 2, 2)])
@pytest.mark.parametrize(
    ("kind", "answers"), [("corruption", 6), ("corruption", 30), ("repeat", 5), ("repeat", 2)]
)
@pytest.mark.slow
def test_measures_of_many_raters_are_those_of_each(kind, answers, scale, model, monkeypatch):
    seen: list[Drawn] = []

    def keep(*arguments, **more):
        seen.append(drawn_answers(*arguments, **more))
        return seen[-1]

    monkeypatch.setattr("analysis.checks.joint.drawn_answers", keep)
    checks = [Planned("mine", kind, answers, scale=scale)]
    found = simulated_measures(checks, model, np.random.default_rng(8), raters=12)
    [drawn] = seen
    for number in range(12):
        rows = zip(drawn.passed[number], drawn.value[number], drawn.other[number], strict=True)
        given = [
            CheckAnswer("mine", kind, None if math.isnan(p) else bool(p), round(v, 9), round(o, 9))
            for p, v, o in rows
        ]
        expected = measures_of(given, checks=[("mine", kind)])
        for name, values in found.items():
            value = None if math.isnan(values[number]) else pytest.approx(values[number], abs=1e-9)
            assert expected[name] == value, name


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("spoiled.paired_p > .01", "is never below {least}"),
        ("look.failed >= 3", "catches nobody"),
        ("look.failed >= 0", "every rater"),
    ],
)
def test_rules_that_cannot_work_are_warned_of(rule, said):
    [found] = foretold(rule)
    assert said in found.warning
    assert found.careful_lost in (0.0, 1.0)
    assert found.warning.format(**dict(found.values))


def test_two_repetitions_show_nothing():
    [found] = foretold("again.icc < .3", [Planned("again", "repeat", 2)])
    assert "Three repetitions" in found.warning


def test_the_whole_rule_loses_more_than_each_of_its_parts():
    rule = "look.failed >= 1 or spoiled.paired_p > .05 or again.icc < .3 or median_seconds < 5"
    found = forecast(parse_rule(rule), CHECKS)
    known = [part for part in found.parts if part.careful_lost is not None]
    assert len(known) == 3
    assert found.whole.careful_lost == pytest.approx(
        1 - math.prod(1 - part.careful_lost for part in known), abs=0.02
    )
    assert found.whole.careless_kept < min(part.careless_kept for part in known)


def test_parts_that_are_joined_are_decided_for_simulated_raters():
    """Two checks of one rater are independent, given how careful the rater is."""
    [both] = foretold("look.failed >= 1 and again.icc < .3")
    [look], [again] = foretold("look.failed >= 1"), foretold("again.icc < .3")
    assert both.careful_lost == pytest.approx(look.careful_lost * again.careful_lost, abs=0.01)
    caught = (1 - look.careless_kept) * (1 - again.careless_kept)
    assert 1 - both.careless_kept == pytest.approx(caught, abs=0.03)
    [neither] = foretold("not (look.failed >= 1 or again.icc < .3)")
    kept = look.careless_kept * again.careless_kept
    assert 1 - neither.careless_kept == pytest.approx(kept, abs=0.03)


def test_a_part_with_a_measure_of_time_has_no_forecast():
    [found] = foretold("look.failed >= 1 and median_seconds < 5")
    assert (found.careful_lost, found.careless_kept) == (None, None)


def test_answers_of_careless_raters_are_anywhere_on_the_scale():
    drawn = drawn_answers(CARELESS, "repeat", (2_000, 5), np.random.default_rng(1), scale=LINE)
    assert drawn.value.mean() == pytest.approx(50, abs=1.5)
    careful = drawn_answers(CAREFUL, "repeat", (2_000, 5), np.random.default_rng(1))
    assert np.corrcoef(careful.value.ravel(), careful.other.ravel())[0, 1] > 0.5


@pytest.mark.parametrize(
    "rule",
    [
        "look.failed >= 1 and not again.icc < .3",
        "not (look.failed >= 1 or few.icc < .3)",
        "few.icc < .3 or spoiled.paired_p > .05",
        "not few.icc < .3 and look.failed == 0",
        "look.failed != 1 and (spoiled.mean_drop < 20 or few.icc >= 0)",
    ],
)
def test_rules_decide_many_raters_as_they_decide_each(rule):
    """`few.icc` never has a value, so that what is not known is decided as well."""
    checks = [*CHECKS, Planned("few", "repeat", 2)]
    measures = simulated_measures(checks, CARELESS, np.random.default_rng(3), raters=60)
    found = caught(parse_rule(rule), measures)
    for number in range(60):
        values = {name: column[number] for name, column in measures.items()}
        own = {name: None if math.isnan(value) else value for name, value in values.items()}
        assert found[number] == (parse_rule(rule).truth(own, is_final=True) is True)


def test_a_rule_is_decided_after_each_batch():
    """A rater who is excluded after the first batch does not come back with the second."""
    rule, check = parse_rule("spoiled.paired_p > .05"), [Planned("spoiled", "corruption", 5)]
    once, twice = (forecast(rule, check, batches=batches).whole for batches in (1, 2))
    [_first, last] = measures_by_batch(check, CAREFUL, np.random.default_rng(0), batches=2)
    assert twice.careful_lost > once.careful_lost > caught(rule, last).mean() + 0.2
    careful, *_others = fates({"exclude": rule}, check, batches=2)
    assert careful.excluded == pytest.approx(twice.careful_lost, abs=0.03)
    late = careful.excluded - once.careful_lost
    assert careful.paid_batches == pytest.approx(once.careful_lost + 2 * late, abs=0.03)


@pytest.mark.parametrize(("choices", "tries"), [(2, 1), (4, 2), (3, 3)])
def test_who_guesses_at_a_quiz_passes_as_often_as_chance_says(choices, tries):
    quiz = Planned("what", "quiz", 1, 1 / choices, tries=tries)
    careful, _asleep, careless, scripted = fates({"gate": parse_rule("quiz.failed >= 1")}, [quiz])
    assert careless.turned_away == pytest.approx((1 - 1 / choices) ** tries, abs=0.03)
    assert careful.turned_away == pytest.approx((0.03 * (1 - 1 / choices)) ** tries, abs=0.01)
    assert scripted.turned_away == 1.0, "it gives the same answer at each try"


def test_each_rater_meets_one_fate():
    rules = {
        "gate": parse_rule("quiz.failed >= 1"),
        "exclude": parse_rule("look.failed >= 1"),
        "flag": parse_rule("again.icc < .6"),
    }
    checks = [*CHECKS, Planned("what", "quiz", 1, 0.25, tries=1)]
    for fate in fates(rules, checks, batches=2):
        assert fate.turned_away + fate.excluded + fate.marked <= 1 + 1e-9
        assert fate.kept == pytest.approx(1 - fate.turned_away - fate.excluded)
        assert 0 <= fate.excluded <= fate.paid_batches <= 2 * fate.excluded
