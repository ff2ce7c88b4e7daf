"""What curators settle is kept next to what raters said: on pages, in files, in the record."""

import csv
import io

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

from rankme.actions.runs import analysis_runs
from rankme.actions.sitting.settling import settle
from rankme.errors import RefusedAction
from rankme.exporting.bundle import read_member
from rankme.exporting.judgements import judgements_csv
from rankme.exporting.settled import FILE_NAME
from rankme.models import Campaign, Output, Settlement
from rankme.queries.disagreements.settled import settled_about
from rankme.verification import verify_campaign
from tests.campaigns import make_campaign, make_owner
from tests.disagreeing import disagreeing_campaign
from tests.runs import executed
from tests.verification.forging import past_all_rules

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged_once(rows_of_the_module) -> Campaign:
    return disagreeing_campaign()


@pytest.fixture
def judged(judged_once) -> Campaign:
    return Campaign.objects.get(pk=judged_once.pk)


@pytest.fixture
def output(judged) -> Output:
    return Output.objects.filter(item__campaign=judged, item__position=0).earliest("pk")


def decide(output, reason="Read again.", by="olga", **values):
    item = output.item
    return settle(item.campaign, item, output, values, reason=reason, by=make_owner(by))


def exported(client, campaign):
    address = reverse("rankme:export-judgements", args=[campaign.code])
    answered = client.get(address, {"format": "settled"})
    return list(csv.DictReader(io.StringIO(b"".join(answered).decode())))


def test_a_later_decision_takes_the_place_of_an_earlier_one_and_both_are_kept(olga, judged, output):
    before = b"".join(judgements_csv(judged))
    decide(output, points=3, fluency=40)
    decide(output, points=2, reason="On second thought.", by="mia")
    decide(output, fluency=None, reason="Open again.")
    standing = settled_about(judged, output.item)
    assert {name: row.value for (_pk, name), row in standing.items()} == {"points": 2}
    rows = exported(olga, judged)
    assert [(row["criterion"], row["value"], row["applies"]) for row in rows] == [
        ("points", "3.0", "0"),
        ("fluency", "40.0", "0"),
        ("points", "2.0", "1"),
        ("fluency", "", "0"),
    ]
    assert rows[2]["curator"] == "mia" and rows[2]["reason"] == "On second thought."
    assert (rows[0]["item"], rows[0]["system"]) == (output.item.key, output.system.name)
    # In no table of judgements.
    assert b"".join(judgements_csv(judged)) == before


@pytest.mark.parametrize(
    ("values", "reason", "message"),
    [
        ({"points": 2}, "  ", "Give a reason"),
        ({"points": 4}, "x", "does not have this value"),
        ({"verdict": 0.5}, "x", "does not have this value"),
        ({"fluency": 101}, "x", "fluency: "),
        ({"fluency": float("nan")}, "x", "does not have this value"),
        ({"nothing": 1}, "x", "no such criterion"),
        ({"points": None}, "x", "nothing would change"),
    ],
)
def test_what_raters_could_not_say_is_refused(judged, output, values, reason, message):
    with pytest.raises(RefusedAction, match=message):
        decide(output, reason, **values)
    assert not Settlement.objects.exists() and verify_campaign(judged).fault == ""


def test_no_decision_is_changed_or_deleted_or_about_another_campaign(judged, output):
    (row,) = decide(output, points=3)
    other = make_campaign(items=1, systems=1)
    stranger = Output.objects.get(item__campaign=other)
    for statement in (
        "UPDATE rankme_settlement SET value = 1",
        "DELETE FROM rankme_settlement",
        "INSERT INTO rankme_settlement (campaign_id, item_id, output_id, criterion_id, reason,"
        f" decided_by_id) SELECT campaign_id, item_id, {stranger.pk}, criterion_id, 'x',"
        " decided_by_id FROM rankme_settlement",
    ):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert Settlement.objects.get() == row


@pytest.mark.parametrize(
    ("forgery", "problem"),
    [
        ("UPDATE rankme_settlement SET value = 1", "settled disagreement 1: it differs"),
        ("UPDATE rankme_settlement SET reason = 'Told to.'", "settled disagreement 1: it differs"),
        (
            "UPDATE rankme_settlement SET decided_at = now() - interval '1 day'",
            "settled disagreement 1: it differs",
        ),
        (
            "DELETE FROM rankme_settlement WHERE id = (SELECT max(id) FROM rankme_settlement)",
            "settled disagreement 2: it is missing",
        ),
        (
            "INSERT INTO rankme_settlement (campaign_id, item_id, output_id, criterion_id, value,"
            " reason, decided_by_id) SELECT campaign_id, item_id, output_id, criterion_id, 2, 'x',"
            " decided_by_id FROM rankme_settlement LIMIT 1",
            "settled disagreement 3: no event",
        ),
    ],
)
def test_verify_sees_a_forged_decision(judged, output, forgery, problem):
    decide(output, points=3)
    decide(output, points=1, reason="No.")
    found = verify_campaign(judged)
    assert (found.fault, found.settled) == ("", 2)
    with past_all_rules() as execute:
        execute(forgery)
    assert verify_campaign(judged).fault.startswith(problem)


def test_verify_counts_decisions(judged, output, capsys):
    decide(output, points=3)
    call_command("verify", judged.code)
    assert "1 settled disagreements" in capsys.readouterr().out


def test_a_bundle_has_what_was_settled_when_its_judgements_were_read(olga, judged, output):
    decide(output, points=3, by="mia")
    small = {"agreement_resamples": 2, "metric_resamples": 2}
    run = analysis_runs.request_run(judged, small, by=judged.owner)
    executed(run, pictures=())
    run.refresh_from_db()
    content = read_member(run, FILE_NAME)
    assert content is not None
    (row,) = csv.DictReader(io.StringIO(content.decode()))
    # Bundles are published: curators have codes in them.
    assert (row["value"], row["curator"], row["applies"]) == ("3.0", "C1", "1")
    report = olga.get(reverse("rankme:analysis-run", args=[judged.code, run.pk])).content.decode()
    listed = reverse("rankme:campaign-disagreements", args=[judged.code])
    assert f'href="{listed}?criterion=points"' in report


def test_a_curator_settles_on_the_page_of_the_item(olga, judged, output):
    number = output.item.position + 1
    page = reverse("rankme:campaign-item", args=[judged.code, number])
    send = reverse("rankme:campaign-item-settle", args=[judged.code, number, output.pk])
    answered = olga.post(send, {"value-points": "3", "value-fluency": "", "reason": "Clear."})
    assert answered.url == f"{page}#output-{output.pk}"
    shown = " ".join(olga.get(page).content.decode().split())
    assert "points settled by olga" in shown and "Clear." in shown
    refused = olga.post(send, {"value-points": "7", "reason": "Clear."}, follow=True)
    assert "points: Select a valid choice" in refused.content.decode()
    whole = reverse("rankme:campaign-item-settle", args=[judged.code, number, 0])
    assert olga.post(whole, {"reason": "x"}).status_code == 302
    assert Settlement.objects.count() == 1
    listed = reverse("rankme:campaign-disagreements", args=[judged.code])
    lines = olga.get(listed, {"criterion": "points"}).context["page"].object_list
    assert lines[-1].output == output.pk and lines[-1].settled == "3"
    assert not any(line.settled for line in lines[:-1])
