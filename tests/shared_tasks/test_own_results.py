"""Teams read their own results before the public does, and may object to them."""

import csv
import io
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from analysis.report.answer import answers_of
from rankme.actions.runs import publishing
from rankme.actions.shared_task.disputes import MOST_DISPUTES, answer_dispute, make_dispute
from rankme.actions.shared_task.tasks import change_task
from rankme.errors import RefusedAction
from rankme.exporting.shared_task.own_results import own_places
from rankme.exporting.shared_task.results import results_of
from rankme.models import Dispute, SharedTask, SystemCode, Team
from tests.campaigns import make_owner
from tests.shared_tasks.tasks import (
    at,
    host,
    judged_task,
    make_task,
    make_team,
    member_of,
    submit,
    unsealed,
)

pytestmark = pytest.mark.django_db
NAMES = ("Wolpertinger", "Quagga", "Yeti")


@pytest.fixture(scope="module")
def unsealed_once(rows_of_the_module) -> SharedTask:
    return unsealed(judged_task(*NAMES, teams_first_days=7))


@pytest.fixture
def task(unsealed_once) -> SharedTask:
    return SharedTask.objects.get(pk=unsealed_once.pk)


def team_of(task: SharedTask, name: str) -> tuple[Team, Client]:
    team = task.teams.get(name=name)
    return team, member_of(team)


def member(team: Team):
    return team.members.filter(is_captain=True).get()


def let_the_days_pass() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE rankme_sharedtask DISABLE TRIGGER seal_is_guarded")
        SharedTask.objects.update(unsealed_at=timezone.now() - timedelta(days=7, minutes=1))
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE rankme_sharedtask ENABLE TRIGGER seal_is_guarded")


def test_a_team_reads_its_own_places_as_the_report_has_them(task):
    (answer,) = answers_of(results_of(task).tracks[0].report)
    for name in NAMES:
        team, client = team_of(task, name)
        (place,) = own_places(team)
        code = SystemCode.objects.get(upload__team=team).code
        assert place.standing == next(each for each in answer.standings if each.system == code)
        page = client.get(at("team-results")).content.decode()
        low, high = place.standing.rank_low, place.standing.rank_high
        expected = f"{low} of 3" if low == high else f"{low} to {high} of 3"
        assert expected in page and f"{place.standing.value:.3f}" in page


def test_its_file_has_every_judgement_of_its_outputs_and_of_no_others(task):
    team, client = team_of(task, "Quagga")
    track = task.tracks.get()
    content = client.get(at("team-judgements", track.pk)).content.decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    code = SystemCode.objects.get(upload__team=team).code
    outputs = track.campaign.systems.get(name=code).outputs
    assert {row["output"] for row in rows} == set(outputs.values_list("text", flat=True))
    found = next(
        row for row in results_of(task).tracks[0].report.criteria[0].systems if row.system == code
    )
    values = [float(row["value"]) for row in rows]
    assert len(values) == found.judgements
    assert sum(values) / len(values) == pytest.approx(found.mean, abs=1e-9)
    assert {row["system"] for row in rows} == {"Quagga"}


def test_nothing_of_another_team_is_on_a_teams_pages(task):
    track = task.tracks.get()
    for name in NAMES:
        _team, client = team_of(task, name)
        for address in (at("team-results"), at("team-judgements", track.pk)):
            content = client.get(address).content.decode().casefold()
            others = [other for other in NAMES if other != name]
            assert [other for other in others if other.casefold() in content] == []
            assert name.casefold() in content


def test_there_is_nothing_before_the_names():
    task = make_task(teams_first_days=7)
    submit(make_team(task, "Owls"))
    SharedTask.objects.filter(pk=task.pk).update(sealed_at=timezone.now())
    _team, client = team_of(task, "Owls")
    track = task.tracks.get()
    assert client.get(at("team-results")).status_code == 404
    assert client.get(at("team-judgements", track.pk)).status_code == 404
    assert client.post(at("team-dispute"), {"track": track.pk, "text": "No."}).status_code == 404
    assert "/team/results/" not in client.get(at("team")).content.decode()


def test_a_team_objects_and_hosts_answer_once(task):
    _team, client = team_of(task, "Yeti")
    track = task.tracks.get()
    client.post(at("team-dispute"), {"track": track.pk, "text": "Item 3 is not ours."})
    (made,) = Dispute.objects.all()
    hosts = host()
    assert "Item 3 is not ours." in hosts.get(at("task-results", task.code)).content.decode()
    hosts.post(at("task-dispute", task.code, made.pk), {"text": "It is: see the upload."})
    shown = client.get(at("team-results")).content.decode()
    assert "Item 3 is not ours." in shown and "It is: see the upload." in shown
    again = hosts.post(at("task-dispute", task.code, made.pk), {"text": "Or not."}, follow=True)
    assert "answered already" in again.content.decode()
    _other, another = team_of(task, "Quagga")
    assert "Item 3" not in another.get(at("team-results")).content.decode()
    verbs = task.events.filter(verb__contains="dispute").values_list("verb", flat=True)
    assert list(verbs) == ["dispute answered", "results disputed"]


def test_hosts_of_another_task_do_not_answer(task):
    team = task.teams.get(name="Yeti")
    made = make_dispute(task.tracks.get(), "No.", by=member(team))
    other = make_task(owner=make_owner("other"))
    answer = host("other").post(at("task-dispute", other.code, made.pk), {"text": "Yes."})
    assert answer.status_code == 404
    assert Dispute.objects.get().answered_at is None


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE rankme_dispute SET text = 'x'",
        "UPDATE rankme_dispute SET made_at = now() - interval '1 day'",
        "UPDATE rankme_dispute SET answer = 'y'",
        "DELETE FROM rankme_dispute",
        "TRUNCATE rankme_dispute",
    ],
)
def test_the_database_lets_nobody_change_what_was_said(task, change):
    made = make_dispute(task.tracks.get(), "No.", by=member(task.teams.get(name="Yeti")))
    answer_dispute(made, "Yes.", by=task.owner)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change)


def test_the_databases_clock_says_whether_a_team_may_object(task):
    team, track = task.teams.get(name="Yeti"), task.tracks.get()
    let_the_days_pass()
    with pytest.raises(RefusedAction, match="time to object is over"):
        make_dispute(track, "No.", by=member(team))


def test_what_a_team_cannot_object_to(task):
    team, track = task.teams.get(name="Yeti"), task.tracks.get()
    with pytest.raises(RefusedAction, match="Write what"):
        make_dispute(track, " ", by=member(team))
    silent = make_team(task, "Silent")
    with pytest.raises(RefusedAction, match="No system of your team"):
        make_dispute(track, "No.", by=member(silent))
    for _number in range(MOST_DISPUTES):
        make_dispute(track, "No.", by=member(team))
    with pytest.raises(RefusedAction, match="objected often"):
        make_dispute(track, "No.", by=member(team))


def test_names_are_public_only_after_the_days_of_teams(client, task):
    (track,) = results_of(task).tracks
    report = publishing.publish_report(track.run, by=task.owner)
    address = at("report-public", report.code)
    assert b"Wolpertinger" not in client.get(address).content
    let_the_days_pass()
    assert b"Wolpertinger" in client.get(address).content


def test_teams_keep_the_days_that_they_were_given(task):
    with pytest.raises(RefusedAction, match="keep the days"):
        change_task(task, by=task.owner, teams_first_days=3)
    with pytest.raises(RefusedAction, match="keep the days"):
        change_task(task, by=task.owner, teams_first_days=None)
    assert change_task(task, by=task.owner, teams_first_days=9).teams_first_days == 9
