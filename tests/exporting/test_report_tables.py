"""Every kind of criterion has its tables, in the columns of the papers."""

from __future__ import annotations

import csv
import io
import itertools
import json

import numpy as np
import pytest

from analysis.plain import plain
from analysis.report.make import make_report
from analysis.report.options import ReportOptions
from analysis.report.sentences import HARDWARE_LATENCY
from analysis.table import JudgementTable
from rankme.exporting.report_tables import (
    correlation_table,
    interval,
    number,
    probability,
    table_csv,
    tables_of,
)

KINDS = {
    "quality": "relative",
    "coverage": "category",
    "clarity": "scale",
    "facts": "count",
    "reading": "time",
    "errors": "error",
}
SYSTEMS = ("=cmd()", "slug", "tuda", "zhang")


@pytest.fixture(scope="module")
def report():
    dice = np.random.default_rng(8)
    rows: list[tuple] = []
    for criterion, kind in KINDS.items():
        for rater in range(6):
            for item in range(8):
                for place, system in enumerate(SYSTEMS):
                    value = {
                        "relative": 50 + 10 * place + dice.normal(0, 8),
                        "category": float(dice.integers(4)),
                        "scale": 40 + 10 * place + dice.normal(0, 8),
                        "count": float(dice.poisson(2 + place)),
                        "time": 900 + 100 * place + dice.normal(0, 90),
                        "error": float(dice.random() < 0.1 + 0.1 * place),
                    }[kind]
                    screen = f"{rater}.{item}.{criterion}"
                    rows.append((f"r{rater}", f"i{item}", system, criterion, value, screen,
                                 "people" if item % 2 else "furniture"))  # fmt: skip
    names = ("rater", "item", "system", "criterion", "value", "screen", "entity_type")
    table = JudgementTable.from_columns(
        {name: [row[place] for row in rows] for place, name in enumerate(names)}
    )
    options = ReportOptions(
        runs=20,
        kinds=KINDS,
        model="interaction",
        factors=("entity_type",),
        lower_is_better=("reading", "errors"),
        exclude_raters=("r5",),
        agreement_resamples=10,
    )
    return json.loads(json.dumps(plain(make_report(table, options))))


@pytest.fixture(scope="module")
def criteria(report):
    return {found.name: found for found in tables_of(report)}


def names_of(tables):
    return [table.name for table in tables]


def test_every_row_has_a_cell_for_every_column(criteria):
    for found in criteria.values():
        for table in found.tables:
            assert len(table.lines) == len(table.rows)  # `lines` refuses ragged rows
            assert table.caption
            assert all(isinstance(cell, str) for row in table.rows for cell in row.cells)


def test_rankings_stand_beside_each_other(criteria):
    quality = criteria["quality"]
    assert names_of(quality.paper) == ["ranking-none"]
    assert names_of(quality.honest)[:2] == ["ranking-raters", "bradley-terry"]
    (paper,) = quality.paper
    assert [column.title for column in paper.columns] == ["Cluster", "Score", "Ranks", "System"]
    assert {row.cells[3] for row in paper.rows} == set(SYSTEMS)
    numbers = [row.cells[0] for row in paper.rows]
    assert numbers[0] == "1"
    assert [bool(cell) for cell in numbers] == [row.begins for row in paper.rows]


def test_scales_have_the_anova_the_means_by_factor_and_homogeneous_subsets(criteria):
    clarity = criteria["clarity"]
    assert names_of(clarity.paper) == ["means", "anova"]
    means, anova = clarity.paper
    titles = [column.title for column in means.columns]
    assert titles[:5] == ["System", "furniture", "people", "both", "SD"]
    assert titles[5:] == list("ABCD")[: len(titles) - 5]
    assert len(titles) > 6, "these systems differ, so there is more than one subset"
    for row in means.rows:
        assert any(row.cells[5:]), "every system is in a subset"
    assert [row.cells[0] for row in anova.rows][-1] == "Residual"
    assert len(anova.rows) == 4  # system, entity type, both, residual
    assert {"tests", "mixed"} <= set(names_of(clarity.honest))


def test_no_subset_is_lost_where_there_are_more_than_letters(report):
    """Sixty systems, each in one subset with the next: 59 subsets, so the letters run out."""
    names = [f"s{number}" for number in range(60)]
    clarity = next(found for found in report["criteria"] if found["criterion"] == "clarity")
    row = clarity["systems"][0]
    subsets = [[one, other] for one, other in itertools.pairwise(names)]
    found = clarity | {
        "systems": [row | {"system": name} for name in names],
        "scale": clarity["scale"] | {"tukey": clarity["scale"]["tukey"] | {"subsets": subsets}},
    }
    (criterion,) = tables_of(report | {"criteria": [found]})
    means = next(table for table in criterion.tables if table.name == "means")
    letters = [column.title for column in means.columns][-len(subsets) :]
    assert len(set(letters)) == len(subsets)
    held = [
        {title for title, cell in zip(letters, row.cells[-len(subsets) :], strict=True) if cell}
        for row in means.rows
    ]
    assert [len(letters) for letters in held] == [1, *[2] * 58, 1]
    for place in range(len(subsets)):
        assert len(held[place] & held[place + 1]) == 1, "neighbours share their subset's letter"


def test_categories_are_percentages_that_add_up(criteria):
    (table,) = criteria["coverage"].paper
    assert [column.title for column in table.columns][1:5] == ["OK %", "A %", "M %", "A+M %"]
    for row in table.rows:
        assert abs(sum(map(float, row.cells[1:5])) - 100) < 0.3


def test_times_and_errors_have_their_tests(criteria):
    assert "means" in names_of(criteria["reading"].paper)
    assert any(title == "Outliers" for title, _ in criteria["reading"].facts)
    assert HARDWARE_LATENCY in criteria["reading"].paper[0].notes
    assert names_of(criteria["errors"].paper) == ["means", "tests"]
    means, tests = criteria["errors"].paper
    assert [column.title for column in means.columns][1:4] == ["furniture %", "people %", "both %"]
    assert "Kruskal" in tests.rows[0].cells[0]


def test_the_effect_of_leaving_raters_out_is_shown(criteria):
    table = next(one for one in criteria["clarity"].honest if one.name == "exclusion")
    assert {row.cells[0] for row in table.rows} == set(SYSTEMS)


def test_agreement_and_correlations_are_there(criteria, report):
    assert names_of(criteria["quality"].agreement) == ["agreement"]
    table = correlation_table(report)
    assert table is not None
    assert len(table.lines) == len(report["correlations"])


def test_a_table_as_csv_guards_formulas(criteria):
    (paper,) = criteria["quality"].paper
    rows = list(csv.reader(io.StringIO(table_csv(paper).decode())))
    assert rows[0] == ["Cluster", "Score", "Ranks", "System"]
    assert "'=cmd()" in {row[3] for row in rows[1:]}
    assert all(row[1].lstrip("-").replace(".", "").isdigit() for row in rows[1:])


def test_figures_are_written_as_papers_write_them():
    assert number(None, 2) == "–"
    assert number(3.14159, 2) == "3.14"
    assert probability(0.0004) == "< .001"
    assert probability(0.04321) == ".043"
    assert probability(1.0) == "1.000"
    assert interval({"low": None, "high": 2.0}) == "–"
