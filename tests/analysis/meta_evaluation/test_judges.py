"""Judges: consistency, preferences, and the alternative-annotator test."""

import json

import numpy as np
import pytest
from scipy import stats

from analysis.errors import Undefined
from analysis.meta_evaluation.judges import (
    FIRST,
    SECOND,
    TIE,
    Verdict,
    agreement_beyond_chance,
    alternative_annotator_test,
    first_preference,
    longer_preference,
    own_preference,
    share,
    swap_consistency,
)
from analysis.reliability.krippendorff import krippendorff_alpha
from tests.analysis.published import oracle_data, published

VERDICTS = [
    Verdict("1", "a", "b", FIRST), Verdict("1", "b", "a", SECOND),  # the same winner
    Verdict("2", "a", "b", FIRST), Verdict("2", "b", "a", FIRST),  # whatever comes first
    Verdict("3", "a", "b", TIE), Verdict("3", "b", "a", TIE),
    Verdict("4", "a", "b", SECOND),
]  # fmt: skip


def test_consistency_under_swapped_order():
    assert swap_consistency(VERDICTS).value == pytest.approx(2 / 3)
    assert swap_consistency(VERDICTS).n == 3
    assert swap_consistency(VERDICTS[-1:]).value is None


def test_repeated_answers_are_compared_one_by_one():
    repeated = [Verdict("1", "a", "b", each) for each in (FIRST, SECOND, FIRST)]
    swapped = [Verdict("1", "b", "a", SECOND)] * 2
    found = swap_consistency([*repeated, *swapped])
    assert (found.value, found.n) == (1 / 2, 2)


def test_preferences_by_hand():
    assert first_preference(VERDICTS).value == 3 / 5
    lengths = {("a", item): 10 for item in "1234"} | {("b", item): 5 for item in "1234"}
    assert longer_preference(VERDICTS, lengths).value == 3 / 5
    assert own_preference(VERDICTS, ["b"]).value == 2 / 5
    assert own_preference(VERDICTS, ["a", "b"]).n == 0


def test_the_interval_of_a_share_is_wilsons():
    found = share(7, 20)
    expected = stats.binomtest(7, 20).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def rated(noise: float, seed: int = 0, bias: float = 0.0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=100)
    raters = {f"r{n}": dict(enumerate(truth + 0.7 * rng.normal(size=100))) for n in range(4)}
    return raters, dict(enumerate(truth + bias + noise * rng.normal(size=100)))


def test_a_good_judge_may_replace_a_rater_and_a_bad_one_may_not():
    good = alternative_annotator_test(*rated(0.2))
    assert good.passes and good.winning_rate == 1 and good.advantage > 0.6
    for bad in (rated(3.0), rated(0.2, bias=4)):
        found = alternative_annotator_test(*bad)
        assert not found.passes and found.winning_rate == 0
        assert all(each.judge_better < each.rater_better for each in found.raters)


@pytest.mark.parametrize(("outputs", "noise"), [(100, 0.8), (30, 0.7)])
def test_the_alternative_annotator_test_step_by_step(outputs: int, noise: float):
    """Each definition of Calderon, Reichart & Dror written out, with scipy's and statsmodels'
    tests."""
    from statsmodels.stats.multitest import multipletests

    raters, judge = rated(noise)
    raters = {name: {n: own[n] for n in range(outputs)} for name, own in raters.items()}
    found = alternative_annotator_test(raters, judge, epsilon=0.15)
    p_values, judge_wins = [], []
    for name, own in raters.items():
        ahead, wins = [], []
        for n in range(outputs):
            others = np.array([each[n] for other, each in raters.items() if other != name])
            far = [np.sqrt(((others - value) ** 2).mean()) for value in (judge[n], own[n])]
            wins.append(far[0] <= far[1])
            ahead.append(float(far[1] <= far[0]) - float(far[0] <= far[1]))
        judge_wins.append(np.mean(wins))
        p_values.append(stats.ttest_1samp(ahead, 0.15, alternative="less").pvalue)
    rejected = multipletests(p_values, alpha=0.05, method="fdr_by")[0]
    assert [each.p for each in found.raters] == pytest.approx(p_values)
    assert found.winning_rate == pytest.approx(rejected.mean())
    assert found.advantage == pytest.approx(np.mean(judge_wins))


