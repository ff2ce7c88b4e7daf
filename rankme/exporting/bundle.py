"""A run's bundle: the zip that anybody can recompute, and each of its files on its own.

The worker stores them next to the uploads when the run ends. They depend only on the run, so
missing ones can be made again. A page that shows a plot of some kilobytes reads that file alone.
Modules that compute or draw are imported where they are used, because the web server only serves
the files.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage

from analysis.meta_evaluation.compared import SCORES, VERDICTS, read_compared
from analysis.ranking.clusters import PASSES
from analysis.report.bundle import write_bundle
from analysis.report.checkpoints import Parts
from analysis.report.layout.table_model import file_name
from analysis.report.options import ReportOptions
from analysis.table import JudgementTable
from analysis.table_files import read_table
from rankme.errors import RefusedAction
from rankme.models import AnalysisRun, Campaign, RunScores
from rankme.protocols.checks import Rules
from rankme.protocols.crowd import Crowd
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_to_yaml, stored_definition
from rankme.protocols.texts import PracticeTrial
from rankme.queries.check_answers import has_checks
from rankme.queries.versions import versions_of_table

from .anchor import anchor_file
from .declined import declined_files_of_run
from .files import CSV, ZIP, ExportedFile
from .rater_files import checks_csv
from .seen import files_of_plan
from .settled import settled_file_of_run

if TYPE_CHECKING:
    from analysis.meta_evaluation.compared import Compared
    from analysis.report.model import Report

FOLDER = "reports"
# 1 held the completion code, 2 to 4 lacked some tables and figures, 5 was a zip alone.
FORMAT = 6
CONTENTS = "contents.json"  # next to the files: their names
# The site's options in addition to those of the report: criteria, versions of the campaign, and
# reasons for exclusions.
SITE_OPTIONS = ("criteria", "versions", "exclusion_reason")
# Only settings that are named here are published: a new one is secret until somebody decides.
PUBLIC_CROWD = (
    "panel", "open_link", "lease_minutes", "batches_per_rater", "least_seconds_per_screen",
    "wait_least_seconds", "expected_seconds_per_screen", "pay_per_batch", "currency",
)  # fmt: skip
PUBLIC_PRACTICE = ("input", "reference", "context", "outputs")
WITHOUT_SECRETS = (
    "# Without completion codes, return addresses and accepted answers; while the campaign is\n"
    "# running also without seed, checks, hypotheses and feedback on the practice.\n"
)
MEDIA_TYPES = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "tex": "application/x-tex",
    "json": "application/json",
    "csv": CSV,
    "yaml": "application/yaml; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
}


def report_options(run: AnalysisRun) -> ReportOptions:
    """The options that decide the report's numbers."""
    return ReportOptions.from_dict(
        {name: value for name, value in run.options.items() if name not in SITE_OPTIONS}
    )


def run_table(run: AnalysisRun) -> JudgementTable:
    """The judgements that the run read."""
    if run.table_csv_gz is None:
        raise RefusedAction("This analysis has not read its judgements yet.")
    judgements = io.BytesIO(gzip.decompress(run.table_csv_gz))
    return read_table(judgements, "csv", as_given=run.options.get("method") in PASSES)


def run_compared(run: AnalysisRun) -> Compared | None:
    """The scores and verdicts that the run read; None for a run without metrics."""
    stored = RunScores.objects.filter(run=run).first()
    if stored is None:
        return None
    packed = {SCORES: stored.scores_csv_gz, VERDICTS: stored.verdicts_csv_gz}
    files = {name: gzip.decompress(content) for name, content in packed.items() if content}
    return read_compared(files, lower_is_better=report_options(run).metrics_lower_is_better)


def path_of(run: AnalysisRun) -> str:
    """The bundle's path in the storage.

    The name contains the hash of the data and the bundle's format: an old file is never served.
    """
    return f"{_folder_of(run)}.zip"


