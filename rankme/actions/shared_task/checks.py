"""Reading an upload in a worker: every problem with its place, warnings, automatic scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from analysis.text_metrics import scoring
from analysis.text_metrics.text_files import Material as Texts
from rankme.actions import jobs
from rankme.actions.rows.stored_files import local_copies
from rankme.importing import FileProblem, ImportRefused
from rankme.importing.system_outputs import Outputs, read_system_outputs
from rankme.models import SystemUpload, UploadCheck

from .warnings import Source, warning, warnings_of

MOST_LISTED = 200
METRIC = "chrf"


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
    row: UploadCheck, upload: SystemUpload, sources: Sequence[Source]
) -> dict[str, str]:
    """Read one text for every source, by the source's key.

    Raises
    ------
    ImportRefused : with every problem of the file, and its place
    """

    def progress(done: int, total: int) -> None:
        jobs.heartbeat(row, progress=0.7 * done / max(total, 1), step="Reading the file")

    keys = [each.key for each in sources]
    with local_copies({upload.file_name: upload.stored}) as copies:
        file = Outputs(copies[upload.file_name], upload.file_name)
        return dict(zip(keys, read_system_outputs(file, keys, progress), strict=True))


def scores_of(sources: Iterable[Source], outputs: dict[str, str]) -> dict[str, float]:
    """Score the outputs where every source has a reference; otherwise there is no score."""
    references = {each.key: tuple(each.reference.splitlines()) for each in sources}
    if not references or not all(references.values()):
        return {}
    texts = Texts(outputs={"system": outputs}, references=references)
    (found,) = scoring.score(texts, [METRIC], segments=False)
    value = found.systems["system"]
    return {} if value is None else {METRIC: value}
