"""Reading an upload in a worker: every problem with its place, warnings, automatic scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from analysis.text_metrics import scoring
from analysis.text_metrics.text_files import Material as Texts
from rankme.actions import jobs
from rankme.actions.rows.stored_files import local_copies
from rankme.importing import LIMITS, FileProblem, ImportRefused, Material, read_material
from rankme.importing.sources import Progress
from rankme.models import SystemUpload, UploadCheck
from rankme.scratch import new_folder

from .warnings import Source, warning, warnings_of

MOST_LISTED = 200
LINES_ARE_OUTPUTS = (".txt", ".out", ".hyp")
OUTPUTS, SOURCE = "outputs.txt", "source.txt"
METRIC = "chrf"
TEAM_LIMITS = replace(
    LIMITS, file_bytes=256 * 1024**2, total_bytes=512 * 1024**2, reader_seconds=600, files=10
)


def execute(check_id: int, worker: str) -> bool:
    """Do a queued check; False when another worker has it."""
    return jobs.perform(UploadCheck, check_id, _work, worker=worker)


def _work(row: UploadCheck) -> None:
    upload = SystemUpload.objects.select_related("track__campaign").get(pk=row.upload_id)
    items = upload.track.campaign.items.order_by("position")
    sources = [Source(*texts) for texts in items.values_list("key", "input", "reference")]
    try:
        outputs = read_outputs(row, upload, sources)
    except ImportRefused as refused:
        problems = [asdict(problem) for problem in refused.problems[:MOST_LISTED]]
        if (more := refused.count - len(problems)) > 0:
            message = f"There are {more} more problems. Fix these, and upload the file again."
            problems.append(asdict(FileProblem(message, upload.file_name)))
        jobs.finish(row, is_valid=False, problems=problems)
        return
    jobs.heartbeat(row, progress=0.7, step="Comparing and scoring the outputs")
    found = warnings_of(sources, outputs)
    twins = SystemUpload.objects.filter(
        team=upload.team_id, sha256=upload.sha256, number__lt=upload.number, track=upload.track_id
    )
    if numbers := list(twins.order_by("number").values_list("number", flat=True)):
        found.append(warning("again", [str(number) for number in numbers]))
    jobs.finish(row, is_valid=True, problems=[], warnings=found, scores=scores_of(sources, outputs))


def read_outputs(
    row: UploadCheck | None, upload: SystemUpload, sources: Sequence[Source]
) -> dict[str, str]:
    """Read one text for every source, by the source's key.

    Raises
    ------
    ImportRefused : with every problem of the file, with line and column
    """
    ending = upload.file_name.lower().removesuffix(".gz")
    is_lines = ending.endswith(LINES_ARE_OUTPUTS)

    def progress(done: int, total: int) -> None:
        if row is not None:
            jobs.heartbeat(row, progress=0.7 * done / max(total, 1), step="Reading the file")

    with local_copies({upload.file_name: upload.stored}) as copies:
        (path,) = copies.values()
        if is_lines:
            return _read_lines(path, sources, upload.file_name, progress)
        named = {upload.file_name: path}
        with read_material(named, limits=TEAM_LIMITS, progress=progress) as material:
            return _complete(material, [each.key for each in sources], upload.file_name)


def _read_lines(
    path: Path, sources: Sequence[Source], name: str, progress: Progress
) -> dict[str, str]:
    """Line n is the output for source n; the reader is told how many sources there are."""
    source = new_folder() / SOURCE
    try:
        source.write_text("-\n" * len(sources))
        named = {SOURCE: source, OUTPUTS: path}
        with read_material(named, "plain", limits=TEAM_LIMITS, progress=progress) as material:
            texts = [each.text for each in material.outputs()]
    except ImportRefused as refused:
        raise _renamed(refused, name) from refused
    finally:
        source.unlink(missing_ok=True)
        source.parent.rmdir()
    return dict(zip((each.key for each in sources), texts, strict=True))


def _renamed(refused: ImportRefused, name: str) -> ImportRefused:
    """Problems of a file of lines, under the name that the team gave it."""
    problems = [
        replace(each, file=name if each.file.startswith(OUTPUTS) else each.file)
        for each in refused.problems
    ]
    return ImportRefused(problems, refused.count)


def _complete(material: Material, keys: Sequence[str], name: str) -> dict[str, str]:
    """The texts of a table, which has exactly one for each source."""
    rows = list(material.outputs())
    systems = {row.system for row in rows}
    problems: list[FileProblem] = []
    if len(systems) > 1:
        message = f"The file has outputs of {len(systems)} systems. Upload one file for each."
        problems.append(FileProblem(message, name))
    lines, known = dict(material.output_lines()), set(keys)
    unknown = [row.item_key for row in rows if row.item_key not in known]
    problems += [
        FileProblem(f'There is no source "{key}".', name, lines.get(key), "item")
        for key in unknown[:MOST_LISTED]
    ]
    texts = {row.item_key: row.text for row in rows}
    missing = [key for key in keys if key not in texts]
    problems += [
        FileProblem(f'There is no output for the source "{key}".', name)
        for key in missing[:MOST_LISTED]
    ]
    if problems:
        raise ImportRefused(problems, (len(systems) > 1) + len(unknown) + len(missing))
    return texts


def scores_of(sources: Iterable[Source], outputs: dict[str, str]) -> dict[str, float]:
    """Score the outputs where every source has a reference; otherwise there is no score."""
    references = {each.key: tuple(each.reference.splitlines()) for each in sources}
    if not references or not all(references.values()):
        return {}
    texts = Texts(outputs={"system": outputs}, references=references)
    (found,) = scoring.score(texts, [METRIC], segments=False)
    value = found.systems["system"]
    return {} if value is None else {METRIC: value}
