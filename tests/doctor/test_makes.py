"""The doctor reads tables of ratings of many makes as the same ratings."""

import gzip
import json
import runpy
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

from rankme.doctor.examination import examine
from rankme.doctor.heds import ANSWERED, NEVER_IN_A_TABLE
from rankme.importing import ImportRefused
from tests.analysis.published import oracle_data
from tests.doctor.findings import found_in

ODD = Path(__file__).parents[1] / "data" / "odd_tables"


def spread(ratings: pd.DataFrame, over: str) -> pd.DataFrame:
    index = [name for name in ("annotator", "item_id", "model") if name != over]
    return ratings.pivot(index=index, columns=over, values="rating").reset_index()


def in_title_rows(ratings: pd.DataFrame, path: Path) -> None:
    with pd.ExcelWriter(path, engine="openpyxl") as book:
        pd.DataFrame({"Notes": ["Collected by us", "in spring"]}).to_excel(book, sheet_name="Notes")
        ratings.to_excel(book, sheet_name="Ratings", startrow=2, index=False)
        book.sheets["Ratings"]["A1"] = "Ratings, second round"


def as_arena(ratings: pd.DataFrame, path: Path) -> None:
    named = ratings.rename(columns={"annotator": "user", "rating": "score"})
    nested = [{"meta": {"tool": "x"}, **row} for row in named.to_dict("records")]
    path.write_text("\n".join(json.dumps(row) for row in nested))


def as_form(ratings: pd.DataFrame, path: Path) -> None:
    """A row for each rater, as forms are exported."""
    wide = ratings.pivot(index="annotator", columns=["item_id", "model"], values="rating")
    wide.columns = [f"Text {item[1:]} - System {model}" for item, model in wide.columns]
    wide.insert(0, "Timestamp", [f"2026/05/0{n} 9:00:00 AM GMT+2" for n in range(1, 7)])
    wide.reset_index().rename(columns={"annotator": "Email Address"}).to_csv(path, index=False)


