"""Tasks and teams: made, changed, registered, decided about, with members and captains."""

import hashlib
import json
from datetime import timedelta

import pytest
from django.utils import timezone

from rankme.actions.shared_task import tasks, teams
from rankme.errors import RefusedAction
from rankme.models import SharedTask, TaskEvent, Team, Track
from tests.campaigns import make_owner, slider_definition
from tests.shared_tasks.tasks import HOUR, make_task, make_team, upload

pytestmark = pytest.mark.django_db
NOW = timezone.now


def register(task: SharedTask, name: str = "Owls", **fields):
    given = {"publication_name": name, "captain": "Ada"}
    return teams.register_team(task, name=name, **(given | fields))


def verbs(task: SharedTask) -> list[str]:
    return list(TaskEvent.objects.filter(task=task).order_by("pk").values_list("verb", flat=True))


def test_a_host_makes_a_task_with_a_track_and_every_act_is_an_event():
    owner = make_owner("host")
    task = tasks.create_task(owner, title="E2E", opens_at=NOW(), closes_at=NOW() + HOUR)
    task = tasks.change_task(task, by=owner, title="E2E again")
    track = tasks.add_track(task, "English", slider_definition(), by=owner)
    assert track.campaign.owner == owner
    assert track.campaign.title == "E2E again: English"
    make_owner("second")
    host = tasks.add_host(task, "second", by=owner)
    assert list(tasks.tasks_of(host.user)) == [task]
    tasks.remove_host(host, by=owner)
    assert not tasks.tasks_of(host.user).exists()
    tasks.remove_track(track, by=owner)
    assert verbs(task) == [
        "task made",
        "task changed",
        "track added",
        "host added",
        "host removed",
        "track removed",
    ]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"closes_at": NOW() - timedelta(days=9)}, "has to close after it opens"),
        ({"preregister_until": NOW() + timedelta(days=9)}, "Pre-registration has to end"),
        ({"teams_named": "date"}, "Enter the day"),
    ],
)
def test_times_that_contradict_each_other_are_refused_with_a_remedy(fields, words):
    task = make_task()
    with pytest.raises(RefusedAction, match=words):
        tasks.change_task(task, by=task.owner, **fields)
    task.refresh_from_db()
    assert verbs(task) == []


def test_the_pack_of_sources_has_no_references_and_its_hash_stays():
    track = make_task().tracks.get()
    pack = tasks.source_pack(track)
    assert b"serves soup" not in pack
    first = json.loads(pack.splitlines()[0])
    assert set(first) == {"item", "input", "context"}
    track.refresh_from_db()
    assert track.sources_sha256 == hashlib.sha256(pack).hexdigest()
    assert track.references_sha256 not in ("", track.sources_sha256)
    item = track.campaign.items.first()
    item.input = "Another input"
    item.save()
    with pytest.raises(RefusedAction, match="sources have changed"):
        tasks.source_pack(track)


def test_the_hash_is_not_fixed_before_the_opening():
    task = make_task(opens_at=NOW() + HOUR / 2)
    tasks.source_pack(task.tracks.get())
    assert Track.objects.get().sources_sha256 == ""


@pytest.mark.parametrize(("registration", "state"), [("open", "approved"), ("approve", "waiting")])
def test_a_team_registers_and_comes_back_with_its_link(registration, state):
    task = make_task(registration=registration)
    captain, secret = register(task)
    assert captain.team.state == state
    assert secret not in str(list(Team.objects.values())) + captain.hash
    assert teams.member_of(secret) == captain
    with pytest.raises(RefusedAction, match="does not work"):
        teams.member_of(secret + "x")
    assert upload_of(captain.team).number == 1  # also while it waits


def upload_of(team: Team):
    team.systems.create(name="A")
    return upload(team)


def test_a_closed_list_takes_one_team_for_each_invitation():
    task = make_task(registration="closed")
    with pytest.raises(RefusedAction, match="invited teams"):
        register(task)
    made, secret = teams.invite_team(task, by=task.owner)
    captain, _own = register(task, invitation=secret)
    assert captain.team.state == "approved"
    made.refresh_from_db()
    assert made.team == captain.team
    with pytest.raises(RefusedAction, match="has used this invitation"):
        register(task, "Bees", invitation=secret)
    other, secret = teams.invite_team(task, by=task.owner)
    teams.revoke_team_invitation(other, by=task.owner)
    with pytest.raises(RefusedAction, match="does not work"):
        register(task, "Bees", invitation=secret)


