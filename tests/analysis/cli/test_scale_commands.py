"""Commands about scales, ranks, agreement and reports say what the functions find."""

import json
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from analysis.cli import argument_parser, main
from analysis.cli.outcome import Outcome
from analysis.cli.outcome import as_json as shown_as_json
from analysis.cli.report import report_settings
from analysis.plain import plain
from analysis.report.make import ReportOptions, make_report
from analysis.scales.anova import factorial, one_way
from tests.analysis.judged import stored
from tests.analysis.studies import IDENTIFICATION, identification, magnitudes, sliders


@pytest.fixture
def file(tmp_path) -> str:
    return stored(sliders(), tmp_path / "sliders.csv")


def as_json(capsys, *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


CLARITY = ("--criterion", "Clarity")


def test_anova_in_json_has_the_rows_of_the_contract(file, capsys):
    found = as_json(capsys, "anova", file, *CLARITY)
    part = sliders().for_criterion("Clarity")
    expected = one_way(part.value, part.system.codes, 5).rows[0]
    assert list(found["rows"][0])[:6] == ["source", "df", "sum_sq", "mean_sq", "F", "p"]
    assert found["rows"][0]["F"] == expected.F
    assert found["welch"]["df"] == 4
    assert found["signature"].startswith("anova|alpha:0.05|")


def test_anova_takes_factors_and_types(tmp_path, capsys):
    file = stored(identification(), tmp_path / "times.csv")
    options = ("--criterion", "RT", "--factors", "entity_type", "--model", "interaction")
    found = as_json(capsys, "anova", file, *options, "--type", "III")
    part = identification().for_criterion("RT")
    factors = {"system": part.system.codes, "entity_type": part.factors["entity_type"].codes}
    expected = factorial(part.value, factors, interaction=True, type="III")
    assert [row["F"] for row in found["rows"]] == [row.F for row in expected.rows]
    by = as_json(capsys, "anova", file, "--criterion", "RT", "--by", "entity_type")
    assert by["rows"][0]["source"] == "entity_type" and by["rows"][0]["df"] == 1


def test_pairs_says_what_the_report_says(tmp_path, capsys):
    file = stored(magnitudes(coverage=False), tmp_path / "magnitudes.csv")
    found = as_json(capsys, "pairs", file, "--relative", "--equivalence", "0.1")
    options = {"equivalence": {"quality": 0.1}, "runs": 20, "agreement_resamples": 20}
    made = make_report(magnitudes(coverage=False), ReportOptions.from_dict(options))
    expected = plain(made.criteria[0].effects)
    assert {name: found[name] for name in expected} == expected
    assert "relative:true" in found["signature"] and "equivalence:0.1" in found["signature"]
    of_values = as_json(capsys, "pairs", file, "--equivalence", "30")
    assert of_values["equivalence"]["unit"] == "value" and of_values["rater_sd"] > 0


def test_outliers_and_scales_can_be_changed_before_tukey_compares(file, capsys):
    plain = as_json(capsys, "tukey", file, *CLARITY)
    assert list(plain["pairs"][0]) == ["a", "b", "difference", "low", "high", "p"]
    assert set(plain["letters"]) == {f"sys{k}" for k in range(5)}
    assert all(isinstance(subset, list) for subset in plain["subsets"])
    dropped = as_json(capsys, "tukey", file, *CLARITY, "--outliers", "drop", "--width", "1.5")
    standard = as_json(capsys, "tukey", file, *CLARITY, "--z")
    assert dropped["df"] < plain["df"]
    assert abs(standard["pairs"][0]["difference"]) < 5 < plain["pairs"][0]["difference"]
    assert standard["signature"] != plain["signature"] != dropped["signature"]
    turned = as_json(capsys, "tukey", file, *CLARITY, "--lower-is-better")
    assert list(turned["letters"]) == list(plain["letters"])[::-1]


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        (["kruskal"], {"kruskal", "dunn", "friedman", "wilcoxon"}),
        (["mixed"], {"formula", "means", "contrasts", "components"}),
        (["mixed", "--full"], {"formula", "means", "contrasts", "components"}),
        (["agreement", "--resamples", "20"], {"coefficients"}),
        (["outliers"], {"below", "above", "by_system"}),
        (["raters"], {"raters"}),
    ],
)
@pytest.mark.slow
def test_commands_in_json_and_in_words(file, capsys, command, keys):
    name, *options = command
    assert keys | {"signature"} <= set(as_json(capsys, name, file, *CLARITY, *options))
    assert main([name, file, *CLARITY, *options]) == 0
    assert "|data:" in capsys.readouterr().out
    assert main([name, file, *CLARITY, *options, "--csv"]) == 0


