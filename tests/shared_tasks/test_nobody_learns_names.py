"""While a task is sealed, no page and no file of it or of its campaign leads to a name."""

import io
import logging
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from rankme.actions.campaign import campaigns
from rankme.actions.shared_task.sealing import seal
from rankme.actions.shared_task.unsealing import unseal
from rankme.api.urls import urlpatterns as api_urls
from rankme.exporting.shared_task.files import FILES
from rankme.models import SharedTask, SystemUpload, Team
from rankme.pages.urls import task_urls as pages
from tests.campaigns import make_owner
from tests.pages.world import MEMBERS, POLICY, World
from tests.runs import rate
from tests.searching import disguises, unpacked
from tests.shared_tasks.tasks import close, make_task, make_team, member_of, secret_of, submit

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
PEOPLE = ("olga", *MEMBERS.values(), "stan", "")  # owner, members, stranger; nobody
NAMES = ("Wolpertinger", "Quagga")
PAGES = [name for name, methods in POLICY.items() if "GET" in methods and "campaign" in name]
PAGES += ["export-judgements", "preview", "report-public", "report-file", "report-public-metrics"]
PAGES += ["analysis-runs", "analysis-run", "analysis-file", "analysis-metrics", "analysis-publish"]
CALLS = [each for each in api_urls if "code" in each.pattern.converters]


@pytest.fixture(scope="module")
def world(rows_of_the_module) -> World:
    """A sealed task whose campaign was rated and analysed, with one of everything."""
    task = make_task(owner=make_owner())
    for number, name in enumerate(NAMES):
        team = make_team(
            task,
            name,
            publication_name=f"{name}-of-Bavaria",
            institution=f"University of {name}shire",
            citation=f"cite-{name}-2026",
        )
        submit(team, texts=f"Text {number} of item")  # raters see texts, so they have no names
    close(task)
    seal(task, by=task.owner)
    campaign = task.tracks.get().campaign
    campaigns.launch_campaign(campaign, by=task.owner)
    campaign.refresh_from_db()
    found = World(rate(campaign, raters=1))
    assert found.parts
    return found


@pytest.fixture
def secrets(world: World) -> dict[str, bytes]:
    """Every name, and what somebody could compute of it or of a file, by what it is."""
    texts = [name for team in Team.objects.all() for name in (team.name, team.institution)]
    texts += [each.stored for each in SystemUpload.objects.all()]
    found = {
        f"{text}: {kind}": needle for text in texts for kind, needle in disguises(text).items()
    }
    for each in SystemUpload.objects.all():
        found[f"file of {each.system.name}"] = each.sha256.encode()
    return found


def leaks(what: str, answer: Any, secrets: dict[str, bytes]) -> Iterator[str]:
    content = b"".join(answer) if answer.streaming else answer.content
    parts = [*unpacked(what, content), ("headers", str(answer.headers).encode())]
    for place, part in parts:
        lower = part.lower()
        yield from (f"{what} ({place}): {kind}" for kind, text in secrets.items() if text in lower)


def visitor(person: str) -> Client:
    client = Client()
    if person:
        client.force_login(make_owner(person))
    return client


@pytest.mark.parametrize("person", PEOPLE)
def test_no_page_leads_to_a_name(world, secrets, caplog, person):
    client, found, opened = visitor(person), [], 0
    with caplog.at_level(logging.DEBUG):
        for name in PAGES:
            answer = client.get(world.address(name))
            opened += answer.status_code == 200
            found += leaks(name, answer, secrets)
    assert found == []
    assert opened >= (40 if person == "olga" else 1)
    logged = caplog.text.encode().lower()
    assert [kind for kind, text in secrets.items() if text in logged] == []


@pytest.mark.parametrize("person", ["olga", "mia", "analyst", ""])
def test_no_answer_of_the_api_leads_to_a_name(world, secrets, person):
    client, found, opened = visitor(person), [], 0
    for route in CALLS:
        parts = {each: world.parts.get(each, 1) for each in route.pattern.converters}
        answer = client.get(reverse(str(route.name), kwargs=parts))
        opened += answer.status_code == 200
        found += leaks(str(route.name), answer, secrets)
    assert found == []
    assert opened >= (5 if person == "olga" else 0)


@pytest.mark.parametrize("person", ["mia", "analyst", "stan", ""])
def test_no_address_of_the_task_leads_to_a_name_for_others_than_hosts(world, secrets, person):
    client, found = visitor(person), []
    for name, address in addresses_of_the_task():
        found += leaks(name, client.get(address), secrets)
    assert found == []


