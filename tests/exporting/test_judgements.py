"""Exports agree with the database, and the check that compares them finds differences."""

import pytest

from rankme.actions.sitting import assignments
from rankme.exporting import judgements as exporting
from rankme.models import Campaign
from rankme.queries import judgement_table
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.invariants import check_record
from tests.sittings import answer, claim, run_out, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """Changed, doubled, late and finished work in one campaign."""
    campaign = make_campaign(slider_definition(), items=4, systems=4)
    sit(make_rater(campaign, "w1"))
    held = claim(make_rater(campaign, "w2"))
    first = answer(held, value=10)
    answer(held, value=20, replaces=str(first.key))
    answer(held, value=30)
    run_out(held)
    assignments.expire_overdue()
    answer(held, trial=1)
    return campaign


def test_both_exports_are_what_the_database_holds(campaign):
    check_record()


def test_a_csv_with_work_that_does_not_count_would_be_seen(campaign, monkeypatch):
    monkeypatch.setattr(judgement_table, "COUNTED", "a.counts")
    with pytest.raises(AssertionError, match="CSV is not what counts"):
        check_record()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("WHERE s.assignment_id = ANY(%s)", "WHERE s.assignment_id = ANY(%s) AND NOT s.late"),
        ("'value', j.value", "'value', j.value + 1"),
        ("'counted', ", "'counted', NOT "),
    ],
)
def test_a_raw_export_that_leaves_out_or_changes_would_be_seen(campaign, monkeypatch, right, wrong):
    assert right in exporting.RAW
    monkeypatch.setattr(exporting, "RAW", exporting.RAW.replace(right, wrong))
    with pytest.raises(AssertionError, match="raw export is not what is stored"):
        check_record()
