"""Two different results never have the same signature."""

import json
from pathlib import Path

import pytest

from analysis.cli import main
from tests.analysis.judged import stored
from tests.analysis.studies import sliders

CLARITY = ["--criterion", "Clarity"]
LOW = ["--low-judgements-are-better"]
PLAN = ["--raters", "12", "--items", "40"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Judgements on two criteria, with a metric's scores of the same outputs."""
    made, table = tmp_path_factory.mktemp("signatures"), sliders()
    stored(table, made / "judgements.csv")
    lines = ["system,item,metric,score"]
    for number, item in enumerate(table.item.labels):
        for place, system in enumerate(table.system.labels):
            lines.append(f"{system},{item},lm,{place + number % 7}")
    (made / "scores.csv").write_text("\n".join([*lines, ""]))
    return made


@pytest.mark.parametrize(
    ("command", "given", "ways"),
    [
        ("correlations", [], [["--level", "output"], ["--method", "pearson"]]),
        ("agreement", [*CLARITY, "--resamples", "20"], [["--nominal"], ["--seed", "2"]]),
        ("outliers", CLARITY, [["--width", "3"]]),
        ("anova", CLARITY, [["--z"], ["--log"], ["--model", "rater"]]),
        ("tukey", CLARITY, [["--lower-is-better"]]),
        ("pairs", CLARITY, [["--equivalence", "2"]]),
        ("metrics", ["scores", *CLARITY, "--permutations=5", "--resamples=5"], [["--z"], LOW]),
        ("plan", [*CLARITY, *PLAN], [["--alpha", "0.1"], ["--simulate", "3"], ["--money", "9"]]),
    ],
)
def test_what_decides_a_number_is_in_the_signature(folder, capsys, command, given, ways):
    table = sliders()
    others = [["--exclude-raters", table.rater.labels[0]]]
    others += [["--criterion", table.criterion.labels[1]]] if CLARITY[1] in given else []
    documents, lines = set(), set()
    for more in ([], *others, *ways):
        arguments = [folder / "scores.csv" if each == "scores" else each for each in given]
        arguments = [folder / "judgements.csv", *arguments, *more, "--json"]
        assert main([command, *map(str, arguments)]) == 0
        document = json.loads(capsys.readouterr().out)
        lines.add(document.pop("signature"))
        documents.add(json.dumps(document))
    assert len(lines) == len(documents) == 1 + len(others) + len(ways), lines
