"""Shared tasks by the API alone: for teams with their own secret, for hosts with a key."""

import hashlib
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from rankme.actions.shared_task import checks
from rankme.api.authentication import rate_limits
from rankme.models import SharedTask, SystemUpload, TeamMember, UploadCheck, UploadTicket
from tests.api.conftest import bearer, client_of, client_of_team
from tests.campaigns import make_owner
from tests.shared_tasks.tasks import close, make_task, make_team, submit

pytestmark = pytest.mark.django_db
API = "/api/v1/"
LINES = b"The first.\nA second one.\nSome third.\nThe last.\n"
TIMES = {"opens_at": "2026-01-01T00:00Z", "closes_at": "2099-01-01T00:00Z"}


def sent(client, team, content=LINES, name="outputs.txt", ticket=""):
    track, system = team.task.tracks.first(), team.systems.first()
    address = f"{API}team/files/{track.pk}/{system.pk}/{name}"
    return client.generic("PUT", address + (f"?ticket={ticket}" if ticket else ""), content, "")


def test_a_team_goes_from_the_call_to_a_primary_by_the_api_alone(anybody):
    task = make_task(terms="Be fair.", registration="open")
    call = f"{API}calls/{task.code}/"
    assert anybody.get(call).json()["terms"] == "Be fair."
    facts = {"name": "Owls", "publication_name": "The Owls", "captain": "Ada"}
    refused = anybody.post(call, facts)
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "refused")
    made = anybody.post(call, facts | {"accepts_terms": True})
    assert made.status_code == 201
    client = bearer(made.json()["link"])

    own = client.get(f"{API}team/").json()
    assert (own["name"], own["member"], own["is_captain"]) == ("Owls", "Ada", True)
    track = own["task"]["tracks"][0]["id"]
    pack = client.get(f"{API}team/tracks/{track}/sources.jsonl")
    own = client.get(f"{API}team/").json()
    assert own["task"]["tracks"][0]["sources_sha256"] == hashlib.sha256(pack.content).hexdigest()
    system = client.post(f"{API}team/systems/", {"name": "Big"}).json()
    assert system["is_constrained"] is True
    assert [each["name"] for each in client.get(f"{API}team/systems/").json()] == ["Big"]

    fields = {"track": track, "system": system["id"]}
    file = SimpleUploadedFile("o.txt", LINES)
    first = client.post(f"{API}team/uploads/", fields | {"file": file}, format="multipart")
    assert first.status_code == 201, first.content
    address = f"{API}team/files/{track}/{system['id']}/p.txt"
    second = client.generic("PUT", address, b"Only one.\n", "")
    third = client.generic("POST", address, LINES, "application/x-www-form-urlencoded")
    assert [each.status_code for each in (second, third)] == [201, 201]
    assert third.json()["sha256"] == hashlib.sha256(LINES).hexdigest()
    assert third.json()["file_name"] == "p.txt"
    assert third.json()["check"]["is_valid"] is None
    for row in UploadCheck.objects.all():
        assert checks.execute(row.pk, "worker")
    listed = client.get(f"{API}team/uploads/").json()["results"]
    assert [each["check"]["is_valid"] for each in listed] == [True, False, True]
    assert listed[1]["check"]["problems"][0]["line"] == 2
    assert "again" in [each["kind"] for each in listed[0]["check"]["warnings"]]
    assert listed[0]["check"]["scores"] == {}

    one = f"{API}team/uploads/{listed[0]['id']}/"
    assert client.post(f"{one}role/", {"role": "primary"}).json()["role"] == "primary"
    receipt = client.get(f"{one}receipt/").json()
    assert receipt["counts_now"] == [{"number": 3, "role": "primary"}]
    wrong = client.post(f"{API}team/uploads/{listed[1]['id']}/role/", {"role": "primary"})
    assert "has problems" in wrong.json()["error"]["message"]
    assert client.post(f"{one}withdraw/").json()["withdrawn_at"]
    assert client.get(one).json()["role"] == "primary"


def test_a_link_that_was_ended_or_never_was_opens_nothing():
    team = make_team(make_task())
    client = client_of_team(team)
    assert client.get(f"{API}team/").status_code == 200
    TeamMember.objects.update(removed_at=timezone.now())
    for each in (client, bearer("never")):
        answer = each.get(f"{API}team/")
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
        assert "does not work" in answer.json()["error"]["message"]


def test_a_key_of_an_account_opens_no_team_and_a_secret_no_account(olga):
    team = make_team(make_task(owner=make_owner()))
    assert olga.get(f"{API}team/").status_code == 401
    client = client_of_team(team)
    for address in (f"{API}tasks/", f"{API}tasks/{team.task.code}/", f"{API}campaigns/"):
        assert client.get(address).status_code == 401


