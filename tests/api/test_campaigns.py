"""A script takes a campaign from its file to its report, and meets the rules of the pages."""

from __future__ import annotations

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from analysis.table_files import read_table
from rankme.actions import analysis_runs, import_jobs
from rankme.models import AnalysisRun, Campaign, MaterialImport
from rankme.protocols.files import definition_to_yaml, preset
from rankme.queries.judgement_table import judgement_table
from tests.api.conftest import client_of
from tests.campaigns import make_campaign, make_owner
from tests.runs import rated_campaign

pytestmark = pytest.mark.django_db(transaction=True)
CAMPAIGNS = "/api/v1/campaigns/"


def test_a_preset_can_be_had_in_another_language(olga):
    german = olga.post(CAMPAIGNS, {"preset": "sr11-deep", "language": "de"}).json()
    assert german["definition"]["language"] == "de"
    assert "In dieser Studie" in german["definition"]["texts"]["consent"]
    assert olga.post(CAMPAIGNS, {"preset": "sr11-deep", "language": "fr"}).status_code == 400


def test_a_campaign_is_made_from_a_preset_a_document_or_a_file(olga):
    by_name = olga.post(CAMPAIGNS, {"preset": "sr11-deep", "title": "Ours"})
    assert (by_name.status_code, by_name.json()["title"]) == (201, "Ours")
    document = by_name.json()["definition"]
    by_document = olga.post(CAMPAIGNS, {"definition": document})
    assert by_document.json()["definition"] == document
    text = definition_to_yaml(preset("e2e-quality"))
    by_file = olga.generic("POST", CAMPAIGNS, text, "application/yaml")
    assert (by_file.status_code, by_file.json()["title"]) == (201, "E2E quality")
    assert Campaign.objects.count() == 3


def test_the_file_that_a_campaign_gives_makes_the_same_campaign_again(olga):
    made = olga.post(CAMPAIGNS, {"preset": "e2e-quality"}).json()
    text = olga.get(f"{CAMPAIGNS}{made['code']}/file/").content
    again = olga.generic("POST", CAMPAIGNS, text, "application/yaml").json()
    assert again["definition"] == made["definition"]


def test_every_problem_of_a_definition_is_told_with_its_place(olga):
    wrong = {"title": "", "criteria": [{"name": "a b", "question": "?", "instrument": "magic"}]}
    answer = olga.post(CAMPAIGNS, {"definition": wrong})
    assert answer.status_code == 400
    places = [problem["place"] for problem in answer.json()["error"]["problems"]]
    assert {"title", "criteria[0].name", "criteria[0].instrument", "screens"} <= set(places)
    answer = olga.generic("POST", CAMPAIGNS, "title: 1\ncriteria: []", "application/yaml")
    assert "line 1" in answer.json()["error"]["problems"][0]["place"]


def test_only_drafts_change(olga):
    made = olga.post(CAMPAIGNS, {"preset": "e2e-quality"}).json()
    changed = made["definition"] | {"title": "Another"}
    address = f"{CAMPAIGNS}{made['code']}/"
    assert olga.put(address, {"definition": changed}).json()["title"] == "Another"
    assert olga.delete(address).status_code == 204
    launched = make_campaign()
    assert olga.put(f"{CAMPAIGNS}{launched.code}/", {"definition": changed}).status_code == 409
    assert olga.delete(f"{CAMPAIGNS}{launched.code}/").status_code == 409


def test_a_campaign_goes_through_its_states(olga):
    campaign = make_campaign(launch=False)
    states = []
    for verb in ("launch", "pause", "resume", "close"):
        answer = olga.post(f"{CAMPAIGNS}{campaign.code}/{verb}/")
        assert answer.status_code == 200, answer.content
        states.append(answer.json()["state"])
    assert states == ["running", "paused", "running", "closed"]
    assert olga.post(f"{CAMPAIGNS}{campaign.code}/resume/").status_code == 409


def test_lists_come_in_pages_and_nothing_is_missed_or_doubled(olga):
    made = [make_campaign(launch=False).code for _ in range(7)]
    seen, address = [], f"{CAMPAIGNS}?limit=3&state=draft"
    while address:
        page = olga.get(address).json()
        seen += [campaign["code"] for campaign in page["results"]]
        address = page["next"]
    assert seen == made[::-1]


def test_a_member_sees_the_campaign_and_a_stranger_does_not(olga, stranger):
    campaign = make_campaign(owner=make_owner("sven"))
    assert olga.get(f"{CAMPAIGNS}{campaign.code}/").status_code == 404
    campaign.memberships.create(username=make_owner("olga").username)
    assert olga.get(f"{CAMPAIGNS}{campaign.code}/").json()["owner"] == "sven"
    assert olga.get(f"{CAMPAIGNS}?owned=true").json()["results"] == []
    assert olga.delete(f"{CAMPAIGNS}{campaign.code}/").status_code == 403
    assert len(olga.get(CAMPAIGNS).json()["results"]) == 1


def test_progress_counts_what_is_there(olga):
    campaign = rated_campaign()
    answer = olga.get(f"{CAMPAIGNS}{campaign.code}/progress/").json()
    assert answer["batches_done"] == 4
    assert answer["screens_done"] == 16
    assert {system["system"] for system in answer["systems"]} == set(
        campaign.systems.values_list("name", flat=True)
    )


