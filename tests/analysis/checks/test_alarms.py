"""Alarms about raters: what raises them, and how often careful raters get one."""

from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
import scipy

from analysis.checks import alarms as module
from analysis.checks.alarms import (
    ONE_IN,
    ScreenFacts,
    alarms_of,
    alike_chance,
    commonness_among,
    longest_run,
    run_chance,
)
from analysis.checks.rater_models import MODELS
from benchmarks.alarms import GIVES_UP, PAGE, SITUATIONS, e2e_alarms, found_share, interval

E2E = Path(__file__).resolve().parents[4] / "shared/data/e2e-eval/human_ratings/quality.csv"
SCRIPTED = next(model for model in MODELS if model.name == "scripted")


def names(screens, **more):
    return [alarm.name for alarm in alarms_of(screens, expected_seconds=20, **more)]


def rated(answers, seconds=20.0, reading=0.0):
    return [ScreenFacts(str(answer), 0, seconds, reading) for answer in answers]


VARIED = [1, 2, 3, 4, 5] * 4


@pytest.mark.parametrize(
    ("screens", "found"),
    [
        (rated(VARIED), []),
        (rated([5] * 60), ["same"]),
        (rated([5] * 9), []),
        (rated([*VARIED, *[3] * 20]), ["run"]),
        (rated(VARIED, seconds=1.9), ["hasty"]),
        (rated(VARIED, seconds=2.1), []),
        (rated(VARIED, seconds=5, reading=51), ["unread"]),
        (rated(VARIED, seconds=5, reading=49), []),
        (rated(VARIED, seconds=None), ["times"]),
        ([*rated(VARIED), *[ScreenFacts("1", 0, 20, 0, is_impossible=True)] * 3], ["times"]),
        ([*rated(VARIED), *[ScreenFacts("1", 0, 20, 0, is_impossible=True)] * 2], []),
        ([], []),
    ],
)
def test_each_habit_raises_its_alarm(screens, found):
    assert names(screens) == found


def test_an_answer_that_all_others_give_too_raises_no_alarm():
    others = [rated([1] * 27 + [0] * 3) for _ in range(5)]
    straight = rated([1] * 30)
    assert names(straight, commonness=commonness_among([*others, straight])) == []
    rare = [rated(VARIED) for _ in range(5)]
    assert names(straight, commonness=commonness_among([*rare, straight])) == ["same"]
    # Many who always answer alike do not make their answer common.
    assert commonness_among([straight] * 20) == {}


def test_runs_mean_nothing_where_the_order_is_not_drawn():
    screens = rated([*VARIED, *[3] * 20])
    assert names(screens, in_random_order=False) == []


def test_the_chance_of_a_run_is_never_below_that_of_all_orders():
    answers = "aaaabbcd"
    runs = Counter(longest_run(order) for order in permutations(answers))
    for length in range(2, 5):
        exact = sum(n for run, n in runs.items() if run >= length) / runs.total()
        assert exact <= run_chance(answers, length) <= 3 * exact
    # With one value there is one such run at most, and the bound is exact.
    runs = Counter(longest_run(order) for order in set(permutations("aaaabbb")))
    assert run_chance("aaaabbb", 4) == pytest.approx(runs[4] / runs.total())


@pytest.mark.parametrize(("equal", "screens", "commonness"), [(20, 20, 0.3), (27, 30, 0.6)])
def test_the_chance_of_equal_answers_is_the_integral_over_raters(equal, screens, commonness):
    def given(leniency):
        share = scipy.stats.norm.cdf(scipy.stats.norm.ppf(commonness) + 0.6 * leniency)
        tail = scipy.stats.binom.sf(equal - 1, screens, share)
        return tail * scipy.stats.norm.pdf(leniency)

    exact, _error = scipy.integrate.quad(given, -8, 8)
    assert alike_chance(equal, screens, commonness) == pytest.approx(exact, rel=1e-3)


ORDINARY = [each for each in SITUATIONS if not each.is_hard]


@pytest.mark.parametrize("situation", ORDINARY, ids=lambda each: f"{each.alarm}: {each.name}")
@pytest.mark.slow
def test_careful_raters_get_an_alarm_as_rarely_as_the_page_says(situation):
    raters = 300
    low, _high = interval(found_share(situation, 30, raters=raters), raters)
    assert low < 1 / ONE_IN[situation.alarm]


@pytest.mark.parametrize(
    ("bound", "value", "alarm", "points"),
    [
        ("SAME_CHANCE", 2.0, "same", 2),
        ("RUN_CHANCE", 0.5, "run", 5),
        ("HASTY_SHARE", 0.5, "hasty", 5),
        ("UNREAD_SHARE", 0.5, "unread", 5),
    ],
)
def test_laxer_bounds_would_raise_false_alarms(monkeypatch, bound, value, alarm, points):
    monkeypatch.setattr(module, bound, value)
    monkeypatch.setattr(module, "SAME_SHARE", 0.7)
    situation = next(each for each in ORDINARY if (each.alarm, each.points) == (alarm, points))
    low, _high = interval(found_share(situation, 30, raters=300), 300)
    assert low > 1 / ONE_IN[alarm]


def test_raters_who_do_not_read_get_alarms():
    by_alarm = {each.alarm: each for each in reversed(ORDINARY) if each.points == 5}
    assert found_share(by_alarm["same"], 30, raters=50, model=SCRIPTED) > 0.95
    assert found_share(by_alarm["hasty"], 30, raters=200, model=SCRIPTED) > 0.5
    assert found_share(by_alarm["run"], 100, raters=50, model=GIVES_UP) > 0.9


def test_the_documented_rates_are_those_of_the_pages():
    text = PAGE.read_text(encoding="utf-8")
    for one_in in set(ONE_IN.values()):
        assert f"1 in {one_in}" in text
    assert all(f"| `{each.alarm}` | {each.name}" in text for each in SITUATIONS)


@pytest.mark.skipif(not E2E.exists(), reason="needs ../shared/data/e2e-eval")
def test_alarms_find_the_straightliners_among_real_raters():
    found = e2e_alarms(E2E)
    long_enough = [names for screens, names in found.values() if screens >= 10]
    assert (len(found), len(long_enough)) == (112, 51)
    assert Counter(name for names in long_enough for name in names) == {"same": 8, "run": 1}
    assert not any(names for screens, names in found.values() if screens < 10)
