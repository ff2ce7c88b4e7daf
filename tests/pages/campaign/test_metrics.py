"""The tab of metrics, and the page that compares them with people."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from rankme.actions.imports.import_jobs import execute_import
from rankme.actions.material import metric_jobs
from rankme.actions.runs import analysis_runs, publishing
from rankme.exporting.bundle import report_file, run_compared
from rankme.forms.analysis import AnalysisForm
from rankme.models import Campaign
from tests.campaigns import make_campaign, make_owner
from tests.pages.addresses import address
from tests.runs import executed, rated_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads"), pytest.mark.slow]

FEW = {"runs": 20, "agreement_resamples": 2, "metric_resamples": 20}
WORDS = "system,item,metric,score\n" + "".join(
    f"Sys{system},item-{item},comet,{0.1 * system + 0.01 * item}\n"
    for system in range(5)
    for item in range(8)
)


@pytest.fixture(scope="module")
def rated_once(rows_of_the_module) -> Campaign:
    """A campaign that raters went through. Tests roll back what they do to it."""
    return rated_campaign()


@pytest.fixture
def rated(rated_once) -> Campaign:
    return Campaign.objects.get(pk=rated_once.pk)


def text_of(olga, *place: object) -> str:
    answer = olga.get(address(*place))
    assert answer.status_code == 200
    return " ".join(answer.text.split())


def uploaded(olga, campaign, text: str, **fields: str):
    file = SimpleUploadedFile("scores.csv", text.encode())
    answer = olga.post(address("campaign-metrics-upload", campaign), {"file": file} | fields)
    assert answer.status_code == 302, answer.text
    row = campaign.material_imports.latest("pk")
    assert execute_import(row.pk, "tester")
    return row


def test_an_empty_tab_says_what_to_do(olga):
    empty = make_campaign(items=0, systems=0, launch=False)
    assert "Upload the outputs first" in text_of(olga, "campaign-metrics", empty)
    page = text_of(olga, "campaign-metrics", make_campaign(items=2, systems=2))
    assert "No metrics yet" in page and "COMET" in page


def test_metrics_are_chosen_computed_and_listed(olga):
    campaign = make_campaign(items=3, systems=2)
    page = address("campaign-metrics", campaign)
    assert olga.post(page, {}).status_code == 422
    assert olga.post(page, {"metrics": ["bleu", "lengths"]}).status_code == 302
    assert "<progress" in text_of(olga, "campaign-metrics", campaign)
    assert metric_jobs.execute(campaign.metric_computations.get().pk, "tester")
    shown = text_of(olga, "campaign-metrics", campaign)
    assert "<progress" not in shown and "sacrebleu: nrefs" in shown
    file = olga.get(address("campaign-metrics-file", campaign))
    assert b"Sys1,item-2,bleu," in file.content


def test_problems_of_a_file_are_listed_with_line_and_column(olga):
    campaign = make_campaign(items=2, systems=2)
    row = uploaded(olga, campaign, "system,item,comet\nSys0,item-0,much\n")
    page = text_of(olga, "campaign-import", campaign, row.pk)
    assert "Nothing was imported." in page and "is not a finite number" in page
    assert address("campaign-metrics", campaign) in page


def test_a_preview_says_what_is_replaced_before_it_is(olga):
    campaign = make_campaign(items=2, systems=2)
    text = "system,item,comet\nSys0,item-0,0.5\nSys1,item-0,0.25\n"
    for expected in (False, True):
        row = uploaded(olga, campaign, text, is_judge="on", own_systems="Sys1")
        page = text_of(olga, "campaign-import", campaign, row.pk)
        assert ("replaces all of them" in page) is expected
        assert "Systems that its own model wrote" in page
        olga.post(address("campaign-import-take", campaign, row.pk))
        assert execute_import(row.pk, "tester")
    stored = campaign.metrics.get()
    assert (stored.is_judge, stored.own_systems) == (True, ["Sys1"])


def test_a_metric_is_deleted_after_a_question(olga):
    campaign = make_campaign(items=2, systems=2)
    row = metric_jobs.request_metrics(campaign, ["bleu"], by=make_owner())
    metric_jobs.execute(row.pk, "tester")
    page = address("campaign-metric-delete", campaign, campaign.metrics.get().pk)
    assert olga.get(page).status_code == 200 and campaign.metrics.exists()
    assert olga.post(page).status_code == 302 and not campaign.metrics.exists()


def test_metrics_against_people_after_the_ranking_by_people(olga, client, rated):
    olga.post(address("campaign-import-take", rated, uploaded(olga, rated, WORDS).pk))
    assert execute_import(rated.material_imports.latest("pk").pk, "tester")
    run = executed(analysis_runs.request_run(rated, FEW, by=make_owner()), pictures=("svg",))
    assert run.options["metrics"] == ["comet"]
    assert 'metrics:["comet"]' in run.signature
    report = text_of(olga, "analysis-run", rated, run.pk)
    assert "rankings on this page use judgements by people only" in report
    assert "Metrics against people: whole systems" not in report
    page = text_of(olga, "analysis-metrics", rated, run.pk)
    first, second = "The ranking by people", "Metrics against people: whole systems"
    assert 0 < page.index(first) < page.index(second)
    assert "metrics-scatter.svg" in page and "scores:" in page
    # What is uploaded later does not move the report.
    rated.metrics.all().delete()
    assert run_compared(run).scores.metrics == ("comet",)
    table = report_file(run, "tables/quality/metrics/system-level.csv")
    assert table is not None and b"comet" in table.content
    publishing.publish_report(run, by=make_owner())
    client.logout()
    public = address("report-public-metrics", run.report)
    assert client.get(public).status_code == 200


VERDICTS = "judge,item,first,second,winner\n" + "".join(
    f"lm,item-{item},Sys{item % 2},Sys{1 - item % 2},Sys1\n" for item in range(8)
)


def test_a_judges_taste_for_length_is_known_without_a_metric_of_lengths(olga, rated):
    olga.post(address("campaign-import-take", rated, uploaded(olga, rated, VERDICTS).pk))
    assert execute_import(rated.material_imports.latest("pk").pk, "tester")
    run = executed(analysis_runs.request_run(rated, FEW, by=make_owner()), pictures=())
    assert run.options["metrics"] == ["lm"]
    page = text_of(olga, "analysis-metrics", rated, run.pk)
    assert "Without lengths" not in page and "characters" not in page
    kept = run_compared(run).scores  # the bundle computes with them again
    assert (kept.metrics, kept.scored_outputs) == (("characters",), 5 * 8)


def test_magnitudes_can_be_compared_as_logarithms(olga, rated):
    page = text_of(olga, "analysis-runs", rated)
    assert 'name="log_scale"' not in page  # it would change nothing without metrics
    olga.post(address("campaign-import-take", rated, uploaded(olga, rated, WORDS).pk))
    assert execute_import(rated.material_imports.latest("pk").pk, "tester")
    form = olga.get(address("analysis-runs", rated)).context["form"]
    sent = {name: form.initial.get(name, "") for name in form.fields}
    both = sent | {"log_scale": ["quality"], "standardise": ["quality"]}
    refused = olga.post(address("analysis-runs", rated), both)
    assert refused.status_code == 422
    assert "standardised values have no logarithm" in refused.text
    assert olga.post(address("analysis-runs", rated), sent | {"log_scale": ["quality"]})
    assert rated.analysis_runs.get().options["log_scale"] == ["quality"]


def test_a_metric_can_be_held_constant_where_it_is_compared(olga, rated):
    assert 'name="covariates"' not in text_of(olga, "analysis-runs", rated)
    olga.post(address("campaign-import-take", rated, uploaded(olga, rated, WORDS).pk))
    assert execute_import(rated.material_imports.latest("pk").pk, "tester")
    form = olga.get(address("analysis-runs", rated)).context["form"]
    [(metric, _title)] = form.fields["covariates"].choices
    sent = {name: form.initial.get(name, "") for name in form.fields}
    alone = sent | {"covariates": [metric], "metrics": []}
    refused = olga.post(address("analysis-runs", rated), alone)
    assert refused.status_code == 422
    assert f"Choose {metric} among the metrics" in refused.text
    olga.post(address("analysis-runs", rated), sent | {"covariates": [metric]})
    assert rated.analysis_runs.get().options["covariates"] == [metric]


def test_factors_with_numbers_can_be_held_constant(olga):
    campaign = make_campaign(launch=False)
    for number, item in enumerate(campaign.items.all()):
        item.factors = {"length": f"{number}.5", "genre": f"{number}x", "always": "1"}
        item.save()
    form = AnalysisForm(campaign=campaign)
    assert [name for name, _title in form.fields["covariates"].choices] == ["length"]


def test_a_report_without_metrics_has_no_such_page(olga, rated):
    run = executed(analysis_runs.request_run(rated, FEW, by=make_owner()), pictures=())
    assert olga.get(address("analysis-metrics", rated, run.pk)).status_code == 404
    assert "Metrics against people" not in text_of(olga, "analysis-run", rated, run.pk)
