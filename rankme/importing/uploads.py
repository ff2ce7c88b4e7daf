"""Reading a whole upload: either all of it is valid, or every problem is listed with its place."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Generic, TypedDict, TypeVar, Unpack, cast

from analysis.plugins import with_plugins
from analysis.text_metrics.score_files import Known
from rankme.importing.fence import read_in_child
from rankme.importing.files import SourceFile
from rankme.importing.limits import LIMITS, Limits
from rankme.importing.media.media_files import refuse_media
from rankme.importing.problems import ImportRefused, Problems, StopFile, refusal
from rankme.importing.readers.reader import Reader
from rankme.importing.readers.score_tables import Scores, read_score_tables
from rankme.importing.sources import Paths, Progress, Sources, labelled, open_sources
from rankme.importing.spooling.judgement_spool import JudgementSpool
from rankme.importing.spooling.preview import (
    JudgementPreview,
    Preview,
    make_preview,
    preview_judgements,
)
from rankme.importing.spooling.spool import Spool, TextCheck
from rankme.importing.spooling.spooled import Spooled
from rankme.importing.tabular.columns import About
from rankme.importing.tabular.reading import ALL_SHEETS, AS_PROPOSED, Reading
from rankme.importing.tabular.records import columns_missing
from rankme.importing.tabular.upload_tables import OUTPUT_COLUMNS, preview_tables, why_not
from rankme.scratch import new_folder

from .readers import (
    e2e,
    e2e_ratings,
    items,
    judgement_tables,
    marks,
    output_tables,
    plain,
    rotowire,
    tuna,
)


def is_reader(found: object) -> bool:
    return isinstance(found, Reader)


# In this order the formats are tried on an upload whose format is not given.
OWN_READERS: dict[str, Reader[Spool]] = {
    "tuna": tuna.READER,
    "rotowire": rotowire.READER,
    "e2e": e2e.READER,
    "spans": marks.MATERIAL_READER,
    "long": output_tables.READER,
    "plain": plain.READER,
    "items": items.READER,
}
OWN_JUDGEMENT_READERS: dict[str, Reader[JudgementSpool]] = {
    "e2e": e2e_ratings.READER,
    "long": judgement_tables.READER,
    "spans": marks.READER,
}
READERS = with_plugins("rankme.readers", OWN_READERS, is_reader, "a Reader")
JUDGEMENT_READERS = with_plugins(
    "rankme.judgement_readers", OWN_JUDGEMENT_READERS, is_reader, "a Reader"
)
SPOOL = "spool.sqlite"
FEW_FILES = 3
AnyPreview = TypeVar("AnyPreview")
Found = Preview | JudgementPreview | Scores


class Options(TypedDict, total=False):
    """The options of `read_upload` for uploads of any kind."""

    limits: Limits
    progress: Progress | None
    reading: Reading
    checks: Mapping[str, TextCheck] | None


class CheckedUpload(Spooled, Generic[AnyPreview]):
    """Checked rows on their way in, with their preview.

    Judgements come with the items and outputs that they are about: an output for each system and
    item that was judged, without a text where the file has none.
    """

    def __init__(self, spool: Path, preview: AnyPreview) -> None:
        super().__init__(spool)
        self.preview = preview


Material = CheckedUpload[Preview]
JudgementMaterial = CheckedUpload[JudgementPreview]


def is_correctable(about: str, format: str) -> bool:
    """Tell whether an organiser can correct the columns of this format; "" is any format."""
    if about == "scores" or not format:
        return True
    readers: Mapping[str, Reader[Any]] = READERS if about == "outputs" else JUDGEMENT_READERS
    return format in readers and readers[format].could_read is not None


def detect(files: list[SourceFile], readers: Mapping[str, Reader[Any]] = READERS) -> str | None:
    """The first format that knows one of the files."""
    return next((name for name, reader in readers.items() if reader.recognises(files)), None)


def read_material(paths: Paths, format: str | None = None, **options: Unpack[Options]) -> Material:
    """Read and check an upload of outputs. It is returned only if all of it is valid.

    Parameters
    ----------
    paths : a file, folder or archive, or several; or a mapping from the organiser's names to
        paths. Names matter: a file per system gives the system its name
    format : a key of `READERS`; without it the content decides
    options : those of `read_upload`

    Raises
    ------
    ImportRefused : with every problem and its place
    """
    with _new_folder() as folder:
        found = read_upload(paths, "outputs", folder, format=format, **options)
        return Material(folder / SPOOL, cast(Preview, found))


def read_judgement_material(
    paths: Paths, format: str | None = None, **options: Unpack[Options]
) -> JudgementMaterial:
    """Read and check judgements; takes and raises the same as `read_material`."""
    with _new_folder() as folder:
        found = read_upload(paths, "judgements", folder, format=format, **options)
        return JudgementMaterial(folder / SPOOL, cast(JudgementPreview, found))


def read_scores(
    paths: Paths,
    *,
    known: Known | None = None,
    lower_is_better: Sequence[str] | None = None,
    **options: Unpack[Options],
) -> Scores:
    """Read and check scores or verdicts; raises the same as `read_material`.

    Parameters
    ----------
    known : a score of another system or item is a problem; None: any may come
    lower_is_better : metrics whose sign is to be changed; None: those that are known for it
    """
    with _new_folder() as folder:
        found = read_upload(
            paths, "scores", folder, known=known, lower_is_better=lower_is_better, **options
        )
        shutil.rmtree(folder)
        return cast(Scores, found)


@contextmanager
def _new_folder() -> Iterator[Path]:
    """A folder that is removed again if what is read into it is refused."""
    folder = new_folder()
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def read_upload(
    paths: Paths,
    about: About,
    folder: Path,
    *,
    format: str | None = None,
    limits: Limits = LIMITS,
    progress: Progress | None = None,
    reading: Reading = AS_PROPOSED,
    checks: Mapping[str, TextCheck] | None = None,
    known: Known | None = None,
    lower_is_better: Sequence[str] | None = None,
) -> Found:
    """Read an upload of any kind in a child process, through which every strangers' file goes.

    Checked rows are in the spool in `folder`.

    Parameters
    ----------
    reading : the columns of tables, the encoding, the sheet and the header; without it as proposed
    checks : by role, what says what is wrong with a text; "" if nothing is
    """

    def read(told: Progress) -> Found:
        problems = Problems(limits.listed_problems)
        with open_sources(paths, limits, problems, told, reading=reading, about=about) as sources:
            sources.set_media_aside()
            if not sources.files:
                message = "The upload has no table whose rows name these files."
                problems.add(message)
                problems.refuse_if_any()
            try:
                if about == "scores":
                    found: Found = read_score_tables(
                        sources, known=known, lower_is_better=lower_is_better
                    )
                else:
                    found = _spooled(sources, format, folder / SPOOL, checks or {})
            except ImportRefused as refused:
                if is_correctable(about, format or ""):
                    refused.tables = preview_tables(sources)
                raise
            told(sources.total_bytes, sources.total_bytes)
            return found

    first, *others = labelled(paths) or [("", Path())]
    return read_in_child(read, limits, progress, label="" if others else first[0])


def _spooled(
    sources: Sources,
    format: str | None,
    path: Path,
    checks: Mapping[str, TextCheck],
) -> Found:
    is_judged, problems = sources.about == "judgements", sources.problems
    readers: Mapping[str, Reader[Any]] = JUDGEMENT_READERS if is_judged else READERS
    kind = JudgementSpool if is_judged else Spool
    spool = kind(path, sources.limits, problems, checks)
    try:
        name = _known_format(format, sources, readers)
        reader = readers[name]
        if not reader.takes_media:
            refuse_media(sources)
        if not reader.takes_several and sources.reading.sheet != ALL_SHEETS:
            _refuse_several(sources)
        with suppress(StopFile):
            reader.read(sources, spool)
        spool.finish(sources.files)
        spool.notes += sources.notes
        _require_rows(spool, reader, sources)
        problems.refuse_if_any()
        preview: Preview | JudgementPreview = (
            preview_judgements(name, spool)
            if isinstance(spool, JudgementSpool)
            else make_preview(name, spool)
        )
        if reader.could_read:
            preview = replace(preview, tables=preview_tables(sources))
        spool.commit()
        return preview
    except ImportRefused as refused:
        refused.n_systems, refused.n_items = len(spool.system_names), spool.n_items
        raise
    finally:
        spool.database.close()


def _refuse_several(sources: Sources) -> None:
    if len(sources.files) > 1:
        message = "There are several files. Upload judgements as one file."
        sources.problems.add(message, file=sources.files[1].label)
        sources.problems.refuse_if_any()


def _known_format(format: str | None, sources: Sources, readers: Mapping[str, Reader[Any]]) -> str:
    """The format as given, or as found in the content."""
    if format and format not in readers:
        message = f'There is no format "{format}": choose {", ".join(readers)}.'
        raise refusal(message)
    guessing = ((name, reader.could_read) for name, reader in readers.items())
    found = format or detect(sources.files, readers)
    found = found or next((name for name, could in guessing if could and could(sources)), None)
    if found is None:
        _refuse_unknown(sources)
    assert found is not None
    return found


def _refuse_unknown(sources: Sources) -> None:
    """Say of each file what it lacks; of many files of texts in folders, only once."""
    files = sources.files
    if sources.about == "judgements":
        raise refusal(why_not(sources, files[0]), files[0].label, 1)
    folders = {file.folder for file in files}
    tables = preview_tables(sources)
    if len(files) > FEW_FILES and not tables and "" not in folders:
        message = (
            f"The upload has {len(files):,} files in folders ({len(folders)}), and none of them is "
            "a table. Put the outputs into one table with the columns system, item and output, or "
            "make one text file for each system with an output on each line, and a source.txt with "
            "the inputs."
        )
        raise refusal(message)
    for file in files:
        message = f"The format is not recognised. {columns_missing(file, OUTPUT_COLUMNS)}"
        sources.problem((file, 1), "", message)
    sources.problems.refuse_if_any()


def _require_rows(spool: Spool, reader: Reader[Any], sources: Sources) -> None:
    if sources.problems.count:
        return
    is_judged = sources.about == "judgements"
    table = "judgement" if is_judged else "output"
    (n_rows,) = spool.database.execute(f"SELECT count(*) FROM {table}").fetchone()
    if not n_rows and is_judged:
        message = "The file has no judgements: no row has a value."
        sources.problems.add(message, file=sources.files[0].label)
    elif not n_rows and reader.needs_outputs:
        message = "The upload has no outputs. Add a table or files with them."
        sources.problems.add(message)
