"""Reminders before the close: who is told what, once, and when nothing is sent."""

from datetime import timedelta

import pytest
from django.core import mail
from django.db.models.functions import Now

from rankme.actions.shared_task import reminders, teams
from rankme.models import SharedTask, SystemUpload, TaskEvent, UploadCheck
from rankme.worker.tasks import remind_teams
from tests.shared_tasks.tasks import at, make_task, make_team, member_of, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def sends_mail(settings) -> None:
    settings.EMAIL_HOST = "mail.example.org"


def closing_in(hours: float, **fields):
    task = make_task(tracks=("English", "German"), **fields)
    SharedTask.objects.update(closes_at=Now() + timedelta(hours=hours))
    return task


def with_mail(team, *addresses: str):
    for address in addresses:
        teams.add_member(team, name="Member", email=address, by=team.members.get(is_captain=True))
    return team


@pytest.mark.usefixtures("sends_mail")
def test_a_team_without_a_primary_is_reminded_once_for_each_term():
    task = closing_in(49)
    team = with_mail(make_team(task), "a@example.org", "b@example.org")
    remind_teams()
    assert mail.outbox == []
    for hours, count in ((47.5, 2), (6.1, 2), (5.9, 4), (1, 4)):
        SharedTask.objects.update(closes_at=Now() + timedelta(hours=hours))
        remind_teams()
        remind_teams()
        assert len(mail.outbox) == count, hours
    assert [sent.to for sent in mail.outbox[:2]] == [["a@example.org"], ["b@example.org"]]
    assert "English, German" in mail.outbox[0].body and "AoE" in mail.outbox[0].body
    assert "example.org" not in mail.outbox[0].body
    assert team.events.filter(verb="team reminded").count() == 2


@pytest.mark.usefixtures("sends_mail")
def test_only_tracks_in_which_nothing_counts_are_named():
    task = closing_in(5)
    english, german = task.tracks.all()
    submit(with_mail(make_team(task), "owl@example.org"), track=english)
    bees = with_mail(make_team(task, "Bees"), "bee@example.org")
    for track in (english, german):
        submit(bees, track=track)
    ants = with_mail(make_team(task, "Ants"), "ant@example.org")
    broken = submit(ants, track=english)
    submit(ants, track=german)
    UploadCheck.objects.filter(upload=broken).update(is_valid=False)
    reminders.remind_due()
    told = {sent.to[0]: sent.body for sent in mail.outbox}
    assert set(told) == {"owl@example.org", "ant@example.org"}
    assert "German" in told["owl@example.org"] and "English" not in told["owl@example.org"]
    assert "English" in told["ant@example.org"]
    assert TaskEvent.objects.filter(verb="team reminded", detail__tracks=[]).count() == 1


@pytest.mark.usefixtures("sends_mail")
def test_nobody_is_reminded_of_what_is_over_or_does_not_concern_them():
    task = closing_in(5, opens_at=Now() - timedelta(days=1))
    for name, state, kind in (
        ("Gone", "withdrawn", "team"),
        ("No", "refused", "team"),
        ("Trial", "approved", "rehearsal"),
    ):
        with_mail(make_team(task, name, state=state, kind=kind), f"{name}@example.org")
    ended = with_mail(make_team(task), "ended@example.org")
    ended.members.exclude(email="").update(removed_at=Now())
    SharedTask.objects.update(closes_at=Now() - timedelta(minutes=1))
    reminders.remind_due()
    SharedTask.objects.update(closes_at=Now() + timedelta(hours=5))
    reminders.remind_due()
    assert mail.outbox == []


def test_without_a_mail_server_nothing_is_noted_and_the_page_says_what_is_missing():
    team = make_team(closing_in(5))
    assert reminders.remind_due() == 0
    assert not TaskEvent.objects.exists()
    client = member_of(team)
    page = client.get(at("team")).content.decode()
    assert "Nothing of your team counts yet" in page
    for track in team.task.tracks.all():
        submit(team, track=track)
    page = client.get(at("team")).content.decode()
    assert "Nothing of your team counts yet" not in page
    assert SystemUpload.objects.count() == 2


@pytest.mark.usefixtures("sends_mail")
def test_a_mail_server_that_fails_stops_no_other_mail(monkeypatch, settings):
    task = closing_in(5, title="A task\nBcc: all@example.org")
    with_mail(make_team(task), "a@example.org", "b@example.org")
    sent = []

    def send(subject, text, sender, to):
        sent.append((subject, to))
        raise OSError("refused")

    monkeypatch.setattr(reminders, "send_mail", send)
    assert reminders.remind_due() == 1
    assert [to for _subject, to in sent] == [["a@example.org"], ["b@example.org"]]
    assert "\n" not in sent[0][0]
