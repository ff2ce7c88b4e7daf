"""An organiser's own plan: drawn as the table says, or refused with the line."""

import csv

import numpy as np
import pytest

from rankme.actions.campaign import campaigns
from rankme.actions.campaign.plans import draw_plan
from rankme.designs.document_order import Documents
from rankme.designs.plan import DesignError
from rankme.designs.registry import draw
from rankme.errors import RefusedAction
from rankme.models import Trial
from tests.campaigns import make_campaign, slider_definition

ITEMS, SYSTEMS = ("a", "b", "c"), ("x", "y")
HEADER = "batch,item,system"


def drawn(table: str, **more):
    return draw("own_plan", 3, 2, {"table": table}, 2, seed=1, **{"names": (ITEMS, SYSTEMS)} | more)


def batches_of(plan):
    return [[(each.item, each.systems) for each in batch.trials] for batch in plan.batches]


def test_batches_and_trials_come_in_the_order_of_the_table():
    plan = drawn(f"{HEADER}\nfirst,c,y\nsecond,a,x\nfirst,a,x\nfirst,c,x\n")
    assert batches_of(plan) == [[(2, (1, 0)), (0, (0,))], [(0, (0,))]]
    assert plan.notes == ("3 outputs are in no batch of your plan.",)


def test_a_column_of_screens_shows_outputs_of_an_item_one_by_one():
    plan = drawn("System;Item;Batch;screen\nx;a;1;1\ny;a;1;2\nx;a;1;3\n")
    assert batches_of(plan) == [[(0, (0,)), (0, (1,)), (0, (0,))]]


def test_each_rater_may_see_one_system():
    table = "\n".join([HEADER, *(f"{system},{item},{system}" for system in "xy" for item in "abc")])
    plan = drawn(table)
    assert [{systems for _item, systems in batch} for batch in batches_of(plan)] == [{(0,)}, {(1,)}]
    assert plan.notes == ()


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("", "Paste the plan"),
        (f"{HEADER}\n", "Paste the plan"),
        ("batch,item\n1,a\n", "Missing: system"),
        (f"{HEADER}\n1,d,x\n", "Line 2: there is no item “d”"),
        (f"{HEADER}\n1,a,x\n1,a,z\n", "Line 3: there is no system “z”"),
        (f"{HEADER}\n1,b,y\n", "Line 2: “y” has no output for this item"),
        (f"{HEADER}\n1,a,x\n1,a,x\n", "Line 3: this screen shows the output already"),
        (f"{HEADER}\n1,a\n", "Line 2: the row has not as many cells"),
    ],
)
def test_tables_that_are_not_a_plan_are_refused_with_the_line(table, problem):
    coverage = np.array([[True, True], [True, False], [True, True]])
    with pytest.raises(DesignError, match=problem):
        drawn(table, coverage=coverage)


def test_a_cell_without_an_end_is_refused():
    limit = csv.field_size_limit(1_000)
    try:
        with pytest.raises(DesignError, match="field larger than field limit"):
            drawn(f'{HEADER}\n1,"{"a" * 2_000},x\n')
    finally:
        csv.field_size_limit(limit)


def test_the_problems_have_an_end():
    rows = "\n".join(f"1,d{number},x" for number in range(100))
    with pytest.raises(DesignError) as refused:
        drawn(f"{HEADER}\n{rows}")
    assert len(refused.value.problems) == 20


def test_documents_stay_whole():
    documents = Documents.of([[0, 1], [2]])
    with pytest.raises(DesignError, match="would cut them"):
        drawn(f"{HEADER}\n1,a,x\n", documents=documents)


@pytest.mark.django_db
def test_a_campaign_is_launched_with_a_plan_of_ones_own():
    table = f"{HEADER}\nleft,item-1,Sys0\nright,item-0,Sys1\nright,item-2,Sys1\n"
    definition = slider_definition(
        design={"kind": "own_plan", "options": {"table": table}}, raters_per_trial=2
    )
    campaign = make_campaign(definition, items=4, systems=2)
    rows = Trial.objects.filter(batch__campaign=campaign).order_by("batch__number", "position")
    found = [
        (
            trial.batch.number,
            trial.item.key,
            [place.output.system.name for place in trial.places.all()],
        )
        for trial in rows
    ]
    assert found == [(0, "item-1", ["Sys0"]), (1, "item-0", ["Sys1"]), (1, "item-2", ["Sys1"])]
    assert campaign.slots.count() == 2 * 2


@pytest.mark.django_db
def test_a_plan_with_unknown_names_is_refused_before_the_launch():
    definition = slider_definition(
        design={"kind": "own_plan", "options": {"table": f"{HEADER}\n1,item-9,Sys0\n"}}
    )
    draft = make_campaign(definition, items=2, systems=2, launch=False)
    with pytest.raises(RefusedAction, match="Line 2: there is no item “item-9”"):
        draw_plan(draft)
    with pytest.raises(RefusedAction, match="Line 2"):
        campaigns.launch_campaign(draft, by=draft.owner)
