"""Metrics for scripts: computed, uploaded with the judge's own systems, deleted."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from rankme.actions.imports import import_jobs
from rankme.actions.material import metric_jobs
from tests.campaigns import make_campaign, make_owner
from tests.runs import executed, rated_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]


@pytest.fixture
def base(olga) -> str:
    campaign = make_campaign(items=2, systems=2, owner=make_owner("olga"))
    return f"/api/v1/campaigns/{campaign.code}/"


def test_metrics_are_computed_and_read(olga, base):
    answer = olga.post(f"{base}metrics/", {"metrics": ["bleu"]}, format="json")
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    number = answer.json()["id"]
    assert metric_jobs.execute(number, "tester")
    assert olga.get(f"{base}metrics/jobs/{number}/").json()["progress"] == 1.0
    (found,) = olga.get(f"{base}metrics/").json()
    assert (found["name"], found["source"], found["outputs"]) == ("bleu", "computed", 4)
    assert olga.delete(f"{base}metrics/{found['id']}/").status_code == 204
    assert olga.get(f"{base}metrics/").json() == []


def test_impossible_computations_are_refused_with_a_sentence(olga, base):
    answer = olga.post(f"{base}metrics/", {"metrics": ["dice"]}, format="json")
    assert answer.status_code == 409
    assert "attribute sets" in answer.json()["error"]["message"]


def test_a_judges_scores_are_an_import_of_their_own_kind(olga, base):
    file = SimpleUploadedFile("scores.csv", b"system,item,lm\nSys0,item-0,3\nSys1,item-0,4\n")
    sent = {"outputs": file, "kind": "scores", "is_judge": "true", "own_systems": ["Sys1"]}
    answer = olga.post(f"{base}imports/", sent, format="multipart")
    assert answer.status_code == 202, answer.content
    number = answer.json()["id"]
    assert import_jobs.execute_import(number, "tester")
    preview = olga.get(f"{base}imports/{number}/").json()["preview"]
    assert preview["metrics"][0]["name"] == "lm" and preview["own_systems"] == ["Sys1"]
    assert olga.post(f"{base}imports/{number}/take/").status_code == 200
    assert import_jobs.execute_import(number, "tester")
    (found,) = olga.get(f"{base}metrics/").json()
    assert (found["name"], found["is_judge"], found["own_systems"]) == ("lm", True, ["Sys1"])


@pytest.mark.slow
def test_an_analysis_compares_metrics_on_the_scale_that_is_asked_for(olga):
    campaign = rated_campaign(raters=2, items=4)
    base = f"/api/v1/campaigns/{campaign.code}/"
    answer = olga.post(f"{base}metrics/", {"metrics": ["lengths"]}, format="json")
    assert metric_jobs.execute(answer.json()["id"], "tester")
    few = {"runs": 20, "agreement_resamples": 2, "metric_resamples": 10, "resample": ["none"]}
    options = few | {"metrics": ["characters"], "log_scale": ["quality"]}
    answer = olga.post(f"{base}analysis-runs/", {"options": options}, format="json")
    assert answer.status_code == 202, answer.content
    row = campaign.analysis_runs.get(pk=answer.json()["id"])
    run = executed(row, pictures=())
    found = olga.get(f"{base}analysis-runs/{run.pk}/").json()
    (section,) = found["result"]["report"]["metrics"]
    assert (section["criterion"], section["scale"]) == ("quality", "logarithms")
    (level,) = section["comparison"]["system_level"]
    assert (level["metric"], level["systems"]) == ("characters", 5)
    file = f"{base}analysis-runs/{run.pk}/files/tables/quality/metrics/system-level.csv"
    assert b"characters" in b"".join(olga.get(file))
