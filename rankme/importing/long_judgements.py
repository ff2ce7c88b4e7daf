"""The site's own export: one judgement per line."""

from __future__ import annotations

from analysis.table_files import unguarded
from analysis.translatable import gettext_noop as _
from rankme.importing.files import SourceFile
from rankme.importing.judgement_reader import JudgementReader
from rankme.importing.judgement_spool import NAMES, Given, JudgementSpool
from rankme.importing.records import Record, Shape, columns_missing, records, shape_of, without
from rankme.importing.sources import Sources
from rankme.importing.spool import Place

COLUMNS = (*NAMES, "value")
FLAGS = ("late", "excluded")
OWN_COLUMNS = (*COLUMNS, "time_ms", "input", "output", *FLAGS)
TRUE_WORDS = {"1", "true", "yes"}
FALSE_WORDS = {"", "0", "false", "no"}


def is_long_judgements(file: SourceFile) -> Shape | None:
    return shape_of(file, COLUMNS)


def read_long_judgements(sources: Sources, spool: JudgementSpool, file: SourceFile) -> None:
    """The site's own export: one value per line; unknown columns are factors."""
    shape = shape_of(file, COLUMNS)
    if shape is None:
        sources.problems.add(file.label, 1, "", columns_missing(file, COLUMNS))
        return
    spool.expect_factors([name for name in shape.columns if name not in OWN_COLUMNS])
    for line, written in records(sources, file, shape):
        missing = [name for name in COLUMNS if name not in written]
        for name in missing:
            sources.problems.add(file.label, line, name, f'The line has no "{name}".')
        if missing:
            continue
        record = {name: unguarded(cell) for name, cell in written.items()}
        given = Given(
            rater=record["rater"],
            item=record["item"],
            system=record["system"],
            criterion=record["criterion"],
            screen=record["screen"],
            value=record["value"],
            input=record.get("input", ""),
            output=record.get("output", ""),
            time_ms=record.get("time_ms", ""),
            late=_flag(record, "late", spool, (file, line)),
            excluded=_flag(record, "excluded", spool, (file, line)),
        )
        spool.add_judgement(given, without(record, OWN_COLUMNS), (file, line))


def _flag(record: Record, column: str, spool: JudgementSpool, place: Place) -> bool:
    word = record.get(column, "").strip().lower()
    if word not in TRUE_WORDS | FALSE_WORDS:
        spool.problem(place, column, f'"{word[:40]}" must be 1 or 0.')
    return word in TRUE_WORDS


READER = JudgementReader(
    title=_("One judgement per line"),
    help=_(
        "A judgement export of this site, or any table with the columns rater, item, system, "
        "criterion, value and screen; time_ms, input and output if you have them. Other columns "
        "are factors."
    ),
    recognises=is_long_judgements,
    read=read_long_judgements,
)
