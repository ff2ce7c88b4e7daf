"""Plans are simulated as they are said, and judged by what is true."""

import json
from dataclasses import replace

import numpy as np
import pytest

from analysis import OptionsError
from analysis.cli import main
from analysis.errors import Undefined
from analysis.ranking.pairs import TIE, pairs_from_table
from analysis.ranking.power import (
    Claim,
    by_clusters,
    by_simultaneous_intervals,
    plan_from_pilot,
    power,
    score,
    with_screens,
)
from analysis.ranking.simulated_campaigns import CampaignPlan, simulated_campaign
from tests.analysis.judged import simulated, table_of_screens

PLAN = CampaignPlan(
    abilities=(0.0, 0.0, 0.4, 0.8, 1.2, 1.2),
    screens=1500,
    shown=3,
    raters=40,
    effective_raters=15.0,
    items=100,
    rater_spread=0.5,
    item_spread=0.3,
    tie_share=0.3,
)


def test_a_campaign_has_the_shape_of_its_plan():
    table = simulated_campaign(PLAN, seed=1, campaign=0)
    assert len(table) == PLAN.judgements == 4500
    assert len(table.system.labels) == 6
    assert len(table.item.labels) == 100
    pairs = pairs_from_table(table)
    assert np.mean(pairs.outcome == TIE) == pytest.approx(0.3, abs=0.02)
    per_system = np.bincount(table.system.codes)
    assert per_system.max() - per_system.min() < 0.05 * per_system.mean()
    work = np.bincount(table.rater.codes).astype(float)
    assert work.sum() ** 2 / np.sum(work**2) == pytest.approx(15, rel=0.15)


def test_campaigns_are_the_same_again_and_differ_from_each_other():
    again = simulated_campaign(PLAN, seed=1, campaign=0)
    assert simulated_campaign(PLAN, seed=1, campaign=0).sha256 == again.sha256
    assert simulated_campaign(PLAN, seed=1, campaign=1).sha256 != again.sha256
    assert simulated_campaign(PLAN, seed=2, campaign=0).sha256 != again.sha256


def test_a_plan_without_ties_has_none():
    table = simulated_campaign(replace(PLAN, tie_share=0.0), seed=1, campaign=0)
    assert TIE not in pairs_from_table(table).outcome


@pytest.mark.slow
def test_a_pilots_plan_recovers_its_parameters():
    even = replace(PLAN, effective_raters=40.0)
    plans = [plan_from_pilot(simulated_campaign(even, seed=5, campaign=k), 700) for k in range(4)]
    assert {plan.screens for plan in plans} == {700}
    assert np.mean([plan.rater_spread for plan in plans]) == pytest.approx(0.5, abs=0.08)
    assert np.mean([plan.item_spread for plan in plans]) == pytest.approx(0.3, abs=0.08)
    abilities = np.mean([plan.abilities for plan in plans], axis=0)
    assert abilities == pytest.approx(np.array(PLAN.abilities) - 0.6, abs=0.12)


def test_an_independent_pilot_gives_little_dependence():
    plan = replace(PLAN, rater_spread=0.0, item_spread=0.0)
    found = plan_from_pilot(simulated_campaign(plan, seed=3, campaign=0), 10)
    assert found.rater_spread < 0.15
    assert found.item_spread < 0.2


def test_an_uninformative_pilot_is_refused():
    same = table_of_screens(
        [{"rater": f"r{n}", "item": str(n), "values": {"a": 1, "b": 1}} for n in range(5)]
    )
    with pytest.raises(Undefined, match="too small or too uniform"):
        plan_from_pilot(same, 100)
    with pytest.raises(Undefined, match="never shows two systems side by side"):
        plan_from_pilot(simulated(shown=1), 100)


def claims(*rows):
    return [Claim(f"system{k}", low, high, cluster) for k, low, high, cluster in rows]


@pytest.mark.parametrize(
    ("strengths", "rows", "expected"),
    [
        ((1.0, 0.0, 0.0), [(1, 1, 1), (2, 3, 2), (2, 3, 2)], (False, True, 1.0, 1.0, 5 / 3)),
        ((1.0, 0.0, 0.0), [(1, 1, 1), (2, 2, 2), (3, 3, 3)], (True, False, 1.0, 1.0, 1.0)),
        ((0.0, 1.0), [(1, 1, 1), (2, 2, 2)], (True, False, 0.0, 0.0, 1.0)),
        ((0.0, 1.0), [(1, 2, 1), (1, 2, 1)], (False, False, 0.0, 1.0, 2.0)),
    ],
)
def test_boundaries_of_clusters_are_scored_by_what_is_true(strengths, rows, expected):
    """A boundary between equals, or in the wrong order, is wrong; none is right and finds none."""
    claims = [Claim(f"system{k}", *row) for k, row in enumerate(rows)]
    found = score(strengths, claims)
    assert (found.wrong, found.right, found.found, found.covered) == expected[:4]
    assert found.width == pytest.approx(expected[4])


@pytest.mark.parametrize(
    "analysis",
    [by_clusters("wmt", "raters", 60), by_clusters(runs=60), by_simultaneous_intervals()],
)
@pytest.mark.slow
def test_more_screens_find_more(analysis):
    small, large = power(with_screens(PLAN, (60, 1500)), analysis, campaigns=8, price=0.5)
    assert small.found < large.found
    assert small.width > large.width
    assert (small.cost, large.cost, large.judgements) == (30, 750, 4500)


def test_a_plan_lists_all_its_problems():
    with pytest.raises(OptionsError) as refused:
        CampaignPlan(
            abilities=(0.0, 1.0), screens=0, shown=3, rater_spread=-1, tie_share=1, raters=0
        )
    assert len(refused.value.problems) == 5


def test_the_command_plans_without_and_with_a_pilot(tmp_path, capsys):
    from analysis import write_table

    options = ["--screens", "50,200", "--campaigns", "4", "--runs", "20", "--json"]
    assert main(["power", "--effects", "0,0.5,1", "--raters", "9", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [size["screens"] for size in found["sizes"]] == [50, 200]
    assert (found["plan"]["raters"], found["plan"]["shown"]) == (9, 3)

    path = tmp_path / "pilot.csv"
    with path.open("wb") as out:
        write_table(simulated(screens=300), out)
    assert main(["power", str(path), "--item-spread", "0.7", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["plan"]["raters"], found["plan"]["item_spread"]) == (8, 0.7)


def test_the_command_wants_a_pilot_or_effects(capsys):
    assert main(["power", "--screens", "50"]) == 2
    assert "Give a pilot's judgements (FILE) or --effects" in capsys.readouterr().err
