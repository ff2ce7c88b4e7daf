"""Raters who could not judge, in the tables of a report."""

from analysis.report.declined import WHAT_IT_MEANS, DeclinedAnswer, count_declined, declined_tables
from analysis.report.layout.table_model import as_csv
from analysis.table import JudgementTable


def table_of(rows):
    return JudgementTable.from_columns(
        {
            "rater": [rater for rater, _, _ in rows],
            "item": ["1" for _ in rows],
            "system": [system for _, system, _ in rows],
            "criterion": [criterion for _, _, criterion in rows],
            "value": [1.0 for _ in rows],
            "screen": [str(number) for number, _ in enumerate(rows)],
        }
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


def test_a_criterion_that_nobody_could_judge_is_counted():
    counts = count_declined([DeclinedAnswer("kind", "A", "", "ada")], table_of([("a", "A", "x")]))
    assert counts["kind"]["systems"] == [["A", 0, 1]]
