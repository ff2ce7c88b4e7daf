"""Folders of mt-metrics-eval are read as judgements and metrics."""

import json
from pathlib import Path

import pytest

from analysis import read_table
from analysis.cli import main
from analysis.errors import TableError
from analysis.meta_evaluation.mtme_archive import read_archive
from analysis.text_metrics.score_files import read_scores

FILES = {
    "documents/en-de.docs": "news\tdoc1\nnews\tdoc1\nspeech\tdoc2\n",
    "human-scores/en-de.mqm.seg.score": "A\t-1\nA\t-5\nA\tNone\nB\t0\nB\t-2\nB\t-1\n",
    "human-scores/en-de.mqm.sys.score": "A\t-3\nB\t-1\n",
    "metric-scores/en-de/BLEU-refA.seg.score": "A 10\nA 20\nA 30\nB 40\nB 50\nB 60\n"
    "refB 1\nrefB 2\nrefB 3\n",
    "metric-scores/en-de/BLEU-refA.sys.score": "A 21.5\nB 51.5\nrefB None\n",
    "metric-scores/en-de/COMET-refA.seg.score": "A .1\nA .2\nA None\nB .3\nB .4\nB .5\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / "wmt22" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path / "wmt22"


def test_an_archive_has_judgements_and_metrics(folder: Path):
    found = read_archive(folder, "en-de")
    table = found.judgements
    assert table.system.labels == ("A", "B") and len(table) == 5
    assert dict(zip(table.item.labels, (-1, -5), strict=False)) == {"000001": -1, "000002": -5}
    assert table.factors["document"].labels == ("doc1", "doc2")
    scores = found.scores.aligned(("A", "B"), table.item.labels)
    assert scores.metrics == ("BLEU-refA", "COMET-refA")
    assert scores.segments[0].tolist() == [[10, 20, 30], [40, 50, 60]]
    assert scores.system_scores[0].tolist() == [21.5, 51.5]
    assert scores.system_scores[1].tolist() == pytest.approx([0.15, 0.4])


def test_the_command_writes_what_the_other_commands_read(folder: Path, tmp_path: Path, capsys):
    judgements, scores = tmp_path / "j.csv", tmp_path / "s.csv"
    arguments = ["mtme", str(folder), "en-de", "--judgements", str(judgements)]
    assert main([*arguments, "--scores", str(scores), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["systems"], said["segments"], said["judgements"]) == (2, 3, 5)
    found = read_archive(folder, "en-de")
    assert read_table(judgements).sha256 == found.judgements.sha256
    assert read_scores(scores).sha256 == found.scores.sha256
    assert main(["metrics", str(judgements), str(scores), "--resamples", "20"]) == 0
    assert "There are only 2 systems." in capsys.readouterr().out


def test_an_archive_lists_all_its_problems(folder: Path):
    (folder / "documents/en-de.docs").write_text("news doc1\n")
    (folder / "human-scores/en-de.mqm.seg.score").write_text("A\t1\nA\thigh\nB\t2\nB 1\n")
    (folder / "metric-scores/en-de/COMET-refA.seg.score").write_text("A 1\nA 2\nB 3\n")
    with pytest.raises(TableError) as raised:
        read_archive(folder, "en-de")
    assert raised.value.problems == (
        'human-scores/en-de.mqm.seg.score, line 2: "A\thigh" is not a system and a score.',
        "human-scores/en-de.mqm.seg.score: systems have between 1 and 2 segments.",
        "metric-scores/en-de/COMET-refA.seg.score: systems have between 1 and 2 segments.",
        "The file of documents has 1 lines for 2 segments.",
    )
    with pytest.raises(TableError, match=r"the folder has: en-de\.mqm\.seg\.score"):
        read_archive(folder, "de-en")
