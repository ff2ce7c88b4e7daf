"""`manage.py verify` names each kind of tampering, and finds nothing where there is nothing."""

import io
import json
import logging
import re

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.urls import reverse

from rankme.actions.audit import DAMAGED, last_fault
from rankme.actions.campaign import campaigns
from rankme.actions.imports.judgement_imports import import_judgements
from rankme.actions.sitting.exclusions import exclude_rater
from rankme.models import AuditEvent, Campaign
from rankme.verification import nightly, verify_audit_trail, verify_campaign
from tests.campaigns import make_campaign, make_owner, make_rater
from tests.sittings import sit
from tests.verification.forging import FIRST, LAST, past_all_rules, rated_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def rated_once(rows_of_the_module) -> Campaign:
    """Tests roll back what they do to it."""
    return rated_campaign()


@pytest.fixture
def rated(rated_once) -> Campaign:
    return Campaign.objects.get(pk=rated_once.pk)


# What is done to the record, and what verify says about it.
TAMPERING = {
    "a value is changed": (
        [f"UPDATE rankme_judgement SET value = value + 1 WHERE submission_id = {FIRST}"],
        r"submission .*: the judgement on “quality” differs from the payload",
    ),
    "a time is changed": (
        [f"UPDATE rankme_judgement SET time_ms = 1 WHERE submission_id = {LAST}"],
        "the judgement on “quality” differs from the payload",
    ),
    "two outputs change places": (
        [
            "UPDATE rankme_judgement SET output_id = (SELECT max(id) FROM rankme_output WHERE id"
            f" NOT IN (SELECT output_id FROM rankme_judgement WHERE submission_id = {FIRST}))"
            f" WHERE id = (SELECT min(id) FROM rankme_judgement WHERE submission_id = {FIRST})"
        ],
        "the judgement on “quality” differs from the payload",
    ),
    "a comment is changed": (
        [
            "UPDATE rankme_submissionwords SET words = jsonb_set(words, '{0,text}', '\"other\"')",
        ],
        "its words do not match the digest in its payload",
    ),
    "a comment is erased, and its rater is not": (
        ["UPDATE rankme_submissionwords SET words = '[]', salt = ''"],
        "its words are missing, but its rater was not erased",
    ),
    "a comment is deleted": (
        ["DELETE FROM rankme_submissionwords"],
        "its payload and its words do not belong together",
    ),
    "a comment is made up": (
        [
            "INSERT INTO rankme_submissionwords (submission_id, salt, words) SELECT max(id),"
            " 'aa', '[1]' FROM rankme_submission",
        ],
        "its payload and its words do not belong together",
    ),
    "a payload is changed": (
        [
            "UPDATE rankme_submission SET payload = jsonb_set(payload, '{answers,0,value}', '1')"
            f" WHERE id = {FIRST}"
        ],
        "the payload does not match its hash",
    ),
    "a judgement is deleted": (
        ["DELETE FROM rankme_judgement WHERE id = (SELECT max(id) FROM rankme_judgement)"],
        "it has 2 judgements, but its payload has 3",
    ),
    "a judgement is added": (
        [
            "INSERT INTO rankme_judgement (submission_id, criterion_id, output_id, position, value,"
            " text) SELECT submission_id, criterion_id, NULL, NULL, 3, '' FROM rankme_judgement"
            " LIMIT 1"
        ],
        "judgement",
    ),
    "a submission is deleted": (
        [
            f"DELETE FROM rankme_judgement WHERE submission_id = {FIRST}",
            f"DELETE FROM rankme_submission WHERE id = {FIRST}",
        ],
        "the hash chain is broken: a submission before it was changed or is missing",
    ),
    "a submission is moved to another screen": (
        [f"UPDATE rankme_submission SET screen = 7 WHERE id = {FIRST}"],
        "it is stored somewhere other than where its payload says",
    ),
    "a revision is skipped": (
        [f"UPDATE rankme_submission SET revision = 9 WHERE id = {LAST}"],
        "it is revision 9, but 1 was expected",
    ),
    "a completed sitting is taken out of the count": (
        ["UPDATE rankme_assignment SET counts = false WHERE state = 'completed'"],
        r"slot \d+: sitting \d+ should count, but none does",
    ),
    "an audit event is changed": (
        ["UPDATE rankme_auditevent SET verb = 'paused' WHERE verb = 'launched'"],
        "audit event 2: it was changed",
    ),
    "an audit event's time is changed": (
        ["UPDATE rankme_auditevent SET happened_at = '2001-01-01' WHERE number = 1"],
        "audit event 1: it was changed",
    ),
    "an audit event is deleted": (
        ["DELETE FROM rankme_auditevent WHERE verb = 'created'"],
        "audit event 1: it is missing",
    ),
}


@pytest.mark.parametrize("kind", TAMPERING)
def test_each_kind_of_tampering_is_named(rated: Campaign, kind: str):
    statements, said = TAMPERING[kind]
    assert verify_campaign(rated).fault == ""
    with past_all_rules() as execute:
        for statement in statements:
            execute(statement)
    findings = verify_campaign(rated)
    assert findings.fault
    assert re.search(said, findings.fault), findings.fault


