"""Uploads of teams: stored, checked, chosen as primary, and withdrawn."""

import hashlib
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models.functions import Now
from django.utils import timezone

from rankme.actions import jobs
from rankme.actions.rows import stored_files
from rankme.actions.shared_task import checks, uploads
from rankme.errors import RefusedAction
from rankme.models import SharedTask, SystemUpload, TaskEvent, UploadCheck, UploadTicket
from rankme.worker.tasks import sweep_leftovers
from tests.shared_tasks.tasks import make_task, make_team

pytestmark = pytest.mark.django_db
LINES = b"The first.\nA second one.\nSome third.\nThe last.\n"
ROWS = [f"item-{number},Text of place {number}." for number in range(4)]


def send(team, content: bytes = LINES, name: str = "outputs.txt", **fields) -> SystemUpload:
    file = ContentFile(content, name=name)
    system, track = team.systems.get(), team.task.tracks.get()
    return uploads.take_upload(track, system, file, name=name, by=team.members.get(), **fields)


def checked(upload: SystemUpload) -> UploadCheck:
    row = upload.check_job
    assert checks.execute(row.pk, "worker")
    row.refresh_from_db()
    assert row.error == ""
    return row


def table(*rows: str) -> bytes:
    return "\n".join(["item,output", *rows, ""]).encode()


def close(task: SharedTask, seconds: int = 1) -> None:
    SharedTask.objects.update(closes_at=timezone.now() - timedelta(seconds=seconds))


def test_a_file_is_kept_as_it_came_with_its_hash_and_a_job():
    upload = send(make_team(make_task()))
    with default_storage.open(upload.stored) as stored:
        assert stored.read() == LINES
    assert (upload.number, upload.size) == (1, len(LINES))
    assert upload.sha256 == hashlib.sha256(LINES).hexdigest()
    assert ("rankme.tasks.check_upload", upload.check_job.pk) in jobs.unclaimed_jobs()


def test_a_refused_upload_leaves_no_file_and_no_event():
    team = make_team(make_task())
    close(team.task)
    before = default_storage.listdir(uploads.FOLDER)[1] if _has_folder() else []
    with pytest.raises(RefusedAction, match="by the clock of the server"):
        send(team)
    after = default_storage.listdir(uploads.FOLDER)[1] if _has_folder() else []
    assert sorted(before) == sorted(after)
    assert not TaskEvent.objects.exists()


@pytest.mark.usefixtures("own_uploads")
def test_files_without_a_row_are_swept_and_those_of_rows_never(monkeypatch):
    """A process can die after it stored the file, and before it wrote the row."""
    kept = send(make_team(make_task()))
    left = default_storage.save(f"{uploads.FOLDER}/left", ContentFile(b"half"))
    assert default_storage.exists(left)
    uploads.sweep_files()
    assert default_storage.exists(left), "it may be of an upload that is just being written"
    monkeypatch.setattr(stored_files, "ORPHANED_AFTER", timedelta(seconds=-1))
    sweep_leftovers()
    assert not default_storage.exists(left)
    assert default_storage.exists(kept.stored)


def _has_folder() -> bool:
    return default_storage.exists(uploads.FOLDER)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"most_uploads": 1}, "has used all its uploads"),
        ({"most_uploads_a_day": 1}, "last 24 hours"),
        ({"sealed_at": Now()}, "is sealed"),
        ({"opens_at": Now() + timedelta(minutes=9)}, "not open yet"),
    ],
)
def test_each_rule_of_the_database_is_a_sentence(fields, words):
    team = make_team(make_task())
    send(team)
    SharedTask.objects.update(**fields)
    with pytest.raises(RefusedAction, match=words):
        send(team)


def test_an_empty_file_is_refused():
    with pytest.raises(RefusedAction, match="is empty"):
        send(make_team(make_task()), b"")


def test_an_upload_that_had_begun_is_let_in_once():
    team = make_team(make_task())
    ticket = uploads.begin_upload(team, team.task.tracks.get(), by=team.members.get())
    UploadTicket.objects.update(began_at=timezone.now() - timedelta(seconds=30))
    close(team.task)
    assert send(team, ticket=ticket.key).in_grace
    with pytest.raises(RefusedAction, match="already arrived"):
        send(team, ticket=ticket.key)