def test_a_team_finds_nothing_of_another_team():
    task = make_task()
    upload, other = submit(make_team(task)), make_team(task, "Bees")
    client = client_of_team(other)
    for part in ("", "receipt/"):
        assert client.get(f"{API}team/uploads/{upload.pk}/{part}").status_code == 404
    for part, body in (("role/", {"role": "none"}), ("withdraw/", None)):
        assert client.post(f"{API}team/uploads/{upload.pk}/{part}", body).status_code == 404
    track = task.tracks.get()
    address = f"{API}team/files/{track.pk}/{upload.system.pk}/o.txt"
    assert client.generic("PUT", address, LINES, "").status_code == 404
    assert client.get(f"{API}team/uploads/").json()["results"] == []


def test_the_sources_wait_for_the_opening():
    task = make_task(opens_at=timezone.now() + timedelta(minutes=30))
    team = make_team(task)
    answer = client_of_team(team).get(f"{API}team/tracks/{task.tracks.get().pk}/sources.jsonl")
    assert answer.status_code == 409
    assert "once the task opens" in answer.json()["error"]["message"]


def test_an_upload_that_had_begun_may_end_after_the_close_by_the_api():
    team = make_team(make_task())
    client, track = client_of_team(team), team.task.tracks.get()
    ticket = client.post(f"{API}team/tickets/", {"track": track.pk}).json()["ticket"]
    UploadTicket.objects.update(began_at=timezone.now() - timedelta(seconds=30))
    SharedTask.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
    late = sent(client, team)
    assert late.status_code == 409
    assert "by the clock of the server" in late.json()["error"]["message"]
    assert sent(client, team, ticket=ticket).json()["in_grace"] is True
    assert "already arrived" in sent(client, team, ticket=ticket).json()["error"]["message"]


def test_an_empty_file_and_a_name_from_elsewhere():
    team = make_team(make_task())
    client = client_of_team(team)
    assert "is empty" in sent(client, team, b"").json()["error"]["message"]
    named = sent(client, team, name="a%00b%0A..%5C..%5Cpasswd.txt")
    assert (named.status_code, named.json()["file_name"]) == (201, "passwd.txt")


def test_calls_of_a_member_are_limited(monkeypatch):
    client = client_of_team(make_team(make_task()))
    limit = rate_limits.Limit("calls", 1, timedelta(minutes=1))
    monkeypatch.setattr(rate_limits, "CALLS", limit)
    assert client.get(f"{API}team/").status_code == 200
    assert client.get(f"{API}team/").status_code == 429


# --- Hosts ------------------------------------------------------------------------------------


def test_a_host_goes_from_the_task_to_the_names_by_the_api_alone(olga, anybody):
    made = olga.post(f"{API}tasks/", TIMES | {"title": "E2E again", "most_uploads": 3})
    assert made.status_code == 201, made.content
    task = f"{API}tasks/{made.json()['code']}/"
    assert olga.put(task, {"closes_at": "2020-01-01T00:00Z"}).status_code == 409
    assert olga.put(task, {"title": "E2E once more"}).json()["title"] == "E2E once more"
    track = olga.post(f"{task}tracks/", {"name": "English"}).json()
    assert olga.get(f"{API}campaigns/{track['campaign']}/").status_code == 200
    assert olga.post(f"{task}tracks/", {"name": "X", "preset": "none"}).status_code == 409
    link = olga.post(f"{task}links/", {"kind": "invitation"}).json()["link"]
    assert "?invitation=" in link
    facts = {"name": "Owls", "publication_name": "Owls", "captain": "Ada"}
    assert anybody.post(f"{API}calls/{made.json()['code']}/", facts).status_code == 201
    (team,) = olga.get(f"{task}teams/").json()["results"]
    decided = olga.post(f"{task}teams/{team['id']}/decision/", {"decision": "approve"})
    assert decided.json()["state"] == "approved"
    captain = olga.post(f"{task}teams/{team['id']}/captain/").json()["link"]
    assert bearer(captain).get(f"{API}team/").json()["name"] == "Owls"
    assert [each["title"] for each in olga.get(f"{API}tasks/").json()["results"]] == [
        "E2E once more"
    ]


def test_scripts_compute_the_room_and_tell_it_in_the_call(olga, anybody):
    task = make_task(owner=make_owner())
    address, call = f"{API}tasks/{task.code}/room/", f"{API}calls/{task.code}/"
    given = {"raters": 40, "items": 100, "repeats": 3, "seconds": 10, "spreads": "e2e-quality"}
    found = olga.post(address, given | {"money": 240, "pay": 12}).json()
    assert found["allowed"] == 24 and found["rooms"][0]["systems"] == 2
    assert anybody.get(call).json()["room"] is None, "to compute tells nobody"
    usual = olga.post(address, {"spreads": "e2e-quality"}).json()
    assert usual["rooms"], "what is left out is as the campaign is defined"
    wrong = olga.post(address, given | {"money": 240, "repeats": 41})
    assert wrong.status_code == 400 and "not so many raters" in wrong.content.decode()
    assert "pay for an hour" in wrong.content.decode()
    olga.post(address, given | {"money": 240, "pay": 12, "tell": True})
    assert anybody.get(call).json()["room"] == found
    assert olga.delete(address).status_code == 204
    assert anybody.get(call).json()["room"] is None


