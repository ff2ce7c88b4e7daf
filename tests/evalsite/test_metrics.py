"""What Prometheus reads, what the log says about a request, and what is mailed."""

import logging
import re

import pytest
from django.conf import settings
from django.urls import reverse

from evalsite.embedded import FILES
from evalsite.privacy import MailToAdmins
from rankme.actions import jobs
from rankme.actions.audit import DAMAGED, INTACT, note
from rankme.actions.operators import record_backup
from rankme.models import CampaignLaunch
from rankme.worker import tasks
from tests.campaigns import make_campaign, make_rater
from tests.pages.rater.visits import begin, payload_for, send
from tests.sittings import claim

TOKEN = "a-token-of-prometheus"
MONITORING = FILES / "docs/monitoring"


@pytest.fixture(autouse=True)
def with_a_token(settings):
    settings.METRICS_TOKEN = TOKEN


def scraped(client) -> str:
    answer = client.get("/metrics/", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    return answer.text


@pytest.mark.parametrize("brought", ["", "Bearer ", "Bearer another", TOKEN, "Bearer tökén"])
def test_metrics_are_for_those_with_the_token(client, brought):
    assert client.get("/metrics/", headers={"Authorization": brought}).status_code == 404


def test_without_a_token_nobody_can_ask(client, settings):
    settings.METRICS_TOKEN = ""
    answer = client.get("/metrics/", headers={"Authorization": "Bearer "})
    assert answer.status_code == 404


@pytest.mark.django_db
def test_metrics_tell_slots_jobs_heartbeats_and_damage(client, monkeypatch):
    campaign = make_campaign()
    claim(make_rater(campaign))
    CampaignLaunch.objects.create(campaign=campaign)
    note(campaign, None, DAMAGED, fault="x")
    mended = make_campaign(launch=False)
    note(mended, None, DAMAGED, fault="x")
    note(mended, None, INTACT)
    monkeypatch.setattr(jobs, "resend_unclaimed", lambda: None)
    tasks.reconcile()
    assert "\nrankme_backup_age_seconds " not in scraped(client)
    record_backup()
    text = scraped(client)
    assert re.search(r"^rankme_backup_age_seconds \d", text, re.MULTILINE)
    assert f'rankme_slots{{campaign="{campaign.code}",state="held"}} 1.0' in text
    assert f'rankme_slots{{campaign="{campaign.code}",state="free"}} 3.0' in text
    assert 'rankme_jobs{kind="campaignlaunch",state="queued"} 1.0' in text
    assert 'rankme_heartbeat_age_seconds{name="beat"}' in text
    assert "rankme_damaged_records 1.0" in text


@pytest.mark.django_db
def test_rules_and_board_ask_for_what_there_is(client):
    client.get("/healthz/")
    known = set(re.findall(r"^# TYPE (\w+) ", scraped(client), re.MULTILINE))
    known |= {f"rankme_request_seconds_{part}" for part in ("bucket", "count")}
    for name in ("rules.yml", "board.json"):
        asked = set(re.findall(r"\brankme_\w+", (MONITORING / name).read_text("utf-8")))
        assert asked and asked <= known, asked - known


@pytest.mark.django_db
def test_each_request_has_a_line_that_names_no_person(client, caplog):
    campaign = make_campaign()
    with caplog.at_level(logging.INFO, "evalsite.middleware"):
        document = begin(client, campaign, id="worker-17")
        answer = send(client, campaign, payload_for(campaign, document))
        client.get(reverse("rankme:resume", args=[campaign.code, "my-token"]))
        client.get("/healthz/")
    lines = [record.getMessage() for record in caplog.records]
    expected = rf"POST rankme:submit 201 \d+\.\d ms campaign={campaign.code}"
    assert any(re.fullmatch(expected, line) for line in lines), lines
    assert not re.search("worker-17|my-token|alive", "\n".join(lines))
    assert re.fullmatch("[0-9a-f]{12}", answer.headers["X-Request-ID"])


def test_lines_name_their_host_and_request_and_time_with_its_zone():
    handler = settings.LOGGING["handlers"]["console"]
    assert handler["filters"] == ["without_participants", "with_request"]
    line = settings.LOGGING["formatters"]["line"]
    assert "{host} {request_number}" in line["format"]
    record = logging.LogRecord("test", logging.INFO, "", 1, "x", (), None)
    time_of = logging.Formatter(datefmt=line["datefmt"]).formatTime
    assert re.fullmatch(r"[\d-]{10}T[\d:]{8}[+-]\d{4}", time_of(record, line["datefmt"]))


def test_what_must_be_known_is_mailed_once(settings, mailoutbox):
    settings.ADMINS = [("ada@example.org", "ada@example.org")]
    logger = logging.getLogger("mailed")
    logger.propagate = False
    handler = MailToAdmins()
    logger.addHandler(handler)
    try:
        logger.error("not so bad")
        for fault in ("a", "b"):
            logger.critical("The record is damaged: %s", fault)
        logger.critical("Something else")
    finally:
        logger.removeHandler(handler)
    assert [mail.body for mail in mailoutbox] == ["The record is damaged: a", "Something else"]
    assert mailoutbox[0].to == ["ada@example.org"]
