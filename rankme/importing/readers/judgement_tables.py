"""Tables of judgements: a row per value, or several columns of values, with any names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from analysis.errors import TableError
from analysis.spans.judged import MARKS, read_cell
from analysis.table_files import unguarded
from analysis.translatable import gettext_noop as _
from rankme.importing.files import Place, SourceFile
from rankme.importing.sources import Sources
from rankme.importing.spooling.judgement_spool import Given, JudgementSpool
from rankme.importing.spooling.spool import key_of_text
from rankme.importing.tabular.annotation_tools import bare
from rankme.importing.tabular.columns import (
    NAMES_OF_A_JUDGEMENT,
    ONLY_CRITERION,
    VALUE,
    column_name,
)
from rankme.importing.tabular.reading import ALL_SHEETS
from rankme.importing.tabular.records import Record, records
from rankme.importing.tabular.upload_tables import (
    Table,
    factors_of,
    left_out,
    shape_of_judgements,
    table_of,
    why_not,
)

from .reader import Reader

ONLY_SCREEN = "1"  # of a rater for an item
TRUE_WORDS = {"1", "true", "yes"}
FALSE_WORDS = {"", "0", "false", "no"}
MOST_NAMED, MOST_DESCRIBED = 12, 5


def is_long_judgements(files: list[SourceFile]) -> bool:
    """Tell whether the names of the columns identify them all."""
    return shape_of_judgements(files[0]) is not None


def could_be_judgements(sources: Sources) -> bool:
    table = table_of(sources, sources.files[0])
    return table is not None and table.is_described


# --- reading ---------------------------------------------------------------------------------


def read_judgement_tables(sources: Sources, spool: JudgementSpool) -> None:
    said: set[tuple[str, ...]] = set()
    for file in sources.files:
        table = table_of(sources, file)
        if table is None or not table.is_described:
            sources.problem((file, 1), "", why_not(sources, file))
            continue
        # A hundred files of one tool are described once.
        if (general := tuple(_notes_on(table, ""))) not in said and len(said) < MOST_DESCRIBED:
            said.add(general)
            spool.notes += _notes_on(table, file.label)
        _read(table, sources, spool)


def _notes_on(table: Table, label: str) -> Iterator[str]:
    """Say what was understood although it has other names than ours, and what is left out."""
    columns = table.columns
    taken = [
        f'"{name}" is the {role}'
        for role, name in columns.roles.items()
        if column_name(name) != role
    ]
    if taken:
        yield f"Columns by their names: {', '.join(taken)}."
    if columns.headings:
        said = [_said(heading, each) for heading, each in columns.headings.items()]
        most = 1 if columns.pattern else MOST_NAMED  # the page shows what a pattern reads
        more = f", … ({len(said)} columns)" if len(said) > most else ""
        yield f"Columns with values: {', '.join(said[:most])}{more}."
    if "screen" not in columns.roles:
        yield 'No column is called "screen": each rater saw each item on one screen.'
    if "rater" not in {*columns.roles, *columns.said}:
        yield f"{label}: no column names the raters, so each row is one."
    if "system" not in {*columns.roles, *columns.said}:
        yield (
            f"{label}: no column names the system, so the file's name does. If there are several, "
            'add a column "system" with the system of each output (for example by joining the list '
            "of your outputs by their ids)."
        )
    if named := left_out(table):
        yield f"{label}: these columns are left out: {', '.join(named)}."


def _said(heading: str, said: Mapping[str, str]) -> str:
    return f'"{heading}" ({", ".join(f"{role} {name}" for role, name in said.items())})'


def _read(table: Table, sources: Sources, spool: JudgementSpool) -> None:
    file, factors = table.file, factors_of(sources, table)
    rows = _Rows(table, spool)
    # Rows of a workbook's sheets are the same respondents'.
    if len(sources.files) > 1 and sources.reading.sheet != ALL_SHEETS:
        rows.nameless = f"{file.stem}, row"
    spool.expect_factors(factors)
    for line, written in records(sources, file, table.shape):
        if not sources.has_all(rows.needed, written, (file, line)):
            continue
        record = {name: bare(unguarded(cell)) for name, cell in written.items()}
        kept = {name: record.get(name, "") for name in factors}
        for given in rows.judgements(record, (file, line)):
            spool.add_judgement(given, kept, (file, line))


class _Rows:
    """The judgements of one row."""

    def __init__(self, table: Table, spool: JudgementSpool) -> None:
        columns = table.columns
        self._spool = spool
        self._column = {role: column_name(name) for role, name in columns.roles.items()}
        self._item = self._column.get("item") or self._column.get("input", "")
        self._is_text = self._item == self._column.get("input")
        self.nameless = "row"
        self._otherwise = {"system": table.file.stem, "criterion": ONLY_CRITERION}
        # In the order of the file, which a stored description forgets.
        values = {column_name(name): dict(said) for name, said in columns.headings.items()}
        self._values = {name: values[name] for name in table.shape.columns if name in values}
        self._names = [self._column[role] for role in NAMES_OF_A_JUDGEMENT if role in self._column]
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
        item = said.get("item") or record.get(self._item, "")
        return Given(
            rater=self._cell(record, "rater", said) or self._nameless(place),
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

    def _nameless(self, place: Place) -> str:
        """A row that names neither its rater nor its item is all that one rater said."""
        if "rater" in self._column or self._item:
            return ""
        return f"{self.nameless} {place[1]}"

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


READER = Reader(
    title=_("Table: a row per value, or several columns of values"),
    help=_(
        "A judgement export of this site, or CSV, TSV, Excel, OpenDocument, JSON, JSON lines or "
        "Parquet, with columns of any name: you can correct what each one is. A table can have a "
        "column of values for each criterion, for each system or rater, or for both together, "
        "such as gpt_fluency, or a row for each rater, as forms are exported. Several files, such "
        "as one for each rater or system, are read together."
    ),
    recognises=is_long_judgements,
    read=read_judgement_tables,
    could_read=could_be_judgements,
)