def test_a_sitting_that_counts_instead_of_a_completed_one_is_named(rated: Campaign):
    completed = rated.assignments.get(state="completed")
    other = rated.assignments.exclude(pk=completed.pk).get()
    with past_all_rules() as execute:
        execute(f"UPDATE rankme_assignment SET counts = false WHERE id = {completed.pk}")
        execute(f"UPDATE rankme_assignment SET slot_id = {completed.slot_id} WHERE id = {other.pk}")
    said = f"sitting {completed.pk} should count, but {other.pk} does"
    assert said in verify_campaign(rated).fault


@pytest.mark.parametrize("change", ["counts = false", "state = 'returned'"])
def test_the_database_keeps_a_completed_sitting_in_the_count(rated: Campaign, change: str):
    with connection.cursor() as cursor, pytest.raises(IntegrityError), transaction.atomic():
        cursor.execute(f"UPDATE rankme_assignment SET {change} WHERE state = 'completed'")


def test_an_exclusion_lets_another_sitting_count(rated: Campaign):
    rater = rated.participants.get(external_id="w1")
    exclude_rater(rater, reason="All the same.", by=rated.owner)
    assert verify_campaign(rated).fault == ""
    sit(make_rater(rated, "w3"))
    assert rated.assignments.get(participant=rater).counts is False
    assert verify_campaign(rated).fault == ""


def test_events_of_a_deleted_draft_stay_and_are_checked():
    draft = make_campaign(launch=False)
    number = draft.audit_events.count()
    campaigns.delete_draft(draft, by=draft.owner)
    findings = verify_audit_trail()
    assert findings.fault == ""
    assert findings.audit_events == number + 1
    with past_all_rules() as execute:
        execute("UPDATE rankme_auditevent SET detail = '{}' WHERE verb = 'draft deleted'")
    assert "it was changed" in verify_audit_trail().fault


def test_the_database_numbers_the_events_itself():
    campaign = make_campaign(launch=False)
    forged = AuditEvent(campaign=campaign, verb="paused", number=700, chain_sha256="0" * 64)
    AuditEvent.objects.bulk_create([forged, AuditEvent(campaign=campaign, verb="resumed")])
    numbers = campaign.audit_events.order_by("id").values_list("number", flat=True)
    assert list(numbers) == list(range(1, len(numbers) + 1))
    assert verify_campaign(campaign).fault == ""


IMPORTED = """rater,item,system,criterion,value,screen
ann,1,alpha,fluency,70,s1
ann,1,beta,fluency,55.5,s1
"""


@pytest.fixture
def archive(tmp_path) -> Campaign:
    path = tmp_path / "ratings.csv"
    path.write_text(IMPORTED)
    return import_judgements(make_owner(), path, title="Old")


def test_an_archive_is_checked_value_by_value(archive: Campaign):
    findings = verify_campaign(archive)
    assert (findings.fault, findings.not_recomputed, findings.counted) == ("", 0, 2)
    with past_all_rules() as execute:
        execute("UPDATE rankme_judgement SET value = 71 WHERE value = 70")
    assert "“fluency” differs from the payload" in verify_campaign(archive).fault


# --- The command and the nightly job -------------------------------------------------------------


def test_the_command_says_in_json_what_it_checked(rated: Campaign):
    said = io.StringIO()
    call_command("verify", "--json", stdout=said)
    campaign, site = map(json.loads, said.getvalue().splitlines())
    assert (campaign["campaign"], campaign["submissions"]) == (rated.code, 8)
    assert (site["campaign"], campaign["fault"], site["fault"]) == ("", "", "")


@pytest.mark.parametrize("anchor", ["", "{}", '{"campaign": "x"}', "[" * 500])
def test_malformed_anchors_are_refused(anchor: str, tmp_path):
    path = tmp_path / "anchor.json"
    path.write_text(anchor)
    with pytest.raises(CommandError, match=r"neither an anchor\.json nor a bundle"):
        call_command("verify", "--anchor", path)


def test_an_unknown_campaign_is_refused():
    with pytest.raises(CommandError, match="There is no campaign nonsense"):
        call_command("verify", "nonsense")


def test_the_nightly_check_tells_the_log_and_the_organisers_once(rated: Campaign, client, caplog):
    assert nightly.check_record()
    assert last_fault(rated) == ""
    with past_all_rules() as execute:
        execute(f"UPDATE rankme_judgement SET value = value + 1 WHERE submission_id = {FIRST}")
    with caplog.at_level(logging.CRITICAL, logger="rankme"):
        assert not nightly.check_record()
        assert not nightly.check_record()
    assert f"The record of {rated.code} is damaged" in caplog.text
    assert rated.audit_events.filter(verb=DAMAGED).count() == 1
    assert "“quality” differs from the payload" in last_fault(rated)
    client.force_login(rated.owner)
    overview = reverse("rankme:campaign", args=[rated.code])
    assert "“quality” differs from the payload" in client.get(overview).content.decode()
    with past_all_rules() as execute:
        execute(f"UPDATE rankme_judgement SET value = value - 1 WHERE submission_id = {FIRST}")
    assert nightly.check_record()
    assert last_fault(rated) == ""
    assert "nightly check" not in client.get(overview).content.decode()
