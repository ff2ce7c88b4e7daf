"""Each preset with material of its paper's size draws the paper's plan."""

from collections import Counter

import pytest

from rankme.actions.campaign.campaigns import change_definition, create_campaign
from rankme.actions.campaign.plans import draw_plan
from rankme.designs.plan import DrawnPlan
from rankme.models import Campaign
from rankme.protocols.files import preset, preset_names
from tests.campaigns import make_owner
from tests.experiments.cohorts import take_in

pytestmark = pytest.mark.django_db


def drawn(name: str) -> DrawnPlan:
    """The plan that a launch of the preset with full-sized material would store."""
    campaign = create_campaign(make_owner(), preset(name))
    take_in(campaign, name, full=True)
    return draw_plan(campaign).plan


@pytest.fixture(scope="module")
def draft_of_e2e(rows_of_the_module) -> Campaign:
    """The 21 systems that three presets have in common, imported once for all."""
    campaign = create_campaign(make_owner(), preset("e2e-quality"))
    take_in(campaign, "e2e-quality", full=True)
    return campaign


def drawn_of_e2e(draft: Campaign, name: str) -> DrawnPlan:
    return draw_plan(change_definition(draft, preset(name), by=draft.owner)).plan


def systems_of(plan: DrawnPlan) -> list[Counter[int]]:
    """How often each batch shows each system."""
    return [
        Counter(system for trial in batch.trials for system in trial.systems)
        for batch in plan.batches
    ]


def pairs_of(plan: DrawnPlan) -> Counter[tuple[int, int]]:
    """How often each output is shown, over all raters."""
    shown = Counter(
        (trial.item, system)
        for batch in plan.batches
        for trial in batch.trials
        for system in trial.systems
    )
    return Counter({pair: times * plan.raters_per_trial for pair, times in shown.items()})


def test_tuna08_has_1440_trials_of_24_participants_who_meet_each_system_five_times():
    """Gatt, Belz & Kow (2008), section 3."""
    plan = drawn("tuna08-identification")
    assert (len(plan.batches), plan.raters_per_trial, plan.balance.trials) == (24, 1, 1440)
    assert all(set(times.values()) == {5} and len(times) == 12 for times in systems_of(plan))
    times = pairs_of(plan)
    assert len(times) == 112 * 12, "each domain is described by each system"
    assert Counter(times.values()) == {1: 104 * 12, 2: 8 * 12}, "once in a cycle, eight items twice"
    assert all(len({trial.item for trial in batch.trials}) == 60 for batch in plan.batches)


def test_sr11_shallow_has_five_raters_of_a_hundred_items():
    """Belz et al. (2011), section 4: four systems and the topline."""
    plan = drawn("sr11-shallow")
    assert [len(batch.trials) for batch in plan.batches] == [100] * 5
    assert all(set(times.values()) == {20} and len(times) == 5 for times in systems_of(plan))
    assert set(pairs_of(plan).values()) == {1} and len(pairs_of(plan)) == 500


def test_sr11_deep_has_six_raters_of_half_the_items_in_whole_extracts():
    plan = drawn("sr11-deep")
    assert [len(batch.trials) for batch in plan.batches] == [50] * 6
    assert set(pairs_of(plan).values()) == {1} and len(pairs_of(plan)) == 300
    for batch, times in zip(plan.batches, systems_of(plan), strict=True):
        assert sorted(times.values()) == [16, 17, 17]
        assert set(Counter(trial.item // 5 for trial in batch.trials).values()) == {5}


@pytest.mark.parametrize("name", ["e2e-quality", "e2e-naturalness"])
def test_e2e_shows_5_of_21_systems_for_each_of_630_mrs_to_three_raters(draft_of_e2e, name):
    """Dušek, Novikova & Rieser (2020), section 8.4: at most 20 pages for a worker."""
    plan = drawn_of_e2e(draft_of_e2e, name)
    assert (plan.balance.trials, plan.raters_per_trial) == (630, 3)
    assert {len(trial.systems) for batch in plan.batches for trial in batch.trials} == {5}
    assert max(len(batch.trials) for batch in plan.batches) <= 20
    assert plan.balance.per_system.min == plan.balance.per_system.max == 450
    assert plan.balance.per_pair.min == plan.balance.per_pair.max == 90


def test_e2e_coverage_checks_one_text_at_a_time(draft_of_e2e):
    plan = drawn_of_e2e(draft_of_e2e, "e2e-coverage")
    assert (plan.balance.trials, plan.raters_per_trial) == (630, 3)
    assert plan.balance.per_system.min == plan.balance.per_system.max == 90


def test_e2e_elicitation_asks_three_workers_for_each_mr():
    plan = drawn("e2e-elicitation")
    assert (plan.balance.trials, plan.raters_per_trial) == (60, 3)
    assert Counter(trial.item for batch in plan.batches for trial in batch.trials) == dict.fromkeys(
        range(60), 1
    )


def test_rotowire_facts_asks_about_20_games_and_20_sentences_of_each():
    """Wiseman, Shieber & Rush (2017), section 6.2: five conditions."""
    plan = drawn("rotowire-facts")
    times = pairs_of(plan)
    assert len(times) == 20 * 20 and set(times.values()) == {3}
    assert Counter(system for _, system in times) == dict.fromkeys(range(5), 80)


def test_rotowire_ordering_has_three_raters_for_each_of_30_summaries_of_a_condition():
    plan = drawn("rotowire-ordering")
    times = pairs_of(plan)
    assert len(times) == 30 * 5 and set(times.values()) == {3}
    assert Counter(system for _, system in times) == dict.fromkeys(range(5), 30)


@pytest.mark.parametrize(
    ("name", "outputs"), [("direct-assessment", 1), ("pairwise-preference", 2), ("best-worst", 4)]
)
def test_what_no_seed_has_is_even_too(name, outputs):
    plan = drawn(name)
    assert plan.balance.per_item.min == plan.balance.per_item.max
    assert plan.balance.per_system.max - plan.balance.per_system.min <= 3
    assert {len(trial.systems) for batch in plan.batches for trial in batch.trials} == {outputs}


def test_every_preset_has_a_plan_here_and_material():
    from rankme.demonstration.material import MATERIAL

    assert sorted(MATERIAL) == preset_names()
