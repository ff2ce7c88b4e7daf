"""Tables of judgements: a row per value, or several columns of values, with any names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from analysis.errors import TableError
from analysis.spans.judged import MARKS, read_cell
from analysis.table_files import unguarded
from analysis.translatable import gettext_noop as _
from rankme.importing.column_guesses import Sample
from rankme.importing.columns import LEFT_OUT, InvalidColumns, column_name
from rankme.importing.files import Place, SourceFile
from rankme.importing.judgement_columns import (
    NAMES,
    ONLY_CRITERION,
    VALUE,
    JudgementColumns,
)
from rankme.importing.judgement_guesses import propose_judgements, roles_by_name
from rankme.importing.judgement_reader import JudgementReader
from rankme.importing.judgement_spool import Given, JudgementSpool
from rankme.importing.records import (
    Record,
    Shape,
    best_shape,
    columns_found,
    columns_missing,
    possible_shapes,
    records,
    shape_of,
)
from rankme.importing.sources import Sources
from rankme.importing.spool import key_of_text
from rankme.importing.table_previews import (
    TablePreview,
    sample_of,
    table_preview,
    undescribed_table,
)

COLUMNS = (*NAMES, VALUE)
ONLY_SCREEN = "1"  # of a rater for an item
TRUE_WORDS = {"1", "true", "yes"}
FALSE_WORDS = {"", "0", "false", "no"}
MOST_NAMED = 12


@dataclass(frozen=True)
class Described:
    """How the file is written, and what its columns are."""

    shape: Shape
    columns: JudgementColumns
    sample: Sample


def is_long_judgements(file: SourceFile) -> Shape | None:
    """The shape in which the names of the columns say everything."""
    shapes = possible_shapes(file)
    return next((each for each in shapes if set(COLUMNS) <= set(roles_by_name(each.names))), None)


def could_be_judgements(sources: Sources, file: SourceFile) -> bool:
    try:
        return bool(described(sources, file))
    except InvalidColumns:
        return False


def why_not(sources: Sources, file: SourceFile) -> str:
    """What a file lacks to be a table of judgements."""
    try:
        described(sources, file)
    except InvalidColumns as refused:
        return f"{refused} {columns_found(file)}"
    return columns_missing(file, COLUMNS)


def described(sources: Sources, file: SourceFile) -> Described | None:
    """The table as the organiser has described it; without that, as its names and values suggest.

    Raises
    ------
    InvalidColumns : the names and values give no clue; says what is missing
    """
    if file.number not in sources.tables:
        sources.tables[file.number] = _described(sources, file)
    found: Described | None = sources.tables[file.number]
    return found


def _described(sources: Sources, file: SourceFile) -> Described | None:
    given = [each for each in sources.reading.columns if isinstance(each, JudgementColumns)]
    for columns in sorted(given, key=lambda each: -len(each.used)):
        if shape := shape_of(file, columns.used):
            return Described(shape, columns, sample_of(sources, file, shape))
    shape = is_long_judgements(file) or best_shape(file)
    if shape is None:
        return None
    sample = sample_of(sources, file, shape)
    return Described(shape, propose_judgements(sample), sample)


def preview_judgements(sources: Sources, file: SourceFile) -> tuple[TablePreview, ...]:
    """The table, even if it cannot be read without help."""
    preview = None
    try:
        if table := described(sources, file):
            preview = table_preview(file, table.shape, table.sample, table.columns)
    except InvalidColumns:
        preview = undescribed_table(sources, file)
        if preview is not None:
            roles = {name: role for role, name in roles_by_name(preview.names).items()}
            found = (roles.get(name, LEFT_OUT) for name in preview.names)
            preview = replace(preview, roles=tuple(found))
    return (preview,) if preview else ()


# --- reading ---------------------------------------------------------------------------------


def read_judgement_tables(sources: Sources, spool: JudgementSpool, file: SourceFile) -> None:
    if not could_be_judgements(sources, file):
        sources.problems.add(file.label, 1, "", why_not(sources, file))
    elif table := described(sources, file):
        _note_reading(table, file, spool)
        _read(table, sources, spool, file)


def _note_reading(table: Described, file: SourceFile, spool: JudgementSpool) -> None:
    """Say what was understood although it has other names than ours, and what is left out."""
    columns, label = table.columns, file.label
    taken = [
        f'"{name}" is the {role}'
        for role, name in columns.roles.items()
        if column_name(name) != role
    ]
    if taken:
        spool.notes.append(f"Columns by their names: {', '.join(taken)}.")
    if columns.values:
        said = [_said(heading, each) for heading, each in columns.values.items()]
        more = ", …" if len(said) > MOST_NAMED else ""
        spool.notes.append(f"Columns with values: {', '.join(said[:MOST_NAMED])}{more}.")
    if "screen" not in columns.roles:
        spool.notes.append('No column is called "screen": each rater saw each item on one screen.')
    if "system" not in {*columns.roles, *_roles_of_headings(columns)}:
        spool.notes.append(f"{label}: no column names the system, so the file's name does.")
    left_out = [name for name in table.shape.names if column_name(name) not in columns.used]
    if named := [name for name in left_out if name.strip()]:
        spool.notes.append(f"{label}: these columns are left out: {', '.join(named)}.")


def _said(heading: str, said: Mapping[str, str]) -> str:
    return f'"{heading}" ({", ".join(f"{role} {name}" for role, name in said.items())})'


def _roles_of_headings(columns: JudgementColumns) -> set[str]:
    return {role for said in columns.values.values() for role in said}


def _read(table: Described, sources: Sources, spool: JudgementSpool, file: SourceFile) -> None:
    factors = [column_name(name) for name in table.columns.factors]
    rows = _Rows(table, file, spool)
    spool.expect_factors(factors)
    for line, written in records(sources, file, table.shape):
        missing = [name for name in rows.needed if name not in written]
        for name in missing:
            sources.problems.add(file.label, line, name, f'The line has no "{name}". Add it.')
        if missing:
            continue
        record = {name: unguarded(cell) for name, cell in written.items()}
        kept = {name: record.get(name, "") for name in factors}
        for given in rows.judgements(record, (file, line)):
            spool.add_judgement(given, kept, (file, line))


class _Rows:
    """The judgements of one row."""

    def __init__(self, table: Described, file: SourceFile, spool: JudgementSpool) -> None:
        columns = table.columns
        self._spool = spool
        self._column = {role: column_name(name) for role, name in columns.roles.items()}
        self._item = self._column.get("item") or self._column["input"]
        self._is_text = self._item == self._column.get("input")
        self._otherwise = {"system": file.stem, "criterion": ONLY_CRITERION}
        # In the order of the file, which a stored description forgets.
        values = {column_name(name): dict(said) for name, said in columns.values.items()}
        self._values = {name: values[name] for name in table.shape.columns if name in values}
        self._names = [self._column[role] for role in NAMES if role in self._column]
        named = ("rater", "item", "system", "criterion", VALUE, "screen")
        self.needed = [self._column[role] for role in named if role in self._column]
        spool.columns = dict(columns.roles)

    def judgements(self, record: Record, place: Place) -> Iterator[Given]:
        if VALUE in self._column:
            yield self._given(record, place, self._column[VALUE], {})
            return
        filled = [name for name in self._values if record.get(name, "").strip()]
        # A line without its rater is one problem, however many values it has.
        is_named = all(record[name].strip() for name in self._names)
        roles = self._spool.columns
        for name in filled if is_named else filled[:1]:
            said = self._values[name]
            self._spool.columns = roles | dict.fromkeys((*said, VALUE), name)
            yield self._given(record, place, name, said)
        self._spool.columns = roles

    def _given(self, record: Record, place: Place, value: str, said: dict[str, str]) -> Given:
        item = record.get(self._item, "")
        return Given(
            rater=self._cell(record, "rater", said),
            item=key_of_text(item) if self._is_text else item,
            system=self._cell(record, "system", said),
            criterion=self._cell(record, "criterion", said),
            value=record.get(value, ""),
            screen=self._optional(record, "screen") if "screen" in self._column else ONLY_SCREEN,
            input=self._optional(record, "input"),
            output=self._optional(record, "output"),
            time_ms=self._optional(record, "time_ms"),
            marks=self._marks(record, place),
            late=self._flag(record, "late", place),
            excluded=self._flag(record, "excluded", place),
        )

    def _cell(self, record: Record, role: str, said: dict[str, str]) -> str:
        if role in self._column:
            return record[self._column[role]]
        return said.get(role) or self._otherwise.get(role, "")

    def _optional(self, record: Record, role: str) -> str:
        column = self._column.get(role)
        return record.get(column, "") if column else ""

    def _marks(self, record: Record, place: Place) -> str:
        """The marks of the site's own export; a column of this name in another table is refused."""
        cell = self._optional(record, MARKS)
        if cell:
            try:
                read_cell(cell)
            except TableError as error:
                self._spool.problem(place, MARKS, " ".join(error.problems))
        return cell

    def _flag(self, record: Record, role: str, place: Place) -> bool:
        word = self._optional(record, role).strip().lower()
        if word not in TRUE_WORDS | FALSE_WORDS:
            self._spool.problem(place, role, f'"{word[:40]}" must be 1 or 0 (yes or no).')
        return word in TRUE_WORDS


READER = JudgementReader(
    title=_("Table: a row per value, or several columns of values"),
    help=_(
        "A judgement export of this site, or CSV, TSV, Excel, OpenDocument, JSON, JSON lines or "
        "Parquet, with columns of any name: you can correct what each one is. A table can have a "
        "column of values for each criterion, for each system or rater, or for both together, "
        "such as gpt_fluency. Other columns are factors."
    ),
    recognises=is_long_judgements,
    read=read_judgement_tables,
    could_read=could_be_judgements,
)
