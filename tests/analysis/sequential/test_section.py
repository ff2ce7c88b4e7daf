"""Looks at simulated campaigns: what they refuse, claim and propose."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.errors import OptionsError
from analysis.report.answer import answers_of
from analysis.report.make import make_report
from analysis.report.options import ReportOptions
from analysis.sequential.plan import ANYTIME, GROUP_SEQUENTIAL, LookPlan
from analysis.sequential.section import sequential_section
from analysis.sequential.sentences import ONLY_A_FIXED_PLAN, look_sentences, proposal
from benchmarks.looks_while_running import (
    CRITERION,
    E2E_RATINGS,
    RealRaters,
    Setting,
    betting,
    group,
    looked_at,
    wrong,
    wrong_about_new_items,
    wrong_asymptotically,
    wrong_at_any_end,
    wrong_by_finishing,
    wrong_by_peeking,
)

BETTER = Setting(taste=0.3, effect=1.0)
EQUAL = Setting(taste=0.5, item_taste=0.5)


def first(setting, raters, plan, number=1):
    """Look at the raters who began first."""
    return looked_at(setting, number, plan, setting.began(number)[:raters])


@pytest.mark.parametrize(
    ("plan", "least"), [(LookPlan(GROUP_SEQUENTIAL, planned=40), 10), (LookPlan(ANYTIME), 12)]
)
def test_too_few_raters_are_refused_with_the_reason(plan, least):
    for raters in (3, least - 1):
        refused = first(BETTER, raters, plan)
        assert refused.pairs == ()
        assert f"at least {least}" in refused.reason
        assert f"There are {raters}" in proposal(refused)
    assert first(BETTER, least, plan).pairs


def test_a_small_plan_without_looks_is_tested_as_a_fixed_one():
    small = first(BETTER, 6, LookPlan(GROUP_SEQUENTIAL, planned=6))
    assert small.steps[0].critical == pytest.approx(2.5706, abs=1e-3)  # t of 5 at .025
    assert first(BETTER, 2, LookPlan(GROUP_SEQUENTIAL, planned=2)).reason


def test_bets_claim_nothing_about_new_items():
    refused = first(replace(BETTER, generality="both"), 40, betting(40))
    assert "nothing about new items" in refused.reason
    assert first(replace(BETTER, generality="both"), 40, group(2, 40)).reached


def test_claims_about_new_items_alone_have_no_looks_at_raters():
    assert "new raters" in first(replace(BETTER, generality="items"), 40, group(2, 40)).reason


@pytest.mark.parametrize("plan", [LookPlan(GROUP_SEQUENTIAL, planned=40), LookPlan(ANYTIME)])
def test_raters_behind_a_sitting_that_has_not_ended_are_left_out(plan):
    """Whatever they say changes nothing but the number of judgements left out."""
    table = BETTER.campaign(1)
    looked = replace(plan, order=BETTER.began(1)[:20])
    options = ReportOptions(generality="raters", looking=looked.as_dict())
    later = np.array([int(name[1:]) for name in table.rater.labels])[table.rater.codes] >= 20
    changed = replace(table, value=np.where(later, 5.0 - 10 * table.value, table.value))
    one, other = (
        sequential_section(each, options, relative=False, higher_is_better=True)
        for each in (table, changed)
    )
    assert one.left_out == int(later.sum()) > 0
    assert one.steps == other.steps
    assert {each.difference for each in one.pairs} == {each.difference for each in other.pairs}


def test_what_a_look_has_told_apart_stays_told_apart():
    """Few raters more would need an almost infinite t: the earlier look's claim counts."""
    early = first(BETTER, 40, LookPlan(GROUP_SEQUENTIAL, planned=40, looks=(20,)))
    assert early.pairs[0].look == 1
    later = first(BETTER, 40, LookPlan(GROUP_SEQUENTIAL, planned=20, looks=(20,)))
    assert later.steps[-1].critical is None
    assert later.pairs[0].apart
    assert later.reached


def test_the_last_look_needs_more_than_a_fixed_plan_where_there_were_others():
    plan = replace(group(2, 40), looks=())
    critical = [first(EQUAL, 40, each).steps[-1].critical for each in (plan, group(5, 40))]
    assert critical[0] == pytest.approx(2.0227, abs=1e-3)  # t of 39 degrees of freedom at .025
    assert critical[1] > critical[0]