def test_terms_are_accepted_or_the_team_does_not_register():
    task = make_task(terms="Names are fixed.")
    with pytest.raises(RefusedAction, match="Accept the terms"):
        register(task)
    captain, _secret = register(task, accepts_terms=True)
    captain.team.refresh_from_db()
    assert captain.team.accepted_terms_at is not None


def test_nobody_registers_after_the_close():
    task = make_task()
    SharedTask.objects.update(closes_at=NOW() - timedelta(seconds=1))
    with pytest.raises(RefusedAction, match="closed"):
        register(task)


@pytest.mark.parametrize(
    ("name", "words"),
    [("R&D", "means something"), ("50%", "means something"), ("Οwls", "Latin letters")],
)
def test_names_that_latex_cannot_print_are_refused(name, words):
    with pytest.raises(RefusedAction, match=words):
        register(make_task(), publication_name=name)


@pytest.mark.parametrize("name", ["Universität Zürich 2", "Owls+Bees (A)", "Ł-1"])
def test_names_that_latex_prints_are_taken(name):
    assert register(make_task(), publication_name=name)[0].team.publication_name == name


@pytest.mark.parametrize(
    ("name", "words"), [("owls", "has this short name"), ("a b", "A short name"), ("Hosts", "kept")]
)
def test_short_names_are_plain_and_appear_once(name, words):
    task = make_task()
    register(task)
    with pytest.raises(RefusedAction, match=words):
        register(task, name, publication_name="Bees")


def test_a_host_approves_or_refuses_a_team_and_may_decide_again():
    task = make_task()
    captain, _secret = register(task)
    assert teams.decide(captain.team, approve=True, by=task.owner).state == "approved"
    assert teams.decide(captain.team, approve=False, by=task.owner).state == "refused"
    with pytest.raises(RefusedAction, match="nothing to decide"):
        teams.decide(captain.team, approve=False, by=task.owner)
    assert verbs(task) == ["team registered", "team approved", "team refused"]


def test_a_team_that_withdraws_takes_all_its_uploads_with_it():
    task = make_task()
    team, other = make_team(task), make_team(task, "Bees")
    mine, theirs = upload(team), upload(other)
    captain = team.members.get()
    with pytest.raises(RefusedAction, match="Only the captain"):
        teams.withdraw_team(team, by=other.members.get())
    assert teams.withdraw_team(team, by=captain).state == "withdrawn"
    mine.refresh_from_db()
    theirs.refresh_from_db()
    assert (mine.withdrawn_at is None, theirs.withdrawn_at is None) == (False, True)
    with pytest.raises(RefusedAction, match="withdrawn already"):
        teams.withdraw_team(team, by=captain)
    with pytest.raises(RefusedAction, match="nothing to decide"):
        teams.decide(team, approve=True, by=task.owner)


def test_captains_add_and_remove_members_and_hosts_replace_a_lost_captain():
    task = make_task()
    captain, secret = register(task)
    team = captain.team
    member, members_secret = teams.add_member(team, name="Bob", by=captain)
    with pytest.raises(RefusedAction, match="Only the captain"):
        teams.add_member(team, name="Eve", by=member)
    with pytest.raises(RefusedAction, match="needs a captain"):
        teams.remove_member(captain, by=captain)
    fresh, new_secret = teams.replace_captain(team, name="Cleo", by=task.owner)
    with pytest.raises(RefusedAction, match="does not work"):
        teams.member_of(secret)
    assert teams.member_of(new_secret) == fresh
    assert teams.member_of(members_secret) == member
    teams.remove_member(member, by=fresh)
    with pytest.raises(RefusedAction, match="does not work"):
        teams.member_of(members_secret)


def test_the_hosts_have_a_team_to_rehearse_with_and_get_a_link_each_time():
    task = make_task()
    first, _secret = teams.open_own_team(task, "rehearsal", by=task.owner)
    again, secret = teams.open_own_team(task, "rehearsal", by=task.owner)
    assert first.team == again.team
    assert teams.member_of(secret) == again


def test_a_system_is_announced_once_by_name():
    captain, _secret = register(make_task())
    teams.announce_system(captain.team, name="Big", by=captain)
    with pytest.raises(RefusedAction, match="a system with this name"):
        teams.announce_system(captain.team, name="big", by=captain)
