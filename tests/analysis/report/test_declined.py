"""Raters who could not judge: tables of a report, and the bundle whose counts follow from them."""

import json
from functools import cache
from pathlib import Path

import pytest

from analysis import JudgementTable, TableError
from analysis.cli import main
from analysis.report.bundle import read_bundle, stored_declined, write_bundle
from analysis.report.declined import (
    ANSWERS,
    COUNTS,
    WHAT_IT_MEANS,
    DeclinedAnswer,
    count_declined,
    declined_files,
    declined_tables,
    read_answers,
    recounted,
)
from analysis.report.layout.table_model import as_csv
from analysis.report.make import ReportOptions, make_report
from analysis.report.model import Report
from tests.analysis.judged import from_rows, simulated

FOUND = [
    DeclinedAnswer("quality", "system1", "unclear", "rater0"),
    DeclinedAnswer("quality", "system1", "", "rater2"),
    DeclinedAnswer("quality", "", "=HYPERLINK()", "rater2"),
    DeclinedAnswer("quality", "system2", "unclear", "somebody, else"),
]
OPTIONS = ReportOptions(runs=5, resample=("raters",), exclude_raters=("rater2",))


@cache
def made() -> tuple[JudgementTable, Report]:
    """A table with its report, which leaves out a rater."""
    table = simulated()
    return table, make_report(table, OPTIONS)


def bundle(path: Path, **changes: bytes) -> Path:
    """A bundle of this report; `changes` replace its files."""
    table, report = made()
    counts = recounted(FOUND, table, exclude_raters=OPTIONS.exclude_raters)
    kept = [one for one in FOUND if one.rater not in OPTIONS.exclude_raters]
    files = declined_files(kept, counts) | changes
    write_bundle(path, table, report, OPTIONS, files)
    return path


def test_answers_come_back_as_they_were_and_are_counted_by_system_reason_and_rater():
    table = simulated()
    counts = recounted(FOUND, table, exclude_raters=())
    files = declined_files(FOUND, counts)
    assert read_answers(files, table, exclude_raters=()) == FOUND
    found = counts["quality"]
    judged = {name: number for name, number, _ in found["systems"]}
    assert sum(judged.values()) == len(table) and judged[""] == 0
    assert [row[2] for row in found["systems"] if row[0] in ("", "system1")] == [1, 2]
    assert found["reasons"][0] == ["unclear", 2] and ["", 1] in found["reasons"]
    assert found["raters"][0] == ["rater2", 2]


def test_the_command_counts_the_answers_of_a_bundle_again(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setattr("analysis.report.rendered.PLOT_FORMATS", ())
    again = tmp_path / "again.zip"
    assert main(["report", str(bundle(tmp_path / "b.zip")), "--bundle", str(again)]) == 0
    shown = capsys.readouterr().out
    assert "Answers of raters who could not judge, by system" in shown
    first, second = read_bundle(tmp_path / "b.zip").files, read_bundle(again).files
    assert (first[ANSWERS], first[COUNTS]) == (second[ANSWERS], second[COUNTS])
    assert set(json.loads(first[COUNTS])["quality"]) == {"systems", "reasons", "raters"}


@pytest.mark.parametrize("change", ["an answer is gone", "another count"])
def test_counts_that_do_not_follow_from_the_answers_are_refused(tmp_path: Path, capsys, change):
    files = read_bundle(bundle(tmp_path / "b.zip")).files
    if change == "an answer is gone":
        changes = {ANSWERS: b"\n".join(files[ANSWERS].splitlines()[:-1])}
    else:
        changes = {COUNTS: files[COUNTS].replace(b'"unclear",\n    2', b'"unclear",\n    1')}
    assert all(files[name] != content for name, content in changes.items())
    damaged = bundle(tmp_path / "c.zip", **changes)
    assert main(["report", str(damaged)]) != 0
    assert "other counts than follow from cannot_judge.csv" in capsys.readouterr().err


def test_a_malformed_file_of_answers_is_refused(tmp_path: Path):
    damaged = bundle(tmp_path / "b.zip", **{ANSWERS: b"criterion,system\nquality,a\n"})
    with pytest.raises(TableError, match="cannot be read"):
        stored_declined(damaged, simulated(), OPTIONS.as_dict())


def test_a_bundle_with_counts_alone_is_read_as_before(tmp_path: Path):
    table, report = made()
    write_bundle(tmp_path / "b.zip", table, report, OPTIONS, {COUNTS: b"{}"})
    assert stored_declined(tmp_path / "b.zip", table, OPTIONS.as_dict()) is None
    assert main(["report", str(tmp_path / "b.zip")]) == 0


def table_of(judged):
    return from_rows(
        [(rater, "1", *about, 1.0, f"{n}") for n, (rater, *about) in enumerate(judged)]
    )


def test_shares_are_of_all_answers_about_a_system():
    table = table_of([("ada", "A", "good"), ("ben", "A", "good"), ("ada", "B", "good")])
    answers = [
        DeclinedAnswer("good", "B", "unclear", "ben"),
        DeclinedAnswer("good", "B", "unclear", "cy"),
        DeclinedAnswer("good", "C", "", "ben"),
    ]
    counts = count_declined(answers, table)
    assert counts == {
        "good": {
            "systems": [["A", 2, 0], ["B", 1, 2], ["C", 0, 1]],
            "reasons": [["unclear", 2], ["", 1]],
            "raters": [["ben", 2], ["cy", 1]],
        }
    }
    systems, reasons, raters = declined_tables(counts["good"])
    assert [row.cells for row in systems.rows][1] == ("B", 1, 2, 2 / 3)
    assert systems.notes == (WHAT_IT_MEANS,)
    assert "ben,2" in as_csv(raters) and "unclear,2" in as_csv(reasons)


def test_a_criterion_that_everybody_judged_has_no_such_table():
    assert list(declined_tables({})) == []
    assert count_declined([], table_of([("ada", "A", "good")])) == {}


def test_a_criterion_without_judgements_counts_its_answers():
    counts = count_declined([DeclinedAnswer("kind", "A", "", "ada")], table_of([("a", "A", "x")]))
    assert counts["kind"]["systems"] == [["A", 0, 1]]
