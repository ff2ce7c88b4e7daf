"""Plans that show each rater one system: the next rater gets the system that has fewest."""

import threading

import pytest
from django.db import connection, transaction
from django.urls import reverse

from rankme.actions.campaign.planned_work import planned_work
from rankme.actions.campaign.planner import planned_of, planner_defaults
from rankme.actions.campaign.plans import draw_plan
from rankme.actions.sitting import assignments
from rankme.actions.sitting.exclusions import exclude_rater
from rankme.errors import RefusedAction
from rankme.models import Campaign, Output
from rankme.queries.watching.raters_of_systems import raters_of_systems
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.live import PATIENCE
from tests.looking import GROUP
from tests.sittings import answer_all, claim, finish

pytestmark = pytest.mark.django_db
ITEMS = 2


def plan_of(batches: str) -> dict:
    """A plan with a batch for each letter, of all items of the systems that it names (A = both)."""
    rows = [
        f"{number},item-{item},Sys{system}"
        for number, letter in enumerate(batches)
        for item in range(ITEMS)
        for system in {"a": "0", "b": "1", "A": "01"}[letter]
    ]
    return {"kind": "own_plan", "options": {"table": "\n".join(["batch,item,system", *rows])}}


def campaign_of(batches: str, raters: int = 4, *, launch: bool = True, **changes) -> Campaign:
    crowd = {"batches_per_rater": 1} | changes.pop("crowd", {})
    definition = slider_definition(
        design=plan_of(batches), raters_per_trial=raters, crowd=crowd, **changes
    )
    return make_campaign(definition, items=ITEMS, systems=2, launch=launch)


def counts(campaign: Campaign) -> list[int]:
    return [each.raters for each in raters_of_systems(campaign)]


def system_of(assignment) -> str:
    (name,) = (
        Output.objects.filter(places__trial__batch=assignment.batch)
        .values_list("system__name", flat=True)
        .distinct()
    )
    return name


def test_raters_get_the_systems_in_turn():
    """In the order of the plan, the first five raters would all get the first system."""
    campaign = campaign_of("aaaab", raters=2)
    held = [claim(make_rater(campaign, f"r{number}")) for number in range(4)]
    assert [system_of(each) for each in held] == ["Sys0", "Sys1", "Sys0", "Sys1"]
    assert [(each.system, each.raters, each.places) for each in raters_of_systems(campaign)] == [
        ("Sys0", 2, 8),
        ("Sys1", 2, 2),
    ]
    rest = [claim(make_rater(campaign, f"late{number}")) for number in range(2)]
    assert {system_of(each) for each in rest} == {"Sys0"}


def test_raters_who_do_not_count_are_replaced_at_the_same_system():
    campaign = campaign_of("ab")
    first, second, third = (claim(make_rater(campaign, name)) for name in ("one", "two", "three"))
    assert counts(campaign) == [2, 1]
    assignments.return_batch(first)
    answer_all(second)
    exclude_rater(finish(second).participant, reason="All the same.", by=campaign.owner)
    assert counts(campaign) == [1, 0]
    assert system_of(claim(make_rater(campaign, "four"))) == system_of(second)
    assert system_of(third) == system_of(first)


@pytest.mark.parametrize(
    ("batches", "crowd"), [("aA", {}), ("AA", {}), ("ab", {"batches_per_rater": 2})]
)
def test_plans_that_show_raters_several_systems_have_no_such_counts(batches, crowd):
    assert raters_of_systems(campaign_of(batches, crowd=crowd)) == []


@pytest.mark.parametrize(("batches", "refused"), [("ab", True), ("AA", False), ("aa", False)])
def test_looks_need_raters_who_see_several_systems_of_an_item(batches, refused):
    campaign = campaign_of(batches, launch=False, **GROUP)
    if refused:
        with pytest.raises(
            RefusedAction, match="no batch of this plan shows two systems of an item"
        ):
            draw_plan(campaign)
    else:
        draw_plan(campaign)


def test_looks_are_refused_where_raters_see_each_item_once():
    """As in the Latin squares of SR'11: each rater judges all systems, but never on one item."""
    squares = {"kind": "latin_square", "options": {}}
    crowd = {"batches_per_rater": 1}
    definition = slider_definition(design=squares, raters_per_trial=4, crowd=crowd, **GROUP)
    campaign = make_campaign(definition, items=4, systems=4, launch=False)
    with pytest.raises(RefusedAction, match="no batch of this plan shows two systems of an item"):
        draw_plan(campaign)


def test_the_planner_does_not_promise_what_raters_of_several_systems_would_find():
    draft = campaign_of("ab", launch=False)
    asked = planner_defaults(draft, planned_work(draft))
    with pytest.raises(RefusedAction, match="Each batch of this plan shows one system"):
        planned_of(draft, asked, by=draft.owner)


def test_the_monitor_shows_how_many_raters_each_system_has(client):
    campaign = campaign_of("ab")
    claim(make_rater(campaign))
    client.force_login(campaign.owner)
    page = client.get(reverse("rankme:campaign-monitor", args=[campaign.code])).content.decode()
    assert " ".join(page.split()).count("Raters of each system") == 1
    assert "Sys0: 1 of 4" in " ".join(page.split())


# --- raters who come at once -------------------------------------------------------------------


def two_at_once(campaign: Campaign, *, patience: float) -> tuple[str, ...]:
    """The systems of two raters, the second of whom asks before the first one's batch is stored."""
    first, second = (make_rater(campaign, name) for name in ("one", "two"))
    found = []

    def ask() -> None:
        found.append(system_of(claim(second)))
        connection.close()

    with transaction.atomic():
        held = claim(first)
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join(patience)
    thread.join(PATIENCE)
    return system_of(held), *found


@pytest.mark.django_db(transaction=True)
def test_two_who_come_at_once_get_different_systems():
    assert two_at_once(campaign_of("aab"), patience=1) == ("Sys0", "Sys1")


@pytest.mark.django_db(transaction=True)
def test_without_the_lock_two_who_come_at_once_get_the_same(monkeypatch):
    no_lock = "SELECT 1 FROM rankme_campaign WHERE id = %(campaign)s"
    monkeypatch.setattr(assignments, "LOCK_SHARES", no_lock)
    assert two_at_once(campaign_of("aab"), patience=PATIENCE) == ("Sys0", "Sys0")
