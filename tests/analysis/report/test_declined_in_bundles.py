"""Answers of raters who could not judge: a bundle has them, and its counts follow from them."""

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
    DeclinedAnswer,
    declined_files,
    read_answers,
    recounted,
)
from analysis.report.make import ReportOptions, make_report
from analysis.report.model import Report
from tests.analysis.judged import simulated

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


def test_a_file_that_is_no_list_of_answers_is_refused(tmp_path: Path):
    damaged = bundle(tmp_path / "b.zip", **{ANSWERS: b"criterion,system\nquality,a\n"})
    with pytest.raises(TableError, match="cannot be read"):
        stored_declined(damaged, simulated(), OPTIONS.as_dict())


def test_a_bundle_with_counts_alone_is_read_as_before(tmp_path: Path):
    table, report = made()
    write_bundle(tmp_path / "b.zip", table, report, OPTIONS, {COUNTS: b"{}"})
    assert stored_declined(tmp_path / "b.zip", table, OPTIONS.as_dict()) is None
    assert main(["report", str(tmp_path / "b.zip")]) == 0
