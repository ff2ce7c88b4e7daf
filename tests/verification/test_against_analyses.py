"""What tampering hid from the record itself shows against an analysis that was made before."""

import hashlib
import io
import json

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command

from rankme.actions.runs import analysis_runs
from rankme.exporting.bundle import path_of
from rankme.models import AnalysisRun, Campaign, Submission
from rankme.protocols.exchange.payload_hashes import canonical, chained
from rankme.verification import verify_audit_trail, verify_campaign
from tests.runs import executed
from tests.verification.forging import cut_the_end_of_a_chain, past_all_rules, rated_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def analysed_once(rows_of_the_module: None) -> AnalysisRun:
    """Tests roll back what they do to it."""
    campaign = rated_campaign()
    run = analysis_runs.request_run(campaign, {"runs": 20}, by=campaign.owner)
    return executed(run, pictures=())


@pytest.fixture
def analysed(analysed_once: AnalysisRun) -> AnalysisRun:
    return AnalysisRun.objects.get(pk=analysed_once.pk)


@pytest.fixture
def rated(analysed: AnalysisRun) -> Campaign:
    return analysed.campaign


def test_an_untouched_record_is_found_whole(rated: Campaign, analysed: AnalysisRun):
    findings = verify_campaign(rated)
    assert findings.fault == ""
    assert findings.submissions == Submission.objects.count() == 8
    assert findings.judgements == 24
    assert findings.counted == 18  # without the answer that was changed and the second tab's
    assert findings.not_recomputed == 0
    assert findings.audit_events == rated.audit_events.count() >= 3
    assert verify_audit_trail().fault == ""


def test_a_chain_whose_end_was_cut_off_shows_against_an_analysis(
    rated: Campaign, analysed: AnalysisRun
):
    cut_the_end_of_a_chain()
    assert "it has 3 submissions, but an analysis saw 4" in verify_campaign(rated).fault


def test_a_whole_sitting_that_is_gone_shows_against_an_analysis(
    rated: Campaign, analysed: AnalysisRun
):
    with past_all_rules() as execute:
        execute("DELETE FROM rankme_judgement")
        execute("DELETE FROM rankme_submission")
    assert "all of its submissions are missing" in verify_campaign(rated).fault


def test_the_end_of_the_audit_trail_shows_against_an_analysis(
    rated: Campaign, analysed: AnalysisRun
):
    with past_all_rules() as execute:
        execute("DELETE FROM rankme_auditevent WHERE number >= 3")
    assert "its end is missing" in verify_campaign(rated).fault


def test_a_bundle_shows_what_a_forger_of_the_whole_database_hid(
    rated: Campaign, analysed: AnalysisRun
):
    """Who may change everything can also forget the anchor, but not in a bundle elsewhere."""
    bundle = default_storage.path(path_of(analysed))
    call_command("verify", "--anchor", bundle, stdout=io.StringIO())
    cut_the_end_of_a_chain()
    with past_all_rules() as execute:
        execute("UPDATE rankme_analysisrun SET anchor = NULL")
    assert verify_campaign(rated).fault == "", "nothing in the database says so any more"
    said = io.StringIO()
    with pytest.raises(CommandError, match="damaged"):
        call_command("verify", rated.code, "--anchor", bundle, stdout=said)
    assert "the end of its hash chain is missing" in said.getvalue()


def test_a_forged_answer_with_fresh_hashes_shows_against_an_analysis(
    rated: Campaign, analysed: AnalysisRun
):
    before = ""
    with past_all_rules() as execute:
        sitting = Submission.objects.order_by("id").first().assignment_id
        for sent in Submission.objects.filter(assignment_id=sitting).order_by("id"):
            payload = sent.payload | {"comment": "forged"}
            digest = hashlib.sha256(canonical(payload)).hexdigest()
            before = chained(before, digest)
            execute(
                "UPDATE rankme_submission SET payload = %s, payload_sha256 = %s, chain_sha256 = %s"
                " WHERE id = %s",
                [json.dumps(payload), digest, before, sent.pk],
            )
    assert "differs from the one that an analysis saw" in verify_campaign(rated).fault