def test_categories_count_agreement():
    raters = {name: dict.fromkeys(range(40), 1.0) for name in "xyz"}
    assert alternative_annotator_test(raters, dict.fromkeys(range(40), 1.0), nominal=True).passes
    wrong = alternative_annotator_test(raters, dict.fromkeys(range(40), 2.0), nominal=True)
    assert wrong.winning_rate == 0 and wrong.advantage == 0


def flipped_coins(outputs: int, seed: int):
    """Three raters who are right four times in five, and a judge who answers by chance."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, outputs)
    raters = {
        f"r{n}": dict(enumerate(np.where(rng.random(outputs) < 0.8, truth, 1 - truth) * 1.0))
        for n in range(3)
    }
    return raters, dict(enumerate(rng.integers(0, 2, outputs) * 1.0))


@pytest.mark.slow
def test_a_judge_who_flips_coins_does_not_pass():
    """With the test of ranks for fewer than 30 outputs it passed in .19 of cases at 29."""
    passed = [
        alternative_annotator_test(*flipped_coins(30, seed), nominal=True).passes
        for seed in range(300)
    ]
    assert np.mean(passed) <= 0.03
    with pytest.raises(Undefined, match="each with 30 outputs"):
        alternative_annotator_test(*flipped_coins(29, 0), nominal=True)


def test_raters_with_few_outputs_are_left_out():
    raters, judge = rated(0.2)
    raters["r3"] = {n: raters["r3"][n] for n in range(29)}
    found = alternative_annotator_test(raters, judge)
    assert [each.rater for each in found.raters] == ["r0", "r1", "r2"]
    assert found.left_out == 1


@pytest.mark.parametrize("name", published("alt-test")["sets"])
def test_winning_rates_and_advantages_are_those_that_the_authors_print(name: str):
    folder, printed = oracle_data(f"alt-test/{name}"), published("alt-test")["sets"][name]
    people, judges = (
        json.loads((folder / f"{who}_annotations.json").read_text()) for who in ("human", "llm")
    )
    for judge, (rate, advantage) in printed["judges"].items():
        found = alternative_annotator_test(
            people, judges[judge], epsilon=printed["epsilon"], nominal=printed["nominal"]
        )
        assert (round(found.winning_rate, 2), round(found.advantage, 2)) == (rate, advantage)
        assert found.passes == (rate >= 0.5)


@pytest.mark.parametrize(("outputs", "raters", "by_t"), [(30, 2, 0.12), (50, 2, 0.06)])
@pytest.mark.slow
def test_judges_who_lag_by_epsilon_pass_no_more_often_than_the_level(outputs, raters, by_t):
    """Raters who always agree, and a judge who is wrong about one output in ten. The authors'
    t-test alone lets it pass too often: a few outputs without an error show no variance."""
    rng = np.random.default_rng(1)
    people = {f"r{n}": dict.fromkeys(range(outputs), 0.0) for n in range(raters)}
    found = [
        alternative_annotator_test(
            people, dict(enumerate((rng.random(outputs) < 0.1) * 1.0)), nominal=True, epsilon=0.1
        )
        for _ in range(400)
    ]
    assert np.mean([each.winning_rate >= 0.5 for each in found]) > by_t
    assert np.mean([each.passes for each in found]) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


def test_a_single_rater_is_refused():
    with pytest.raises(Undefined, match="two raters"):
        alternative_annotator_test({"x": {1: 1.0}}, {1: 1.0})


def test_agreement_beyond_chance_is_alpha_of_two_at_a_time():
    raters, judge = rated(0.2)
    found = agreement_beyond_chance(raters, judge, metric="interval")
    values = [[each[n] for n in range(100)] for each in (raters["r0"], judge)]
    units, who = np.tile(np.arange(100), 2), np.repeat([0, 1], 100)
    one = krippendorff_alpha(np.concatenate(values), units, who, "interval").value
    assert agreement_beyond_chance({"r0": raters["r0"]}, judge, metric="interval").judge == one
    assert (found.pairs, found.with_judge) == (6, 4)
    assert found.judge > found.people > 0.5
    useless = agreement_beyond_chance(raters, rated(30.0)[1], metric="interval")
    assert abs(useless.judge) < 0.2 < useless.people
    assert agreement_beyond_chance({"r0": {1: 2.0}}, {1: 2.0}).judge is None
    same = dict.fromkeys(range(5), 1.0)
    assert agreement_beyond_chance({"r0": same}, same).judge is None
