"""Scripts do what the pages do before the launch and with judgements, and the document says how."""

import re
from collections import Counter

import pytest
from celery import current_app
from django.core.files.uploadedfile import SimpleUploadedFile

from rankme.actions.webhooks import delivering
from rankme.actions.webhooks.events import record_events
from rankme.models import Metric, MetricComputation, Settlement
from rankme.protocols.files import definition_from_yaml, definition_to_yaml, preset
from rankme.webhook_calls.sending import Outcome
from tests.campaigns import make_campaign, make_owner, make_rater, slider_definition
from tests.checks.raters import CHECKS
from tests.runs import rated_campaign
from tests.sittings import sit

pytestmark = pytest.mark.django_db
CAMPAIGNS = "/api/v1/campaigns/"


def base_of(campaign) -> str:
    return f"{CAMPAIGNS}{campaign.code}/"


def test_a_campaign_file_is_checked_without_being_stored(olga):
    text = definition_to_yaml(preset("e2e-quality"))
    good = olga.generic("POST", "/api/v1/definitions/check/", text, "application/yaml").json()
    assert (good["valid"], good["problems"]) == (True, [])
    assert good["outline"]["screens"][0]["asks"][0]["instrument"]
    document = {"title": "", "criteria": [{"name": "a b", "question": "?", "instrument": "x"}]}
    bad = olga.post("/api/v1/definitions/check/", {"definition": document}).json()
    places = {problem["place"] for problem in bad["problems"]}
    assert not bad["valid"] and {"title", "criteria[0].instrument"} <= places
    assert olga.get(CAMPAIGNS).json()["results"] == []


def test_a_preset_is_read_as_a_file(olga):
    text = olga.get("/api/v1/presets/e2e-quality/file/").content.decode()
    assert definition_from_yaml(text) == preset("e2e-quality")
    assert olga.get("/api/v1/presets/none/file/").status_code == 404


def test_the_schema_of_a_campaign_file_names_its_settings(olga):
    schema = olga.get("/api/v1/definitions/schema/").json()
    assert {"title", "criteria", "screens", "design", "texts"} <= set(schema["properties"])


def test_a_draft_says_what_raters_see(olga):
    base = base_of(make_campaign(launch=False))
    outline = olga.get(f"{base}outline/").json()
    assert outline["consent"] == "Do you agree?"
    [question] = outline["screens"][0]["asks"]
    assert (question["question"], question["high"]) == ("How fluent is this text?", "entirely")
    words = olga.get(f"{base}words/")
    assert words["Content-Type"].startswith("application/yaml") and b"words:" in words.content


def test_damaged_texts_are_read_and_changed(olga):
    campaign = make_campaign(slider_definition(checks=CHECKS), items=16, systems=2, launch=False)
    base = base_of(campaign)
    damaged = olga.get(f"{base}damaged-texts/").json()
    assert damaged and all(each["text"] != each["original"] for each in damaged)
    first = damaged[0]
    change = {"check": "spoiled", "output": first["output"], "text": "Mine."}
    assert olga.put(f"{base}damaged-texts/", change).status_code == 204
    texts = {each["output"]: each["text"] for each in olga.get(f"{base}damaged-texts/").json()}
    assert texts[first["output"]] == "Mine."
    other = make_campaign(owner=make_owner("sven"), launch=False)
    foreign = other.items.first().outputs.first().pk
    assert olga.put(f"{base}damaged-texts/", change | {"output": foreign}).status_code == 404


def test_a_try_says_how_far_it_is(olga, monkeypatch):
    asked = []
    monkeypatch.setattr(current_app, "send_task", lambda *given, **_more: asked.append(given))
    base = base_of(make_campaign(launch=False))
    assert olga.get(f"{base}tryout/").json() == {"status": "none", "pages": []}
    started = olga.post(f"{base}tryout/")
    assert (started.status_code, started.json()["status"]) == (202, "working")
    assert len(asked) == 1
    assert olga.delete(f"{base}tryout/").status_code == 204
    assert olga.get(f"{base}tryout/").json()["status"] == "none"
    assert olga.post(f"{base_of(make_campaign())}tryout/").status_code == 409


@pytest.fixture
def rated(olga):
    definition = slider_definition(raters_per_trial=2)
    return rated_campaign(definition, raters=4, items=3, systems=2)


def test_items_are_read_with_what_raters_said(olga, rated):
    base = base_of(rated)
    items = olga.get(f"{base}items/?limit=2").json()
    assert [item["number"] for item in items["results"]] == [1, 2]
    assert olga.get(items["next"]).json()["results"][0]["item"] == "item-2"
    found = olga.get(f"{base}items/?search=item-1").json()["results"]
    assert [item["item"] for item in found] == ["item-1"]
    item = olga.get(f"{base}items/1/").json()
    assert {output["system"] for output in item["outputs"]} == {"Sys0", "Sys1"}
    said = item["outputs"][0]["answers"][0]["said"]["fluency"]
    assert said["number"] is not None and said["words"]
    assert olga.get(f"{base}items/9/").status_code == 404
    assert olga.get(f"{base}items/0/").status_code == 404
    assert rated.audit_events.filter(verb="judgements seen").exists()


