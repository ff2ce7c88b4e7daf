"""What the database alone says about uploads: in time, within limits, and never changed."""

import threading
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from rankme.models import SharedTask, SystemUpload, Team, UploadTicket
from tests.shared_tasks.tasks import HOUR, make_task, make_team, upload

pytestmark = pytest.mark.django_db


def refused_by(rule: str):
    return pytest.raises(IntegrityError, match=rule)


def close(task: SharedTask, *, ago: timedelta) -> None:
    SharedTask.objects.filter(pk=task.pk).update(closes_at=timezone.now() - ago)


def seal(task: SharedTask) -> None:
    SharedTask.objects.filter(pk=task.pk).update(
        sealed_at=timezone.now(), seal_salt="salt", seal_sha256="0" * 64
    )


def test_uploads_are_numbered_and_none_counts_before_a_choice():
    team = make_team(make_task())
    long_ago = timezone.now() - timedelta(days=3)
    first = upload(team, role="primary", number=9, received_at=long_ago, is_late=True)
    assert (first.number, first.role, first.is_late) == (1, "none", False)
    assert first.received_at > long_ago
    assert upload(team).number == 2


def test_before_the_opening_only_hosts_upload():
    task = make_task(opens_at=timezone.now() + HOUR / 2)
    with refused_by("not open yet"), transaction.atomic():
        upload(make_team(task))
    assert upload(make_team(task, "Rehearsal", kind="rehearsal")).number == 1
    assert upload(make_team(task, "Baseline", kind="hosts")).number == 1


def test_late_uploads_are_refused_or_marked():
    task = make_task()
    team = make_team(task)
    close(task, ago=timedelta(seconds=1))
    with refused_by("is closed"), transaction.atomic():
        upload(team)
    SharedTask.objects.update(late="mark")
    late = upload(team)
    assert (late.is_late, late.in_grace) == (True, False)


def test_an_upload_that_began_in_time_is_let_in_and_marked():
    task = make_task(grace_seconds=60)
    team, other = make_team(task), make_team(task, "Bees")
    tickets = [
        UploadTicket.objects.create(team=each, track=task.tracks.get()) for each in (team, other)
    ]
    UploadTicket.objects.update(began_at=timezone.now() - timedelta(seconds=30))
    close(task, ago=timedelta(seconds=20))
    with refused_by("is closed"), transaction.atomic():
        upload(team, ticket=tickets[1])  # the ticket of another team
    let_in = upload(team, ticket=tickets[0])
    assert (let_in.in_grace, let_in.is_late) == (True, False)
    close(task, ago=timedelta(seconds=70))
    with refused_by("is closed"), transaction.atomic():
        upload(other, ticket=tickets[1])  # the grace has ended
    close(task, ago=timedelta(seconds=40))
    with refused_by("is closed"), transaction.atomic():
        upload(other, ticket=tickets[1])  # it began after the close


def test_a_team_has_so_many_uploads_and_so_many_a_day():
    task = make_task(most_uploads=3, most_uploads_a_day=2)
    team = make_team(task)
    upload(team)
    upload(team)
    with refused_by("last 24 hours"), transaction.atomic():
        upload(team)
    SharedTask.objects.update(most_uploads_a_day=None)
    upload(team)
    with refused_by("has used its uploads"), transaction.atomic():
        upload(team)
    assert upload(make_team(task, "Bees")).number == 1


@pytest.mark.parametrize("state", ["refused", "withdrawn"])
def test_only_teams_that_take_part_upload(state: str):
    team = make_team(make_task(), state=state)
    with refused_by("does not take part"):
        upload(team)


def test_a_team_that_waits_for_approval_need_not_come_twice():
    assert upload(make_team(make_task(), state="waiting")).number == 1


def test_a_system_and_a_track_of_somebody_else_are_refused():
    task = make_task()
    owls, bees = make_team(task), make_team(task, "Bees")
    with refused_by("different tasks"), transaction.atomic():
        upload(owls, system=bees.systems.get())
    with refused_by("different tasks"), transaction.atomic():
        upload(owls, track=make_task(owner=task.owner).tracks.get())


def test_one_primary_counts_for_each_team_and_track():
    task = make_task(tracks=("English", "German"))
    english, german = task.tracks.all()
    team = make_team(task)
    first, second, other = (upload(team, track=each) for each in (english, english, german))
    of = SystemUpload.objects.filter
    of(pk__in=[first.pk, other.pk]).update(role="primary")
    with refused_by("one_primary_per_team_and_track"), transaction.atomic():
        of(pk=second.pk).update(role="primary")
    of(pk=first.pk).update(withdrawn_at=timezone.now())
    of(pk=second.pk).update(role="primary")


@pytest.mark.parametrize("change", [{"sha256": "1" * 64}, {"stored": "other"}, {"number": 5}])
def test_files_of_uploads_never_change(change):
    made = upload(make_team(make_task()))
    with refused_by("never changed"), transaction.atomic():
        SystemUpload.objects.filter(pk=made.pk).update(**change)
    with refused_by("never changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM rankme_systemupload WHERE id = %s", [made.pk])


def test_the_seal_fixes_roles_and_ends_uploads_but_not_withdrawals():
    task = make_task()
    team = make_team(task)
    made = upload(team)
    SystemUpload.objects.update(role="primary")
    seal(task)
    with refused_by("fixed by the seal"), transaction.atomic():
        SystemUpload.objects.update(role="contrastive")
    with refused_by("is sealed"), transaction.atomic():
        upload(team)
    with refused_by("is sealed"), transaction.atomic():
        upload(make_team(task, "Baseline", kind="hosts"))
    SystemUpload.objects.filter(pk=made.pk).update(withdrawn_at=timezone.now())
    with refused_by("withdrawal stays"), transaction.atomic():
        SystemUpload.objects.filter(pk=made.pk).update(withdrawn_at=None)


def test_a_seal_is_set_once_and_two_people_or_a_reason_open_it():
    task = make_task()
    now = timezone.now()
    rows = SharedTask.objects.filter(pk=task.pk)
    with refused_by("unsealed_after_it_was_sealed"), transaction.atomic():
        rows.update(unsealed_at=now, unsealed_by=task.owner, unseal_reason="alone")
    seal(task)
    with refused_by("set once"), transaction.atomic():
        rows.update(seal_sha256="1" * 64)
    alone = {"unsealed_at": now, "unsealed_by": task.owner}
    with refused_by("two_people_or_a_reason"), transaction.atomic():
        rows.update(unseal_asked_by=task.owner, **alone)
    rows.update(**alone, unseal_reason="The other host is ill.")
    with refused_by("stays so"), transaction.atomic():
        rows.update(unseal_reason="Another one.")
    made = make_team(make_task(owner=task.owner), "Bees")
    assert upload(made).number == 1  # other tasks go on


@pytest.mark.django_db(transaction=True)
def test_two_uploads_at_once_get_two_numbers():
    team = make_team(make_task())
    begun = threading.Barrier(4)

    def send() -> None:
        begun.wait(30)
        upload(Team.objects.get(pk=team.pk))
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert list(SystemUpload.objects.values_list("number", flat=True)) == [1, 2, 3, 4]
