"""`python -m analysis clusters` and `bradley-terry` say what the functions find."""

import csv
import io
import json
import subprocess
import sys

import pytest

from analysis.cli import main
from analysis.errors import OptionsError
from analysis.ranking.bradley_terry import bradley_terry
from analysis.ranking.clusters import RankingOptions, rank_criterion
from analysis.ranking.pairs import pairs_from_table
from tests.analysis.judged import rebuilt, simulated, stored
from tests.sources import PROJECT


@pytest.fixture
def file(tmp_path) -> str:
    return stored(simulated(), tmp_path / "judgements.csv")


def test_clusters_in_json_are_the_ranking(file, capsys):
    assert main(["clusters", file, "--runs", "20", "--resample", "raters", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    options = RankingOptions(runs=20, resample=("raters",))
    ranking = rank_criterion(simulated(), "quality", options)
    assert found["signature"] == ranking.signature
    assert [
        (row["system"], row["mean"], row["rank_low"], row["cluster"]) for row in found["systems"]
    ] == [(row.system, row.mean, row.rank_low, row.cluster) for row in ranking.systems]


def test_clusters_in_words_in_csv_and_in_latex(file, capsys):
    """Words say what the clusters do not allow for."""
    main(["clusters", file, "--runs", "5"])
    assert "they do not allow for other raters or items" in capsys.readouterr().out
    main(["clusters", file, "--runs", "5", "--resample", "raters"])
    assert "they do not allow" not in capsys.readouterr().out
    main(["clusters", file, "--runs", "5", "--csv"])
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert rows[0] == ["Cluster", "Score", "Ranks low", "Ranks high", "System", "Cut share"]
    assert len(rows) == 6
    main(["clusters", file, "--runs", "5", "--latex"])
    table = capsys.readouterr().out.partition(r"\end{tabular}")[0]
    assert sum(line.endswith(r"\\") for line in table.split("\n")) == 1 + 5


def test_bradley_terry_in_json_is_the_result(file, capsys):
    main(["bradley-terry", file, "--generality", "raters", "--json"])
    found = json.loads(capsys.readouterr().out)
    result = bradley_terry(pairs_from_table(simulated().in_order()), generality="raters")
    assert [row["ability"] for row in found["systems"]] == [row.ability for row in result.systems]
    assert [row["p"] for row in found["pairs"]] == [row.p for row in result.pairs]
    assert "|generality:raters|" in found["signature"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["clusters", "/nowhere"], "Cannot read /nowhere"),
        (["clusters", "FILE", "--criterion", "taste"], "There is no criterion 'taste'"),
        (["clusters", "FILE", "--exclude-raters", "nobody"], "no rater 'nobody'"),
        (["clusters", "FILE", "--runs", "0"], "at least one run"),
        (["clusters", "FILE", "--alpha", "7", "--plot", "a.gif"], "--plot a.gif"),
    ],
)
def test_bad_input_prints_its_problems_and_exits_with_2(file, capsys, arguments, said):
    assert main([file if word == "FILE" else word for word in arguments]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("command", ["clusters", "bradley-terry"])
def test_ranks_may_be_given_the_lower_the_better(file, capsys, command):
    main([command, file, "--json"])
    best = json.loads(capsys.readouterr().out)["systems"][0]["system"]
    main([command, file, "--json", "--lower-is-better"])
    assert json.loads(capsys.readouterr().out)["systems"][-1]["system"] == best


def test_a_broken_file_is_reported_with_its_line(tmp_path, capsys):
    path = tmp_path / "broken.csv"
    path.write_text("rater,item,system,criterion,value,screen\nr,i,s,c,much,x\n")
    assert main(["clusters", str(path)]) == 2
    assert "Line 2: value is 'much'" in capsys.readouterr().err


def test_one_of_several_criteria_has_to_be_chosen(tmp_path, capsys):
    several = rebuilt(simulated(), criterion=["x", "y", "z"] * 120)
    assert main(["clusters", stored(several, tmp_path / "several.csv")]) == 2
    assert "Choose one with --criterion; the judgements have: x, y, z." in capsys.readouterr().err


@pytest.mark.slow
def test_the_module_runs_without_django(file):
    command = [sys.executable, "-W", "error", "-m", "analysis", "clusters", file]
    command += ["--runs", "3", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT, check=True)
    assert len(json.loads(ran.stdout)["systems"]) == 5


@pytest.mark.slow
def test_a_reader_that_stops_early_gets_no_traceback():
    command = f"{sys.executable} -m analysis tukey docs/example/judgements.csv --json | head -c 1"
    ran = subprocess.run(command, shell=True, cwd=PROJECT, capture_output=True, text=True)
    assert ran.stderr == ""


def test_one_resampling_scheme_may_be_given_as_a_word():
    assert RankingOptions(resample="raters").resample == ("raters",)
    with pytest.raises(OptionsError, match="There is no resampling 'rater'"):
        RankingOptions(resample="rater")
