"""What each role finds on the pages that are open to it: what it may use, and nothing else."""

import re
from collections.abc import Iterator
from http.cookies import SimpleCookie

import pytest
from django.db import transaction
from django.test import Client
from django.urls import Resolver404, resolve

from rankme import permissions
from rankme.actions.audit import IDENTITIES_SEEN
from rankme.actions.panel import filters
from rankme.models import Invitation, Participant
from rankme.models.campaigns import MEMBER_ROLES, Role
from rankme.pages.campaign import campaign_page
from rankme.permissions import ROLES, Permission
from tests.campaigns import make_owner, slider_definition
from tests.pages.world import MEMBERS, POLICY, World
from tests.panels.loop import CODES
from tests.runs import rated_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

FORM = re.compile(r"<form\b[^>]*>", re.S)
LINK = re.compile(r'<a\b[^>]*?href="([^"#]+)"', re.S)
PERSONAL = "Anna Albrecht"
PANEL_ID = "5f3c2d1e0b9a"
OWN_ANSWER = "a very particular dialect"


@pytest.fixture(scope="module")
def world(rows_of_the_module) -> Iterator[World]:
    crowd = {"panel": "prolific", "completion_codes": CODES}
    found = World(rated_campaign(slider_definition(crowd=crowd), raters=1, items=2, systems=2))
    assert found.parts
    name_raters(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filters, "available_filters", lambda _account: [])  # asks no panel
        yield found


def name_raters(world: World) -> None:
    """Somebody with a personal link, somebody of a panel, and what they say about themselves."""
    invited, sent = world.campaign.participants.order_by("pk")[:2]
    link = Invitation.objects.create(campaign=world.campaign, token="t" * 22, name=PERSONAL)
    rows = Participant.objects.filter(pk=invited.pk)
    rows.update(panel="invitation", external_id=link.pk, entry_answers={"speech": OWN_ANSWER})
    Participant.objects.filter(pk=sent.pk).update(external_id=PANEL_ID)
    world.campaign.panel_studies.get().submissions.update(person=PANEL_ID, participant=sent)


@pytest.fixture(scope="module")
def cookies(world: World) -> dict[Role, str]:
    kept = {}
    for role, name in MEMBERS.items():
        visitor = Client()
        visitor.force_login(make_owner(name))
        kept[role] = visitor.cookies.output(header="")
    return kept


@pytest.fixture(scope="module")
def shown(world, cookies) -> dict[Role, list[tuple[str, str, str]]]:
    """All pages of each role, which take longer to make than to search."""
    return {role: list(pages_of(world, role, cookies[role])) for role in MEMBER_ROLES}


def pages_of(world: World, role: Role, cookie: str) -> Iterator[tuple[str, str, str]]:
    """The name, the address and the text of each page of the campaign that the role may open."""
    client = Client()
    for name, methods in POLICY.items():
        if methods.get("GET") not in ROLES[role]:
            continue
        with transaction.atomic():
            client.cookies = SimpleCookie(cookie)
            address = world.address(name)
            if name == "campaign-rater":
                rater = world.campaign.participants.earliest("pk")
                address = address.replace(world.parts["label"], rater.label)
            answer = client.get(address)
            assert answer.status_code in (200, 302, 422), (name, answer.status_code)
            content = b"".join(answer) if answer.streaming else answer.content
            yield name, address, content.decode(errors="replace")
            transaction.set_rollback(True)


@pytest.mark.parametrize("role", MEMBER_ROLES)
def test_every_form_and_link_on_a_page_is_for_those_who_see_it(shown, role):
    closed = []
    for name, address, text in shown[role]:
        for target, method in targets(text, address):
            needed = POLICY.get(target, {}).get(method)
            if isinstance(needed, Permission) and needed not in ROLES[role]:
                closed.append((name, target, method))
    assert closed == []


def targets(text: str, address: str) -> Iterator[tuple[str, str]]:
    """The pages to which the forms and links of a page lead, with the method."""
    for form in FORM.findall(text):
        if 'method="post"' in form:
            action = re.search(r'action="([^"?#]*)', form)
            yield from named(action[1] if action else address, "POST")
    for link in LINK.findall(text):
        yield from named(link, "GET")


def named(address: str, method: str) -> Iterator[tuple[str, str]]:
    try:
        yield str(resolve(address.partition("?")[0]).url_name), method
    except Resolver404:
        return


