"""Readers who come at the same moment for files that were lost: threads, so rows are committed."""

import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.http import HttpResponse
from django.test import Client

from rankme.actions.runs import publishing, report_files
from rankme.exporting import bundle
from rankme.models import ReportFiles
from tests.campaigns import make_owner
from tests.pages.addresses import address
from tests.runs import asked, executed, rated_campaign

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def test_a_lost_bundle_is_made_again_by_one_job_while_readers_wait(client, monkeypatch):
    monkeypatch.setattr(
        "analysis.report.rendered.PLOT_FORMATS", ("svg",)
    )  # one kind is enough here
    campaign = rated_campaign(raters=2, items=2)
    run = executed(
        asked(campaign, runs=2, agreement_resamples=2, resample=["none"]), pictures=("svg",)
    )
    report = publishing.publish_report(run, by=make_owner())
    public = address("report-public", report)
    path = bundle.path_of(run)
    before = content_of(path)
    default_storage.delete(path)
    addresses = [public, f"{public}files/bundle.zip", f"{public}files/report.json"]
    answers = answers_at_once(addresses * 3)
    assert {answer.status_code for answer in answers} == {503}
    assert {answer["Retry-After"] for answer in answers} == {"5"}
    assert all(b'http-equiv="refresh"' in answer.content for answer in answers)
    client.force_login(make_owner())
    own = address("analysis-run", campaign, run.pk)
    assert client.get(own).status_code == 503
    job = ReportFiles.objects.get()
    assert job.state == "queued"
    assert report_files.execute(job.pk, "worker")
    assert [answer.status_code for answer in answers_at_once(addresses)] == [200, 200, 200]
    assert content_of(path) == before
    assert not run.parts.exists()


def content_of(path: str) -> dict[str, int]:
    """The checksums of a bundle's files, but for the one that says when it was made."""
    with default_storage.open(path) as file, zipfile.ZipFile(file) as files:
        return {
            each.filename: each.CRC for each in files.infolist() if "anchor" not in each.filename
        }


def answers_at_once(addresses: list[str]) -> list[HttpResponse]:
    """What strangers get who come at the same moment, from as many threads."""

    def fetch(path: str) -> HttpResponse:
        try:
            answer = Client().get(path)
            answer.close()
            return answer
        finally:
            connection.close()

    with ThreadPoolExecutor(len(addresses)) as threads:
        return list(threads.map(fetch, addresses))
