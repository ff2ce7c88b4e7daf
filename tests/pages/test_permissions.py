"""Everybody by role, and every page of the organiser."""

from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from rankme.actions.campaign import members
from rankme.models.campaigns import SEEN, Role
from rankme.pages.urls import participant_urls, task_urls, urlpatterns
from rankme.permissions import ROLES, Permission
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.pages.markup import wrong_names
from tests.pages.world import ACCOUNT, ALL, MEMBERS, MINE, POLICY, World, pattern_named
from tests.runs import rated_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


RATERS_DOORS = {pattern.name for pattern in participant_urls} - {"preview"}
# Their hosts and teams are other people: tests/shared_tasks/test_pages.py.
TASK_DOORS = {pattern.name for pattern in task_urls}
DOORS = [(name, method) for name, methods in POLICY.items() for method in methods]
PEOPLE = ("olga", *MEMBERS.values(), "stan", "")  # owner, members, stranger; "" did not log in
ROLE_OF = {name: role for role, name in MEMBERS.items()} | {"olga": Role.OWNER}


@pytest.fixture(scope="module")
def made_once(rows_of_the_module) -> World:
    """Making it takes longer than all its doors. Tests roll back what they do to it."""
    found = World(rated_campaign(slider_definition(), raters=1, items=2, systems=2))
    assert found.parts
    return found


@pytest.fixture(scope="module")
def cookies_of(made_once: World) -> dict[str, str]:
    """What the browser of each person keeps, who has logged in once for all doors."""
    kept = {"": ""}
    for person in filter(None, PEOPLE):
        visitor = Client()
        visitor.force_login(make_owner(person))
        kept[person] = visitor.cookies.output(header="")
    return kept


@pytest.fixture
def world(made_once: World) -> World:
    made_once.campaign.refresh_from_db()
    return made_once


def test_every_address_has_its_policy():
    assert {pattern.name for pattern in urlpatterns} == set(POLICY) | RATERS_DOORS | TASK_DOORS


@pytest.mark.parametrize(("name", "method"), DOORS)
def test_each_door_opens_to_whom_it_should(client, world, cookies_of, name, method):
    meetings = {}
    for person in PEOPLE:
        # Each finds the world as it was, whatever the one before did to it.
        with transaction.atomic():
            client.cookies = SimpleCookie(cookies_of[person])
            answer = client.generic(method, world.address(name))
            meetings[person] = met(answer)
            if answer.headers.get("Content-Type", "").startswith("text/html"):
                assert list(wrong_names(answer.text)) == []
            transaction.set_rollback(True)
    assert meetings == {person: expected(POLICY[name][method], person) for person in PEOPLE}


def met(answer: Any) -> str:
    """What a person meets at an address, in one word."""
    if answer.status_code == 302 and answer["Location"].startswith("/login/?next="):
        return "login"
    return {404: "nothing", 403: "forbidden"}.get(answer.status_code, "open")


def expected(who: str, person: str) -> str:
    if who == ALL:
        return "open"
    if not person:
        return "login"
    if who == ACCOUNT:
        return "open"
    if who == MINE:
        return "open" if person == "olga" else "nothing"
    if person == "stan":
        return "nothing"
    return "open" if who in ROLES[ROLE_OF[person]] else "forbidden"


def test_no_address_of_a_campaign_takes_other_methods(client, world):
    client.force_login(make_owner("stan"))
    for name, methods in POLICY.items():
        if set(methods.values()) <= {ALL, ACCOUNT}:
            continue
        for other in {"GET", "POST", "PUT", "DELETE", "PATCH"} - set(methods):
            answer = client.generic(other, world.address(name))
            assert answer.status_code in (404, 405), (name, other)


def test_head_is_answered_where_get_is(client, world):
    client.force_login(make_owner("olga"))
    for name, methods in POLICY.items():
        if "GET" in methods:
            status = client.get(world.address(name)).status_code
            assert client.head(world.address(name)).status_code == status, name


def test_parts_of_another_campaign_are_not_found_under_ones_own(client, world):
    """A number that belongs to Olga's campaign opens nothing under an address of Stan's."""
    own = make_campaign(items=2, systems=2, owner=make_owner("stan"))
    client.force_login(make_owner("stan"))
    for name, method in DOORS:
        needed = set(pattern_named(name).pattern.converters)
        if "code" not in needed or needed <= {"code", "path"}:
            continue
        parts = {part: world.parts[part] for part in needed} | {"code": own.code}
        answer = client.generic(method, reverse(f"rankme:{name}", kwargs=parts))
        assert answer.status_code == 404, name


def test_a_removed_member_is_a_stranger(client, world):
    mia = make_owner("mia")
    client.force_login(mia)
    assert client.get(world.address("campaign")).status_code == 200
    members.remove_member(mia.memberships.get(), by=world.campaign.owner)
    assert client.get(world.address("campaign")).status_code == 404


def test_changes_need_the_csrf_token(world):
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_owner("olga"))
    for name, method in DOORS:
        if method == "POST" and POLICY[name][method] != ALL:
            assert client.post(world.address(name)).status_code == 403, name


def test_the_admin_changes_nothing(client, world):
    from django.contrib import admin
    from django.contrib.auth import get_user_model

    boss = get_user_model().objects.create_superuser("boss", password="x")
    client.force_login(boss)
    for model in admin.site._registry:
        base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        assert client.get(reverse(f"{base}_changelist")).status_code == 200, model
        assert client.get(reverse(f"{base}_add")).status_code == 403, model
        row = model._default_manager.first()
        if row is not None:
            change = reverse(f"{base}_change", args=[row.pk])
            assert client.get(change).status_code == 200, model
            assert client.post(change, {}).status_code == 403, model
            assert client.post(reverse(f"{base}_delete", args=[row.pk])).status_code == 403, model


def test_the_admin_shows_no_panel_ids_and_no_tokens(client, world):
    from django.contrib.auth import get_user_model

    client.force_login(get_user_model().objects.create_superuser("boss", password="x"))
    rater = world.campaign.participants.first()
    page = client.get(reverse("admin:rankme_participant_change", args=[rater.pk])).text
    assert rater.label in page
    assert f">{rater.external_id}<" not in page


# Who reads what these show has looked at judgements with their systems.
SHOW_JUDGEMENTS = {
    *("campaign-items", "campaign-item", "campaign-disagreements", "campaign-rater"),
    *("analysis-run", "analysis-file", "analysis-metrics"),
    *("campaign-paper", "campaign-paper-file"),
}
# These name systems, but say nothing about what raters answered.
NAME_SYSTEMS = {
    *("campaign-material", "campaign-monitor", "campaign-extend", "campaign-metrics"),
    *("campaign-metrics-file", "campaign-damaged", "campaign-quality", "preview"),
    *("campaign-made-up", "campaign-made-up-first", "campaign-tryout"),
}


def test_pages_that_show_judgements_note_who_read_them(client, world, cookies_of):
    client.cookies = SimpleCookie(cookies_of["mia"])
    noting, naming = set(), set()
    for name in (
        each for each, who in POLICY.items() if who.get("GET") in set(Permission) - {Permission.OWN}
    ):
        with transaction.atomic():
            answered = client.get(world.address(name))
            if world.campaign.audit_events.filter(verb=SEEN, actor__username="mia").exists():
                noting.add(name)
            elif not answered.streaming and b"Sys1" in answered.content:
                naming.add(name)
            transaction.set_rollback(True)
    assert noting == SHOW_JUDGEMENTS
    assert naming <= NAME_SYSTEMS