def _folder_of(run: AnalysisRun) -> str:
    return f"{FOLDER}/{run.pk}-{run.data_sha256[:16]}-{FORMAT}"


def stored_paths(run: AnalysisRun) -> list[str]:
    """The paths of everything that was stored for a run, in the order in which to delete it."""
    if not has_bundle(run):
        return []
    names = members(run)
    folders = sorted({str(each) for name in names for each in PurePosixPath(name).parents})
    inside = [CONTENTS, *names, *reversed(folders)]
    return [path_of(run), *(str(PurePosixPath(_folder_of(run), name)) for name in inside)]


def store_bundle(
    run: AnalysisRun,
    table: JudgementTable,
    report: Report,
    options: ReportOptions,
    parts: Parts,
    *,
    deviations: list[str],
) -> None:
    """Write the bundle and its files; a second time they replace the first ones.

    `parts` keeps the plots drawn. The zip comes last: where it is, all of its files are.
    """
    # It loads matplotlib, which web processes never need: .4 s of their start, and 40 MB.
    from analysis.report.rendered import rendered_files

    extra = {
        **rendered_files(report, parts, run.declined),
        **_campaign_files(run),
        **_versions_file(run, table),
        **declined_files_of_run(run.declined),
        **anchor_file(run),
        **_checks_file(run.campaign),
        **settled_file_of_run(run),
        **files_of_plan(run, deviations),
    }
    with tempfile.TemporaryFile() as content:
        write_bundle(content, table, report, options, extra, compared=run_compared(run))
        store_files(content, _folder_of(run))
        _put(path_of(run), File(content))


def store_files(bundle: IO[bytes], folder: str) -> None:
    """Store each file of a zip, and their names; none is read into memory whole."""
    with zipfile.ZipFile(bundle) as made:
        names = made.namelist()
        for name in names:
            with made.open(name) as file:
                _put(f"{folder}/{name}", File(file))
    _put(f"{folder}/{CONTENTS}", ContentFile(json.dumps(names).encode()))


def _put(path: str, content: File[bytes]) -> None:
    if default_storage.exists(path):
        default_storage.delete(path)
    default_storage.save(path, content)


def replace_anchor(run: AnalysisRun) -> None:
    """Write the anchor of a run again into its stored bundle, which keeps everything else."""
    if not has_bundle(run):
        return
    content = io.BytesIO()
    with _opened(path_of(run)) as old, zipfile.ZipFile(content, "w") as new:
        for member in old.infolist():
            anchor = anchor_file(run).get(member.filename)
            new.writestr(member, old.read(member) if anchor is None else anchor)
    for name, anchor in anchor_file(run).items():
        _put(f"{_folder_of(run)}/{name}", ContentFile(anchor))
    _put(path_of(run), File(content))


def has_bundle(run: AnalysisRun) -> bool:
    return default_storage.exists(path_of(run))


@contextmanager
def _opened(path: str) -> Iterator[zipfile.ZipFile]:
    with default_storage.open(path) as file:
        try:
            bundle = zipfile.ZipFile(file)
        except zipfile.BadZipFile as error:
            # zipfile takes a bucket that stops answering for a damaged file.
            raise error.__context__ or error from None
        with bundle:
            yield bundle


def read_packed(run: AnalysisRun, name: str) -> bytes | None:
    """One file as it is in the zip; None when it has no such file."""
    with _opened(path_of(run)) as bundle:
        return bundle.read(name) if name in bundle.namelist() else None


def read_member(run: AnalysisRun, name: str) -> bytes | None:
    """One file of the bundle; None when it has no such file."""
    return _read(f"{_folder_of(run)}/{name}") if name in members(run) else None


def members(run: AnalysisRun) -> tuple[str, ...]:
    return _members(f"{_folder_of(run)}/{CONTENTS}")


@lru_cache(maxsize=256)
def _members(path: str) -> tuple[str, ...]:
    return tuple(json.loads(_read(path)))


