"""What a report and its bundle say of a campaign that was changed while it ran."""

import json

import pytest

from analysis.report.stored import read_report
from rankme.actions.campaign import changes
from rankme.actions.runs import analysis_runs
from rankme.errors import InvalidOptions
from rankme.exporting import bundle
from rankme.exporting.judgements import judgements_csv, judgements_jsonl
from rankme.pages.campaign.reports import result_context
from tests.campaigns import make_campaign, make_owner, make_rater, slider_definition
from tests.runs import executed
from tests.sittings import sit

pytestmark = pytest.mark.django_db


def run_of(campaign, **options):
    quick = {"agreement_resamples": 2, "runs": 20}
    asked = analysis_runs.request_run(campaign, quick | options, by=make_owner())
    return executed(asked, pictures=())


@pytest.fixture
def corrected():
    """Two raters under the first version, one under the second."""
    campaign = make_campaign()
    for name in ("a", "b"):
        sit(make_rater(campaign, name))
    right = {"consent": "Do you agree?", "instructions": "Click the line."}
    changes.change_campaign(
        campaign,
        slider_definition(texts=right),
        reason="The instructions were wrong.",
        by=make_owner(),
        base=1,
    )
    campaign.refresh_from_db()
    sit(make_rater(campaign, "c"))
    return campaign


def test_a_report_counts_by_version_and_splits_on_request(corrected):
    run = run_of(corrected)
    shown = result_context(run)["versions"]
    assert [(one["number"], one["judgements"], one["reason"]) for one in shown] == [
        (1, 8, ""),
        (2, 4, "The instructions were wrong."),
    ]
    files = bundle.members(run)
    assert {"campaign.yaml", "campaign-v1.yaml", "versions.json"} <= set(files)
    assert b"Click the line." in bundle.read_member(run, "campaign.yaml")
    assert b"Move the slider." in bundle.read_member(run, "campaign-v1.yaml")
    assert "author" not in json.loads(bundle.read_member(run, "versions.json"))[1]
    assert run_of(corrected, versions=[2]).judgements == 4
    split = run_of(corrected, factors=["version"])
    (criterion,) = read_report(split.finished_result["report"]).criteria
    assert criterion.systems[0].by_level == {"1": 50.0, "2": 50.0}
    with pytest.raises(InvalidOptions, match="no version 3"):
        run_of(corrected, versions=[3])


def test_exports_name_the_version_of_each_judgement(corrected):
    header, *rows = b"".join(judgements_csv(corrected)).decode().splitlines()
    assert header.replace('"', "").endswith(",version")
    assert [row.replace('"', "")[-2:] for row in rows].count(",2") == 4
    lines = [json.loads(line)["version"] for line in judgements_jsonl(corrected)]
    assert (lines.count(1), lines.count(2)) == (8, 4)


def test_a_campaign_that_never_changed_has_no_table_of_versions():
    campaign = make_campaign()
    sit(make_rater(campaign))
    run = run_of(campaign)
    assert result_context(run)["versions"] == []
    assert "campaign-v1.yaml" not in bundle.members(run)
