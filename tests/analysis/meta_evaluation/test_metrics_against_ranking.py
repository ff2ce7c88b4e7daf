"""Metrics against the strengths of systems, where judgements compare outputs."""

import csv
import json

import numpy as np
import pytest

from analysis import JudgementTable, write_table
from analysis.cli import main
from analysis.errors import RankingError, Undefined
from analysis.meta_evaluation.against_people import MetricOptions
from analysis.meta_evaluation.against_ranking import metrics_against_ranking
from analysis.meta_evaluation.compared import Compared
from analysis.ranking.bradley_terry import fit
from analysis.ranking.pairs import count, pairs_from_table
from analysis.report.make import make_report
from analysis.report.metric_section import ranking_levels
from analysis.report.options import ReportOptions
from analysis.text_metrics.score_files import scores_from
from tests.analysis.judged import simulated
from tests.analysis.published import e2e_quality, published

SYSTEMS, QUICK = 8, MetricOptions(resamples=50)
TABLE = simulated(systems=SYSTEMS, screens=400)
SCORES = scores_from(
    {
        (metric, f"system{k}", ""): value
        for k in range(SYSTEMS)
        for metric, value in (("right", -float(k)), ("wrong", float(k)), ("other", float(k % 3)))
    },
    [],
)


def test_measures_are_those_of_the_fitted_strengths():
    strengths = fit(count(pairs_from_table(TABLE))).ability
    right, wrong, other = metrics_against_ranking(TABLE, SCORES, QUICK)
    assert right.pearson == pytest.approx(
        np.corrcoef(strengths, -np.arange(SYSTEMS))[0, 1], abs=1e-4
    )
    assert wrong.pearson == pytest.approx(-right.pearson) and wrong.pairwise_accuracy < 0.2
    assert right.systems == SYSTEMS and right.soft_pairwise_accuracy is None
    for unit in ("systems", "items", "raters"):
        low, high = other.intervals[unit]["pearson"]
        assert low < other.pearson < high
    lower = metrics_against_ranking(TABLE, SCORES, QUICK, lower_is_better=True)
    assert lower[0].pearson == pytest.approx(wrong.pearson, abs=1e-4)


def test_a_few_large_magnitudes_move_the_mean_and_not_the_ranking():
    value = TABLE.value - TABLE.value.min() + 1
    worst = TABLE.system.labels.index(f"system{SYSTEMS - 1}")
    value[np.flatnonzero(TABLE.system.codes == worst)[:3]] = 1e5
    columns = {
        name: getattr(TABLE, name) for name in ("rater", "item", "system", "criterion", "screen")
    }
    table = JudgementTable.from_columns({**columns, "value": value})
    (section,) = make_report(
        table,
        ReportOptions(
            kinds={"quality": "relative"}, metrics=("right",), runs=5, agreement_resamples=0,
            metric_resamples=20,
        ),
        compared=Compared(SCORES, {}),
    ).metrics  # fmt: skip
    assert section.comparison.system_level[0].pearson < 0
    assert section.ranking[0].pearson > 0.8


def test_what_cannot_be_ranked_has_no_such_rows():
    apart = JudgementTable.from_columns(
        {
            "rater": ["r"] * 4, "item": ["i"] * 4, "criterion": ["q"] * 4,
            "system": ["system0", "system1", "system2", "system3"],
            "screen": ["1", "1", "2", "2"], "value": [1.0, 2.0, 1.0, 2.0],
        }
    )  # fmt: skip
    with pytest.raises(RankingError, match="never compared"):
        metrics_against_ranking(apart, SCORES, QUICK)
    for kind in ("relative", "scale"):
        assert ranking_levels(apart, SCORES, QUICK, kind=kind, lower_is_better=False) == ()
    with pytest.raises(Undefined, match="two systems in common"):
        metrics_against_ranking(TABLE, scores_from({("m", "x", ""): 1.0, ("m", "y", ""): 2.0}, []))


def test_the_command_shows_them_for_relative_judgements(tmp_path, capsys):
    judgements, scores = tmp_path / "judgements.csv", tmp_path / "scores.csv"
    with judgements.open("wb") as file:
        write_table(TABLE, file)
    with scores.open("w", newline="") as file:
        csv.writer(file).writerows(
            [("system", "metric", "score"), *((f"system{k}", "m", -k) for k in range(SYSTEMS))]
        )
    sizes = ["--resamples", "20", "--permutations", "20"]
    assert main(["metrics", str(judgements), str(scores), *sizes, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["ranking_level"]
    assert found["metric"] == "m" and found["pearson"] > 0.8
    assert main(["metrics", str(judgements), str(scores), *sizes]) == 0
    assert "Metrics against the ranking" in capsys.readouterr().out


@pytest.mark.slow
def test_printed_scores_of_the_e2e_challenge_follow_the_ranking_more_than_the_means():
    """Strengths by `fit`, correlated here; raw means are in docs/metrics.md."""
    table, printed = e2e_quality(), published("e2e-table8")["systems"]
    cells = {("nist", label, ""): printed[label.lower()][1] for label in table.system.labels}
    (found,) = metrics_against_ranking(table, scores_from(cells, []), MetricOptions(resamples=2))
    nist = [printed[label.lower()][1] for label in table.system.labels]
    strengths = fit(count(pairs_from_table(table))).ability
    assert found.pearson == pytest.approx(np.corrcoef(strengths, nist)[0, 1], abs=1e-4)
    assert found.pearson == pytest.approx(0.689, abs=1e-3)
