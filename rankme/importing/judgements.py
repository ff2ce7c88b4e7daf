"""Reading a whole file of judgements: all of it is valid, or every problem has its place."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from rankme.importing import e2e_ratings, judgement_tables, marks
from rankme.importing.files import SourceFile
from rankme.importing.judgement_preview import CriterionPreview, JudgementPreview
from rankme.importing.judgement_reader import JudgementReader
from rankme.importing.judgement_spool import JudgementSpool
from rankme.importing.judgement_tables import preview_judgements, why_not
from rankme.importing.limits import LIMITS, Limits
from rankme.importing.preview import FilePreview
from rankme.importing.problems import FileProblem, ImportRefused, Problems, StopFile
from rankme.importing.reading import AS_PROPOSED, Reading
from rankme.importing.rows import JudgementRow
from rankme.importing.sources import Paths, Progress, Sources, open_sources
from rankme.importing.spooled import Spooled, read_judgements

# In this order the formats are tried on a file whose format is not given.
JUDGEMENT_READERS: dict[str, JudgementReader] = {
    "e2e": e2e_ratings.READER,
    "long": judgement_tables.READER,
    "spans": marks.READER,
}

# Those whose columns an organiser can correct.
JUDGEMENT_TABLE_FORMATS = [name for name, each in JUDGEMENT_READERS.items() if each.could_read]


class JudgementMaterial(Spooled):
    """Checked judgements on their way in, with the items and outputs that they are about.

    There is an output for each system and item that was judged; it has no text where the file has
    none.
    """

    def __init__(self, spool: Path, preview: JudgementPreview) -> None:
        super().__init__(spool)
        self.preview = preview

    def judgements(self) -> Iterator[JudgementRow]:
        """Screen by screen."""
        return read_judgements(self._database)


def read_judgement_material(
    paths: Paths,
    format: str | None = None,
    *,
    limits: Limits = LIMITS,
    progress: Progress | None = None,
    reading: Reading = AS_PROPOSED,
) -> JudgementMaterial:
    """Read and check judgements; takes and raises the same as `read_material`."""
    folder = Path(tempfile.mkdtemp(prefix="rankme-import-"))
    problems = Problems(limits.listed_problems)
    try:
        with open_sources(paths, limits, problems, progress, reading) as sources:
            preview = _spool(sources, format, folder / "spool.sqlite")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return JudgementMaterial(folder / "spool.sqlite", preview)


def _spool(sources: Sources, format: str | None, path: Path) -> JudgementPreview:
    problems = sources.problems
    file = sources.files[0]
    spool = JudgementSpool(path, sources.limits, problems)
    try:
        name = _known_format(format, sources, file)
        reader = JUDGEMENT_READERS[name]
        if not reader.takes_several:
            _refuse_several(sources)
        for each in sources.files:
            with suppress(StopFile):
                reader.read(sources, spool, each)
        spool.finish_judgements(sources.files)
        spool.notes += sources.notes
        preview = _preview(name, spool)
        if not preview.n_judgements and not problems.count:
            problems.add(file.label, None, "", "The file has no judgements: no row has a value.")
        problems.refuse_if_any()
        if name in JUDGEMENT_TABLE_FORMATS:
            preview = replace(preview, tables=preview_judgements(sources, file))
        spool.commit()
    except ImportRefused as refused:
        refused.n_systems, refused.n_items = len(spool.system_names), spool.n_items
        if format in (None, "", *JUDGEMENT_TABLE_FORMATS):
            refused.tables = preview_judgements(sources, file)
        raise
    finally:
        spool.database.close()
    if sources.progress:
        sources.progress(sources.total_bytes, sources.total_bytes)
    return preview


def _refuse_several(sources: Sources) -> None:
    if len(sources.files) > 1:
        message = "There are several files. Upload judgements as one file."
        sources.problems.add(sources.files[1].label, None, "", message)
        sources.problems.refuse_if_any()


def _known_format(format: str | None, sources: Sources, file: SourceFile) -> str:
    if format and format not in JUDGEMENT_READERS:
        message = f'There is no format "{format}": choose {", ".join(JUDGEMENT_READERS)}.'
        raise ImportRefused([FileProblem("", None, "", message)], 1)
    for name, reader in JUDGEMENT_READERS.items():
        if format == name or (not format and reader.recognises(file)):
            return name
    for name, reader in JUDGEMENT_READERS.items():
        if reader.could_read and reader.could_read(sources, file):
            return name
    raise ImportRefused([FileProblem(file.label, 1, "", why_not(sources, file))], 1)


def _preview(format: str, spool: JudgementSpool) -> JudgementPreview:
    database = spool.database
    (n_judgements,) = database.execute("SELECT count(*) FROM judgement").fetchone()
    (n_screens,) = database.execute("SELECT count(*) FROM screen").fetchone()
    rows = database.execute(
        """SELECT criterion, count(*), min(value), max(value), max(value <> round(value)) = 0
        FROM judgement GROUP BY criterion ORDER BY criterion"""
    )
    names = list(spool.criteria)
    return JudgementPreview(
        format=format,
        n_judgements=n_judgements,
        n_screens=n_screens,
        n_raters=len(spool.raters),
        n_items=spool.n_items,
        systems=tuple(spool.system_names),
        criteria=tuple(
            CriterionPreview(
                names[number],
                count,
                lowest,
                highest,
                bool(whole),
                spool.labels.get(number, {}),
                number in spool.marked,
                tuple(spool.marked.get(number, ())),
            )
            for number, count, lowest, highest, whole in rows
        ),
        files=tuple(
            FilePreview(*row)
            for row in database.execute("SELECT label, rows, bytes, sha256 FROM file ORDER BY id")
        ),
        notes=tuple(spool.notes),
    )
