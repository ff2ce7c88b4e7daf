"""The operator's page, and processes that say that they run."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import OperationalError, connections
from django.utils import timezone

from analysis.signature import VERSION
from evalsite.operation import page, presence
from evalsite.privacy import HOST
from rankme.actions.operators import forget_processes, note_process, record_backup
from rankme.models import CampaignLaunch, SiteProcess
from tests.campaigns import make_campaign, make_owner
from tests.live import LiveSite, wait_for


@pytest.fixture
def operator(client, nobody_yet):
    call_command("organiser", "operator", "--operator", stdout=StringIO())
    client.force_login(make_owner("operator"))
    return client


@pytest.fixture
def nobody_yet(db):
    """No process: the web server of another test may still say that it runs."""
    SiteProcess.objects.all().delete()


@pytest.mark.django_db
def test_an_organiser_becomes_an_operator_and_keeps_the_password(client):
    olga = make_owner("olga")
    olga.set_password("correct horse battery")
    olga.save()
    said = StringIO()
    call_command("organiser", "olga", "--operator", stdout=said)
    assert "Password" not in said.getvalue()
    assert client.login(username="olga", password="correct horse battery")
    assert client.get("/operation/").status_code == 200


@pytest.mark.django_db
def test_the_page_is_for_staff_alone(client, operator):
    assert client.get("/operation/").status_code == 200
    assert "/operation/" in client.get("/campaigns/").text
    client.force_login(make_owner("olga"))
    assert client.get("/operation/").status_code == 404
    assert "/operation/" not in client.get("/campaigns/").text
    client.logout()
    assert client.get("/operation/").status_code == 302


def test_the_page_says_what_is_wrong_and_what_waits(operator, monkeypatch):
    note_process("web1", "web", 7, "1.0.0", is_new=True)
    note_process("web2", "web", 7, VERSION, is_new=True)
    SiteProcess.objects.filter(host="web2").update(
        clock_seconds=-3600, started_at=timezone.now() + timedelta(seconds=1)
    )
    CampaignLaunch.objects.create(campaign=make_campaign())
    monkeypatch.setattr(page, "messages_waiting", lambda: None)
    shown = operator.get("/operation/").text
    assert "No backup has been recorded." in shown
    assert shown.count("another") == 1 and "1.0.0" in shown
    assert "wrong by -3600 s" in shown
    assert "The broker does not answer." in shown
    assert "campaign launch" in shown
    record_backup()
    assert "backup was made" not in operator.get("/operation/").text


def test_a_process_that_is_not_seen_any_more_is_gone_and_forgotten(operator):
    note_process("work1", "worker", 1, VERSION, is_new=True)
    assert "gone" not in operator.get("/operation/").text
    SiteProcess.objects.update(seen_at=timezone.now() - timedelta(minutes=5))
    assert "gone" in operator.get("/operation/").text
    SiteProcess.objects.update(seen_at=timezone.now() - timedelta(days=2))
    forget_processes()
    assert not SiteProcess.objects.filter(host="work1").exists()


def test_a_new_process_with_an_old_number_began_just_now(nobody_yet):
    note_process("web1", "web", 1, "1.0.0", is_new=True)
    long_ago = timezone.now() - timedelta(hours=3)
    SiteProcess.objects.update(started_at=long_ago)
    note_process("web1", "web", 1, "1.0.0", is_new=False)
    assert SiteProcess.objects.get().started_at == long_ago
    note_process("web1", "web", 1, VERSION, is_new=True)
    assert SiteProcess.objects.get().release == VERSION
    assert SiteProcess.objects.get().started_at > long_ago


def test_web_server_worker_and_beat_say_that_they_run(site_without_web: LiveSite):
    site_without_web.start_web()
    site_without_web.start_worker()
    site_without_web.start_beat()
    expected = {(HOST, kind, VERSION) for kind in ("web", "worker", "beat")}
    running = {"web", "worker", "beat"} & set(site_without_web.processes)
    numbers = {site_without_web.processes[name].pid for name in running}

    def noted() -> bool:
        rows = SiteProcess.objects.filter(number__in=numbers)
        return set(rows.values_list("host", "kind", "release")) == expected

    wait_for(noted, "all three to say so")


def test_a_database_that_is_away_ends_no_process(monkeypatch):
    def away(*values, **more):
        raise OperationalError("the database is away")

    monkeypatch.setattr(presence, "note_process", away)
    monkeypatch.setattr(presence, "connection", connections["default"].copy())
    assert not presence.note("web", 1, is_new=True)