def test_all_agree_without_any_spread():
    """Every rater gives the same values: the error is that of as many coins."""
    table = replace(Setting(taste=0, item_taste=0).campaign(1))
    value = np.where(table.system.codes == 0, 2.0, 1.0)
    looking = LookPlan(GROUP_SEQUENTIAL, planned=40, order=table.rater.labels).as_dict()
    section = sequential_section(
        replace(table, value=value),
        ReportOptions(looking=looking),
        relative=True,
        higher_is_better=True,
    )
    assert section.pairs[0].apart
    assert np.isfinite(section.pairs[0].low)


def test_equal_systems_are_shown_to_be_within_a_wide_margin_only():
    setting = replace(EQUAL, taste=0.1, item_taste=0.0, relative=True)
    found = []
    for margin in (0.2, 0.01):
        options = ReportOptions(
            generality="raters",
            equivalence={CRITERION: margin},
            looking=replace(group(2, 40), order=setting.began(3)).as_dict(),
        )
        found.append(
            sequential_section(setting.campaign(3), options, relative=True, higher_is_better=True)
        )
    wide, narrow = found
    assert wide.pairs[0].within and wide.reached and not wide.pairs[0].apart
    assert "differ by less than the margin of ± 0.2" in proposal(wide)
    assert not narrow.reached
    assert "You may stop" not in proposal(narrow) or narrow.futile
    assert "do not say that one is as good" in " ".join(look_sentences(narrow))


def test_futility_is_advice_and_only_from_half_of_the_raters_on():
    numbers = [number for number in range(30) if abs(_difference(EQUAL, number, 30)) < 0.05]
    assert numbers
    half = first(EQUAL, 30, replace(group(4, 40), looks=(10, 20)), numbers[0])
    assert half.futile
    assert "does not show that they are equal" in proposal(half)
    early = first(EQUAL, 10, LookPlan(GROUP_SEQUENTIAL, planned=40), numbers[0])
    assert not early.futile


def _difference(setting, number, raters):
    return (
        first(setting, raters, LookPlan(GROUP_SEQUENTIAL, planned=40), number).pairs[0].difference
    )


def test_the_goal_is_the_best_system_or_all_pairs():
    setting = replace(BETTER, systems=3)
    plan = group(2, 40)
    assert first(setting, 40, plan).reached
    every = first(setting, 40, replace(plan, goal="all"))
    assert not every.reached
    assert "Go on: 2 of 3 pairs were told apart so far" in proposal(every)


@pytest.mark.parametrize("plan", [group(2, 40), betting(40)])
def test_no_system_is_best_that_was_not_compared_with_all_others(plan):
    """Some raters see the first and second system, others the second and third."""
    setting = replace(BETTER, systems=3, effect=2.0)
    table = setting.campaign(1)
    hidden = np.where(table.rater.codes % 2 == 0, 2, 0)
    seen = table.rows(table.system.codes != hidden)
    looking = replace(plan, order=setting.began(1))
    options = ReportOptions(
        generality="raters", looking=looking.as_dict(), runs=20, agreement_resamples=0
    )
    report = make_report(seen, options)
    section = report.criteria[0].sequential
    assert section.systems[0] == "s0000"
    pairs = {(pair.a, pair.b): pair for pair in section.pairs}
    assert pairs["s0000", "s0001"].apart
    assert not pairs["s0000", "s0002"].apart
    assert pairs["s0000", "s0002"].raters == 0
    assert not section.reached
    assert answers_of(report)[0].headline == "The best system is s0000 or s0002."


def test_a_report_claims_what_its_looks_hold_and_nothing_of_a_fixed_plan():
    """A difference that a fixed plan's test tells apart, and bets on the same raters do not."""
    setting = replace(EQUAL, generality="raters", effect=0.35, item_taste=0.0)
    plan = betting(40)
    number = next(
        number
        for number in range(100)
        if 3 < abs(_t(setting, number)) < 3.5 and not wrong(setting, plan, number)
    )
    table = setting.campaign(number)
    plain = ReportOptions(generality="raters", runs=20, agreement_resamples=0)
    plan = replace(plan, order=setting.began(number))
    fixed, looked = (
        answers_of(make_report(table, options))[0]
        for options in (plain, replace(plain, looking=plan.as_dict()))
    )
    assert "is the best system" in fixed.headline
    assert looked.headline == "No system was found to be better than another."
    assert "does not show that they are equal" in looked.sentence
    assert looked.sequential is not None
    report = make_report(table, replace(plain, looking=plan.as_dict())).criteria[0]
    assert ONLY_A_FIXED_PLAN in report.sentences
    assert not any("apart" in each and "looks" not in each for each in report.sentences)


