"""Items alone, for campaigns in which raters write about them and no system's output is judged."""

from __future__ import annotations

from rankme.importing.long import OUTPUT_COLUMNS, read_item_file
from rankme.importing.reader import Reader
from rankme.importing.records import columns_missing, shape_of
from rankme.importing.sources import SourceFile, Sources
from rankme.importing.spool import Spool

COLUMNS = ("item", "input")


def is_items(files: list[SourceFile]) -> bool:
    return any(shape_of(file, COLUMNS) for file in files)


def read_items_alone(sources: Sources, spool: Spool) -> None:
    for file in sources.files:
        shape = shape_of(file, COLUMNS)
        if shape_of(file, OUTPUT_COLUMNS):
            message = "This file has outputs: choose the format with one row per output."
            sources.problems.add(file.label, 1, "", message)
        elif shape is None:
            sources.problems.add(file.label, 1, "", columns_missing(file, COLUMNS))
        else:
            read_item_file(sources, spool, file, shape)


READER = Reader(
    title="Items without outputs",
    help=(
        "For campaigns in which raters write: CSV, TSV or JSON lines with the columns item and "
        "input, and reference, context or any factors."
    ),
    recognises=is_items,
    read=read_items_alone,
    needs_outputs=False,
)