@pytest.mark.parametrize(
    ("name", "content"),
    [("outputs.txt", LINES), ("outputs.csv", table(*ROWS))],
)
def test_lines_and_tables_are_read(name, content):
    row = checked(send(make_team(make_task()), content, name))
    assert (row.is_valid, row.problems) == (True, [])
    assert 0 < row.scores["chrf"] < 100


def test_every_problem_has_its_line():
    team = make_team(make_task())
    row = checked(send(team, table(*ROWS[:2], "item-9,Unknown.", "item-8,Too."), "o.csv"))
    assert row.is_valid is False
    found = [(each["message"], each["line"]) for each in row.problems]
    assert found == [
        ('The track has no item "item-9".', 4),
        ('The track has no item "item-8".', 5),
        ('The file has no output for item "item-2".', None),
        ('The file has no output for item "item-3".', None),
    ]
    short = checked(send(team, b"One.\nTwo.\n"))
    assert short.is_valid is False
    assert {each["file"] for each in short.problems} == {"outputs.txt"}
    assert {each["line"] for each in short.problems} == {3}


def test_a_file_with_two_systems_is_refused():
    rows = [f"{system},item-{n},Text {n}." for system in "AB" for n in range(4)]
    content = "\n".join(["system,item,output", *rows, ""]).encode()
    row = checked(send(make_team(make_task()), content, "o.csv"))
    assert "several systems" in row.problems[0]["message"]


def test_doubtful_outputs_are_warned_of():
    team = make_team(make_task())
    texts = ["name[Place 0], food[Soup]", "Place 1 serves soup.", "", "Место три."]
    content = "".join(f"{text}\n" for text in texts).encode()
    send(team, content)
    second = checked(send(team, content))
    found = {each["kind"]: each["items"] for each in second.warnings}
    assert found["source"] == ["item-0"]
    assert found["reference"] == ["item-1"]
    assert found["empty"] == ["item-2"]
    assert found["script"] == ["item-3"]
    assert found["again"] == ["1"]
    assert second.is_valid


def test_nothing_counts_before_the_team_says_so_and_a_new_primary_replaces_the_old():
    team = make_team(make_task())
    captain = team.members.get()
    first, second = send(team), send(team)
    assert uploads.receipt(second)["counts_now"] == []
    uploads.choose_role(first, "primary", by=captain)
    uploads.choose_role(second, "primary", by=captain)
    assert uploads.receipt(first)["counts_now"] == [{"number": 2, "role": "primary"}]
    uploads.choose_role(first, "contrastive", by=captain)
    uploads.withdraw_upload(second, by=captain)
    assert uploads.receipt(first)["counts_now"] == [{"number": 1, "role": "contrastive"}]
    with pytest.raises(RefusedAction, match="was withdrawn"):
        uploads.choose_role(second, "primary", by=captain)
    verbs = TaskEvent.objects.order_by("pk").values_list("verb", flat=True)
    assert list(verbs)[2:] == ["role chosen"] * 3 + ["upload withdrawn"]


def test_an_upload_with_problems_cannot_count():
    team = make_team(make_task())
    upload = send(team, b"Only one line.\n")
    assert checked(upload).is_valid is False
    with pytest.raises(RefusedAction, match="has problems"):
        uploads.choose_role(upload, "primary", by=team.members.get())


def test_only_its_own_team_decides_about_an_upload():
    task = make_task()
    upload, other = send(make_team(task)), make_team(task, "Bees").members.get()
    with pytest.raises(RefusedAction, match="another team"):
        uploads.choose_role(upload, "primary", by=other)
    with pytest.raises(RefusedAction, match="another team"):
        uploads.withdraw_upload(upload, by=other)


def test_the_seal_fixes_what_counts():
    team = make_team(make_task())
    upload = send(team)
    SharedTask.objects.update(sealed_at=timezone.now())
    with pytest.raises(RefusedAction, match="can no longer change"):
        uploads.choose_role(upload, "primary", by=team.members.get())
