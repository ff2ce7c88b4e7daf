"""Tables of scores of metrics, verdicts of judges and extracted facts, with columns of any name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from analysis.csv_rows import Rows, RowsError
from analysis.errors import TableError
from analysis.meta_evaluation.verdict_files import Verdicts, verdicts_of_rows
from analysis.table_files import unguarded
from analysis.text_metrics.extracted_facts import facts_of_rows
from analysis.text_metrics.score_files import Known, MetricScores, scores_of_rows
from rankme.importing.files import SourceFile
from rankme.importing.problems import FileProblem, ImportRefused, refusal
from rankme.importing.sources import Sources
from rankme.importing.tabular.columns import Columns, column_name
from rankme.importing.tabular.records import Record, records
from rankme.importing.tabular.upload_tables import (
    Table,
    TablePreview,
    left_out,
    preview_tables,
    table_of,
    why_not,
)

LONG = ("system", "item", "metric", "score")


@dataclass(frozen=True)
class Scores:
    """The scores of outputs in a file, or verdicts by judge."""

    label: str
    scores: MetricScores | None = None
    verdicts: Verdicts = field(default_factory=dict)
    tables: tuple[TablePreview, ...] = ()
    notes: tuple[str, ...] = ()

    def names(self) -> Iterator[str]:
        """The metrics and judges."""
        if self.scores is not None:
            yield from self.scores.metrics
        yield from self.verdicts


def read_score_tables(
    sources: Sources, *, known: Known | None, lower_is_better: Sequence[str] | None
) -> Scores:
    """Read and check scores; raises `ImportRefused` with every problem."""
    if len(sources.files) != 1:
        raise refusal("Upload one file of scores at a time.")
    file = sources.files[0]
    table = table_of(sources, file)
    if table is None or not table.is_described:
        raise refusal(why_not(sources, file), file.label)
    rows = _rows(sources, table)
    sources.problems.refuse_if_any()
    scores, verdicts = None, {}
    try:
        if "first" in table.columns.roles:
            verdicts = verdicts_of_rows(rows, known=known)
        elif "entity" in table.columns.roles:
            scores = facts_of_rows(rows, known=known)
        else:
            scores = scores_of_rows(rows, lower_is_better=lower_is_better, known=known)
    except TableError as error:
        raise _refused(sources, table, error) from error
    notes = _notes(sources, table)
    return Scores(file.label, scores, verdicts, preview_tables(sources), notes)


def _notes(sources: Sources, table: Table) -> tuple[str, ...]:
    unread = left_out(table)
    named = f"{table.file.label}: these columns are left out: {', '.join(unread)}."
    return (*sources.notes, *([named] if unread else []))


def _rows(sources: Sources, table: Table) -> Rows:
    """The table with the names of columns that the statistics know."""
    columns = table.columns
    of_roles = {role: column_name(name) for role, name in columns.roles.items()}
    is_spread = bool(columns.headings)
    if is_spread and all(set(said) == {"metric"} for said in columns.headings.values()):
        of_roles |= {said["metric"]: column_name(name) for name, said in columns.headings.items()}
        is_spread = False
    header = [*LONG] if is_spread else [*of_roles]
    rows = Rows("", header, [])
    for line, record in records(sources, table.file, table.shape):
        if is_spread:
            rows.rows += [(line, row) for row in _unfolded(columns, of_roles, record)]
        else:
            rows.rows.append(
                (line, {role: unguarded(record.get(name, "")) for role, name in of_roles.items()})
            )
    return rows


def _unfolded(
    columns: Columns, of_roles: dict[str, str], record: Record
) -> Iterator[dict[str, str]]:
    """A row for each score of a row that has those of several systems."""
    shared = {role: unguarded(record.get(name, "")) for role, name in of_roles.items()}
    for heading, said in columns.headings.items():
        cell = record.get(column_name(heading), "")
        if cell.strip():
            yield {"item": "", "metric": "score", **shared, **said, "score": cell}


def _refused(sources: Sources, table: Table, error: TableError) -> ImportRefused:
    """The problems by the names that the file's columns have."""
    file: SourceFile = table.file
    names = dict(table.columns.roles)
    if isinstance(error, RowsError):
        places = sorted(error.places, key=lambda place: place.line)
        problems = [
            FileProblem(
                at.message, file=file.label, line=at.line, column=names.get(at.column, at.column)
            )
            for at in places
        ]
    else:
        problems = [FileProblem(message, file=file.label) for message in error.problems]
    return ImportRefused(problems[: sources.limits.listed_problems], len(problems))
