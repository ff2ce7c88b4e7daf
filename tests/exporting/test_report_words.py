"""What tables of a report say can be translated."""

from analysis.report.layout.report_tables import correlation_table, tables_of
from analysis.report.layout.scale_tables import overview_table
from tests.analysis.studies import report_of_every_kind
from tests.translations.marked_texts import texts_of_modules


def test_titles_of_tables_are_marked_for_translators() -> None:
    report = report_of_every_kind()
    shown = [table for found in tables_of(report) for table in found.tables]
    shown += [overview_table(report), correlation_table(report.correlations)]
    titles = {table.caption for table in shown}
    titles |= {column.title for table in shown for column in table.columns if not column.is_label}
    titles |= {title for found in tables_of(report) for title, _ in found.facts}
    # Symbols of statistics are the same in every language.
    symbols = {"A", "B", "F", "df", "n", "p", "r", "η²", "SD", "%", "Eρ²", "Φ"}
    assert titles - symbols <= set(texts_of_modules("analysis"))
