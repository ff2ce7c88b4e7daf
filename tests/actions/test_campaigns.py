"""The states of a campaign, and what a launch freezes."""

import pytest
from django.db import DatabaseError

from rankme.actions.campaign import campaigns, plans
from rankme.errors import RefusedAction, RefusedTransition
from rankme.models import AuditEvent, Campaign, MaterialImport, Output, Trial
from tests.campaigns import make_campaign, make_owner, rankme_definition
from tests.campaigns import slider_definition as slider
from tests.database.rules import assert_kept_by, change

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return make_owner()


@pytest.fixture
def draft(owner):
    return make_campaign(launch=False, owner=owner)


def test_a_definition_without_a_seed_gets_one(owner):
    campaign = campaigns.create_campaign(owner, slider(seed=None))
    assert campaigns.definition_of(campaign).seed == campaign.seed
    assert campaign.seed is not None


def test_a_draft_is_changed_and_its_criteria_follow(draft, owner):
    campaigns.change_definition(draft, rankme_definition(title="Other"), by=owner)
    draft.refresh_from_db()
    assert (draft.title, [found.name for found in draft.criteria.all()]) == ("Other", ["quality"])


def test_a_launch_stores_the_plan_that_the_draft_draws(draft, owner):
    drawn = plans.draw_plan(draft)
    plan, items, outputs = drawn.plan, drawn.items, drawn.outputs
    campaign = campaigns.launch_campaign(draft, by=owner)
    stored = list(
        Trial.objects.order_by("batch__number", "position").values_list("item", flat=True)
    )
    assert stored == [items[item] for item in plan.items]
    shown = Trial.objects.order_by("batch__number", "position").values_list("places__output")
    wanted = [
        outputs[item, system] for item, (system,) in zip(plan.items, plan.systems, strict=True)
    ]
    assert [output for (output,) in shown] == wanted
    assert campaign.plan.balance["judgements"] == 16
    assert campaign.slots.count() == len(plan.batch_sizes) * plan.raters_per_trial


def test_the_same_campaign_draws_the_same_plan(owner):
    first = plans.draw_plan(make_campaign(launch=False, owner=owner)).plan
    second = plans.draw_plan(make_campaign(launch=False, owner=owner)).plan
    assert first.batches == second.batches


def test_a_launch_needs_material(owner):
    campaign = campaigns.create_campaign(owner, slider())
    with pytest.raises(RefusedAction, match="no material"):
        campaigns.launch_campaign(campaign, by=owner)


def test_a_platform_without_its_code_is_not_launched(owner):
    """Raters would be given codes that the platform does not know, and nobody would be paid."""
    crowd = {"panel": "prolific"}
    with pytest.raises(RefusedAction, match="completion code"):
        make_campaign(slider(crowd=crowd), owner=owner)
    make_campaign(slider(crowd=crowd | {"completion_code": "C0DE"}), owner=owner)


def test_a_running_import_delays_the_launch(draft, owner):
    MaterialImport.objects.create(campaign=draft)
    with pytest.raises(RefusedAction, match="still being imported"):
        campaigns.launch_campaign(draft, by=owner)


TRANSITIONS = {
    "launch": campaigns.launch_campaign,
    "pause": campaigns.pause_campaign,
    "resume": campaigns.resume_campaign,
    "close": campaigns.close_campaign,
}
WAYS = {
    "draft": {"launch": "running"},
    "running": {"pause": "paused", "close": "closed"},
    "paused": {"resume": "running", "close": "closed"},
    "closed": {},
}
ROADS = {"draft": [], "running": ["launch"], "paused": ["launch", "pause"]}
ROADS["closed"] = ["launch", "close"]


@pytest.mark.parametrize("state", WAYS)
@pytest.mark.parametrize("verb", TRANSITIONS)
def test_each_state_has_its_ways_out_and_no_others(draft, owner, state, verb):
    for step in ROADS[state]:
        TRANSITIONS[step](draft, by=owner)
    if verb in WAYS[state]:
        assert TRANSITIONS[verb](draft, by=owner).state == WAYS[state][verb]
    else:
        with pytest.raises(RefusedTransition):
            TRANSITIONS[verb](draft, by=owner)
    draft.refresh_from_db()
    assert draft.state == WAYS[state].get(verb, state)


def test_shown_definitions_cannot_be_changed(owner):
    campaign = make_campaign(owner=owner)
    with pytest.raises(RefusedTransition):
        campaigns.change_definition(campaign, slider(title="New"), by=owner)
    with pytest.raises(RefusedTransition):
        campaigns.delete_draft(campaign, by=owner)


def test_a_draft_is_deleted_with_its_material_and_that_is_noted(draft, owner):
    campaigns.delete_draft(draft, by=owner)
    assert not Campaign.objects.exists() and not Output.objects.exists()
    assert AuditEvent.objects.get(verb="draft deleted").detail == {"title": "Fluency"}


# --- What the database itself refuses after a launch -----------------------------------------

FROZEN = {
    "output_is_frozen": ("rankme_output", "text = 'x'"),
    "item_is_frozen": ("rankme_item", "reference = 'x'"),
    "system_is_frozen": ("rankme_system", "name = 'x'"),
}
DEFINITION = {
    "definition = '{}'": "definition of its newest version",
    "version = 2": "definition of its newest version",
    "seed = 1": "keeps its seed",
    "launched_at = now()": "keeps its seed",
}


@pytest.mark.parametrize("trigger", FROZEN)
def test_launched_material_is_frozen(owner, trigger):
    make_campaign(owner=owner)
    assert_kept_by(trigger, *FROZEN[trigger], "was launched")


@pytest.mark.parametrize("trigger", FROZEN)
def test_a_drafts_material_is_not_frozen(draft, trigger):
    table, assignment = FROZEN[trigger]
    change(f"UPDATE {table} SET {assignment} WHERE id = (SELECT min(id) FROM {table})")


@pytest.mark.parametrize("assignment", DEFINITION)
def test_a_launched_definition_is_frozen(owner, assignment):
    make_campaign(owner=owner)
    with pytest.raises(DatabaseError, match=DEFINITION[assignment]):
        change(f"UPDATE rankme_campaign SET {assignment}")
    change("DROP TRIGGER launched_definition_is_frozen ON rankme_campaign")
    change(f"UPDATE rankme_campaign SET {assignment}")
