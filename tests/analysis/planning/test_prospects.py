"""What a campaign finds, against other people's tables and against simulated campaigns."""

import csv
from dataclasses import replace

import numpy as np
import pytest
import scipy

from analysis.errors import OptionsError
from analysis.inference import Units
from analysis.planning.prospects import (
    PairTest,
    expected_effects,
    hillis_power,
    least_items,
    prospect,
    report_test,
    right_order,
)
from analysis.planning.simulated import judged, planned, simulate
from analysis.planning.sizes import Size, Spreads, difference_error
from analysis.scales.clustered import clustered_comparison
from benchmarks.planning.planner import CELLS, card_power
from tests.analysis.published import oracle_data

SPREADS = Spreads(0.3, 0.4, 1.0, item=0.5, system=0.4)


def test_the_procedure_of_card_et_al_has_their_power_in_all_48_cells():
    with oracle_data("card-2020/highvar_lowmer_lmer.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        high = row["settings"].startswith("High")
        cell = (int(row["num.workers"]), int(row["ex"]), float(row["diff"]))
        theirs, _ = card_power(high, *cell)
        assert theirs == pytest.approx(float(row["power"]), abs=0.07), cell
    assert len(rows) == 48


def test_three_workers_have_half_the_power_that_card_et_al_print():
    """Their variance is by maximum likelihood and their quantile is normal: too many claims."""
    theirs, ours = card_power(True, 3, 50, 0.05)
    assert theirs > 0.2
    assert ours < 0.1
    false, _ = card_power(True, 3, 50, 0.0)
    assert false > 0.09  # in one direction alone; they mean .025


# Van Dyke's readers and cases (RJafroc 2.1.3, tests/testthat): mean squares of the pseudovalues.
CASES, READERS = 114, 5
MS = {"TR": 0.06281749, "TC": 0.09984808, "TRC": 0.0399716}
VAN_DYKE = Spreads(
    rater_system=((MS["TR"] - MS["TRC"]) / CASES) ** 0.5,
    item_system=((MS["TC"] - MS["TRC"]) / READERS) ** 0.5,
    residual=MS["TRC"] ** 0.5,
)
DIFFERENCE = 0.043800322


@pytest.mark.parametrize(
    ("readers", "cases", "power"), [(6, 111, 0.5526116), (10, 165, 0.80541995)]
)
def test_the_power_of_readers_and_cases_is_that_of_rjafroc(readers, cases, power):
    found = hillis_power(Size(readers, cases, readers), VAN_DYKE, DIFFERENCE)
    assert found == pytest.approx(power, abs=2e-7)


def test_the_number_of_cases_is_that_of_rjafroc():
    assert least_items(Size(6, 3, 6), VAN_DYKE, DIFFERENCE) == 251


@pytest.mark.parametrize(
    "name", ["three raters judge all", "one screen an item", "few screens each"]
)
@pytest.mark.slow
def test_the_prospect_is_what_simulated_campaigns_show(name):
    size, spreads = CELLS[name]
    found = prospect(size, spreads)
    seen = simulate(size, spreads, campaigns=200)
    for each in ("found", "order", "boundary", "stable"):
        assert getattr(found, each) == pytest.approx(getattr(seen, each), abs=0.09), each
    assert found.half_width == pytest.approx(seen.half_width, rel=0.06)


def test_a_simulated_campaign_is_analysed_as_the_report_does():
    size = Size(6, 20, 2, systems=4, shown=2)
    rng = np.random.Generator(np.random.Philox(key=[5, 0]))
    plan = planned(size, rng)
    values = judged(plan, SPREADS, rng)
    names = [f"s{number}" for number in range(4)]
    report = clustered_comparison(values, plan.systems, names, plan.raters, plan.items)
    widths = [(pair.high - pair.low) / 2 for pair in report.contrasts]
    seen = simulate(size, SPREADS, campaigns=2, seed=5)
    again = simulate(size, SPREADS, campaigns=2, seed=5)
    assert seen == again
    second = np.random.Generator(np.random.Philox(key=[5, 1]))
    plan = planned(size, second)
    other = clustered_comparison(
        judged(plan, SPREADS, second), plan.systems, names, plan.raters, plan.items
    )
    widths += [(pair.high - pair.low) / 2 for pair in other.contrasts]
    assert seen.half_width == pytest.approx(np.mean(widths), rel=1e-9)


def test_every_output_is_judged_by_different_raters_and_the_load_is_equal():
    size = Size(9, 30, 3, systems=6, shown=3)
    plan = planned(size, np.random.default_rng(1))
    output = plan.items * 6 + plan.systems
    assert set(np.bincount(output)) == {3}
    assert len(set(zip(plan.raters, output, strict=True))) == len(output)
    assert np.ptp(np.bincount(plan.raters)) <= 6
    assert Units.of(plan.raters, plan.items).raters.number == 9


def test_the_chance_of_the_right_order_of_two_systems_is_a_normal_one():
    assert right_order((0.0, 0.3), 0.2) == pytest.approx(scipy.stats.norm.cdf(1.5), abs=5e-5)
    assert right_order((0.0, 0.0, 0.0), 0.2) == 1.0


def test_the_chance_of_the_right_order_of_equally_good_systems_is_one_in_their_orders():
    near = tuple(1e-9 * place for place in range(4))
    assert right_order(near, 1.0) == pytest.approx(1 / 24, rel=1e-3)


def test_equal_systems_may_come_in_any_order():
    rng = np.random.default_rng(3)
    drawn = rng.normal((0, 0, 1), 0.5 / np.sqrt(2), (200_000, 3))
    share = float(np.mean(drawn[:, 2] > drawn[:, :2].max(axis=1)))
    assert right_order((0.0, 1.0, 0.0), 0.5) == pytest.approx(share, abs=0.005)


def test_a_known_error_gives_the_power_of_a_normal_test():
    test = PairTest(1.0, np.full(10, 1.96))
    expected = scipy.stats.norm.sf(1.96 - 2.8) + scipy.stats.norm.sf(1.96 + 2.8)
    assert float(test.power(2.8)) == pytest.approx(expected)
    assert test.detectable() == pytest.approx(2.8016, abs=1e-3)


def test_claims_of_small_differences_exaggerate_as_gelman_and_carlin_say():
    """Their example: a difference of 2 with a standard error of 8.1."""
    test = PairTest(8.1, np.full(10, 1.96 * 8.1))
    right, wrong = test.signs(2.0)
    assert float(right + wrong) == pytest.approx(0.06, abs=0.005)
    assert float(wrong / (right + wrong)) == pytest.approx(0.24, abs=0.01)
    assert test.claimed_size(2.0) / 2.0 == pytest.approx(9.5, abs=0.2)


def test_more_raters_and_more_items_find_smaller_differences():
    size = Size(8, 50, 2, systems=3)
    least = prospect(size, SPREADS).detectable
    for more in (replace(size, raters=16), replace(size, items=100)):
        assert prospect(more, SPREADS).detectable < least


def test_two_raters_find_nothing():
    found = prospect(Size(2, 100, 2), SPREADS)
    assert found.detectable is None
    assert found.found == 0


def test_what_is_judged_by_few_is_claimed_for_the_units_that_vary():
    """Tastes of raters do not matter where claims are about these raters only."""
    size = Size(4, 60, 4, generality="items")
    calm, tasteful = (difference_error(size, Spreads(each, 0.3, 1.0)).variance for each in (0, 2))
    assert calm == tasteful
    assert report_test(size, difference_error(size, SPREADS)).error < 0.3


@pytest.mark.parametrize(
    ("numbers", "word"),
    [
        ({"raters": 0}, "raters"),
        ({"repeats": 9}, "different raters"),
        ({"systems": 1}, "systems"),
        ({"shown": 3}, "screen"),
        ({"generality": "all"}, "generality"),
        ({"coverage": 0.0}, "coverage"),
    ],
)
def test_impossible_sizes_are_refused_by_name(numbers, word):
    with pytest.raises(OptionsError, match=word):
        Size(**({"raters": 5, "items": 10} | numbers))


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_impossible_spreads_are_refused(value):
    with pytest.raises(OptionsError, match="rater_system"):
        Spreads(value, 0.1, 1.0)


def test_systems_lie_as_far_apart_as_normal_ones():
    drawn = np.sort(np.random.default_rng(1).normal(0, 0.4, (50_000, 5)), axis=1).mean(axis=0)
    assert expected_effects(5, 0.4) == pytest.approx(drawn.tolist(), abs=0.01)
