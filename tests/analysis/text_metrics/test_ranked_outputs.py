"""Ranked and missing outputs, likeness of systems, and scores as a table of judgements."""

import csv
import json
from pathlib import Path

import pytest

from analysis import TableError, read_table
from analysis.cli import main
from analysis.errors import Undefined
from analysis.text_metrics.n_best import weighted_n_best, with_missing
from analysis.text_metrics.scoring import score
from analysis.text_metrics.similarity import similarities
from analysis.text_metrics.surface import mean_segmental_ratio
from analysis.text_metrics.text_files import Material, read_material

REFERENCES = {"1": ("the cat sat on the mat",), "2": ("it rains in spain today",)}
ITEMS = dict.fromkeys(REFERENCES, "")
BEST = {"1": "the cat sat on the mat", "2": "it rains in spain today"}
OTHER = {"1": "a cat sat on a mat", "2": "it snows in spain today"}


def written(path: Path, rows: list[tuple[object, ...]]) -> str:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return str(path)


@pytest.mark.parametrize(("metric", "worst"), [("bleu", 0), ("nist", 0), ("ter", 100)])
def test_missing_outputs_score_as_the_shared_task_counts_them(metric: str, worst: float):
    partly = Material({"s": {"1": BEST["1"]}}, REFERENCES, ITEMS)
    (found,) = score(with_missing(partly), (metric,))
    assert found.outputs == {"s": 2}
    assert found.segments["s"]["2"] == pytest.approx(worst)


def test_the_weighted_n_best_by_hand():
    """Three ranks weigh 3/6, 2/6 and 1/6; the third repeats the first, or is missing."""
    ranked = Material(
        {"s": BEST, "single": BEST},
        REFERENCES,
        ITEMS,
        {2: {"s": OTHER}, 3: {"s": {"1": BEST["1"]}}},
    )
    found = weighted_n_best(ranked, ("ter", "distinct"))
    first, second = (
        score(Material({"s": texts}, REFERENCES, ITEMS), ("ter",))[0].segments["s"]
        for texts in (BEST, OTHER)
    )
    expected = sum((3 * first[i] + 2 * second[i] + 100) / 6 for i in ITEMS) / 2
    assert found == {"ter": {"s": pytest.approx(expected)}}


def test_systems_are_compared_with_each_other_by_hand():
    material = Material({"a": BEST, "b": OTHER, "c": OTHER}, {}, ITEMS)
    (found,) = similarities(material, ("bleu",))
    against_a = Material({"b": OTHER}, {i: (text,) for i, text in BEST.items()}, ITEMS)
    assert found.scores[0][1] == score(against_a, ("bleu",))[0].systems["b"]
    assert found.scores[1][2] == found.scores[2][1] == pytest.approx(100)
    assert [found.scores[k][k] for k in range(3)] == [None] * 3
    assert found.means["b"] == pytest.approx((found.scores[0][1] + 100) / 2)
    with pytest.raises(Undefined, match="at least two"):
        similarities(Material({"a": BEST}, {}, ITEMS), ("bleu",))
    with pytest.raises(Undefined, match="a and b have no item in common"):
        similarities(Material({"a": {"1": "x"}, "b": {"2": "y"}}, {}, ITEMS), ("bleu",))


def test_the_ratio_of_segments_by_hand():
    tokens = ("a",) * 25 + tuple(f"w{k}" for k in range(25)) + ("b",) * 50 + ("c",) * 49
    assert mean_segmental_ratio([tokens[:30], tokens[30:]]) == pytest.approx((26 + 1) / 100)
    assert mean_segmental_ratio([("a",) * 49]) is None


def test_ranks_are_read_and_their_problems_have_lines(tmp_path: Path):
    items = written(tmp_path / "items.csv", [("item", "reference"), ("1", "x")])
    header = ("system", "item", "output", "rank")
    rows = [header, ("s", "1", "good", "1"), ("s", "1", "less", 2), ("t", "1", "only", "")]
    found = read_material(written(tmp_path / "outputs.csv", rows), items)
    assert found.outputs == {"s": {"1": "good"}, "t": {"1": "only"}}
    assert found.alternatives == {2: {"s": {"1": "less"}}}
    bad = [header, ("s", "1", "x", "first"), ("s", "1", "y", "2"), ("s", "1", "z", "2")]
    with pytest.raises(TableError) as raised:
        read_material(written(tmp_path / "bad.csv", bad), items)
    text = str(raised.value)
    assert "Line 2, rank: 'first' is not a rank" in text and "on line 3" in text
    assert "'s' has no output of rank 1" in text


def test_scores_of_outputs_go_from_score_to_tukey(tmp_path: Path, capsys):
    items = [("item", "reference"), *((str(n), f"the cat {n} sat on the mat") for n in range(12))]
    outputs = [("system", "item", "output", "rank")]
    for n in range(12):
        outputs += [
            ("good", n, f"the cat {n} sat on {'the' if n % 2 else 'a'} mat", 1),
            ("good", n, "the cat", 2),
            ("bad", n, "dogs " * (n % 3 + 1), 1),
        ]
    files = [written(tmp_path / name, rows) for name, rows in (("o", outputs), ("i", items))]
    scores = str(tmp_path / "scores.csv")
    options = ["--metrics", "bleu,ter", "--segments", "--missing", "--similarity", "--out", scores]
    assert main(["score", *files, *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (best,) = [
        row for row in found["system_level"] if (row["system"], row["metric"]) == ("good", "bleu")
    ]
    assert best["n_best"] < best["mean_of_outputs"] and "missing:true" in found["signature"]
    assert found["similarity"][0]["systems"] == ["good", "bad"]
    assert main(["score", *files, *options]) == 0
    assert "Weighted n-best" in (printed := capsys.readouterr().out)
    assert "Similarity of systems: bleu" in printed
    assert main(["tukey", scores, "--criterion", "bleu", "--json"]) == 0
    letters = json.loads(capsys.readouterr().out)["letters"]
    assert letters == {"good": "A", "bad": "B"}
    table = read_table(scores)
    assert table.criterion.labels == ("bleu", "ter") and len(table) == 48
    system_only = [("system", "item", "metric", "score"), ("a", "", "bleu", 1)]
    with pytest.raises(TableError, match="no scores of single outputs"):
        read_table(written(tmp_path / "system.csv", system_only))
    wrong = [("system", "item", "metric", "score"), ("a", "1", "bleu", "much")]
    with pytest.raises(TableError, match="Line 2: score is 'much'"):
        read_table(written(tmp_path / "wrong.csv", wrong))