def test_hosts_see_who_takes_part_and_neither_file_nor_code_with_a_name(world, secrets):
    """Hosts know their teams. What would lead from a team to its code, they do not see."""
    client, opened = visitor("olga"), 0
    files = {kind: text for kind, text in secrets.items() if kind.startswith(("file", "tasks/"))}
    assert len(files) >= 2 * len(NAMES)
    for name, address in addresses_of_the_task():
        answer = client.get(address)
        opened += answer.status_code == 200
        assert list(leaks(name, answer, files)) == []
        shown = answer.content.decode()
        assert not any(re.search(rf"\b{code}\b", shown) for code in ("S01", "S02")), name
    assert opened >= 8


@pytest.mark.parametrize("door", ["page", "api"])
def test_a_team_learns_no_name_of_another_and_no_code_of_its_own(world, secrets, door):
    own, other = (Team.objects.get(name=name) for name in NAMES)
    of_others = {kind: text for kind, text in secrets.items() if other.name in kind}
    assert of_others
    client = member_of(own)
    if door == "api":
        client = Client(headers={"authorization": f"Bearer {secret_of(own)}"})
    parts = {"upload": own.uploads.get().pk, "track": own.uploads.get().track_id, "number": 1}
    routes = [each for each in api_urls if str(each.name).startswith("api-team")]
    prefix = ""
    if door == "page":
        routes, prefix = [each for each in pages if str(each.name).startswith("team")], "rankme:"
    opened = 0
    for route in routes:
        given = {each: parts.get(each, 1) for each in route.pattern.converters}
        answer = client.get(reverse(f"{prefix}{route.name}", kwargs=given))
        opened += answer.status_code == 200
        assert list(leaks(str(route.name), answer, of_others)) == []
        assert not re.search(r"\bS0[12]\b", b"".join(answer).decode()), route.name
    assert opened >= 2


RESULTS = [("task-results", []), *(("task-result-file", [name]) for name in FILES)]


@pytest.mark.parametrize("person", [*PEOPLE, "team"])
def test_results_are_there_for_hosts_alone_and_not_before_the_names(world, person):
    task = SharedTask.objects.get()
    client = member_of(Team.objects.first()) if person == "team" else visitor(person)

    def opened() -> int:
        addresses = [reverse(f"rankme:{name}", args=[task.code, *more]) for name, more in RESULTS]
        return [client.get(address).status_code for address in addresses].count(200)

    assert {name for name, _more in RESULTS} == {
        each.name for each in pages if str(each.name).startswith("task-result")
    }
    assert opened() == 0
    unseal(task, by=task.owner, reason="The other host is ill.")
    assert opened() == (len(RESULTS) if person == "olga" else 0)


def addresses_of_the_task() -> Iterator[tuple[str, str]]:
    """Pages and calls about the task."""
    code = SharedTask.objects.get().code
    for prefix, part, routes in (("rankme:", "code", pages), ("", "task", api_urls)):
        for route in routes:
            name = str(route.name)
            if name.startswith(("task", "api-task", "api-call")):
                given = {each: 1 for each in route.pattern.converters} | {part: code}
                given = {each: given[each] for each in route.pattern.converters}
                yield name, reverse(f"{prefix}{name}", kwargs=given)


@pytest.mark.parametrize("put", [NAMES[0], "S01"])
def test_a_name_or_a_code_on_every_page_is_found(world, secrets, settings, tmp_path: Path, put):
    """The control: without it, a search that sees nothing would pass as well."""
    engine = settings.TEMPLATES[0]
    base = Path(engine["DIRS"][0], "base.html").read_text()
    (tmp_path / "base.html").write_text(base.replace("</body>", f"{put}</body>"))
    settings.TEMPLATES = [engine | {"DIRS": [tmp_path, *engine["DIRS"]]}]
    if put == "S01":
        with pytest.raises(AssertionError):
            test_hosts_see_who_takes_part_and_neither_file_nor_code_with_a_name(world, secrets)
        return
    with pytest.raises(AssertionError):
        test_no_address_of_the_task_leads_to_a_name_for_others_than_hosts(world, secrets, "stan")
    answer = visitor("olga").get(world.address("campaign"))
    assert any(f"{put}: text" in found for found in leaks("campaign", answer, secrets))


def test_the_hash_of_a_file_is_found_in_an_archive(secrets):
    """The control for downloads: a hash in a packed member, as somebody would publish it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sums.txt", SystemUpload.objects.first().sha256.upper())
    answer = HttpResponse(packed.getvalue())
    assert any("file of" in found for found in leaks("sums", answer, secrets))
