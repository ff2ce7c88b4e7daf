"""Metrics in a report: after the ranking by people, in the bundle, and computed again from it."""

import io
import json
from dataclasses import replace

import numpy as np
import pytest

from analysis.cli.commands import main
from analysis.errors import OptionsError
from analysis.meta_evaluation.compared import Compared, read_compared
from analysis.meta_evaluation.judges import Verdict
from analysis.report.bundle import read_bundle, write_bundle
from analysis.report.layout.metric_tables import comparison_tables, metric_tables
from analysis.report.make import make_report
from analysis.report.model import Report
from analysis.report.options import ReportOptions
from analysis.report.rendered import rendered_files
from analysis.report.stored import read_report
from tests.analysis.with_metrics import compared, judged

pytestmark = pytest.mark.slow

QUICK = {"runs": 20, "agreement_resamples": 10, "metric_resamples": 50}
OPTIONS = ReportOptions(
    kinds={"quality": "scale"},
    metrics=("good", "errors", "noise"),
    metrics_lower_is_better=("errors",),
    price_per_judgement=0.5,
    **QUICK,
)


@pytest.fixture(scope="module")
def report() -> Report:
    return make_report(judged(), OPTIONS, compared=compared())


def test_the_ranking_by_people_is_the_same_with_and_without_metrics(report):
    without = make_report(judged(), replace(OPTIONS, metrics=()))
    assert report.criteria == without.criteria
    assert without.metrics == () and len(report.metrics) == 1


def test_the_signature_names_the_metrics_and_their_scores(report):
    assert '|metrics:["good","errors","noise"]|' in report.signature
    assert f"|scores:{compared().sha256[:16]}|" in report.signature
    (section,) = report.metrics
    assert section.signature.startswith("metrics|") and '"errors"' in section.signature
    assert all("metric:" in each.signature for each in section.powered)


def test_metrics_are_oriented_and_ordered_by_people(report):
    (section,) = report.metrics
    r = {each.metric: each.pearson for each in section.comparison.system_level}
    assert r["good"] > 0.9 and r["errors"] > 0.9
    first = section.comparison.correlations[0]
    assert first[0] == pytest.approx(1) and first[1] == pytest.approx(r["good"])


def test_points_have_intervals_on_both_axes_in_the_metrics_own_unit(report):
    points = [p for p in report.metrics[0].comparison.points if p.metric == "errors"]
    worst, best = points[0], points[-1]
    assert (worst.system, best.system) == ("s0", "s4") and worst.score > best.score
    for point in points:
        assert point.people_interval[0] < point.people < point.people_interval[1]
        assert point.score_interval[0] < point.score < point.score_interval[1]


def test_where_low_judgements_are_good_the_page_keeps_their_sign():
    options = replace(OPTIONS, kinds={"quality": "error"}, lower_is_better=("quality",))
    (section,) = make_report(judged(), options, compared=compared()).metrics
    means = {each.system: each.mean for each in section.powered[0].estimates.people_means}
    table = judged()
    for number, name in enumerate(table.system.labels):
        assert means[name] == pytest.approx(table.value[table.system.codes == number].mean())
    assert section.comparison.system_level[0].pearson < -0.9
    low = [p.people for p in section.comparison.points if p.metric == "good"]
    assert low == sorted(low)


def test_a_metric_is_worth_judgements_and_their_price(report):
    good = report.metrics[0].powered[0]
    assert good.estimates.worth > 0
    assert good.price == pytest.approx(0.5 * good.estimates.worth)


def test_missing_estimates_have_a_reason():
    scores = compared().scores
    scores.segments[0, 0, 0] = np.nan
    (section,) = make_report(judged(), OPTIONS, compared=Compared(scores)).metrics
    assert section.powered[0].estimates is None and "no score" in section.powered[0].reason
    assert section.powered[2].estimates is not None


def test_the_bundle_computes_the_metrics_again(report, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("analysis.report.rendered.PLOT_FORMATS", ("svg",))
    file = tmp_path / "bundle.zip"
    write_bundle(file, judged(), report, OPTIONS, rendered_files(report), compared=compared())
    files = read_bundle(file).files
    assert read_compared(files, lower_is_better=["errors"]).sha256 == compared().sha256
    assert {"plots/quality-metrics-scatter.svg", "plots/quality-metrics-heatmap.svg"} <= set(files)
    assert b"good" in files["tables/quality/metrics/system-level.tex"]
    assert main(["report", str(file), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again == json.loads(json.dumps(report.as_dict()))
    assert read_report(again).metrics == report.metrics


def test_every_table_of_a_section_has_a_caption(report):
    names = [table.name for table in metric_tables(report.metrics[0])]
    assert names[:2] == ["system-level", "segment-level"]
    assert {"ceiling", "worth", "with-good"} <= set(names)
    with_metric = metric_tables(report.metrics[0])[-1]
    assert "use" in with_metric.caption and with_metric.notes[0].startswith("prediction-powered|")


def test_systems_have_one_order_however_a_database_kept_their_names(report):
    found = report.metrics[0].comparison
    turned = tuple(
        replace(each, by_system=dict(reversed(each.by_system.items())))
        for each in found.segment_level
    )
    tables = [
        {table.name: table.rows for table in comparison_tables(one)}
        for one in (found, replace(found, segment_level=turned))
    ]
    assert tables[0]["by-system"] == tables[1]["by-system"]


def test_means_that_follow_a_few_large_magnitudes_are_warned_of(report):
    values = np.exp(judged().value)
    values[0] *= 10_000
    table = replace(judged(), value=values)
    (section,) = make_report(table, OPTIONS, compared=compared()).metrics
    assert "log_scale" in section.comparison.sentences[0]
    logarithms = replace(OPTIONS, log_scale=("quality",))
    (section,) = make_report(table, logarithms, compared=compared()).metrics
    assert section.scale == "logarithms"
    for sentences in (section.comparison.sentences, report.metrics[0].comparison.sentences):
        assert not any("log_scale" in sentence for sentence in sentences)


def test_options_refuse_impossible_sizes():
    with pytest.raises(OptionsError) as refused:
        ReportOptions(metric_resamples=0, price_per_judgement=-1)
    assert len(refused.value.problems) == 2


def test_files_without_scores_or_verdicts_compare_nothing():
    assert read_compared({"other.csv": b"x"}, lower_is_better=()) is None
    only = Compared(None, {"lm": (Verdict("i", "a", "b", 1),)})
    again = read_compared(only.files(), lower_is_better=())
    assert again.scores is None and again.sha256 == only.sha256
    assert io.BytesIO(only.files()["verdicts.csv"]).readline().startswith(b"judge,item")
