"""What the columns of an upload are: said with the upload, or after its check."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from rankme.actions.campaign import campaigns
from rankme.actions.imports.import_jobs import execute_import
from tests.campaigns import make_owner, slider_definition

UNKNOWN = "alpha,beta,gamma\nA,1,Because.\nA,2,Thus.\nB,1,So.\nB,2,Well.\n"
TABLE = {"layout": "long", "columns": {"system": "alpha", "item": "beta", "output": "gamma"}}


@pytest.fixture
def imports(olga, settings, tmp_path) -> str:
    settings.MEDIA_ROOT = tmp_path
    campaign = campaigns.create_campaign(make_owner("olga"), slider_definition())
    return f"/api/v1/campaigns/{campaign.code}/imports/"


def upload(olga, imports: str, **more) -> str:
    """Upload the unknown table, check it, and give the address of the upload."""
    file = SimpleUploadedFile("data.csv", UNKNOWN.encode())
    answer = olga.post(imports, {"outputs": file, **more}, format="multipart")
    assert answer.status_code == 202, answer.content
    assert execute_import(answer.json()["id"], "tester")
    return f"{imports}{answer.json()['id']}/"


def test_a_description_comes_with_the_upload(olga, imports):
    address = upload(olga, imports, columns=json.dumps({"tables": [TABLE]}))
    assert olga.get(address).json()["phase"] == "previewed"


def test_a_description_comes_after_a_refusal(olga, imports):
    address = upload(olga, imports)
    found = olga.get(address).json()
    assert (found["state"], found["phase"]) == ("failed", "columns")
    assert found["preview"]["tables"][0]["names"] == ["alpha", "beta", "gamma"]
    answer = olga.post(f"{address}columns/", {"tables": [TABLE]}, format="json")
    assert answer.status_code == 202, answer.content
    assert execute_import(found["id"], "tester")
    assert olga.get(address).json()["phase"] == "previewed"


def test_the_header_and_the_sheet_are_told_by_scripts_too(olga, imports):
    address = upload(olga, imports)
    answer = olga.post(f"{address}columns/", {"header": 2, "sheet": "*"}, format="json")
    assert answer.status_code == 202, answer.content
    assert execute_import(answer.json()["id"], "tester")
    table = olga.get(address).json()["preview"]["tables"][0]
    assert (table["header"], table["names"]) == (2, ["A", "1", "Because."])


def test_a_description_that_makes_no_sense_is_refused(olga, imports):
    address = upload(olga, imports)
    for wrong in (
        {"tables": [{"columns": {"boss": "alpha"}}]},
        {"tables": [{"columns": [1]}]},
        {"tables": [{"layout": "tall"}]},
        {"encoding": "rot13"},
        {"header": 99},
    ):
        answer = olga.post(f"{address}columns/", wrong, format="json")
        assert answer.status_code in (400, 409, 422), answer.content
        assert olga.get(address).json()["phase"] == "columns"


def test_a_stranger_does_not_find_the_upload(olga, stranger, imports):
    address = upload(olga, imports)
    answer = stranger.post(f"{address}columns/", {"tables": [TABLE]}, format="json")
    assert answer.status_code == 404
