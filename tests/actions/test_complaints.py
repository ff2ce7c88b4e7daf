"""What raters report as wrong with an item: kept once, bounded, shown and dealt with."""

from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse

from rankme.actions import rate_limits
from rankme.models import Campaign, Complaint
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.pages.rater.visits import begin, payload_for, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    return make_campaign(slider_definition(problem_button=True))


@pytest.fixture(scope="module")
def begun_once(rows_of_the_module: None) -> tuple[Client, Campaign, dict]:
    """A rater's browser with a page of the campaign, and what is in that page."""
    campaign, client = make_campaign(slider_definition(problem_button=True)), Client()
    return client, campaign, begin(client, campaign, id="w1")


def complaint(document, **changes):
    return {
        "version": 1,
        "key": str(uuid4()),
        "assignment": document["assignment"],
        "trial": 1,
        "screen": 0,
        "complaint": " The text is cut off. ",
    } | changes


def test_a_report_is_kept_with_rater_trial_and_screen(client, campaign):
    document = begin(client, campaign, id="w1")
    sent = complaint(document)
    assert send(client, campaign, sent).status_code == 201
    assert send(client, campaign, sent).status_code == 200  # the outbox may send it again
    found = Complaint.objects.get()
    assignment = campaign.assignments.get()
    assert (found.participant, found.assignment) == (assignment.participant, assignment)
    assert found.trial_id == assignment.presentation[1][0]
    assert (found.screen, found.text, found.dealt_with_at) == (0, "The text is cut off.", None)
    assert send(client, campaign, sent | {"complaint": "Else."}).status_code == 409
    # It is not an answer, and costs none.
    assert not assignment.submissions.exists()
    assert send(client, campaign, payload_for(campaign, document, 1)).status_code == 201
    assert send(client, campaign, complaint(document, trial=None)).status_code == 201


@pytest.mark.parametrize(
    "changes",
    [
        {"complaint": "  "},
        {"complaint": 7},
        {"complaint": "x" * 2_001},
        {"complaint": "a\x00b"},
        {"trial": 99},
        {"trial": -1},
        {"trial": True},
        {"screen": 1},
        {"screen": None},
        {"key": "1"},
        {"assignment": 0},
        {"answers": []},
    ],
)
def test_invalid_reports_are_refused(begun_once, changes):
    client, campaign, document = begun_once
    assert send(client, campaign, complaint(document) | changes).status_code == 422
    assert not Complaint.objects.exists()


def test_reports_for_another_rater_are_refused(client, campaign):
    other = begin(client, campaign, id="w1")
    client.cookies.clear()
    begin(client, campaign, id="w2")
    assert send(client, campaign, complaint(other)).status_code == 422


def test_a_campaign_without_the_button_takes_no_reports(client):
    campaign = make_campaign()
    document = begin(client, campaign, id="w1")
    assert "complaint_kept" not in document["words"]
    assert send(client, campaign, complaint(document)).status_code == 422


def test_reports_are_bounded_and_refused_for_good(client, campaign, monkeypatch):
    document = begin(client, campaign, id="w1")
    for _ in range(rate_limits.COMPLAINTS.most):
        assert send(client, campaign, complaint(document)).status_code == 201
    # Not "later": a report that has to wait would hold up the answers behind it.
    assert send(client, campaign, complaint(document)).status_code == 422
    assert Complaint.objects.count() == rate_limits.COMPLAINTS.most


def test_organisers_see_reports_and_deal_with_them(client, campaign):
    document = begin(client, campaign, id="w1")
    send(client, campaign, complaint(document, complaint="<b>Cut off</b>"))
    found = Complaint.objects.get()
    client.force_login(make_owner())
    monitor = reverse("rankme:campaign-monitor", args=[campaign.code])
    place = found.trial.item.position + 1
    item = reverse("rankme:campaign-item", args=[campaign.code, place])
    for page in (monitor, item):
        shown = client.get(page).content.decode()
        assert "&lt;b&gt;Cut off" in shown
        assert f"Item <bdi>{found.trial.item.key}</bdi>" in shown, "a bare number says nothing"
    address = reverse("rankme:campaign-complaint", args=[campaign.code, found.pk])
    client.post(address, {"done": "yes"})
    found.refresh_from_db()
    assert found.dealt_with_at and "dealt with" in client.get(monitor).content.decode()
    client.post(address, {"done": "no"})
    found.refresh_from_db()
    assert found.dealt_with_at is None
    verbs = campaign.audit_events.values_list("verb", flat=True)
    assert {"reported problem dealt with", "reported problem opened again"} <= set(verbs)
    files = reverse("rankme:export-judgements", args=[campaign.code])
    rows = b"".join(client.get(files, {"format": "problems"}).streaming_content).decode()
    assert f"{found.trial.item.key},rate,{found.participant.label},<b>Cut off</b>" in rows


@pytest.mark.parametrize("statement", ["DELETE FROM {}", "TRUNCATE {}"])
def test_the_database_deletes_no_report(client, campaign, statement):
    document = begin(client, campaign, id="w1")
    send(client, campaign, complaint(document))
    with connection.cursor() as cursor:
        # Otherwise the row's own foreign keys would still be pending.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with (
        pytest.raises(DatabaseError, match="the record is never changed"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement.format(Complaint._meta.db_table))
