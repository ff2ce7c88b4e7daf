"""Analyses are computed once, by any worker, with the same results from each."""

import io
import re

import pytest

from analysis.report.make import make_report
from analysis.table_files import read_table
from rankme.actions.campaign import campaigns
from rankme.actions.runs import analysis_runs, publishing, report_parts, run_chunks
from rankme.actions.sitting import exclusions
from rankme.actions.sitting.withdrawing import withdraw
from rankme.errors import InvalidOptions, RefusedAction
from rankme.exporting import bundle
from rankme.exporting.judgements import judgements_csv
from rankme.models import AnalysisRun
from tests.campaigns import make_campaign, make_owner, make_rater, rankme_definition
from tests.runs import asked, executed, rated_campaign
from tests.sittings import sit

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
LITTLE = {"runs": 2, "agreement_resamples": 2, "resample": ["none"]}  # where the numbers matter not


@pytest.fixture(scope="module")
def done_once(rows_of_the_module) -> AnalysisRun:
    """A rated campaign and an analysis of it. Tests roll back what they do to them."""
    return executed(asked(rated_campaign()), pictures=())


@pytest.fixture
def run(done_once):
    return AnalysisRun.objects.get(pk=done_once.pk)


@pytest.fixture
def campaign(run):
    return run.campaign


def test_a_run_becomes_a_report_with_its_signature(run):
    report = run.result["report"]
    assert report["signature"] == run.signature
    assert run.data_sha256[:16] in run.signature
    assert [row["criterion"] for row in report["criteria"]] == ["quality"]
    assert run.judgements == report["data"]["judgements"] > 0
    assert not run.chunks.exists()
    assert run.progress == 1


def test_criteria_keep_the_order_of_the_campaign_file():
    """Neither that of the alphabet nor, as PostgreSQL keeps names, that of their length."""
    names = ["preference", "helpfulness", "correctness", "writing"]
    definition = rankme_definition(
        raters_per_trial=2,
        criteria=[
            {"name": name, "question": f"How is its {name}?", "instrument": "rankme"}
            for name in names
        ],
        screens=[{"name": "rate", "show": ["input", "standard", "outputs"], "ask": names}],
    )
    campaign = rated_campaign(definition, raters=2, items=4, systems=3)
    run = executed(asked(campaign, **LITTLE), pictures=())
    report = run.result["report"]
    assert [each["criterion"] for each in report["criteria"]] == names
    assert list(dict.fromkeys(rater["criterion"] for rater in report["raters"])) == names
    assert list(dict.fromkeys(each["a"] for each in report["correlations"])) == names[:-1]
    assert list(bundle.report_options(run).kinds) == names
    table = bundle.read_member(run, "tables/report.tex").decode()
    assert re.findall(r"\\subsection\*\{(\w+)\}", table) == names


def test_a_run_from_before_criteria_had_an_order_can_still_be_read(run):
    AnalysisRun.objects.filter(pk=run.pk).update(
        options=run.options | {"kinds": {"quality": "relative"}}
    )
    run.refresh_from_db()
    assert bundle.report_options(run).kinds == {"quality": "relative"}


def test_a_run_is_executed_once_however_often_it_is_told_of(run):
    assert not analysis_runs.execute(run.pk, "again")
    assert AnalysisRun.objects.get(pk=run.pk).attempts == 1


def test_a_run_uses_the_judgements_it_read(run, campaign):
    rater = campaign.participants.first()
    exclusions.exclude_rater(rater, reason="Clicked at random.", by=make_owner())
    again = executed(asked(campaign, **LITTLE), pictures=())
    assert run.data_sha256 != again.data_sha256
    assert bundle.run_table(run).sha256 == run.data_sha256
    assert again.result["exclusions"] == [{"rater": rater.label, "reason": "Clicked at random."}]
    assert again.result["report"]["data"]["excluded"] > 0


def test_answers_that_a_rater_withdrew_are_in_no_later_table(run, campaign):
    rater = campaign.participants.first()
    withdraw(rater, with_answers=True)
    later = executed(asked(campaign, **LITTLE), pictures=())
    assert rater.label in bundle.run_table(run).rater.labels
    assert rater.label not in bundle.run_table(later).rater.labels
    said = {"rater": rater.label, "reason": exclusions.WITHDRAWN}
    assert said in later.finished_result["exclusions"]