def test_a_host_seals_and_unseals_by_the_api(olga):
    task = make_task(owner=make_owner())
    for name in ("Owls", "Bees"):
        submit(make_team(task, name))
    address = f"{API}tasks/{task.code}/"
    assert len(olga.get(f"{address}uploads/").json()["results"]) == 2
    assert "Uploads may arrive" in olga.get(f"{address}seal/").json()["refusal"]
    assert olga.post(f"{address}seal/", {}).status_code == 409
    close(task)
    (field,) = olga.get(f"{address}seal/").json()["tracks"]
    assert {each["team"] for each in field["judged"]} == {"Owls", "Bees"}
    sealed = olga.post(f"{address}seal/", {"with_reference": [task.tracks.get().pk]}).json()
    assert (len(sealed["commitment"]), sealed["tracks"]) == (64, [])
    assert olga.get(f"{address}uploads/").json()["results"] == []

    missing = olga.get(f"{address}unseal/").json()["missing"]
    assert "was not registered by a launch" in missing[0]
    assert olga.post(f"{address}unseal/", {"act": "ask"}).status_code == 409
    assert olga.post(f"{address}unseal/", {"act": "alone"}).status_code == 400
    told = olga.post(f"{address}unseal/", {"act": "alone", "reason": "A rehearsal."})
    assert told.json()["unsealed_at"]
    assert len(olga.get(f"{address}uploads/").json()["results"]) == 2


def test_captains_and_hosts_take_back_by_the_api(olga):
    task = make_task(owner=make_owner(), tracks=("English", "German"))
    team = make_team(task)
    address = f"{API}tasks/{task.code}/"
    captain = bearer(olga.post(f"{address}teams/{team.pk}/captain/").json()["link"])
    facts = {"publication_name": "The Owls", "institution": "Forest"}
    assert captain.put(f"{API}team/facts/", facts).json()["institution"] == "Forest"
    link = captain.post(f"{API}team/members/", {"name": "Bo"}).json()["link"]
    member = bearer(link)
    assert member.put(f"{API}team/facts/", facts).status_code == 409
    (listed,) = (each for each in member.get(f"{API}team/members/").json() if each["name"] == "Bo")
    assert captain.delete(f"{API}team/members/{listed['id']}/").status_code == 204
    assert member.get(f"{API}team/").status_code == 401
    assert captain.post(f"{API}team/withdrawal/").json()["state"] == "withdrawn"

    make_owner("second")
    added = olga.post(f"{address}hosts/", {"username": "second"}).json()
    assert client_of("second").get(address).status_code == 200
    assert olga.delete(f"{address}hosts/{added['id']}/").status_code == 204
    assert olga.get(f"{address}hosts/").json() == []
    german = task.tracks.get(name="German")
    assert olga.delete(f"{address}tracks/{german.pk}/").status_code == 204
    assert [each["name"] for each in olga.get(address).json()["tracks"]] == ["English"]


def test_the_rehearsal_is_in_no_answer_for_hosts(olga):
    task = make_task(owner=make_owner())
    rehearsal = make_team(task, "Rehearsal", kind="rehearsal")
    submit(rehearsal)
    address = f"{API}tasks/{task.code}/"
    for part in ("", "teams/", "uploads/"):
        assert b"Rehearsal" not in olga.get(f"{address}{part}").content
    decision = olga.post(f"{address}teams/{rehearsal.pk}/decision/", {"decision": "refuse"})
    assert decision.status_code == 404


def test_another_host_reads_the_task(olga):
    task = make_task()
    task.hosts.create(user=make_owner())
    assert client_of("olga").get(f"{API}tasks/{task.code}/").json()["title"] == task.title
    assert SystemUpload.objects.count() == 0


def test_a_key_copies_a_task_with_times_that_it_sends(anybody):
    task = make_task(call="Come all.", late="mark")
    key = client_of("host")
    address = f"{API}tasks/{task.code}/copies/"
    refused = key.post(address, {"title": "Next"})
    assert refused.status_code == 400
    assert {"opens_at", "closes_at"} <= set(str(refused.json()).replace("'", " ").split())
    made = key.post(address, {"title": "Next"} | TIMES)
    assert made.status_code == 201, made.content
    found = made.json()
    assert (found["title"], found["call"], found["late"]) == ("Next", "Come all.", "mark")
    assert [each["name"] for each in found["tracks"]] == ["English"]
    assert found["tracks"][0]["campaign"] != task.tracks.get().campaign.code