def _read(path: str) -> bytes:
    with default_storage.open(path) as file:
        content: bytes = file.read()
        return content


def report_file(run: AnalysisRun, name: str) -> ExportedFile | None:
    """A file of the bundle, or the bundle itself."""
    if run.state != AnalysisRun.State.DONE:
        return None
    if name == "bundle.zip":
        opened = default_storage.open(path_of(run))
        # Made again, it has the same content, but not to the byte.
        return ExportedFile(f"report-{run.pk}.zip", ZIP, opened, f'W/"{path_of(run)}"')
    content = read_member(run, name)
    if content is None:
        return None
    tag = f'"{hashlib.sha256(content).hexdigest()}"'
    return ExportedFile(name.rpartition("/")[2], media_type_of(name), content, tag)


def media_type_of(name: str) -> str:
    return MEDIA_TYPES.get(name.rpartition(".")[2], "application/octet-stream")


def newest_version(run: AnalysisRun) -> int:
    """The campaign's version when the run read its judgements; runs from before versions: 1."""
    return int((run.anchor or {}).get("version", 1))


def _campaign_files(run: AnalysisRun) -> dict[str, bytes]:
    """The campaign file as it was when the judgements were read, and each version before it."""
    newest = newest_version(run)
    is_over = run.campaign.state == Campaign.State.CLOSED
    files = {}
    for version in run.campaign.versions.filter(number__lte=newest).order_by("number"):
        public = public_definition(stored_definition(version.definition), is_over=is_over)
        name = "campaign.yaml" if version.number == newest else f"campaign-v{version.number}.yaml"
        files[name] = f"{WITHOUT_SECRETS}{definition_to_yaml(public)}".encode()
    return files


def _versions_file(run: AnalysisRun, table: JudgementTable) -> dict[str, bytes]:
    versions = versions_of_table(run.campaign, newest_version(run), table)
    return {"versions.json": json.dumps(versions, indent=1, ensure_ascii=False).encode()}


def _checks_file(campaign: Campaign) -> dict[str, bytes]:
    """The answers to checks, once they can no longer tell raters which pages are checks."""
    if not (campaign.is_over and has_checks(campaign)):
        return {}
    return {"checks.csv": b"".join(checks_csv(campaign))}


def public_definition(definition: Definition, *, is_over: bool) -> Definition:
    """Remove completion codes and answers to entry questions from the campaign file.

    While judgements are still collected it is also without the seed, which decides who sees what,
    without the checks and the feedback on the practice, which give the expected answers, and
    without the hypotheses, which raters could follow.
    """
    crowd = {name: getattr(definition.crowd, name) for name in PUBLIC_CROWD}
    without: dict[str, Any] = {
        "crowd": Crowd(**crowd),
        "entry_questions": [
            question.model_copy(update={"accept": [], "most": {}})
            for question in definition.entry_questions
        ],
    }
    if not is_over:
        without |= {"seed": None, "checks": [], "rules": Rules(), "hypotheses": ""}
        without["practice"] = [
            PracticeTrial(**{name: getattr(trial, name) for name in PUBLIC_PRACTICE})
            for trial in definition.practice
        ]
    return definition.model_copy(update=without)


def plots_of(run: AnalysisRun, criteria: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """The plots by criterion, without endings: two columns wide, and one where that exists."""
    prefixes = {f"plots/{file_name(name)}-": name for name in criteria}
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in criteria}
    for member in members(run):
        # `meaning-` also begins the names of `meaning_similarity`: the longest is the right one.
        mine = [prefix for prefix in prefixes if member.startswith(prefix)]
        if mine and member.endswith(".svg"):
            column = member.replace("plots/", "plots/column/", 1)
            narrow = column.removesuffix(".svg") if column in members(run) else ""
            found[prefixes[max(mine, key=len)]].append((member.removesuffix(".svg"), narrow))
    return found