def test_material_is_uploaded_looked_at_and_taken(olga):
    made = olga.post(CAMPAIGNS, {"preset": "e2e-quality"}).json()
    imports = f"{CAMPAIGNS}{made['code']}/imports/"
    rows = "".join(
        f"s{system},i{item},Text {system} {item}.\n" for system in range(6) for item in range(4)
    )
    file = SimpleUploadedFile("long.csv", f"system,item,output\n{rows}".encode())
    started = olga.post(imports, {"outputs": [file]}, format="multipart")
    assert started.status_code == 202, started.content
    number = started.json()["id"]
    import_jobs.execute_import(number, "tester")
    looked = olga.get(f"{imports}{number}/").json()
    assert (looked["phase"], looked["error"]) == ("previewed", "")
    assert olga.post(f"{imports}{number}/take/").status_code == 200
    import_jobs.execute_import(number, "tester")
    assert olga.get(f"{imports}{number}/").json()["phase"] == "taken"
    assert olga.get(imports).json()["results"][0]["id"] == number
    assert Campaign.objects.get(code=made["code"]).items.count() == 4
    assert olga.post(f"{imports}{number}/drop/").status_code == 409


def test_an_upload_takes_only_what_it_names(olga):
    campaign = make_campaign(launch=False)
    imports = f"{CAMPAIGNS}{campaign.code}/imports/"
    file = SimpleUploadedFile("long.csv", b"system,item,output\na,b,c\n")
    answer = olga.post(imports, {"outputs": [file], "path": "/etc/passwd"}, format="multipart")
    assert answer.status_code == 400
    assert olga.post(imports, {"kind": "outputs"}, format="multipart").status_code == 400
    assert olga.post(imports, {"outputs": []}, format="json").status_code == 415
    assert not MaterialImport.objects.exists()


def test_judgements_come_in_pages_that_hold_what_the_table_holds(olga):
    campaign = rated_campaign()
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
    assert "w0" not in json.dumps(rows)


def test_judgements_stream_as_csv_and_as_json_lines(olga):
    campaign = rated_campaign()
    csv = b"".join(olga.get(f"{CAMPAIGNS}{campaign.code}/judgements.csv"))
    assert read_table(io.BytesIO(csv)).sha256 == judgement_table(campaign).sha256
    stored = b"".join(olga.get(f"{CAMPAIGNS}{campaign.code}/judgements.csv?stored=true"))
    assert b'"counted","domain","revision"' in stored.splitlines()[0]
    lines = b"".join(olga.get(f"{CAMPAIGNS}{campaign.code}/judgements.jsonl")).splitlines()
    assert len(lines) == 16


def test_an_analysis_is_asked_for_and_becomes_a_public_report(olga, anybody):
    campaign = rated_campaign()
    runs = f"{CAMPAIGNS}{campaign.code}/analysis-runs/"
    asked = olga.post(runs, {"options": {"runs": 30, "agreement_resamples": 10}})
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    number = asked.json()["id"]
    assert olga.post(f"{runs}{number}/report/").status_code == 409
    analysis_runs.execute(number, "tester")
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


def test_options_that_cannot_be_used_are_told_all_at_once(olga):
    campaign = rated_campaign()
    runs = f"{CAMPAIGNS}{campaign.code}/analysis-runs/"
    answer = olga.post(runs, {"options": {"runs": "many", "colour": 1, "criteria": ["taste"]}})
    assert answer.status_code == 400
    said = json.dumps(answer.json())
    assert all(word in said for word in ("runs", "colour", "taste"))
    assert not AnalysisRun.objects.exists()


def test_an_analysis_is_stopped(olga):
    campaign = rated_campaign()
    runs = f"{CAMPAIGNS}{campaign.code}/analysis-runs/"
    number = olga.post(runs).json()["id"]
    assert olga.post(f"{runs}{number}/cancel/").json()["state"] == "cancelled"
    assert olga.post(f"{runs}{number}/cancel/").status_code == 409


def test_the_reference_page_names_every_operation(client):
    page = client.get("/api/v1/docs/").content.decode()
    schema = client.get("/api/v1/schema/", HTTP_ACCEPT="application/json").json()
    for methods in schema["paths"].values():
        for operation in methods.values():
            assert f'id="{operation["operationId"]}"' in page
    assert "<script" not in page.partition("<main")[2]


def test_the_schema_has_no_warnings_and_one_error_shape(tmp_path):
    from django.core.management import call_command

    path = tmp_path / "schema.json"
    call_command(
        "spectacular",
        "--validate",
        "--fail-on-warn",
        "--format",
        "openapi-json",
        "--file",
        str(path),
    )
    schema = json.loads(path.read_text())
    shape = {"$ref": "#/components/schemas/Error"}
    for methods in schema["paths"].values():
        for operation in methods.values():
            answer = operation["responses"]["default"]
            assert answer["content"]["application/json"]["schema"] == shape


def test_two_people_do_not_see_each_others_runs(olga):
    sven = client_of("sven")
    campaign = rated_campaign()
    number = olga.post(f"{CAMPAIGNS}{campaign.code}/analysis-runs/").json()["id"]
    other = make_campaign(owner=make_owner("sven"))
    assert sven.get(f"{CAMPAIGNS}{other.code}/analysis-runs/{number}/").status_code == 404
    assert sven.get(f"{CAMPAIGNS}{campaign.code}/analysis-runs/{number}/").status_code == 404


def test_an_archive_is_made_filled_and_analysed(olga):
    made = olga.post(CAMPAIGNS, {"archive": True, "title": "Elsewhere"}).json()
    assert made["is_archive"]
    assert olga.post(CAMPAIGNS, {"archive": True}).status_code == 400
    campaign = rated_campaign()
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
