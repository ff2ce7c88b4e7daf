"""Items alone, for campaigns in which raters write about them and no system's output is judged."""

from __future__ import annotations

from rankme.importing.long import OUTPUT_COLUMNS, read_item_file
from rankme.importing.records import shape_of
from rankme.importing.sources import SourceFile, Sources
from rankme.importing.spool import Spool

COLUMNS = ("item", "input")


def is_items(files: list[SourceFile]) -> bool:
    return any(shape_of(file, COLUMNS) for file in files)


def read_items_alone(sources: Sources, spool: Spool) -> None:
    for file in sources.files:
        shape = shape_of(file, COLUMNS)
        if shape is None or shape_of(file, OUTPUT_COLUMNS):
            message = "The file has no columns item and input, or it has outputs."
            sources.problems.add(file.label, 1, "", message)
        else:
            read_item_file(sources, spool, file, shape)
