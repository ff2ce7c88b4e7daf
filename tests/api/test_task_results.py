"""Results, disputes and the history of a shared task by the API: for hosts and for teams."""

import csv
import io
import zipfile

import pytest
from rest_framework.test import APIClient

from rankme.actions.shared_task import teams
from rankme.exporting.shared_task.files import FILES
from rankme.exporting.shared_task.results import results_of
from rankme.exporting.shared_task.tables import as_one_csv
from rankme.models import AuditEvent, SharedTask
from rankme.models.campaigns import SEEN
from tests.api.conftest import client_of_team
from tests.campaigns import make_owner
from tests.shared_tasks.tasks import judged_task, make_team, unsealed

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
API = "/api/v1/"
TEAM = f"{API}team/"
NAMES = ("Owls", "Bees", "Cats")


@pytest.fixture(scope="module")
def sealed(rows_of_the_module) -> SharedTask:
    return judged_task(*NAMES, owner=make_owner(), teams_first_days=7)


@pytest.fixture(scope="module")
def named(rows_of_the_module) -> SharedTask:
    """Another task, unsealed. Tests roll back what they do to either."""
    return unsealed(judged_task(*NAMES, owner=make_owner(), teams_first_days=7))


@pytest.fixture
def task(sealed) -> SharedTask:
    return SharedTask.objects.get(pk=sealed.pk)


@pytest.fixture
def told(named) -> SharedTask:
    return SharedTask.objects.get(pk=named.pk)


def address(task: SharedTask, part: str = "") -> str:
    return f"{API}tasks/{task.code}/{part}"


def team_client(task: SharedTask, name: str) -> APIClient:
    return client_of_team(task.teams.get(name=name))


def test_hosts_read_the_rows_of_the_file(told, olga):
    found = olga.get(address(told, "results/")).json()
    assert (found["is_named"], found["without_report"]) == (True, [])
    assert found["teams_first_until"]
    (table,) = found["tables"]
    rows = list(csv.DictReader(io.StringIO(as_one_csv(results_of(told)))))
    assert (table["track"], table["unit"]) == (rows[0]["Track"], rows[0]["Unit"])
    assert [each["system"] for each in table["systems"]] == [row["System"] for row in rows]
    columns = {
        "value": "Value",
        "low": "Interval low",
        "high": "Interval high",
        "rank_low": "Ranks low",
        "rank_high": "Ranks high",
        "judgements": "n",
    }
    for each, row in zip(table["systems"], rows, strict=True):
        assert {name: float(each[name]) for name in columns} == {
            name: float(row[title]) for name, title in columns.items()
        }
    seen = AuditEvent.objects.filter(verb=SEEN, detail__what="results of the shared task")
    assert seen.count() == 1


def test_hosts_download_every_file(told, olga):
    files = olga.get(address(told, "results/")).json()["files"]
    assert files == list(FILES)
    for name in files:
        answer = olga.get(address(told, f"results/{name}"))
        assert answer.status_code == 200, name
        assert b"".join(answer)
    paper = olga.get(address(told, "results/overview.zip"))
    with zipfile.ZipFile(io.BytesIO(b"".join(paper))) as archive:
        assert archive.namelist() == ["overview.tex", "teams.bib"]
    assert olga.get(address(told, "results/other.zip")).status_code == 404


def test_before_the_names_there_are_no_results(task, olga):
    client = team_client(task, "Owls")
    track = task.tracks.get().pk
    answers = [
        olga.get(address(task, "results/")),
        olga.get(address(task, "results/results.csv")),
        client.get(f"{TEAM}results/"),
        client.get(f"{TEAM}results/{track}/judgements.csv"),
        client.post(f"{TEAM}disputes/", {"track": track, "text": "No."}),
    ]
    for each in answers:
        assert each.status_code == 409
        assert "no results yet" in each.json()["error"]["message"]


def test_a_team_objects_before_the_names_and_learns_nothing_of_its_code(task):
    """Whether people judge it or not, the answer is the same."""
    make_team(task, "Dogs")
    body = {"track": task.tracks.get().pk, "text": "No."}
    judged, silent = (
        team_client(task, name).post(f"{TEAM}disputes/", body).content for name in ("Owls", "Dogs")
    )
    assert judged == silent


def test_a_team_reads_its_own_places_and_judgements(told):
    track = told.tracks.get()
    for name in NAMES:
        client = team_client(told, name)
        found = client.get(f"{TEAM}results/").json()
        (place,) = found["places"]
        assert found["may_object"] is True
        assert (place["system"], place["systems"], place["is_withdrawn"]) == (name, 3, False)
        assert 1 <= place["rank_low"] <= place["rank_high"] <= 3
        content = b"".join(client.get(f"{TEAM}results/{track.pk}/judgements.csv")).decode()
        assert {row["system"] for row in csv.DictReader(io.StringIO(content))} == {name}
        shown = content + str(found)
        assert [other for other in NAMES if other != name and other in shown] == []


def test_a_withdrawn_system_has_a_value_and_no_place(task):
    teams.withdraw_team(task.teams.get(name="Cats"), by=task.owner)
    told = unsealed(task)
    (place,) = team_client(told, "Cats").get(f"{TEAM}results/").json()["places"]
    assert place["is_withdrawn"] is True
    assert (place["rank_low"], place["rank_high"]) == (None, None)
    assert place["value"]


def test_a_team_objects_and_hosts_answer_once(told, olga):
    client, other = team_client(told, "Owls"), team_client(told, "Bees")
    track = told.tracks.get().pk
    made = client.post(f"{TEAM}disputes/", {"track": track, "text": "Item 3 is not ours."})
    assert made.status_code == 201
    assert client.post(f"{TEAM}disputes/", {"track": track + 1, "text": "No."}).status_code == 404
    (listed,) = olga.get(address(told, "disputes/")).json()["results"]
    assert (listed["team"], listed["text"]) == ("Owls", "Item 3 is not ours.")
    one = address(told, f"disputes/{listed['id']}/answer/")
    assert olga.post(one, {"text": "It is."}).json()["answer"] == "It is."
    again = olga.post(one, {"text": "Or not."})
    assert (again.status_code, "answered already" in again.content.decode()) == (409, True)
    (read,) = client.get(f"{TEAM}disputes/").json()["results"]
    assert (read["answer"], "team" in read) == ("It is.", False)
    assert other.get(f"{TEAM}disputes/").json()["results"] == []


def test_the_history_has_the_acts_of_hosts_and_teams_and_no_upload_while_sealed(task, olga):
    team_client(task, "Owls")
    verbs = [each["verb"] for each in olga.get(address(task, "history/")).json()["results"]]
    assert verbs == ["team member added", "systems sealed"]
    olga.put(address(task), {"call": "Describe places."})
    newest = olga.get(address(task, "history/")).json()["results"][0]
    assert newest["changed"] == {"call": {"from": "", "to": "Describe places."}}
    assert (newest["actor"], newest["team"]) == ("olga", "")
    teams.withdraw_team(task.teams.get(name="Cats"), by=task.owner)
    unsealed(task)
    shown = olga.get(address(task, "history/")).content.decode()
    assert "systems unsealed" in shown and "salt" not in shown


def test_others_find_no_results(told, stranger, anybody):
    parts = ("results/", "results/results.csv", "disputes/", "history/")
    for part in parts:
        assert stranger.get(address(told, part)).status_code == 404
        assert anybody.get(address(told, part)).status_code == 401
