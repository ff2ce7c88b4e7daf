"""How many systems a track has room for: the planner's own figures, and what each system costs."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from analysis.planning.budget import Limits, Terms, price
from analysis.planning.prospects import prospect
from analysis.planning.sizes import Size, Spreads
from rankme.queries.shared_task.capacity import allowed, reserved_systems, rooms
from tests.shared_tasks.tasks import at, host, make_task, make_team

SPREADS = Spreads(0.3, 0.4, 1.0)
SIZE = Size(raters=40, items=100, repeats=3, shown=1)
TERMS = Terms(seconds=10.0, pay=12.0)
HOURS = 20.0
LIMITS = Limits(money=HOURS * 12.0, raters=40, items=100)


def test_the_most_systems_are_those_that_the_money_pays_for():
    found = rooms(SIZE, SPREADS, TERMS, LIMITS)
    most = allowed(found)
    # An output takes ten seconds, three raters judge it, and there are a hundred items.
    assert most == int(HOURS * 3600 / 10 / 3 / 100) == 24
    for systems, fits in ((most, True), (most + 1, False)):
        whole = Size(40, 100, 3, systems, 1)
        assert (price(whole, TERMS).money <= LIMITS.money) is fits


def test_each_row_says_what_the_planner_says_about_a_campaign_of_that_size():
    found = rooms(SIZE, SPREADS, TERMS, LIMITS)
    for room in found[::7]:
        size = Size(40, room.items, 3, room.systems, 1)
        assert room.detectable == pytest.approx(prospect(size, SPREADS).detectable)
        assert price(size, TERMS).money <= LIMITS.money
    assert [room.systems for room in found] == list(range(2, allowed(found) + 6))


def test_each_further_system_costs_the_others_power_and_nothing_is_free():
    found = rooms(SIZE, SPREADS, TERMS, LIMITS)
    assert found[0].costs is None
    assert all(room.costs > 0 for room in found[1:])
    scarce = [room for room in found if not room.is_whole]
    assert [room.items for room in scarce] == sorted((r.items for r in scarce), reverse=True)


def test_time_of_raters_limits_as_money_does_and_none_gives_no_rows():
    by_time = Limits(raters=40, items=100, minutes=60 * HOURS / 40)
    assert allowed(rooms(SIZE, SPREADS, TERMS, by_time)) == 24
    assert rooms(SIZE, SPREADS, TERMS, Limits(raters=40, items=100, minutes=0.01)) == []


def test_a_screen_of_all_systems_takes_as_long_as_its_outputs():
    together = Size(raters=40, items=100, repeats=3)
    assert allowed(rooms(together, SPREADS, TERMS, LIMITS)) == 24


@pytest.mark.django_db
def test_places_are_reserved_by_systems_announced_in_time():
    term = timezone.now() + timedelta(minutes=10)
    task = make_task(preregister_until=term)
    early, refused = make_team(task), make_team(task, "Bees", state="refused")
    late = make_team(task, "Ants")
    late.systems.update(registered_at=term + timedelta(minutes=1))
    assert refused.systems.exists()
    assert [each.team for each in reserved_systems(task)] == [early]
    task.preregister_until = None
    assert not reserved_systems(task).exists()


@pytest.mark.django_db
def test_hosts_compute_on_a_page_and_choose_whether_the_call_says_what_room_there_is():
    task, client = make_task(preregister_until=timezone.now()), host()
    address, call = at("task-capacity", task.code), at("task-call", task.code)
    assert client.get(address).status_code == 200
    given = {"raters": 40, "items": 100, "repeats": 3, "seconds": 10, "spreads": "e2e-quality"}
    assert client.get(address, given).status_code == 422
    wrong = client.get(address, given | {"minutes": 30, "repeats": 41})
    assert "There are not so many raters" in wrong.content.decode()
    for hostile in ("-1", "nan", "1e400", "9" * 40, "\x00"):
        assert client.get(address, given | {"minutes": hostile}).status_code == 422
    given |= {"money": 240, "pay": 12}
    page = client.get(address, given).content.decode()
    assert "Up to 24 systems" in page
    assert '<input type="hidden" name="money" value="240"' in page
    assert "Room for systems" not in Client().get(call).content.decode(), "to compute tells nobody"
    client.post(address, given)
    task.refresh_from_db()
    assert task.room["allowed"] == 24 and task.room["rooms"][0]["systems"] == 2
    told = Client().get(call).content.decode()
    assert "Up to 24 systems" in told and "Larger than with one system less" in told
    shown = client.get(address).content.decode()
    assert "The call says" in shown
    assert client.post(address, given | {"repeats": 41}).status_code == 422
    client.post(address, {"act": "hide"})
    assert "Room for systems" not in Client().get(call).content.decode()
    verbs = list(task.events.values_list("verb", flat=True))
    assert verbs == ["room for systems hidden", "room for systems told in the call"]
