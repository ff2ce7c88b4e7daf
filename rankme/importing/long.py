"""One row per output (`system, item, output`), and a file of items with inputs and factors."""

from __future__ import annotations

from rankme.importing.reader import Reader
from rankme.importing.records import Record, Shape, columns_missing, records, shape_of, without
from rankme.importing.sources import SourceFile, Sources
from rankme.importing.spool import Spool

OUTPUT_COLUMNS = ("system", "item", "output")
ITEM_TEXTS = ("input", "reference", "context", "highlight")
ITEM_COLUMNS = ("item", *ITEM_TEXTS)


def is_long(files: list[SourceFile]) -> bool:
    return any(shape_of(file, OUTPUT_COLUMNS) for file in files)


def read_long(sources: Sources, spool: Spool) -> None:
    """Items first, so that an output for an unknown item is noticed."""
    outputs, items = [], []
    for file in sources.files:
        if shape := shape_of(file, OUTPUT_COLUMNS):
            outputs.append((file, shape))
        elif shape := shape_of(file, ("item",)):
            items.append((file, shape))
        else:
            message = columns_missing(file, OUTPUT_COLUMNS)
            sources.problems.add(file.label, 1, "", message)
    for file, shape in items:
        read_item_file(sources, spool, file, shape)
    if not items:
        spool.notes.append("There is no file of items, so raters see outputs without an input.")
    for file, shape in outputs:
        _read_outputs(sources, spool, file, shape, are_items_known=bool(items))


def read_item_file(sources: Sources, spool: Spool, file: SourceFile, shape: Shape) -> None:
    factors = [column for column in shape.columns if column not in ITEM_COLUMNS]
    if len(factors) > sources.limits.factors:
        message = f"There are more than {sources.limits.factors} columns with factors."
        sources.problems.add(file.label, 1, "", message)
        return
    for line, record in records(sources, file, shape):
        if not _has_columns(record, ("item",), sources, file, line):
            continue
        texts = {name: record.get(name, "") for name in ITEM_TEXTS}
        factors_of_item = without(record, ITEM_COLUMNS)
        spool.add_item(record["item"], (file, line), **texts, factors=factors_of_item)


def _read_outputs(
    sources: Sources, spool: Spool, file: SourceFile, shape: Shape, *, are_items_known: bool
) -> None:
    if unread := [column for column in shape.columns if column not in OUTPUT_COLUMNS]:
        spool.notes.append(f"{file.label}: these columns are ignored: {', '.join(unread)}.")
    for line, record in records(sources, file, shape):
        if not _has_columns(record, OUTPUT_COLUMNS, sources, file, line):
            continue
        place = (file, line)
        system = spool.system_number(record["system"], place)
        key = record["item"]
        if are_items_known:
            item = spool.item_number(key)
            if item is None:
                spool.problem(place, "item", f'The item "{key[:60]}" is not in the file of items.')
        else:
            item = spool.item_or_new(key, place)
        if system is not None and item is not None:
            spool.add_output(system, item, record["output"], place)


def _has_columns(
    record: Record, needed: tuple[str, ...], sources: Sources, file: SourceFile, line: int
) -> bool:
    """Each JSON line names its cells again, and may omit some."""
    missing = [name for name in needed if name not in record]
    for name in missing:
        sources.problems.add(file.label, line, name, f'The line has no "{name}".')
    return not missing


READER = Reader(
    title="One row per output",
    help=(
        "CSV, TSV or JSON lines with the columns system, item, output; plus an optional file of "
        "items with item, input, reference, context, highlight and any factors."
    ),
    recognises=is_long,
    read=read_long,
)
