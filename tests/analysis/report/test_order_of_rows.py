"""A report is the same to the last digit in whatever order its judgements come.

Its numbers also do not depend on the names of screens, which a site takes from its database.
"""

import dataclasses
import json
import re

import numpy as np
import pytest

from analysis import JudgementTable
from analysis.cli.commands import main
from analysis.meta_evaluation.compared import Compared
from analysis.report.bundle import read_bundle, report_json, write_bundle
from analysis.report.make import make_report, rank_changes_by_raters, sequential_sections
from analysis.report.options import ReportOptions
from analysis.table import Column
from analysis.table_files import read_table
from tests.analysis import with_metrics
from tests.analysis.judged import from_rows, stored
from tests.analysis.studies import EVERY_KIND, every_kind, marked_errors

pytestmark = pytest.mark.slow

QUICK = {"runs": 10, "agreement_resamples": 5, "metric_resamples": 20}
# The parts of a signature that are about the content, in which names of screens count.
HASH = re.compile(r"data:[0-9a-f]+|\"sha256\": \"[0-9a-f]+\"")


def ratings() -> JudgementTable:
    """Eight raters give each output a number of many digits, each page at its own place."""
    dice, rows, orders, times = np.random.default_rng(1), [], [], []
    for rater in range(8):
        for page, item in enumerate(dice.permutation(12).tolist()):
            system = (rater + item) % 4
            value = float(np.round(50 + 5 * system + 3 * rater + dice.normal(0, 9), 3))
            rows.append(
                (f"r{rater}", f"i{item}", f"s{system}", "clarity", value, f"{rater}.{item}")
            )
            orders.append(str(page + 1))
            times.append(float(dice.integers(900, 9000)))
    return from_rows(rows, order=orders, time_ms=times)


def categories(raters: int = 6) -> JudgementTable:
    """Answers from 1 to 5 on two criteria: mixed models, and ordinal ones."""
    dice, rows = np.random.default_rng(2), []
    for rater in range(raters):
        for item in range(10):
            for system in range(3):
                for criterion in ("fluency", "adequacy"):
                    value = float(np.clip(round(3 + 0.4 * system + dice.normal()), 1, 5))
                    place = (f"r{rater}", f"i{item}", f"s{system}", criterion)
                    rows.append((*place, value, f"{rater}.{item}.{system}"))
    return from_rows(rows)


def repeated_screens() -> JudgementTable:
    """Pairs of systems with relative magnitudes: a rater meets an item on several screens."""
    dice, rows = np.random.default_rng(3), []
    for number in range(90):
        for system in dice.choice(4, size=2, replace=False):
            value = float(np.round(np.exp(dice.normal(4 - 0.1 * system, 0.5)), 1))
            place = (f"r{number % 6}", f"i{number % 5}", f"s{system}", "quality")
            rows.append((*place, value, f"{number}"))
    return from_rows(rows)


PARTS = ["screens", "pairs", "raters-items"]
DESIGNS = {
    "ratings": (ratings, {"kinds": {"clarity": "scale"}}),
    "categories": (categories, {"standardise": ["adequacy"]}),
    "rankings": (repeated_screens, {"kinds": {"quality": "relative"}, "resample": PARTS}),
    "every kind": (every_kind, EVERY_KIND),
    "marks": (marked_errors, {"kinds": {"errors": "count"}}),
    "metrics": (
        with_metrics.judged,
        {"kinds": {"quality": "scale"}, "metrics": ["good", "errors"]},
    ),
}


def shuffled(table: JudgementTable, seed: int) -> JudgementTable:
    return table.rows(np.random.default_rng(seed).permutation(len(table)))


def with_other_names_of_screens(table: JudgementTable, seed: int) -> JudgementTable:
    """The same judgements on screens with the numbers of another campaign."""
    number = len(table.screen.labels)
    codes = np.random.default_rng(seed).permutation(number).astype(np.int32)[table.screen.codes]
    names = tuple(sorted(f"{k}.{k}" for k in range(number)))
    return dataclasses.replace(table, screen=Column(codes, names))


