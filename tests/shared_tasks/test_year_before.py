"""Systems of last year's task that people judge again: how they come in, and what is said."""

import re

import pytest
from django.test import Client

from rankme.actions.shared_task import teams
from rankme.actions.shared_task.sealing import seal
from rankme.errors import RefusedAction
from rankme.exporting.shared_task.anchors import comparisons, has_anchors
from rankme.exporting.shared_task.results import results_of
from rankme.models import SharedTask, SystemCode
from tests.shared_tasks.tasks import (
    at,
    close,
    host,
    judged,
    judged_task,
    make_task,
    make_team,
    submit,
    unsealed,
)

pytestmark = pytest.mark.django_db


def codes_of(task: SharedTask) -> dict[str, str]:
    """What a host chooses from, by the name of the system."""
    found = SystemCode.objects.filter(track__task=task).select_related("track__campaign")
    return {each.upload.system.name: f"{each.track.campaign.code}/{each.code}" for each in found}


def next_task(task: SharedTask, *again: str, **fields) -> SharedTask:
    """The task of the year after, closed, with two new teams and baselines of the year before."""
    made = make_task(owner=task.owner, title="Next", **fields)
    SharedTask.objects.filter(pk=made.pk).update(copied_from=task)
    made.refresh_from_db()
    submit(make_team(made, "Elk"))
    submit(make_team(made, "Fox"))
    hosts, _secret = teams.open_own_team(made, "hosts", by=made.owner)
    for name in again:
        address = codes_of(task)[name]
        system = teams.announce_system(
            hosts.team, name=f"{name} 2026", judged_before=address, by=hosts
        )
        submit(hosts.team, system=system, role="contrastive")
    close(made)
    return made


@pytest.fixture(scope="module")
def unsealed_once(rows_of_the_module) -> SharedTask:
    return unsealed(judged_task("Owls", "Bees", "Cats"))


@pytest.fixture
def last_year(unsealed_once) -> SharedTask:
    return SharedTask.objects.get(pk=unsealed_once.pk)


def rated(task: SharedTask) -> SharedTask:
    return unsealed(judged(seal(task, by=task.owner)))


def test_hosts_choose_the_systems_that_are_judged_again(last_year):
    task = next_task(last_year)
    SharedTask.objects.filter(pk=task.pk).update(closes_at="2099-01-01T00:00Z")
    _member, secret = teams.open_own_team(task, "hosts", by=task.owner)
    client = Client()
    client.get(at("team-enter", secret))
    page = client.get(at("team")).text
    address = codes_of(last_year)["Owls"]
    assert re.search(rf'<option value="{address}">English: Owls \(S0\d\)</option>', page)
    sent = {"name": "Owls again", "judged_before": address}
    client.post(at("team-system"), sent)
    made = task.teams.get(kind="hosts").systems.get(name="Owls again")
    assert made.judged_before.upload.system.name == "Owls"


def test_a_team_cannot_say_that_it_was_judged_before(last_year):
    task = next_task(last_year)
    team = task.teams.get(name="Elk")
    with pytest.raises(RefusedAction, match="no such system"):
        teams.announce_system(
            team, name="X", judged_before=codes_of(last_year)["Owls"], by=team.members.get()
        )


def test_a_system_of_the_year_before_is_judged_again_once(last_year):
    task = next_task(last_year, "Owls")
    hosts = task.teams.get(kind="hosts")
    again = codes_of(last_year)["Owls"]
    with pytest.raises(RefusedAction, match="Another of your systems is this one"):
        teams.announce_system(hosts, name="X", judged_before=again, by=hosts.members.get())


def test_a_sealed_task_of_the_year_before_offers_nothing():
    before = make_task()
    for name in ("Owls", "Bees"):
        submit(make_team(before, name))
    close(before)
    task = next_task(seal(before, by=before.owner))
    hosts, _secret = teams.open_own_team(task, "hosts", by=task.owner)
    with pytest.raises(RefusedAction, match="names are unknown"):
        teams.announce_system(
            hosts.team, name="X", judged_before=codes_of(before)["Owls"], by=hosts
        )


def test_the_page_says_how_far_the_anchors_moved(last_year):
    task = rated(next_task(last_year, "Owls", "Bees", "Cats"))
    assert has_anchors(task)
    (found,) = comparisons(results_of(task))
    assert found.sentence.startswith(
        ("The two scales agree", "The two scales do not", "The judgements are too few")
    )
    assert {row.cells[0] for row in found.table.rows} == {
        f"Hosts ({name} 2026)" for name in ("Owls", "Bees", "Cats")
    }
    client, address = host(), at("task-scales", task.code)
    results = client.get(at("task-results", task.code)).text
    assert f'href="{address}"' in results
    page = client.get(address)
    assert page.status_code == 200 and found.sentence[:20] in page.text


def test_one_system_alone_gets_the_reason(last_year):
    (found,) = comparisons(results_of(rated(next_task(last_year, "Owls"))))
    assert found.table is None and "there is one" in found.sentence


def test_without_such_systems_the_page_says_how_they_come_in(last_year):
    client, address = host(), at("task-scales", last_year.code)
    assert "No system of the year before" in client.get(address).text
    assert address not in client.get(at("task-results", last_year.code)).text
