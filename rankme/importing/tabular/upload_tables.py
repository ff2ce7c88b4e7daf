"""Tables of an upload: how each is written, what its columns are, and its first rows to correct."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from rankme.importing.files import SourceFile
from rankme.importing.problems import Problems
from rankme.importing.sources import Sources

from .columns import (
    DOCUMENT_PLACE,
    FILE_ROLES,
    INPUT_FILE,
    ITEM_TEXTS,
    LEFT_OUT,
    NAMES_OF_A_JUDGEMENT,
    OUTPUT_FILE,
    VALUE,
    Columns,
    Layout,
    column_name,
)
from .guesses import Proposal, propose, roles_by_name
from .headings import InvalidColumns
from .records import (
    Shape,
    best_shape,
    columns_found,
    columns_missing,
    possible_shapes,
    records,
    shape_of,
)
from .samples import Sample

OUTPUT_COLUMNS = ("system", "item", "output")
JUDGEMENT_COLUMNS = (*NAMES_OF_A_JUDGEMENT, VALUE)
ROWS_SHOWN, LONGEST_SHOWN = 5, 300
MOST_TABLES_SHOWN = 20
MOST_COLUMNS_SHOWN = 200


@dataclass(frozen=True)
class Table:
    """A file, how it is written, and what its columns are, as far as that is known."""

    file: SourceFile
    shape: Shape
    sample: Sample
    proposal: Proposal

    @property
    def is_described(self) -> bool:
        return self.proposal.columns is not None

    @property
    def columns(self) -> Columns:
        """The columns of a table that `is_described`."""
        if self.proposal.columns is None:
            raise InvalidColumns(self.proposal.missing)
        return self.proposal.columns

    @property
    def layout(self) -> Layout:
        return self.columns.layout


def table_of(sources: Sources, file: SourceFile) -> Table | None:
    """The file as the organiser has described it; without that, as its names and values suggest.

    None for a file that is not a table.
    """
    if file.number not in sources.tables:
        sources.tables[file.number] = _described(sources, file) or _proposed(sources, file)
    found: Table | None = sources.tables[file.number]
    return found


def why_not(sources: Sources, file: SourceFile) -> str:
    """Say why a file cannot be read."""
    table = table_of(sources, file)
    if table is None or sources.about == "outputs":
        needed = OUTPUT_COLUMNS if sources.about == "outputs" else JUDGEMENT_COLUMNS
        return columns_missing(file, needed)
    return f"{table.proposal.missing} {columns_found(file)}"


def _described(sources: Sources, file: SourceFile) -> Table | None:
    # All columns of a small table may be in a larger one: the fullest description comes first.
    given = [each for each in sources.reading.columns if each.about == sources.about]
    for columns in sorted(given, key=lambda each: -len(each.used)):
        shape = shape_of(file, columns.used)
        if shape is None:
            continue
        try:
            fitted = columns.fitted(shape.names)
        except InvalidColumns:
            continue
        return Table(file, shape, sample_of(sources, file, shape), Proposal(fitted))
    return None


def _proposed(sources: Sources, file: SourceFile) -> Table | None:
    shape = _likely_shape(sources, file)
    if shape is None or len(shape.columns) > sources.limits.columns:
        return None
    sample = sample_of(sources, file, shape)
    if sources.about == "outputs":
        named = _named(shape, sample, with_media=bool(sources.media))
        return Table(file, shape, sample, Proposal(named) if named else propose(sample))
    alike = _table_like(sources, shape)
    return Table(file, shape, sample, alike.proposal if alike else propose(sample, sources.about))


def _table_like(sources: Sources, shape: Shape) -> Table | None:
    """A table of the upload with the same columns: a tool writes a file for each rater."""
    known = (each for each in sources.tables.values() if each is not None)
    return next((each for each in known if each.shape.names == shape.names), None)


def _likely_shape(sources: Sources, file: SourceFile) -> Shape | None:
    if sources.about == "outputs":
        return shape_of(file, OUTPUT_COLUMNS) or best_shape(file) or shape_of(file, ("item",))
    if sources.about == "judgements":
        return shape_of_judgements(file) or best_shape(file)
    return best_shape(file)


def shape_of_judgements(file: SourceFile) -> Shape | None:
    """The shape in which the names of the columns say everything about a judgement."""
    needed = set(JUDGEMENT_COLUMNS)
    shapes = possible_shapes(file)
    return next((each for each in shapes if needed <= set(roles_by_name(each.names))), None)


def _named(shape: Shape, sample: Sample, *, with_media: bool) -> Columns | None:
    """The columns of a table that names them as we do.

    A column `input` with names of files is what it says, unless the upload brings files.
    """
    names = dict(zip(shape.columns, shape.names, strict=True))
    own = {
        role: names[role] for role in (*OUTPUT_COLUMNS, *ITEM_TEXTS, *FILE_ROLES) if role in names
    }
    proposal = propose(sample).columns
    if proposal:
        files = {role: name for role, name in proposal.roles.items() if role in FILE_ROLES}
        if with_media:
            texts = {role for role in ("output", *ITEM_TEXTS) if own.get(role) in files.values()}
            own = files | {role: name for role, name in own.items() if role not in texts}
        else:
            own = {role: name for role, name in files.items() if name not in own.values()} | own
        if "input" in proposal.roles and not {"input", "context"} & set(own):
            own["input"] = proposal.roles["input"]
    if proposal and proposal.has_documents:
        own |= {role: proposal.roles[role] for role in DOCUMENT_PLACE}
    others = [name for name in shape.columns if names[name] not in own.values()]
    if {"system", "item"} <= set(own) and {"output", OUTPUT_FILE} & set(own):
        factors = set(map(column_name, proposal.factors)) if proposal else set()
        found = tuple(names[name] for name in others if name in factors)
        return Columns("outputs", own, factors=found)
    is_without_outputs = not {"system", "output", OUTPUT_FILE} & set(own)
    if "item" in own and is_without_outputs and _is_items(shape, proposal):
        found = tuple(names[name] for name in others if not sample.is_index(names[name]))
        return Columns("outputs", own, factors=found)
    return None


def _is_items(shape: Shape, proposal: Columns | None) -> bool:
    """A column named `item` is also in wide tables; those have no other column that we know."""
    known = set(shape.columns) & {*ITEM_TEXTS, INPUT_FILE}
    return bool(known) or (proposal is not None and proposal.layout == "items")


def sample_of(sources: Sources, file: SourceFile, shape: Shape) -> Sample:
    """The first rows of a file, which are read again later: they count only then."""
    aside = Sources([file], sources.limits, Problems(0), reading=sources.reading)
    header, n_rows, digest = shape.names, file.rows, file.sha256
    rows = islice(records(aside, file, shape), sources.limits.sample_rows)
    sample = Sample.of(header, (record for _, record in rows))
    file.rows, file.sha256 = n_rows, digest
    return sample


# --- reading ---------------------------------------------------------------------------------


def left_out(table: Table) -> list[str]:
    """The names of the columns that are not read."""
    unread = (name for name in table.shape.names if column_name(name) not in table.columns.read)
    return [name for name in unread if name.strip()]


def factors_of(sources: Sources, table: Table) -> list[str]:
    """The columns with factors, as records name them; those that cannot be stored are noted."""
    label, limits = table.file.label, sources.limits
    for name in table.columns.factors:
        if len(name) > limits.factor_name:
            message = "The name of this factor is too long. Shorten it, or leave the column out."
            sources.problems.add(
                message, file=label, line=table.shape.header or 1, column=name[:40]
            )
    return [column_name(name) for name in table.columns.factors]


# --- for the organiser to correct ------------------------------------------------------------


@dataclass(frozen=True)
class TablePreview:
    """A table's first rows, and what each column is taken for.

    `header` is the line of the headings; 0 where a table has its names in each record. `missing`
    says why the columns are incomplete. `alike` counts the other files with the same columns.
    """

    file: str
    sheet: str
    sheets: tuple[str, ...]
    encoding: str
    columns: dict[str, Any]
    names: tuple[str, ...]
    roles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    header: int = 0
    missing: str = ""
    alike: int = 0


def is_said_by_names(table: TablePreview) -> bool:
    """Tell whether names alone identify the columns, so that nothing has to be remembered."""
    roles = table.columns.get("columns", {})
    named = all(column_name(column) == role for role, column in roles.items())
    spread = {"system_columns", "value_columns", "pattern"} & set(table.columns)
    # Of judgements, a column that nothing is known about is a factor.
    left_out = "rater" in roles and LEFT_OUT in table.roles
    return named and not spread and not left_out and "item" in roles


def is_one_of_several(table: TablePreview) -> bool:
    """Tell whether the organiser may have meant another sheet or header."""
    return table.header > 1 or len(table.sheets) > 1


def preview_tables(sources: Sources) -> tuple[TablePreview, ...]:
    """Every table of the upload, also those that cannot be read without help."""
    found: dict[object, list[Table]] = {}
    for file in sources.files:
        table = table_of(sources, file)
        if table is not None:
            is_one_for_all = sources.about == "judgements"
            found.setdefault(table.shape.names if is_one_for_all else file.number, []).append(table)
        if len(found) == MOST_TABLES_SHOWN:
            break
    return tuple(_preview(first, len(others)) for first, *others in found.values())


def _preview(table: Table, alike: int) -> TablePreview:
    file, proposal = table.file, table.proposal
    names = table.shape.names[:MOST_COLUMNS_SHOWN]
    cells = [table.sample.of_column(name)[:ROWS_SHOWN] for name in names]
    return TablePreview(
        file=file.label,
        sheet=file.sheet,
        sheets=file.sheets,
        encoding="" if file.is_binary else file.encoding,
        columns=proposal.columns.as_document() if proposal.columns else {},
        names=names,
        roles=tuple(map(proposal.role_of, names)),
        rows=tuple(tuple(cell[:LONGEST_SHOWN] for cell in row) for row in zip(*cells, strict=True)),
        header=table.shape.header,
        missing=proposal.missing,
        alike=alike,
    )