def test_judgements_that_arrive_during_an_analysis_are_left_out(monkeypatch):
    """The export of the same moment gives the same report."""
    campaign = rated_campaign(raters=3)
    exported = read_table(io.BytesIO(b"".join(judgements_csv(campaign))), "csv")
    compute, company = run_chunks.compute_one, []

    def in_company(*arguments):
        if not company:
            company.append(sit(make_rater(campaign, "latecomer")))
        return compute(*arguments)

    monkeypatch.setattr(run_chunks, "compute_one", in_company)
    run = executed(asked(campaign, **LITTLE), pictures=())
    assert company and run.data_sha256 == exported.sha256
    assert executed(asked(campaign, **LITTLE), pictures=()).data_sha256 != exported.sha256


def test_raters_left_out_by_an_option_are_named_with_the_reason(campaign):
    label = campaign.participants.first().label
    with pytest.raises(InvalidOptions, match="Say why"):
        asked(campaign, exclude_raters=[label])
    options = LITTLE | {"exclude_raters": [label], "exclusion_reason": "Too fast."}
    run = executed(asked(campaign, **options), pictures=())
    assert run.result["exclusions"] == [{"rater": label, "reason": "Too fast."}]


def test_a_cancelled_run_stops_and_has_no_result(campaign):
    run = asked(campaign)
    analysis_runs.cancel_run(run, by=make_owner())
    assert not analysis_runs.execute(run.pk, "late")
    run.refresh_from_db()
    assert (run.state, run.result) == ("cancelled", None)
    with pytest.raises(RefusedAction):
        analysis_runs.cancel_run(run, by=make_owner())


def test_every_fault_of_the_options_is_said_at_once(campaign):
    wrong = {"runs": 0, "alpha": 2, "criteria": ["taste"], "colour": "red"}
    with pytest.raises(InvalidOptions) as refusal:
        asked(campaign, **wrong)
    said = str(refusal.value)
    assert "taste" in said
    assert "colour" in said
    with pytest.raises(InvalidOptions, match=r"at most|At most"):
        asked(campaign, runs=200_000)


def test_what_claims_are_about_was_chosen_before_the_launch(campaign, run):
    assert run.options["generality"] == "both"
    with pytest.raises(InvalidOptions, match="fixed for this campaign: both"):
        asked(campaign, generality="raters")
    with pytest.raises(InvalidOptions, match="primary: It is fixed for this campaign: none"):
        asked(campaign, primary="quality")
    with pytest.raises(InvalidOptions, match="equivalence: It is fixed for this campaign: none"):
        asked(campaign, equivalence={"quality": 0.1})
    of_raters = rated_campaign(rankme_definition(raters_per_trial=2, generality="raters"))
    said = executed(asked(of_raters), pictures=()).result["report"]["criteria"][0]["sentences"]
    assert any("for new raters of these items" in sentence for sentence in said)


def test_a_campaign_without_judgements_has_nothing_to_analyse():
    with pytest.raises(RefusedAction, match="no judgements"):
        asked(make_campaign(rankme_definition()))


def test_chunks_cover_every_run_once():
    for runs, size in [(1, 10), (7, 10**6), (200, 30_000), (5, 10**9)]:
        bounds = run_chunks.chunk_bounds(runs, size)
        covered = [run for first, count in bounds for run in range(first, first + count)]
        assert covered == list(range(runs))


def test_publishing_gives_one_address_and_can_be_taken_back(run, campaign):
    owner = make_owner()
    with pytest.raises(RefusedAction):
        publishing.publish_report(asked(campaign), by=owner)
    report = publishing.publish_report(run, by=owner)
    assert publishing.publish_report(run, by=owner).code == report.code
    publishing.withdraw_report(report, by=owner)
    report.refresh_from_db()
    assert report.withdrawn_at is not None
    assert publishing.publish_report(run, by=owner).withdrawn_at is None


def test_a_closed_campaign_is_published_as_long_as_a_report_of_it_is(run, campaign):
    owner = make_owner()
    running = publishing.publish_report(run, by=owner)
    campaign.refresh_from_db()
    assert campaign.state == "running"
    publishing.withdraw_report(running, by=owner)
    campaigns.close_campaign(campaign, by=owner)
    report = publishing.publish_report(run, by=owner)
    campaign.refresh_from_db()
    assert campaign.state == "published"
    publishing.withdraw_report(report, by=owner)
    campaign.refresh_from_db()
    assert campaign.state == "closed"


def test_a_part_reads_back_as_it_was_stored(run):
    """A report from stored parts equals the report that was never interrupted."""
    table, options = bundle.run_table(run), analysis_runs.report_options(run)
    stored = {}

    def keep(name, kind, compute):
        if kind is None:
            return compute()
        stored[name] = report_parts.encoded(kind, compute())
        return report_parts.decoded(kind, stored[name])

    parts = make_report(table, options, parts=keep)
    assert parts == make_report(table, options)
    assert len(stored) > 5
