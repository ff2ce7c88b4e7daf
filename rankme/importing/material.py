"""Reading a whole upload: either all of it is valid, or every problem is listed with its place."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from rankme.importing import e2e, items, marks, plain, rotowire, tables, tuna
from rankme.importing.files import SourceFile
from rankme.importing.limits import LIMITS, Limits
from rankme.importing.media_files import refuse_media
from rankme.importing.preview import Preview, make_preview
from rankme.importing.problems import FileProblem, ImportRefused, Problems, StopFile
from rankme.importing.reader import Reader
from rankme.importing.reading import AS_PROPOSED, Reading
from rankme.importing.records import columns_missing
from rankme.importing.sources import Paths, Progress, Sources, open_sources
from rankme.importing.spool import Spool, TextCheck
from rankme.importing.spooled import Spooled
from rankme.importing.tables import OUTPUT_COLUMNS, preview_tables

# In this order the formats are tried on an upload whose format is not given.
READERS: dict[str, Reader] = {
    "tuna": tuna.READER,
    "rotowire": rotowire.READER,
    "e2e": e2e.READER,
    "spans": marks.MATERIAL_READER,
    "long": tables.READER,
    "plain": plain.READER,
    "items": items.READER,
}


# Those whose columns an organiser can correct.
TABLE_FORMATS = [name for name, reader in READERS.items() if reader.could_read]


class Material(Spooled):
    """Checked material on its way in, with its preview."""

    def __init__(self, spool: Path, preview: Preview) -> None:
        super().__init__(spool)
        self.preview = preview


def detect(files: list[SourceFile]) -> str | None:
    """The first format that knows one of the files."""
    return next((name for name, reader in READERS.items() if reader.recognises(files)), None)


def read_material(
    paths: Paths,
    format: str | None = None,
    *,
    limits: Limits = LIMITS,
    progress: Progress | None = None,
    reading: Reading = AS_PROPOSED,
    checks: Mapping[str, TextCheck] | None = None,
) -> Material:
    """Read and check an upload. It is returned only if all of it is valid.

    Parameters
    ----------
    paths : a file, folder or archive, or several; or a mapping from the organiser's names to
    paths. Names matter: a file per system gives the system its name format : a key of `READERS`;
    without it the content decides reading : what the columns of tables are, and how they are
    encoded, where the organiser says so checks : what the campaign asks of the texts in a column
    (`input`, `output`) progress : told, about every megabyte, the bytes read and the bytes in all

    Raises
    ------
    ImportRefused
        with every problem, its file, line and column
    """
    folder = Path(tempfile.mkdtemp(prefix="rankme-import-"))
    try:
        preview = _spool(
            paths,
            format,
            folder / "spool.sqlite",
            limits=limits,
            progress=progress,
            reading=reading,
            checks=checks,
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Material(folder / "spool.sqlite", preview)


def _spool(
    paths: Paths,
    format: str | None,
    path: Path,
    *,
    limits: Limits,
    progress: Progress | None,
    reading: Reading,
    checks: Mapping[str, TextCheck] | None,
) -> Preview:
    problems = Problems(limits.listed_problems)
    with open_sources(paths, limits, problems, progress, reading) as sources:
        sources.set_media_aside()
        if not sources.files:
            message = "The upload has no table whose rows name these files."
            problems.add("", None, "", message)
            problems.refuse_if_any()
        spool = Spool(path, limits, problems, checks)
        try:
            name = _known_format(format, sources)
            if not READERS[name].takes_media:
                refuse_media(sources)
            with suppress(StopFile):
                READERS[name].read(sources, spool)
            spool.finish(sources.files)
            spool.notes += sources.notes
            if READERS[name].needs_outputs:
                _require_outputs(spool, problems)
            problems.refuse_if_any()
            previews = preview_tables(sources) if READERS[name].could_read else ()
            preview = replace(make_preview(name, spool), tables=previews)
            spool.commit()
        except ImportRefused as refused:
            refused.n_systems, refused.n_items = len(spool.system_names), spool.n_items
            if format in (None, "", *TABLE_FORMATS):
                refused.tables = preview_tables(sources)
            raise
        finally:
            spool.database.close()
        if progress:
            progress(sources.total_bytes, sources.total_bytes)
    return preview


def _known_format(format: str | None, sources: Sources) -> str:
    """The format as given, or as found in the content."""
    if format and format not in READERS:
        message = f'There is no format "{format}": choose {", ".join(READERS)}.'
        raise ImportRefused([FileProblem("", None, "", message)], 1)
    found = format or detect(sources.files) or _guessed_format(sources)
    if found is None:
        for file in sources.files:
            message = f"The format is not recognised. {columns_missing(file, OUTPUT_COLUMNS)}"
            sources.problems.add(file.label, 1, "", message)
        sources.problems.refuse_if_any()
    assert found is not None
    return found


def _guessed_format(sources: Sources) -> str | None:
    """A format that could read the upload with a guess at its columns."""
    guessing = ((name, reader.could_read) for name, reader in READERS.items())
    return next((name for name, could_read in guessing if could_read and could_read(sources)), None)


def _require_outputs(spool: Spool, problems: Problems) -> None:
    (n_outputs,) = spool.database.execute("SELECT count(*) FROM output").fetchone()
    if not n_outputs and not problems.count:
        problems.add("", None, "", "The upload has no outputs. Add a table or files with them.")
