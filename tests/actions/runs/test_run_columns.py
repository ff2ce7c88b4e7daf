"""Large runs are read from columns; with and without them a report says the same."""

import pytest
from django.core.files.storage import default_storage

from rankme.actions import jobs
from rankme.actions.rows import stored_files
from rankme.actions.runs import analysis_runs, run_columns
from rankme.exporting.bundle import run_table
from rankme.models import AnalysisRun
from tests.reports import assert_same_report
from tests.runs import asked, executed, rated_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def rated_once(rows_of_the_module):
    return rated_campaign()


@pytest.fixture
def campaign(rated_once, monkeypatch, own_uploads):
    monkeypatch.setattr(run_columns, "WORTHWHILE", 1)
    return rated_once


def stored() -> list[str]:
    try:
        return default_storage.listdir(run_columns.FOLDER)[1]
    except FileNotFoundError:
        return []


def under_way(campaign, **options) -> AnalysisRun:
    """A run that has read its judgements."""
    run = jobs.claim(AnalysisRun, asked(campaign, **options).pk, worker="leader")
    analysis_runs.take_snapshot(run)
    return run


@pytest.mark.parametrize("method", ["wmt", "k-player"])
def test_columns_have_the_rows_of_the_csv_in_the_same_order(campaign, method):
    run = under_way(campaign, method=method)
    assert len(stored()) == 1
    fast, plain = run_columns.columns_of(run), run_table(run)
    for name in ("rater", "item", "system", "criterion", "screen"):
        assert getattr(fast, name).labels == getattr(plain, name).labels
        assert (getattr(fast, name).codes == getattr(plain, name).codes).all()
    assert (fast.value == plain.value).all()
    assert fast.sha256 == plain.sha256 == run.data_sha256
    run_columns.drop_columns(run)
    assert run_columns.columns_of(run).sha256 == run.data_sha256, "read from its row"


def test_the_report_is_the_same_and_the_columns_are_gone(campaign, monkeypatch):
    """Meanwhile the CSV stays in the database."""
    read = []

    def noted(run):
        table = run_columns.columns_of(run)
        read.append((len(stored()), "table_csv_gz" in run.get_deferred_fields()))
        return table

    monkeypatch.setattr(analysis_runs, "columns_of", noted)
    with_columns = executed(asked(campaign), pictures=()).result["report"]
    assert read == [(1, True)]
    assert not stored()
    monkeypatch.setattr(run_columns, "WORTHWHILE", 10**6)
    assert_same_report(executed(asked(campaign), pictures=()).result["report"], with_columns)


def test_a_small_run_has_none(campaign, monkeypatch):
    monkeypatch.setattr(run_columns, "WORTHWHILE", 10**6)
    assert run_columns.columns_of(under_way(campaign)).sha256
    assert not stored()


def test_columns_go_with_a_run_that_is_over(campaign, monkeypatch):
    monkeypatch.setattr(stored_files, "ORPHANED_AFTER", -stored_files.ORPHANED_AFTER)
    run = under_way(campaign)
    assert (run_columns.sweep_columns(), len(stored())) == (0, 1)
    analysis_runs.cancel_run(run, by=campaign.owner)
    assert (run_columns.sweep_columns(), len(stored())) == (1, 0)