def test_correlations_compare_the_criteria(file, capsys):
    found = as_json(capsys, "correlations", file, "--method", "pearson")["correlations"]
    assert [(row["a"], row["b"], row["n"]) for row in found] == [("Clarity", "Readability", 5)]


@pytest.mark.parametrize(
    ("command", "ending"), [("tukey", "svg"), ("raters", "pdf"), ("clusters", "png")]
)
@pytest.mark.slow
def test_plots_are_written(tmp_path, capsys, command, ending):
    file = stored(magnitudes(coverage=False), tmp_path / "m.csv")
    picture = tmp_path / f"x.{ending}"
    more = ["--runs", "5"] if command == "clusters" else []
    assert main([command, file, "--plot", str(picture), *more]) == 0
    head = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[ending]
    assert picture.read_bytes().startswith(head)


@pytest.mark.parametrize("command", ["anova", "tukey", "clusters", "report"])
def test_latex_is_printed(tmp_path, capsys, command):
    file = stored(magnitudes(coverage=False), tmp_path / "m.csv")
    more = ["--runs", "5"] if command in ("clusters", "report") else []
    assert main([command, file, "--latex", *more]) == 0
    assert r"\bottomrule" in capsys.readouterr().out


@pytest.mark.slow
def test_a_report_and_its_bundle_give_the_same_numbers(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("analysis.report.rendered.PLOT_FORMATS", ())
    table, kinds_of = one_of_each_kind()
    file = stored(table, tmp_path / "times.csv")
    kinds = [f"--kind={name}={kind}" for name, kind in kinds_of.items()]
    model = ["--factors", "entity_type", "--model", "interaction", "--seed", "4"]
    bundle = str(tmp_path / "bundle.zip")
    first = as_json(capsys, "report", file, *kinds, *model, "--runs", "5", "--bundle", bundle)
    again = as_json(capsys, "report", bundle)
    assert again == first
    settings = {**IDENTIFICATION, "kinds": kinds_of, "runs": 5, "seed": 4}
    made = make_report(table, ReportOptions.from_dict(settings))
    assert first == json.loads(json.dumps(made.as_dict()))


def one_of_each_kind():
    """The identification without its second time: a criterion takes a second for each report."""
    table = identification()
    without = table.rows(table.criterion.codes != table.criterion.labels.index("IT"))
    return without, {"RT": "time", "ER": "error"}


@pytest.mark.slow
def test_options_of_a_file_are_taken_and_replaced(file, tmp_path, capsys):
    path = tmp_path / "options.json"
    path.write_text(json.dumps({"kinds": {"Clarity": "count"}, "alpha": 0.01, "runs": 5}))
    found = as_json(capsys, "report", file, "--options", str(path), "--kind", "Readability=scale")
    assert found["options"]["alpha"] == 0.01
    assert [each["kind"] for each in found["criteria"]] == ["count", "scale"]


@pytest.mark.parametrize("source", ["options", "bundle"])
def test_explicit_values_win_also_where_they_are_the_defaults(file, tmp_path, source):
    given = {"seed": 7, "alpha": 0.01, "exclude_raters": ["r1"], "runs": 5, "title": "T"}
    default = {"seed": 1, "alpha": 0.05, "exclude_raters": [], "runs": 200, "title": ""}
    said = ["--seed=1", "--alpha=0.05", "--exclude-raters=", "--runs=200", "--title="]
    if source == "options":
        path = tmp_path / "options.json"
        path.write_text(json.dumps(given))
        command = ["report", file, "--options", str(path)]
    else:
        path = tmp_path / "bundle.zip"
        with zipfile.ZipFile(path, "w") as bundle:
            bundle.writestr("options.json", json.dumps(given))
        command = ["report", str(path)]
    for more, expected in (([], given), (said, default)):
        found = report_settings(argument_parser().parse_args([*command, *more])).as_dict()
        assert {name: plain(found[name]) for name in expected} == expected


def test_infinite_numbers_are_null_in_json():
    document = json.loads(shown_as_json(Outcome({"low": float("-inf"), "high": 2.0}, ())))
    assert document["low"] is None
    assert document["high"] == 2.0
    assert "1 number is not given" in document["not_given"]


FAULTS = [
    (["anova", "--criterion", "Beauty"], "no criterion 'Beauty'"),
    (["anova"], "Choose one with --criterion"),
    (["anova", *CLARITY, "--by", "colour"], "no column 'colour'"),
    (["anova", *CLARITY, "--factors", "colour"], "no factor 'colour'"),
    (["tukey", *CLARITY, "--width", "0"], "--width must be above 0"),
    (["outliers", *CLARITY, "--width", "1e308"], "--width must be above 0 and at most 1,000"),
    (["tukey", *CLARITY, "--alpha", "1e-300"], "--alpha must be from 0.000001"),
    (["report", "--kind", "Clarity"], "write it as CRITERION=KIND"),
    (["report", "--kind", "Clarity=blue"], "blue"),
    (["report", "--options", "/nowhere.json"], "/nowhere.json"),
    (["mixed", *CLARITY, "--exclude-raters", "r0,r1,r2,r3,r4,nobody"], "nobody"),
]


@pytest.mark.parametrize(("arguments", "said"), FAULTS)
def test_bad_input_exits_with_2_and_a_message(file, capsys, arguments, said):
    command, *options = arguments
    assert main([command, file, *options]) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def points(tmp_path) -> str:
    """Scores of the sliders on five points."""
    part = sliders().for_criterion("Clarity")
    cuts = np.quantile(part.value, [0.2, 0.4, 0.6, 0.8])
    coarse = replace(part, value=1.0 + np.searchsorted(cuts, part.value))
    return stored(coarse, tmp_path / "points.csv")


def test_mixed_fits_ordinal_models_with_either_link(points, capsys):
    logit, probit = (
        as_json(capsys, "mixed", points, "--ordinal", "--link", link)
        for link in ("logit", "probit")
    )
    assert logit["categories"] == [1, 2, 3, 4, 5]
    assert all(sum(each["shares"]) == pytest.approx(1) for each in logit["systems"])
    assert "ordinal:true" in logit["signature"]
    assert (logit["link"], probit["link"]) == ("logit", "probit")
    assert "link:probit" in probit["signature"]
    # A logistic distribution has an SD of 1.8, so probits are about so much smaller.
    first, second = (each["contrasts"][0]["difference"] for each in (logit, probit))
    assert 1.5 < first / second < 2.0
    assert main(["mixed", points, "--ordinal", "--link", "probit"]) == 0
    shown = capsys.readouterr().out
    assert "Probit" in shown and "ogit" not in shown
    assert main(["mixed", points, "--link", "probit"]) == 2
    assert "add --ordinal" in capsys.readouterr().err


def test_generalisability_says_what_other_sizes_give(points, capsys):
    found = as_json(capsys, "generalisability", points)
    assert sum(each["share"] for each in found["shares"]) == pytest.approx(1)
    widths = {(each["raters"], each["items"]): each["half_width"] for each in found["sizes"]}
    assert widths[24, 200] < widths[3, 10]
