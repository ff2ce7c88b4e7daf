"""A script takes a campaign from its file to its report, and meets the rules of the pages."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from drf_spectacular.generators import SchemaGenerator

from rankme.actions.imports import import_jobs
from rankme.models import Campaign, MaterialImport
from rankme.protocols.files import definition_to_yaml, preset
from tests.campaigns import make_campaign, make_owner

pytestmark = pytest.mark.django_db
CAMPAIGNS = "/api/v1/campaigns/"


def test_a_preset_is_available_in_another_language(olga):
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
    campaign.memberships.create(username="olga", user=make_owner("olga"))
    assert olga.get(f"{CAMPAIGNS}{campaign.code}/").json()["owner"] == "sven"
    assert olga.get(f"{CAMPAIGNS}?owned=true").json()["results"] == []
    assert olga.delete(f"{CAMPAIGNS}{campaign.code}/").status_code == 403
    assert len(olga.get(CAMPAIGNS).json()["results"]) == 1


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


def test_the_reference_page_names_every_operation(client):
    page = client.get("/api/v1/docs/").content.decode()
    schema = client.get("/api/v1/schema/", HTTP_ACCEPT="application/json").json()
    for methods in schema["paths"].values():
        for operation in methods.values():
            assert f'id="{operation["operationId"]}"' in page
    assert "<script" not in page.partition("<main")[2]


def test_the_schema_and_its_page_are_made_once(client, monkeypatch):
    first = client.get("/api/v1/schema/")
    page = client.get("/api/v1/docs/")
    monkeypatch.setattr(SchemaGenerator, "get_schema", lambda *_, **__: pytest.fail("made again"))
    assert client.get("/api/v1/schema/").content == first.content
    assert client.get("/api/v1/docs/").context["info"] == page.context["info"]
    assert first["Content-Type"].startswith("application/vnd.oai.openapi")


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
    # Makers of clients refuse a schema whose defaults it does not allow.
    for part in with_defaults(schema):
        jsonschema.validate(part["default"], part)


def with_defaults(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield the parts of a schema that state a type and a default."""
    if isinstance(schema, dict) and {"type", "default"} <= schema.keys():
        yield schema
    if isinstance(schema, dict | list):
        for part in schema.values() if isinstance(schema, dict) else schema:
            yield from with_defaults(part)


def test_a_repeated_request_finds_the_campaign_that_the_first_one_made(olga, stranger):
    def make(client, title="Ours", key="k"):
        body = {"preset": "e2e-quality", "title": title}
        return client.post(CAMPAIGNS, body, headers={"Idempotency-Key": key})

    first, again = make(olga), make(olga)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json()["code"] == again.json()["code"]
    assert make(stranger).json()["code"] != first.json()["code"]
    assert make(olga, key="l").json()["code"] != first.json()["code"]
    other = make(olga, title="Another")
    assert (other.status_code, other.json()["error"]["code"]) == (409, "key_reused")
    assert Campaign.objects.count() == 3
    for bad in ("", "x" * 101):
        assert make(olga, key=bad).status_code == 400
    olga.delete(f"{CAMPAIGNS}{first.json()['code']}/")
    assert make(olga).json()["code"] != first.json()["code"]
