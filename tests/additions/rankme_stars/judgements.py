"""A format of judgements: `rater, text, system, stars` in a table."""

from __future__ import annotations

from rankme.importing.readers.reader import Asked, Reader
from rankme.importing.sources import SourceFile, Sources
from rankme.importing.spooling.judgement_spool import Given, JudgementSpool
from rankme.importing.spooling.preview import CriterionPreview, JudgementPreview
from rankme.importing.tabular.records import columns_missing, records, shape_of

COLUMNS = ("voter", "text", "system", "stars")


def is_votes(files: list[SourceFile]) -> bool:
    return shape_of(files[0], COLUMNS) is not None


def read_votes(sources: Sources, spool: JudgementSpool) -> None:
    file = sources.files[0]
    shape = shape_of(file, COLUMNS)
    if shape is None:
        sources.problems.add(columns_missing(file, COLUMNS), file=file.label, line=1)
        return
    for line, record in records(sources, file, shape):
        given = Given(
            rater=record["voter"],
            item=record["text"],
            system=record["system"],
            criterion="stars",
            screen=str(line),
            value=record["stars"],
        )
        spool.add_judgement(given, {}, (file, line))


def _asked(criterion: CriterionPreview, preview: JudgementPreview) -> Asked:
    return Asked("stars", {"most": int(criterion.highest)})


READER = Reader(
    title="Votes",
    help="A table with the columns voter, text, system and stars.",
    recognises=is_votes,
    read=read_votes,
    asked=_asked,
)
