"""Every kind of criterion has its tables, in the columns of the papers."""

import csv
import dataclasses
import io
import itertools
import json

import pytest

from analysis.report.layout.report_tables import correlation_table, tables_of
from analysis.report.layout.scale_tables import overview_table
from analysis.report.layout.table_model import Column, Format, Role, as_csv, text
from analysis.report.model import Report
from analysis.report.sentences import HARDWARE_LATENCY
from analysis.report.stored import read_report
from tests.analysis.studies import report_of_every_kind

SYSTEMS = ("=cmd()", "slug", "tuda", "zhang")


@pytest.fixture(scope="module")
def report() -> Report:
    return report_of_every_kind()


def test_a_stored_report_is_read_back_as_it_was(report):
    stored = json.loads(json.dumps(report.as_dict()))
    again = read_report(stored)
    assert again.as_dict() == report.as_dict()
    assert tables_of(again) == tables_of(report)


def test_a_report_from_before_a_field_existed_is_read(report):
    stored = json.loads(json.dumps(report.as_dict()))
    for found in stored["criteria"]:
        for system in found["systems"]:
            del system["mean_z"]
    assert tables_of(read_report(stored)) == tables_of(report)


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
            assert all(isinstance(cell, str) for _, row in table.lines for cell, _, _ in row)


def test_rankings_are_printed_side_by_side(criteria):
    quality = criteria["quality"]
    assert names_of(quality.paper) == ["ranking-none"]
    assert names_of(quality.honest)[:2] == ["ranking-raters-items", "bradley-terry"]
    (paper,) = quality.paper
    assert [column.title for column in paper.columns] == ["Cluster", "Score", "Ranks", "System"]
    assert {row.cells[3] for row in paper.rows} == set(SYSTEMS)
    numbers = [row.cells[0] for row in paper.rows]
    assert numbers[0] == 1 and numbers == sorted(numbers)


def test_scales_have_the_anova_the_means_by_factor_and_homogeneous_subsets(criteria):
    clarity = criteria["clarity"]
    assert names_of(clarity.paper) == ["means", "anova"]
    means, anova = clarity.paper
    titles = [column.title for column in means.columns]
    assert titles[:6] == ["System", "furniture", "people", "both", "SD", "n"]
    assert titles[6:] == list("ABCD")[: len(titles) - 6]
    assert len(titles) > 7, "these systems differ, so there is more than one subset"
    for row in means.rows:
        assert any(row.cells[6:]), "every system is in a subset"
    assert [row.cells[0] for row in anova.rows][-1] == "Residual"
    assert len(anova.rows) == 4  # system, entity type, both, residual
    assert {"tests", "mixed"} <= set(names_of(clarity.honest))


def test_no_subset_is_lost_where_there_are_more_than_letters(report):
    """Sixty systems, each in one subset with the next: 59 subsets, so the letters run out."""
    names = [f"s{number}" for number in range(60)]
    clarity = report.criterion("clarity")
    subsets = tuple(itertools.pairwise(names))
    found = dataclasses.replace(
        clarity,
        systems=tuple(dataclasses.replace(clarity.systems[0], system=name) for name in names),
        scale=dataclasses.replace(
            clarity.scale, tukey=dataclasses.replace(clarity.scale.tukey, subsets=subsets)
        ),
    )
    (criterion,) = tables_of(dataclasses.replace(report, criteria=(found,)))
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


def test_other_sizes_are_in_one_table(criteria):
    """Of values with the reliability of their order; of comparisons there is none."""
    titles = {}
    for name in ("clarity", "quality"):
        columns = [[each.title for each in table.columns] for table in criteria[name].tables]
        (titles[name],) = [each for each in columns if "± of a difference" in each]
    assert titles["quality"] == ["Raters", "Items", "± of a difference"]
    assert titles["clarity"] == ["Raters", "Items", "Eρ²", "Φ", "± of a difference"]


def test_categories_are_percentages_that_add_up(criteria):
    (table,) = criteria["coverage"].paper
    assert [column.title for column in table.columns][1:5] == ["OK %", "A %", "M %", "A+M %"]
    for row in table.rows:
        assert sum(row.cells[1:5]) == pytest.approx(100)


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
    assert names_of(criteria["quality"].of(Role.AGREEMENT)) == ["agreement"]
    table = correlation_table(report.correlations)
    assert table is not None
    assert len(table.lines) == len(report.correlations)


def test_a_table_as_csv_guards_formulas_and_has_numbers_in_full(criteria, report):
    (paper,) = criteria["quality"].paper
    rows = list(csv.reader(io.StringIO(as_csv(paper))))
    assert rows[0] == ["Cluster", "Score", "Ranks low", "Ranks high", "System"]
    assert "'=cmd()" in {row[4] for row in rows[1:]}
    ranking = report.criterion("quality").ranking.rankings["none"]
    assert [float(row[1]) for row in rows[1:]] == [system.mean for system in ranking.systems]


def test_in_csv_a_column_says_what_was_printed_above_it(report):
    titles = as_csv(overview_table(report)).splitlines()[0].split(",")
    assert "clarity: furniture" in titles
    assert titles[0] == "System"


@pytest.mark.parametrize(
    ("cell", "format", "written"),
    [
        (None, Format.NUMBER, "–"),
        (float("inf"), Format.NUMBER, "–"),
        (3.14159, Format.NUMBER, "3.14"),
        (0.0004, Format.P, "< .001"),
        (0.04321, Format.P, ".043"),
        (1.0, Format.P, "1.000"),
        (2.0, Format.DEGREES, "2"),
        (12.34, Format.DEGREES, "12.3"),
        (12345, Format.WHOLE, "12,345"),
        ((None, 2.0), Format.INTERVAL, "–"),
        ((-1.0, 2.0), Format.INTERVAL, "-1.00 … 2.00"),
        ((1, 3), Format.RANGE, "1.00–3.00"),
        ((2, 2), Format.RANGE, "2.00"),
    ],
)
def test_figures_are_written_as_papers_write_them(cell, format, written):
    assert text(cell, Column("x", format, 2)) == written
