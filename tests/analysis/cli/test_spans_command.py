"""`python -m analysis spans` says what the functions find, in every form."""

import json

import pytest

from analysis import read_table
from analysis.cli import main
from analysis.report.layout.ranking_tables import RANKED
from analysis.spans.files import WRITERS, read_spans, write_spans
from tests.analysis.marked import everything
from tests.analysis.published import oracle_data

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"


def rows(*marked: tuple[str, str, str, str]) -> str:
    return HEADER + "".join(
        f"{system}\td\t{item}\t{item}\t{rater}\tsrc\tThe <v>dog</v> walked.\tx\t{severity}\t\n"
        for system, item, rater, severity in marked
    )


@pytest.fixture
def file(tmp_path) -> str:
    """Two raters, eight items, three systems: A is better than B, and B than C."""
    severities = {"A": ["No-error", "Minor"], "B": ["Minor", "Minor"], "C": ["Major", "Minor"]}
    marked = [
        (system, str(item), rater, severity)
        for item in range(1, 9)
        for system, kinds in severities.items()
        for rater, severity in zip("rq", kinds, strict=True)
    ]
    path = tmp_path / "marks.tsv"
    path.write_text(rows(*marked).replace("<v>dog</v> walked.\tx\tNo", "dog walked.\tx\tNo"))
    return str(path)


def as_json(capsys, *arguments: str) -> dict:
    assert main(["spans", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_has_the_keys_of_the_contract(file, capsys):
    found = as_json(capsys, file)
    assert [list(each)[:3] for each in found["systems"]] == [["system", "segments", "score"]] * 3
    assert [(each["system"], each["score"]) for each in found["systems"]] == [
        ("A", 0.5),
        ("B", 1.0),
        ("C", 3.0),
    ]
    assert found["kinds"][0] == {"category": "x", "severity": "Major", "marks": 8, "penalty": 40.0}
    assert found["form"] == "google" and found["raters"] == 2
    assert found["signature"].startswith("spans|alpha:0.05|")


def test_words_csv_and_latex(file, capsys):
    assert main(["spans", file]) == 0
    shown = capsys.readouterr().out
    assert "Per 100 words" in shown and "lower is better" in shown and "|data:" in shown
    assert main(["spans", file, "--csv"]) == 0
    assert "System,Segments,Score" in capsys.readouterr().out
    assert main(["spans", file, "--latex"]) == 0
    assert r"\bottomrule" in capsys.readouterr().out


def test_weights_and_raters_can_be_chosen(file, capsys):
    found = as_json(capsys, file, "--weights", "minor:2 major:10", "--exclude-raters", "q")
    assert [each["score"] for each in found["systems"]] == [0.0, 2.0, 10.0]
    assert main(["spans", file, "--exclude-raters", "x"]) == 2
    assert main(["spans", file, "--weights", "minor:1"]) == 2
    assert "'Major' (8 marks) has no weight" in capsys.readouterr().err


def test_segments_and_judgements_are_written(file, tmp_path, capsys):
    segments, judgements = tmp_path / "segments.csv", tmp_path / "judgements.csv"
    as_json(capsys, file, "--segments", str(segments), "--judgements", str(judgements))
    lines = segments.read_text().splitlines()
    assert lines[0] == "system,document,item,raters,marks,words,score"
    assert lines[1] == "A,d,1,2,0.5,3,0.5"
    table = read_table(judgements)
    assert table.criterion.labels == ("penalty",) and len(table) == 48
    command = ["report", str(judgements), "--lower-is-better", "penalty", "--runs", "5", "--json"]
    assert main(command) == 0
    (penalty,) = json.loads(capsys.readouterr().out)["criteria"]
    assert penalty["criterion"] == "penalty" and not penalty["higher_is_better"]
    assert main(["clusters", str(judgements), "--runs", "5", "--lower-is-better"]) == 0


def test_the_ranking_is_in_clusters_and_the_lowest_penalty_wins(file, capsys):
    found = as_json(capsys, file, "--ranking", "--runs", "50")["ranking"]
    assert [(each["system"], each["cluster"]) for each in found["systems"]] == [
        ("A", 1),
        ("B", 2),
        ("C", 3),
    ]
    assert main(["spans", file, "--ranking", "--runs", "5", "--resample", "raters"]) == 0
    assert RANKED["raters"][1] in capsys.readouterr().out


def test_agreement_explains_undefined_coefficients(file, tmp_path, capsys):
    found = as_json(capsys, file, "--agreement", "--resamples", "50")["agreement"]
    assert (found["outputs"], found["pairs"], found["one_empty"]) == (24, 24, 8)
    f1, _, _, alpha = found["coefficients"]
    assert f1["value"] == pytest.approx(2 * 16 / 40)
    assert f1["low"] == f1["high"] == f1["value"]
    assert alpha["value"] < 0
    assert [(pair["first"], pair["second"]) for pair in found["raters"]] == [("q", "r")]
    assert main(["spans", file, "--agreement", "--exclude-raters", "q"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("No output was judged by two raters.") == 4
    assert "Per 100 words" in shown


def test_a_ranking_that_is_impossible_is_undefined(tmp_path, capsys):
    path = tmp_path / "marks.tsv"
    path.write_text(rows(("A", "1", "r", "Minor"), ("B", "2", "r", "Minor")))
    found = as_json(capsys, str(path), "--ranking", "--runs", "5")
    assert found["ranking"] is None
    assert any("The ranking is undefined: " in note for note in found["notes"])


@pytest.mark.parametrize("form", ["csv", "mtme"])
def test_forms_of_one_and_of_several_files_give_the_same_numbers(form, tmp_path, capsys):
    source = tmp_path / "all.json"
    source.write_text(WRITERS["json"](everything()), "utf-8")
    expected = as_json(capsys, str(source), "--write", form, str(tmp_path / "x.out"))
    files = sorted(map(str, tmp_path.glob("x*.out")))
    found = as_json(capsys, *files)
    assert found["systems"] == expected["systems"]
    assert found["kinds"] == expected["kinds"]
    if form not in ("mtme",):
        assert found["signature"] == expected["signature"]


def test_faults_are_printed_with_their_place(tmp_path, capsys):
    path = tmp_path / "marks.tsv"
    path.write_text(rows(("A", "1", "r", "Minor")) + "x\ty\n")
    assert main(["spans", str(path)]) == 2
    assert capsys.readouterr().err == "Line 3: 2 cells, but the header has 10.\n"
    assert main(["spans", str(path), "--format", "csv"]) == 2
    capsys.readouterr()
    assert main(["spans", "-", "-"]) == 2
    assert main(["spans", str(path), "--resamples", "0"]) == 2


@pytest.mark.slow
def test_the_talks_in_another_form_have_the_same_scores(tmp_path, capsys):
    path = str(oracle_data("mqm-ted-ende/mqm_ted_ende.tsv"))
    table = read_spans(path)
    outputs = sorted(table.outputs, key=lambda each: each.key)
    for form in ("google", "pearmut", "factgenie", "mtme-standalone", "json"):
        write_spans(table, form, tmp_path / form)
    found = as_json(capsys, path, "--write", "csv", str(tmp_path / "csv"), "--resamples", "1")
    for out in tmp_path.iterdir():
        assert sorted(read_spans(out).outputs, key=lambda each: each.key) == outputs, out.name
    assert len(list(tmp_path.iterdir())) == 6
    assert found["systems"][0]["system"] == "ref"
