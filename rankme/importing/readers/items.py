"""Items alone, for campaigns in which raters write about them and no system's output is judged."""

from __future__ import annotations

from analysis.translatable import gettext_noop as _
from rankme.importing.files import SourceFile
from rankme.importing.media.media_files import MediaFiles
from rankme.importing.sources import Sources
from rankme.importing.spooling.spool import Spool
from rankme.importing.tabular.records import columns_missing, shape_of
from rankme.importing.tabular.upload_tables import OUTPUT_COLUMNS, table_of

from .output_tables import described_tables, read_item_table
from .reader import Reader

COLUMNS = ("item", "input")


def is_items(files: list[SourceFile]) -> bool:
    return any(shape_of(file, COLUMNS) for file in files)


def holds_items(sources: Sources) -> bool:
    """Tell whether all files look like tables of items, with columns of any name."""
    tables = described_tables(sources)
    return bool(tables) and all(table.layout == "items" for table in tables)


def read_items_alone(sources: Sources, spool: Spool) -> None:
    media = MediaFiles(sources, spool)
    for file in sources.files:
        table = table_of(sources, file)
        if shape_of(file, OUTPUT_COLUMNS):
            message = "This file has outputs: choose the format with one row per output."
            sources.problem((file, 1), "", message)
        elif table is None or not table.is_described or table.layout != "items":
            sources.problem((file, 1), "", columns_missing(file, COLUMNS))
        else:
            read_item_table(sources, spool, table, media)
    media.finish()


READER = Reader(
    title=_("Items without outputs"),
    help=_(
        "For campaigns in which raters write: a table with the columns item and input, and "
        "reference, context or any factors."
    ),
    recognises=is_items,
    read=read_items_alone,
    takes_media=True,
    needs_outputs=False,
    could_read=holds_items,
)