def _t(setting, number):
    pair = first(setting, 40, LookPlan(GROUP_SEQUENTIAL, planned=40), number)
    half = (pair.pairs[0].high - pair.pairs[0].low) / 2
    return pair.pairs[0].difference / half * pair.steps[-1].critical


@pytest.mark.parametrize(
    ("looking", "problem"),
    [
        ({"mode": "never"}, "mode must be one of"),
        ({"mode": "anytime", "goal": "some"}, "goal must be one of"),
        ({"mode": "group-sequential"}, "planned number of raters"),
        ({"mode": "anytime", "order": ["a", "a"]}, "only once"),
        ({"mode": "anytime", "looks": [20, 10]}, "more and more raters"),
        ({"mode": "anytime", "order": "abc"}, "order cannot be"),
        ({"mode": 3}, "mode cannot be"),
        ({"peeks": 3}, "no part 'peeks'"),
        ({"mode": "group-sequential", "planned": 9, "looks": [1, 2, 3, 4, 5, 6]}, "at most 5"),
    ],
)
def test_bad_plans_are_refused(looking, problem):
    with pytest.raises(OptionsError, match=problem):
        ReportOptions.from_dict({"looking": looking})


def test_plans_are_read_back():
    plan = replace(group(4, 40), order=("b", "a"))
    options = ReportOptions(looking=plan.as_dict())
    assert ReportOptions.from_dict(options.as_dict()).look_plan == plan
    assert LookPlan().as_dict() == {}


# --- error rates; docs/statistics.md has the whole table ----------------------------------------

CAMPAIGNS = 120


def share(check, setting, plan):
    return sum(check(setting, plan, number) for number in range(CAMPAIGNS)) / CAMPAIGNS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "plan"),
    [
        (EQUAL, group(4, 40)),
        (replace(EQUAL, generality="both"), group(4, 40)),
        (replace(EQUAL, items=48, batches=4, systems=5), group(2, 40)),
        (replace(EQUAL, raters=60, relative=True), betting(60)),
    ],
)
def test_equal_systems_are_rarely_told_apart_at_any_look(setting, plan):
    """The draws are fixed: .05 and 2.5 standard errors; a fixed plan's t is the control."""
    most = 0.05 + 2.5 * (0.05 * 0.95 / CAMPAIGNS) ** 0.5
    assert share(wrong, setting, plan) <= most


@pytest.mark.slow
@pytest.mark.skipif(
    not E2E_RATINGS.exists(), reason=f"PUBLISHED DATA MISSING: {E2E_RATINGS.parents[1]}"
)
def test_looks_at_real_raters_of_equal_systems_are_rarely_wrong():
    """Raters of the E2E challenge with their own loads, scales and tastes."""
    real, count = RealRaters(raters=60, relative=True), 40
    table = real.campaign(1)
    assert (len(table.rater.labels), len(table.system.labels)) == (60, 2)
    assert sum(wrong(real, betting(60), number) for number in range(count)) <= 2
    assert sum(wrong_at_any_end(real, betting(60), number) for number in range(count)) >= 5


@pytest.mark.slow
def test_bets_on_items_that_all_raters_share_are_wrong_about_new_items():
    """And not about these items; which is why no launch accepts claims about both at any time."""
    shared = replace(EQUAL, raters=60, generality="both")
    assert share(wrong_about_new_items, shared, betting(60)) > 0.1
    these = replace(shared, generality="raters")
    assert share(wrong_about_new_items, these, betting(60)) <= 0.05


@pytest.mark.slow
def test_a_fixed_plans_test_after_each_rater_is_wrong_too_often():
    assert share(wrong_by_peeking, replace(EQUAL, item_taste=0), LookPlan()) > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("plan", [group(5, 100), betting(100)])
def test_the_order_of_finishing_is_wrong_where_the_order_of_beginning_is_not(plan):
    leaning = Setting(raters=100, taste=0.5, item_taste=0.0, lean=0.4)
    began = share(wrong, leaning, plan)
    assert began <= 0.1
    assert share(wrong_by_finishing, leaning, plan) > 0.3
    assert share(wrong_asymptotically, leaning, plan) > 0.3
