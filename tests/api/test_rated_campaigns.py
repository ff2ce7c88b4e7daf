"""A script reads the judgements of a campaign, and takes them to a report or into an archive."""

import io
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from analysis.table_files import read_table
from rankme.actions.imports import import_jobs
from rankme.models import AnalysisRun, Campaign
from rankme.queries.judgement_table import judgement_table
from tests.api.conftest import client_of
from tests.campaigns import make_campaign, make_owner
from tests.runs import executed, rated_campaign

pytestmark = pytest.mark.django_db
CAMPAIGNS = "/api/v1/campaigns/"


@pytest.fixture(scope="module")
def rated_once(rows_of_the_module) -> Campaign:
    """Tests roll back what they do to it."""
    return rated_campaign()


@pytest.fixture
def campaign(rated_once):
    return Campaign.objects.get(pk=rated_once.pk)


def test_progress_counts_the_record(olga, campaign):
    answer = olga.get(f"{CAMPAIGNS}{campaign.code}/progress/").json()
    assert answer["batches_done"] == 4
    assert answer["screens_done"] == 16
    assert {system["system"] for system in answer["systems"]} == set(
        campaign.systems.values_list("name", flat=True)
    )


def test_pages_of_judgements_equal_the_table(olga, campaign):
    rows, address = [], f"{CAMPAIGNS}{campaign.code}/judgements/?limit=7&counted=true"
    while address:
        page = olga.get(address).json()
        rows += page["results"]
        address = page["next"]
    table = judgement_table(campaign)
    assert len(rows) == len({row["id"] for row in rows}) == len(table)
    assert sorted(row["value"] for row in rows) == sorted(table.value.tolist())
    assert {row["screen"] for row in rows} == set(table.screen.labels)
    system = table.system.labels[0]
    chosen = olga.get(f"{CAMPAIGNS}{campaign.code}/judgements/?system={system}&limit=1000").json()
    assert {row["system"] for row in chosen["results"]} == {system}
    assert not re.search(r"\bw0\b", json.dumps(rows))


def test_judgements_stream_as_csv_and_as_json_lines(olga, campaign):
    csv = b"".join(olga.get(f"{CAMPAIGNS}{campaign.code}/judgements.csv"))
    assert read_table(io.BytesIO(csv)).sha256 == judgement_table(campaign).sha256
    stored = b"".join(olga.get(f"{CAMPAIGNS}{campaign.code}/judgements.csv?stored=true"))
    assert b'"counted","domain","order","position","revision"' in stored.splitlines()[0]
    lines = b"".join(olga.get(f"{CAMPAIGNS}{campaign.code}/judgements.jsonl")).splitlines()
    assert len(lines) == 16


@pytest.mark.slow
def test_an_analysis_is_asked_for_and_becomes_a_public_report(olga, anybody, campaign):
    runs = f"{CAMPAIGNS}{campaign.code}/analysis-runs/"
    options = {"runs": 30, "agreement_resamples": 10, "resample": ["none"]}
    asked = olga.post(runs, {"options": options})
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    number = asked.json()["id"]
    assert olga.post(f"{runs}{number}/report/").status_code == 409
    executed(AnalysisRun.objects.get(pk=number), pictures=())
    done = olga.get(f"{runs}{number}/").json()
    assert done["state"] == "done"
    assert done["result"]["report"]["signature"] == done["signature"]
    report = olga.post(f"{runs}{number}/report/").json()
    public = anybody.get(f"/api/v1/reports/{report['code']}/").json()
    assert public["result"] == done["result"]
    assert [one["code"] for one in olga.get("/api/v1/reports/").json()] == [report["code"]]
    assert olga.delete(f"{runs}{number}/report/").status_code == 204
    assert anybody.get(f"/api/v1/reports/{report['code']}/").status_code == 404
    assert olga.get(runs).json()["results"][0]["report"] is None


def test_options_that_cannot_be_used_are_told_all_at_once(olga, campaign):
    runs = f"{CAMPAIGNS}{campaign.code}/analysis-runs/"
    answer = olga.post(runs, {"options": {"runs": "many", "colour": 1, "criteria": ["taste"]}})
    assert answer.status_code == 400
    said = json.dumps(answer.json())
    assert all(word in said for word in ("runs", "colour", "taste"))
    assert not AnalysisRun.objects.exists()


def test_an_analysis_is_stopped(olga, campaign):
    runs = f"{CAMPAIGNS}{campaign.code}/analysis-runs/"
    number = olga.post(runs).json()["id"]
    assert olga.post(f"{runs}{number}/cancel/").json()["state"] == "cancelled"
    assert olga.post(f"{runs}{number}/cancel/").status_code == 409


def test_two_people_do_not_see_each_others_runs(olga, campaign):
    sven = client_of("sven")
    number = olga.post(f"{CAMPAIGNS}{campaign.code}/analysis-runs/").json()["id"]
    other = make_campaign(owner=make_owner("sven"))
    assert sven.get(f"{CAMPAIGNS}{other.code}/analysis-runs/{number}/").status_code == 404
    assert sven.get(f"{CAMPAIGNS}{campaign.code}/analysis-runs/{number}/").status_code == 404


def test_an_archive_is_made_filled_and_analysed(olga, campaign):
    made = olga.post(CAMPAIGNS, {"archive": True, "title": "Elsewhere"}).json()
    assert made["is_archive"]
    assert olga.post(CAMPAIGNS, {"archive": True}).status_code == 400
    csv = b"".join(olga.get(f"{CAMPAIGNS}{campaign.code}/judgements.csv"))
    imports = f"{CAMPAIGNS}{made['code']}/imports/"
    file = SimpleUploadedFile("judgements.csv", csv)
    sent = {"outputs": [file], "kind": "judgements"}
    number = olga.post(imports, sent, format="multipart").json()["id"]
    import_jobs.execute_import(number, "tester")
    assert olga.post(f"{imports}{number}/take/").status_code == 200
    import_jobs.execute_import(number, "tester")
    assert olga.get(f"{imports}{number}/").json()["phase"] == "taken"
    archive = judgement_table(Campaign.objects.get(code=made["code"]))
    original = judgement_table(campaign)
    assert sorted(archive.value.tolist()) == sorted(original.value.tolist())
    assert archive.system.labels == original.system.labels
