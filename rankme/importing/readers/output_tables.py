"""Reading tables of outputs and items: a row per output, or a column per system."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analysis.translatable import gettext_noop as _
from rankme.importing.files import Place, SourceFile
from rankme.importing.media.media_files import MediaFiles
from rankme.importing.sources import Sources
from rankme.importing.spooling.spool import NO_FILE, Attached, NewItem, Spool, key_of_text
from rankme.importing.tabular.columns import (
    DOCUMENT_PLACE,
    INPUT_ALT,
    INPUT_FILE,
    ITEM_TEXTS,
    NAMING,
    OUTPUT_ALT,
    OUTPUT_FILE,
    column_name,
)
from rankme.importing.tabular.records import Record, columns_missing, records, shape_of
from rankme.importing.tabular.upload_tables import (
    OUTPUT_COLUMNS,
    Table,
    factors_of,
    left_out,
    table_of,
)

from .reader import Reader


def is_long(files: list[SourceFile]) -> bool:
    return any(shape_of(file, OUTPUT_COLUMNS) for file in files)


def holds_outputs(sources: Sources) -> bool:
    """Tell whether a file looks like a table of outputs, with columns of any name."""
    return any(table.layout != "items" for table in described_tables(sources))


def described_tables(sources: Sources) -> list[Table]:
    """The files that can be read as tables as they are described or proposed."""
    tables = (table_of(sources, file) for file in sources.files)
    return [table for table in tables if table is not None and table.is_described]


def read_tables(sources: Sources, spool: Spool) -> None:
    """Items first, so that an output for an unknown item is noticed."""
    tables = described_tables(sources)
    for table in tables:
        _note_reading(table, spool)
    described = {table.file.number for table in tables}
    for file in sources.files:
        if file.number not in described:
            message = columns_missing(file, OUTPUT_COLUMNS)
            sources.problem((file, 1), "", message)
    items = [table for table in tables if table.layout == "items"]
    outputs = [table for table in tables if table.layout != "items"]
    media = MediaFiles(sources, spool)
    for table in items:
        read_item_table(sources, spool, table, media)
    inputs = {"input", INPUT_FILE}
    if not items and not any(inputs & set(table.columns.roles) for table in outputs):
        spool.notes.append("There is no file of items, so raters see outputs without an input.")
    for table in outputs:
        _read_outputs(sources, spool, _Cells(table, media), are_items_known=bool(items))
    media.finish()


def _note_reading(table: Table, spool: Spool) -> None:
    """Say what is left out, and where names of systems and items come from."""
    label, columns = table.file.label, table.columns
    if named := left_out(table):
        spool.notes.append(f"{label}: these columns are left out: {', '.join(named)}.")
    if columns.layout == "long" and "system" not in columns.roles:
        spool.notes.append(f"{label}: no column names the system, so the file's name does.")
    _note_dialogues(table, spool)
    if not set(NAMING) & set(columns.roles):
        spool.notes.append(f"{label}: no column names the items, so they are numbered.")


def _note_dialogues(table: Table, spool: Spool) -> None:
    """Say what a campaign needs that raters see lists of turns as dialogues."""
    columns = table.columns
    texts = [(role, columns.roles[role]) for role in ("input", "output") if role in columns.roles]
    texts += [("output", name) for name in columns.headings]
    for role, name in texts:
        if not spool.has_check(role) and table.sample.is_dialogues(name):
            block = "outputs" if role == "output" else role
            spool.notes.append(
                f'{table.file.label}: "{name}" has dialogues (lists of turns). Raters see them as '
                f"dialogues if the definition says: block: {block}, format: dialogue."
            )
            return


def read_item_table(sources: Sources, spool: Spool, table: Table, media: MediaFiles) -> None:
    factors = factors_of(sources, table)
    if len(factors) > sources.limits.factors:
        message = f"There are more than {sources.limits.factors} columns with factors."
        sources.problem((table.file, 1), "", message)
        return
    cells = _Cells(table, media)
    for line, record in records(sources, table.file, table.shape):
        place = (table.file, line)
        if sources.has_all(cells.naming, record, place):
            key, texts = cells.key(record), cells.texts(record)
            values = {name: record[name] for name in factors if name in record}
            attached = cells.attached(record, place, INPUT_FILE, INPUT_ALT)
            item = spool.add_item(NewItem(key, **texts, factors=values, attached=attached), place)
            if item is not None:
                cells.put_in_document(spool, item, record, place)


def _read_outputs(sources: Sources, spool: Spool, cells: _Cells, *, are_items_known: bool) -> None:
    table = cells.table
    spool.expect_factors(factors_of(sources, table))
    reading = _wide_rows if table.layout == "wide" else _long_rows
    for place, key, record, outputs in reading(sources, spool, cells):
        item = _item_of(spool, cells, key, record, place, are_items_known=are_items_known)
        if item is None:
            continue
        attached = cells.attached(record, place, OUTPUT_FILE, OUTPUT_ALT)
        for system, text in outputs:
            spool.add_output(system, item, text, place, attached=attached)


Row = tuple[Place, str, Record, list[tuple[int, str]]]


def _long_rows(sources: Sources, spool: Spool, cells: _Cells) -> Iterator[Row]:
    table = cells.table
    roles = (*OUTPUT_COLUMNS, OUTPUT_FILE, *DOCUMENT_PLACE)
    needed = [cells.column(role) for role in roles if role in table.columns.roles]
    output, system_column = cells.column("output"), cells.column("system")
    for line, record in records(sources, table.file, table.shape):
        place = (table.file, line)
        if not sources.has_all(needed, record, place):
            continue
        name = record[system_column] if system_column else table.file.stem
        system = spool.system_number(name, place)
        if system is not None:
            text = record[output] if output else ""
            yield place, cells.key(record, system), record, [(system, text)]
        else:
            cells.key(record, None)


def _wide_rows(sources: Sources, spool: Spool, cells: _Cells) -> Iterator[Row]:
    """An empty cell is an output that is missing."""
    table = cells.table
    names = {column_name(column): name for column, name in table.columns.systems.items()}
    systems = {
        column: spool.system_number(names[column], (table.file, 1))
        for column in table.shape.columns
        if column in names
    }
    for line, record in records(sources, table.file, table.shape):
        place = (table.file, line)
        if sources.has_all(cells.naming, record, place):
            outputs = [
                (system, record[column])
                for column, system in systems.items()
                if system is not None and record.get(column, "").strip()
            ]
            yield place, cells.key(record), record, outputs


def _item_of(
    spool: Spool, cells: _Cells, key: str, record: Record, place: Place, *, are_items_known: bool
) -> int | None:
    if are_items_known:
        item = spool.item_number(key)
        if item is None:
            message = f'The item "{key[:60]}" is not in the file of items.'
            spool.problem(place, "item", f"{message} Add it there, or correct its name here.")
        elif not cells.is_named_by_place:
            cells.put_in_document(spool, item, record, place)
        return item
    texts = cells.texts(record)
    attached = cells.attached(record, place, INPUT_FILE, INPUT_ALT)
    item = spool.item_or_new(NewItem(key, **texts, attached=attached), place)
    if item is not None:
        if texts or attached != NO_FILE:
            file = "" if attached.media is None else str(attached.media)
            spool.check_texts(item, {**texts, "file": f"{file} {attached.alt}"}, place)
        spool.note_factors(item, record)
        cells.put_in_document(spool, item, record, place)
    return item


class _Cells:
    """The cells of one table by their roles."""

    def __init__(self, table: Table, media: MediaFiles) -> None:
        self.table = table
        self._media = media
        self._column = {role: column_name(name) for role, name in table.columns.roles.items()}
        self._texts = [(role, self._column[role]) for role in ITEM_TEXTS if role in self._column]
        columns = (self._column.get(role) for role in ("item", "input", INPUT_FILE))
        self._item = next(filter(None, columns), None)
        self._is_text = self._item == self._column.get("input")
        self._numbers: dict[int | None, int] = {}
        roles = table.columns.roles
        self._place = [self._column[role] for role in DOCUMENT_PLACE if role in roles]
        self.is_named_by_place = bool(self._place) and "item" not in roles
        named = [] if self.is_named_by_place or self._item is None else [self._item]
        # The columns without which a row has no item.
        self.naming = [*named, *self._place]

    def put_in_document(self, spool: Spool, item: int, record: Record, place: Place) -> None:
        """Note the document of the row's item, if the table has documents."""
        if self._place:
            document, segment = (record.get(name, "") for name in self._place)
            spool.put_in_document(item, document, segment, place)

    def attached(self, record: Record, place: Place, file_role: str, alt_role: str) -> Attached:
        """The file that a row names, and its description."""
        column = self._column.get(file_role, "")
        if not column:
            return NO_FILE
        alt = record.get(self._column.get(alt_role, ""), "")
        return self._media.attached(record.get(column, ""), alt, place, column) or NO_FILE

    def column(self, role: str) -> str:
        return self._column.get(role, "")

    def key(self, record: Record, system: int | None = None) -> str:
        """The item's name: its own, its place in a document, its text, or else the row's number."""
        if self.is_named_by_place:
            return "/".join(record.get(name, "").strip() for name in self._place)
        if self._item is None:
            number = self._numbers[system] = self._numbers.get(system, 0) + 1
            return str(number)
        text = record.get(self._item, "")
        return key_of_text(text) if self._is_text else text

    def texts(self, record: Record) -> dict[str, Any]:
        return {role: record.get(name, "") for role, name in self._texts}


READER = Reader(
    title=_("Table: a row per output, or a column per system"),
    help=_(
        "CSV, TSV, Excel, OpenDocument, JSON, JSON lines or Parquet, with columns of any name: you "
        "can correct what each one is. Inputs can be in the same file or in a file of items."
    ),
    recognises=is_long,
    read=read_tables,
    takes_media=True,
    could_read=holds_outputs,
)