def zipped(ratings: pd.DataFrame, path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("export/ratings.csv", ratings.to_csv(index=False))


Write = Callable[[pd.DataFrame, Path], object]
MAKES: dict[str, Write] = {
    "long.csv": lambda table, path: table.to_csv(path, index=False),
    "with_index.csv": lambda table, path: table.to_csv(path),
    "semicolons.csv": lambda table, path: table.to_csv(
        path, index=False, sep=";", encoding="utf-8-sig"
    ),
    "long.tsv": lambda table, path: table.to_csv(path, index=False, sep="\t"),
    "utf16.csv": lambda table, path: table.to_csv(path, index=False, encoding="utf-16"),
    "long.csv.gz": lambda table, path: path.write_bytes(
        gzip.compress(table.to_csv(index=False).encode())
    ),
    "archive.zip": zipped,
    "by_system.csv": lambda table, path: spread(table, "model").to_csv(path, index=False),
    "by_rater.csv": lambda table, path: spread(table, "annotator").to_csv(path, index=False),
    "a_row_per_rater.csv": as_form,
    "title_rows.xlsx": in_title_rows,
    "by_system.xlsx": lambda table, path: spread(table, "model").to_excel(path, index=False),
    "records.json": lambda table, path: table.to_json(path, orient="records"),
    "lines.jsonl": as_arena,
    "long.parquet": lambda table, path: table.to_parquet(path),
    "long.arrow": lambda table, path: pa.feather.write_feather(
        pa.Table.from_pandas(table), path, compression="uncompressed"
    ),
}


@pytest.mark.parametrize("name", MAKES)
def test_the_same_ratings_are_read_from_a_table_of_any_make(name, ratings, tmp_path):
    path = tmp_path / name
    MAKES[name](ratings, path)
    found = found_in(path)
    assert found.sizes[0] == 144 and found.sizes[3:] == (3, 1)
    (means,) = found.means.values()
    assert means == pytest.approx(dict(ratings.groupby("model")["rating"].mean()))


# Judgements, raters, items, systems, criteria.
WRITTEN_ELSEWHERE = {
    "google_forms.csv": (144, 6, 4, 3, 2),
    "qualtrics.csv": (60, 5, 3, 2, 2),
    "limesurvey.csv": (30, 5, 3, 2, 1),
    "microsoft_forms.xlsx": (40, 5, 4, 2, 1),
    "two_rows_of_headings.xlsx": (60, 3, 5, 2, 2),
    "title_above_ratings.ods": (180, 5, 6, 3, 2),
}
TOLD = {
    "title_above_ratings.ods": "rater=Annotator, item=Text number, system=Model, "
    "value=Fluency, value=Adequacy"
}
COLLECTED = {
    "summary-lq-steen-2021/likert_coherence_cnn_dm.csv": (1500, 60, 100, 5, 1),
    "rankme-2018/stp1_likert.csv": (2742, 16, 100, 3, 3),
    "mqm-ted-ende/mqm_ted_ende.tsv": None,
}


@pytest.mark.parametrize("name", WRITTEN_ELSEWHERE)
def test_exports_of_other_programs_are_read(name):
    assert found_in(ODD / name, TOLD.get(name, "")).sizes == WRITTEN_ELSEWHERE[name]


@pytest.mark.parametrize("name", COLLECTED)
def test_published_ratings_are_read(name):
    assert COLLECTED[name] in (None, found_in(oracle_data(name)).sizes)


def test_ratings_of_which_each_rater_gave_some_are_examined():
    found = examine(oracle_data("rankme-2018/stp1_likert.csv"))
    assert len(found.criteria) == 3 and all(each.verdict for each in found.criteria)


def test_averages_are_refused_with_what_is_needed_instead(ratings, tmp_path, capsys, monkeypatch):
    path = tmp_path / "means.csv"
    ratings.groupby(["item_id", "model"])["rating"].mean().reset_index().to_csv(path, index=False)
    with pytest.raises(ImportRefused, match="Say which column names the raters"):
        examine(path)
    assert command(monkeypatch, path) == 2
    assert "Averages over raters cannot show" in capsys.readouterr().err


def test_the_command_prints_text_or_json(ratings, tmp_path, capsys, monkeypatch):
    path = tmp_path / "ratings.csv"
    ratings.rename(columns={"item_id": "which one"}).to_csv(path, index=False)
    columns = "rater=annotator,item=which one,system=model,value=rating"
    assert command(monkeypatch, path, "--columns", columns) == 0
    text = capsys.readouterr().out
    assert "So: Both ways agree. Claim: Alder above Birch;" in text
    letters = [line.split()[-2:] for line in text.splitlines() if "  48  " in line]
    assert letters == [["A", "A"], ["B", "B"], ["C", "C"]]
    assert "ratings.csv: 144 judgements, 6 raters, 8 items, 3 systems, 1 criterion;" in text
    assert "5  ethics approval" in text
    assert command(monkeypatch, path, "--columns", columns, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["criteria"][0]["verdict"] in text and found["heds_open"]["5"] in text
    assert command(monkeypatch, path, "--columns", "rater=annotator") == 2
    assert "Say which columns have the values." in capsys.readouterr().err


def command(monkeypatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["doctor", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        runpy.run_module("rankme.doctor", run_name="__main__")
    return int(left.value.code)


def test_every_question_of_heds_is_answered_or_named_as_open():
    path = oracle_data("heds-3.0/heds3_questions.json")
    named = [*ANSWERED, *NEVER_IN_A_TABLE]
    covered = {part for name in named for part in between(name)}
    questions = [key for key in json.loads(path.read_text()) if key[0].isdigit()]
    assert len(questions) == 62
    assert [
        key for key in questions if not any(f"{key}.".startswith(f"{c}.") for c in covered)
    ] == []


def between(name: str) -> list[str]:
    """`3.3.7–3.3.8` as the two questions, and those between them."""
    first, _, last = name.partition("–")
    stem, _, number = first.rpartition(".")
    end = int(last.rpartition(".")[2]) if last else int(number)
    return [f"{stem}.{each}".lstrip(".") for each in range(int(number), end + 1)]
