"""The E2E NLG Challenge's files: one TSV per system, with the meaning representation and a text."""

from __future__ import annotations

from analysis.translatable import gettext_noop as _
from rankme.importing.files import SourceFile
from rankme.importing.sources import Sources
from rankme.importing.spooling.spool import NewItem, Spool
from rankme.importing.tabular.records import Record, Shape, records, shape_of

from .reader import Reader

OUTPUT_COLUMNS = ("mr", "output")
REFERENCE = "ref"


def is_e2e(files: list[SourceFile]) -> bool:
    return any(shape_of(file, OUTPUT_COLUMNS) for file in files)


def read_e2e(sources: Sources, spool: Spool) -> None:
    """The meaning representation is the item's key and input; a file of references may be there."""
    shapes = [(file, shape_of(file, ("mr",))) for file in sources.files]
    for file, shape in shapes:
        if shape is None:
            message = (
                "The file needs the columns MR and output, separated by tabs or commas. Add them "
                "to its first line, or leave the file out."
            )
            sources.problem((file, 1), "", message)
        elif "output" not in shape.columns:
            _read_references(sources, spool, file, shape)
    are_items_known = spool.n_items > 0
    for file, shape in shapes:
        if shape is not None and "output" in shape.columns:
            _read_system(sources, spool, file, shape, are_items_known)


def _read_references(sources: Sources, spool: Spool, file: SourceFile, shape: Shape) -> None:
    """Items in the order of this file; each reference of an item is on its own line."""
    references: dict[str, list[str]] = {}
    lines: dict[str, int] = {}
    for line, record in records(sources, file, shape):
        references.setdefault(record["mr"], []).append(record.get(REFERENCE, ""))
        lines.setdefault(record["mr"], line)
    for meaning, texts in references.items():
        reference = "\n".join(text for text in texts if text)
        spool.add_item(NewItem(meaning, meaning, reference), (file, lines[meaning]))


def _read_system(
    sources: Sources, spool: Spool, file: SourceFile, shape: Shape, are_items_known: bool
) -> None:
    system = spool.system_number(file.stem, (file, 1))
    if system is None:
        return
    # Two of the challenge's files put every cell in single quotes.
    is_quoted: bool | None = None
    for line, record in records(sources, file, shape):
        if is_quoted is None:
            is_quoted = all(_is_quoted(record[column]) for column in OUTPUT_COLUMNS)
        if is_quoted and not _unquote(record, sources, file, line):
            continue
        meaning = record["mr"]
        if are_items_known:
            item = spool.item_number(meaning)
            if item is None:
                message = (
                    "This meaning representation is not in the file of references. Correct it, or "
                    "add it there."
                )
                sources.problem((file, line), "MR", message)
        else:
            item = spool.item_or_new(NewItem(meaning, meaning), (file, line))
        if item is not None:
            spool.add_output(system, item, record["output"], (file, line))


def _is_quoted(cell: str) -> bool:
    return len(cell) >= 2 and cell[0] == cell[-1] == "'"


def _unquote(record: Record, sources: Sources, file: SourceFile, line: int) -> bool:
    for column in OUTPUT_COLUMNS:
        if not _is_quoted(record[column]):
            message = (
                "The cells above are in single quotes, but this one is not. Put this cell as well "
                "in single quotes, or none."
            )
            sources.problem((file, line), column, message)
            return False
        record[column] = record[column][1:-1]
    return True


READER = Reader(
    title=_("E2E: one TSV per system"),
    help=_("Files or a zip, one per system and named after it, with the columns MR and output."),
    recognises=is_e2e,
    read=read_e2e,
)