def whole_report(design: str, table: JudgementTable) -> str:
    options = ReportOptions.from_dict(DESIGNS[design][1] | QUICK)
    compared: Compared | None = with_metrics.compared() if options.metrics else None
    return report_json(make_report(table, options, compared=compared))


def without_hashes(report: str) -> str:
    return HASH.sub("", report)


@pytest.mark.parametrize("design", DESIGNS)
def test_neither_the_order_of_rows_nor_names_of_screens_change_a_digit(design):
    """That the hash of the rows in another order is the same is a test of tables."""
    table = DESIGNS[design][0]()
    first = whole_report(design, table)
    renamed = with_other_names_of_screens(shuffled(table, 2), 2)
    assert without_hashes(whole_report(design, renamed)) == without_hashes(first)


def left_as_they_came(table: JudgementTable) -> JudgementTable:
    return table


def by_names(table: JudgementTable) -> np.ndarray:
    return table.screen.codes


@pytest.mark.parametrize(
    ("design", "name", "without"),
    [
        ("ratings", "in_order", left_as_they_came),
        ("rankings", "screens", property(by_names)),
    ],
)
def test_the_comparison_sees_digits_of_rows_that_were_not_sorted(
    monkeypatch, design, name, without
):
    """The control: rows as they come, or screens numbered by their names, move some digit."""
    monkeypatch.setattr(JudgementTable, name, without)
    table = DESIGNS[design][0]()
    first = without_hashes(whole_report(design, table))
    renamed = with_other_names_of_screens(shuffled(table, 2), 2)
    assert without_hashes(whole_report(design, renamed)) != first


def test_looks_do_not_depend_on_the_order_of_rows():
    order = [f"r{k}" for k in (3, 1, 7, 0, 2, 6, 5, 4, 8, 9, 10, 11)]
    given = {"looking": {"mode": "anytime", "order": order}, "generality": "raters"}
    options = ReportOptions.from_dict(given | {"kinds": {"fluency": "scale"}})
    table = categories(raters=12)
    first = sequential_sections(table, options)
    assert first["fluency"].pairs
    renamed = with_other_names_of_screens(shuffled(table, 1), 1)
    assert sequential_sections(renamed, options) == first


def test_ranks_with_and_without_raters_do_not_depend_on_the_order_of_rows():
    table = ratings()
    excluded = np.isin(table.rater.codes, [0, 1])
    table = dataclasses.replace(table, excluded=excluded)
    first, second = (
        rank_changes_by_raters(each, ReportOptions(), ["r0"])
        for each in (table, shuffled(table, 1))
    )
    assert first["clarity"] and first == second


@pytest.mark.parametrize("command", ["mixed", "tukey", "agreement", "raters", "pairs"])
def test_commands_print_the_same_for_shuffled_rows(command, tmp_path, capsys):
    said = []
    for table in (ratings(), shuffled(ratings(), 1)):
        assert main([command, stored(table, tmp_path / "judgements.csv"), "--json"]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]


def test_tables_are_read_in_order(tmp_path):
    path = stored(shuffled(ratings(), 1), tmp_path / "judgements.csv")
    read, as_given = read_table(path), read_table(path, as_given=True)
    assert np.array_equal(read.value, ratings().in_order().value)
    assert np.array_equal(as_given.value, shuffled(ratings(), 1).value)


def test_a_report_by_a_single_pass_keeps_the_order_that_was_given(tmp_path, capsys):
    """The pass alone reads the rows as they came, also when its bundle is computed again."""
    options = ReportOptions.from_dict(DESIGNS["rankings"][1] | QUICK | {"method": "order"})
    options = dataclasses.replace(options, resample=("none",))
    table = repeated_screens()
    first, second = (make_report(each, options) for each in (table, shuffled(table, 1)))
    rankings = [each.criteria[0].ranking for each in (first, second)]
    assert rankings[0].rankings != rankings[1].rankings
    assert rankings[0].bradley_terry == rankings[1].bradley_terry
    write_bundle(tmp_path / "bundle.zip", shuffled(table, 1), second, options)
    read = read_bundle(tmp_path / "bundle.zip")
    assert make_report(read.table, read.options) == second
    assert main(["report", str(tmp_path / "bundle.zip"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(report_json(second))
