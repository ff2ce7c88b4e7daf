"""Who read judgements before the close is in the record, and in the report."""

import json
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import F
from django.urls import reverse
from rest_framework.test import APIClient

from rankme.actions.audit import note_seen
from rankme.actions.campaign import campaigns, changes
from rankme.exporting.bundle import read_member
from rankme.exporting.seen import FILE_NAME, NOBODY, looks_of_run, looks_sentence
from rankme.models import AuditEvent, Campaign
from rankme.models.campaigns import SEEN
from tests.campaigns import make_campaign, make_owner
from tests.runs import asked, executed, rated_campaign
from tests.verification.forging import past_all_rules

pytestmark = pytest.mark.django_db

IS_SEEN = f"verb = '{SEEN}'"


@pytest.fixture(scope="module")
def rated_once(rows_of_the_module) -> Campaign:
    return rated_campaign()


@pytest.fixture
def rated(rated_once) -> Campaign:
    return Campaign.objects.get(pk=rated_once.pk)


def close(campaign: Campaign) -> None:
    campaigns.close_campaign(campaign, by=make_owner())


def seen(campaign: Campaign) -> list[tuple[str, str, int]]:
    events = campaign.audit_events.filter(verb=SEEN).order_by("number")
    return [
        (event.actor.username, event.detail["what"], event.detail["judgements"]) for event in events
    ]


def test_each_export_and_each_read_by_api_is_noted_once_an_hour(olga, rated):
    exports = reverse("rankme:export-judgements", args=[rated.code])
    for query in ("?format=csv", "?format=csv&stored=1", "?format=jsonl", "", "?format=problems"):
        olga.get(exports + query)
    script = APIClient()
    script.force_authenticate(make_owner())
    api = f"/api/v1/campaigns/{rated.code}/"
    for path in ("judgements/", "judgements/?limit=1", "judgements.csv", "checks.csv"):
        assert script.get(api + path).status_code == 200
    expected = ["export: csv", "export: jsonl", "API: judgements", "API: judgements.csv"]
    judgements = seen(rated)[0][2]
    assert judgements > 0
    assert seen(rated) == [("olga", what, judgements) for what in expected]


def test_the_same_look_an_hour_later_is_another_one(rated):
    olga = make_owner()
    note_seen(rated, "items", by=olga)
    note_seen(rated, "items", by=make_owner("mia"))
    with past_all_rules():
        AuditEvent.objects.filter(verb=SEEN).update(
            happened_at=F("happened_at") - timedelta(hours=2)
        )
    note_seen(rated, "items", by=olga)
    note_seen(rated, "items", by=olga)
    assert [who for who, _what, _judgements in seen(rated)] == ["olga", "mia", "olga"]


def test_a_campaign_without_judgements_notes_no_look():
    campaign = make_campaign()
    note_seen(campaign, "items", by=make_owner())
    assert seen(campaign) == []


@pytest.mark.parametrize(
    "change", ["DELETE FROM rankme_auditevent", "UPDATE rankme_auditevent SET verb = 'x'"]
)
def test_no_look_can_be_taken_back(rated, change):
    note_seen(rated, "items", by=make_owner())
    with connection.cursor() as cursor:
        with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
            cursor.execute(f"{change} WHERE {IS_SEEN}")
        cursor.execute("DROP TRIGGER auditevent_is_insert_only ON rankme_auditevent")
        cursor.execute(f"{change} WHERE {IS_SEEN}")
        assert cursor.rowcount == 1  # the trigger alone has prevented it


def test_a_report_counts_the_looks_before_the_last_close(rated):
    note_seen(rated, "items", by=make_owner())
    close(rated)
    note_seen(rated, "export: csv", by=make_owner("mia"))
    run = executed(asked(rated), pictures=())
    assert [look["what"] for look in looks_of_run(run)] == ["items"]
    stored = json.loads(read_member(run, FILE_NAME))
    assert stored == looks_of_run(run)
    assert stored[0]["person"] == 1
    assert "olga" not in json.dumps(stored)
    said = "Before the close, judgements were looked at once by 1 person (items 1)."
    assert looks_sentence(stored) == said
    # What was read while the campaign was closed precedes the judgements that come afterwards.
    rated.refresh_from_db()
    changes.reopen_campaign(rated, reason="Too few.", by=make_owner(), base=rated.version)
    close(rated)
    again = executed(asked(rated), pictures=())
    kinds = [look["what"] for look in looks_of_run(again)]
    assert kinds == ["items", "export: csv", "analysis"]
    assert looks_of_run(run) == stored


def test_a_campaign_that_nobody_looked_at_says_so(rated, olga):
    close(rated)
    run = executed(asked(rated), pictures=())
    page = olga.get(reverse("rankme:analysis-run", args=[rated.code, run.pk]))
    assert NOBODY in page.content.decode()