@pytest.mark.parametrize("role", [Role.MONITOR, Role.CURATOR])
def test_roles_without_names_of_systems_find_none(shown, role):
    found = [name for name, _, text in shown[role] if "Sys1" in text]
    assert found == []
    assert any("S01" in text for *_, text in shown[role])


IDENTIFYING = {
    PERSONAL: Permission.IDENTITIES,
    OWN_ANSWER: Permission.IDENTITIES,
    PANEL_ID: Permission.PANEL_IDS,
}


@pytest.mark.parametrize("role", MEMBER_ROLES)
def test_only_roles_with_identities_find_names_ids_and_own_answers(shown, role):
    found = {word for *_, text in shown[role] for word in IDENTIFYING if word in text}
    assert found == {word for word, needs in IDENTIFYING.items() if needs in ROLES[role]}


@pytest.mark.parametrize(
    ("format_asked", "needs"),
    [
        *((each, Permission.FILES) for each in ("csv", "jsonl", "settled", "cannot-judge")),
        ("answers", Permission.IDENTITIES),
        ("problems", Permission.WATCH),
        ("copy", Permission.READ),
    ],
)
def test_files_of_judgements_open_to_the_roles_that_may(world, cookies, format_asked, needs):
    client = Client()
    for role, cookie in cookies.items():
        client.cookies = SimpleCookie(cookie)
        answer = client.get(world.address("export-judgements"), {"format": format_asked})
        rights = ROLES[role]
        may = needs in rights and Permission.READ in rights
        assert answer.status_code == (200 if may else 403), role


def test_a_copy_has_codes_for_roles_without_names(world, cookies):
    client = Client()
    client.cookies = SimpleCookie(cookies[Role.MONITOR])
    address = world.address("export-judgements")
    blind, asked = (
        len(b"".join(client.get(address, {"format": "copy", **more}).streaming_content))
        for more in ({}, {"names": "yes"})
    )
    assert blind == asked


def test_a_page_that_asks_for_no_more_than_to_see_is_noticed(world, cookies, monkeypatch):
    """The control of the matrix in `test_permissions`: it would find each page open to viewers."""
    monkeypatch.setattr(
        campaign_page, "declare", lambda request, _: permissions.declare(request, Permission.SEE)
    )
    closed = {
        name
        for name, methods in POLICY.items()
        if isinstance(who := methods.get("GET"), Permission) and who not in ROLES[Role.VIEWER]
    } - {"export-judgements"}  # which asks again for each file
    client, opened = Client(), set()
    for name in closed:
        with transaction.atomic():
            client.cookies = SimpleCookie(cookies[Role.VIEWER])
            if client.get(world.address(name)).status_code != 403:
                opened.add(name)
            transaction.set_rollback(True)
    assert opened == closed


IDENTIFYING_PAGES = {
    *("campaign-links", "campaign-invitations", "campaign-raters", "campaign-raters-file"),
    *("campaign-rater", "campaign-panel-books", "campaign-panel-person"),
}


def test_who_looks_at_identities_is_in_the_history_once(world, cookies):
    """The pages that note it are those that show it; an hour's looks at one page are one."""
    seen = world.campaign.audit_events.filter(verb=IDENTITIES_SEEN, actor__username="auditor")
    noting = set()
    for name in IDENTIFYING_PAGES | {"campaign", "campaign-items", "campaign-quality"}:
        client, before = Client(), seen.count()
        client.cookies = SimpleCookie(cookies[Role.AUDITOR])
        address = world.address(name)
        if name == "campaign-rater":
            rater = world.campaign.participants.earliest("pk")
            address = address.replace(world.parts["label"], rater.label)
        with transaction.atomic():
            world.campaign.panel_studies.update(state="ACTIVE", places_cost=1000)
            for _ in range(2):
                answer = client.get(address)
                assert b"".join(answer) is not None
            if seen.count() > before:
                noting.add(name)
                whats = list(seen.values_list("detail__what", flat=True))
                assert len(whats) == len(set(whats))
            transaction.set_rollback(True)
    assert noting == IDENTIFYING_PAGES


@pytest.mark.parametrize("role", [Role.MONITOR, Role.ANALYST])
def test_who_sees_labels_alone_is_not_in_the_history(world, shown, role):
    events = world.campaign.audit_events.filter(verb=IDENTITIES_SEEN)
    assert not events.filter(actor__username=MEMBERS[role]).exists()