def test_disagreements_are_listed_and_settled(olga, rated):
    base = base_of(rated)
    worst = olga.get(f"{base}disagreements/").json()[0]
    assert len(worst["values"]) == 2 and worst["settled"] == ""
    settlements = f"{base}items/{worst['number']}/settlements/"
    given = {"system": worst["system"], "values": {"fluency": 40}, "reason": "Read it again."}
    settled = olga.post(settlements, given)
    assert settled.status_code == 201, settled.content
    assert Settlement.objects.get().decided_by.username == "olga"
    assert olga.get(f"{base}disagreements/").json()[-1]["settled"]
    assert b"Read it again." in olga.get(f"{base}settled.csv").getvalue()
    assert olga.post(settlements, given).status_code == 409  # nothing would change
    assert olga.post(settlements, given | {"system": "Nobody"}).status_code == 409
    assert olga.post(settlements, given | {"reason": ""}).status_code == 400
    assert olga.get(f"{base}disagreements/?criterion=none").status_code == 409


def test_a_computation_of_metrics_is_stopped_and_scores_are_downloaded(olga, rated):
    base = base_of(rated)
    assert olga.get(f"{base}metrics/scores.csv").status_code == 404
    row = MetricComputation.objects.create(campaign=rated, metrics=["bleu"])
    stopped = olga.post(f"{base}metrics/jobs/{row.pk}/cancel/")
    assert stopped.json()["state"] == "cancelled"
    assert olga.post(f"{base}metrics/jobs/{row.pk}/cancel/").status_code == 409
    assert not Metric.objects.exists()


def test_webhooks_are_made_changed_and_sent_again(olga):
    campaign = make_campaign(slider_definition(raters_per_trial=2), items=2, systems=1)
    hooks = f"{base_of(campaign)}webhooks/"
    made = olga.post(hooks, {"url": "https://hooks.example.org/"}).json()
    assert len(made["secret"]) > 30
    own = f"{hooks}{made['webhook']['id']}/"
    assert "secret" not in olga.get(own).json()
    assert olga.post(hooks, {"url": "gopher://x"}).status_code == 409
    assert olga.post(hooks, {"url": "https://x.example/", "kinds": ["dance"]}).status_code == 400
    sit(make_rater(campaign))
    record_events(campaign)
    delivering.deliver_due(lambda *_given: Outcome(500, "500 Internal"))
    [message] = olga.get(f"{own}deliveries/").json()["results"]
    assert (message["kind"], message["status"], message["state"]) == ("half_done", 500, "waiting")
    again = olga.post(f"{own}deliveries/{message['id']}/again/").json()
    assert again["attempts"] == 0
    changed = olga.put(own, {"url": "https://y.example/", "kinds": ["done"], "is_active": False})
    assert changed.json()["kinds"] == ["done"]
    assert olga.post(f"{own}deliveries/{message['id']}/again/").status_code == 409
    assert olga.delete(own).status_code == 204


# --- The document -----------------------------------------------------------------------------


def operations(schema):
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_every_operation_says_what_it_does_in_its_own_words(client):
    schema = client.get("/api/v1/schema/", HTTP_ACCEPT="application/json").json()
    found = list(operations(schema))
    summaries = [operation.get("summary", "") for _path, _method, operation in found]
    assert len(found) > 100
    assert all(re.match(r"[A-Z].{8,}", summary) for summary in summaries)
    assert len(set(summaries)) == len(summaries)
    ids = [operation["operationId"] for _path, _method, operation in found]
    assert len(set(ids)) == len(ids)


def test_a_base_class_does_not_describe_every_shape(client):
    """A shape and those that extend it may share a sentence."""
    schema = client.get("/api/v1/schema/", HTTP_ACCEPT="application/json").json()
    shapes = schema["components"]["schemas"].values()
    said = [shape["description"] for shape in shapes if shape.get("description")]
    assert len(said) > 20
    assert max(Counter(said).values()) <= 3


def test_files_are_binary_in_the_document_and_have_one_name(client):
    schema = client.get("/api/v1/schema/", HTTP_ACCEPT="application/json").json()
    forms = [
        content["multipart/form-data"]["schema"]["$ref"].rpartition("/")[2]
        for _path, _method, operation in operations(schema)
        if "multipart/form-data" in (content := operation.get("requestBody", {}).get("content", {}))
    ]
    assert sorted(forms) == ["NewImport", "NewTaskUpload"]
    fields = schema["components"]["schemas"]["NewImport"]["properties"]
    assert fields["files"]["items"] == {"type": "string", "format": "binary"}
    assert fields["items"]["format"] == "binary"
    assert [name for name, field in fields.items() if field.get("deprecated")] == ["outputs"]


def test_uploads_have_the_same_name_whatever_they_are(olga):
    for kind in ("outputs", "scores"):
        imports = f"{base_of(make_campaign(launch=False))}imports/"
        file = SimpleUploadedFile("long.csv", b"system,item,output\na,b,c\n")
        answer = olga.post(imports, {"files": [file], "kind": kind}, format="multipart")
        assert answer.status_code == 202, answer.content
