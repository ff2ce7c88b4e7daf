"""The first rows of a table, and what its columns are taken for: for the organiser to correct."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from rankme.importing.column_guesses import Sample
from rankme.importing.columns import LEFT_OUT, column_name
from rankme.importing.files import SourceFile
from rankme.importing.problems import Problems
from rankme.importing.records import Shape, best_shape, records
from rankme.importing.sources import Sources

ROWS_SHOWN, LONGEST_SHOWN = 5, 300
MOST_COLUMNS_SHOWN = 60


class Described(Protocol):
    """What `Columns` and `JudgementColumns` have in common."""

    def role_of(self, name: str) -> str: ...

    def as_document(self) -> dict[str, Any]: ...


def sample_of(sources: Sources, file: SourceFile, shape: Shape) -> Sample:
    """The first rows of a file, which are read again later: they count only then."""
    aside = Sources([file], sources.limits, Problems(0), reading=sources.reading)
    header, n_rows, digest = shape.names, file.rows, file.sha256
    rows = islice(records(aside, file, shape), sources.limits.sample_rows)
    sample = Sample.of(header, (record for _, record in rows))
    file.rows, file.sha256 = n_rows, digest
    return sample


@dataclass(frozen=True)
class TablePreview:
    """A table's first rows, and what each column is taken for."""

    file: str
    sheet: str
    sheets: tuple[str, ...]
    encoding: str
    columns: dict[str, Any]
    names: tuple[str, ...]
    roles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def is_said_by_names(table: TablePreview) -> bool:
    """Whether each column is what its name says, so that there is nothing to remember."""
    roles = table.columns.get("columns", {})
    named = all(column_name(column) == role for role, column in roles.items())
    spread = table.columns.get("system_columns") or table.columns.get("value_columns")
    # Of judgements, a column that nothing is known about is a factor.
    left_out = "rater" in roles and LEFT_OUT in table.roles
    return named and not spread and not left_out and "item" in roles


def undescribed_table(sources: Sources, file: SourceFile) -> TablePreview | None:
    """A table that cannot be read without help; None for a file that is not a table."""
    shape = best_shape(file)
    if shape is None or len(shape.columns) > sources.limits.columns:
        return None
    return table_preview(file, shape, sample_of(sources, file, shape), None)


def table_preview(
    file: SourceFile, shape: Shape, sample: Sample, columns: Described | None
) -> TablePreview:
    names = shape.names[:MOST_COLUMNS_SHOWN]
    cells = [sample.of_column(name)[:ROWS_SHOWN] for name in names]
    return TablePreview(
        file=file.label,
        sheet=file.sheet,
        sheets=file.sheets,
        encoding="" if file.is_workbook or file.is_arrow else file.encoding,
        columns=columns.as_document() if columns else {},
        names=names,
        roles=tuple(columns.role_of(name) if columns else LEFT_OUT for name in names),
        rows=tuple(tuple(cell[:LONGEST_SHOWN] for cell in row) for row in zip(*cells, strict=True)),
    )
