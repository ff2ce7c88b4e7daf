"""Files that campaigns keep: media, and what reports count of raters who could not judge."""

from __future__ import annotations

import hashlib

from django.core.files.storage import default_storage

from analysis.errors import TableError
from analysis.report.declined import ANSWERS, COUNTS, read_answers
from rankme.exporting.bundle import has_bundle, read_packed, report_options, run_table
from rankme.exporting.declined import declined_files_of_run
from rankme.models import AnalysisRun, Campaign, MediaFile

from .fault import Fault


def check_media(campaign: Campaign) -> int:
    """Compare each file with its hash; returns how many there are."""
    checked = 0
    for media in campaign.media_files.order_by("pk").iterator():
        _check_file(media)
        checked += 1
    return checked


def _check_file(media: MediaFile) -> None:
    place = f"file {media.path}"
    digest = hashlib.sha256()
    try:
        with default_storage.open(media.stored) as content:
            for chunk in content.chunks():
                digest.update(chunk)
    except OSError as error:
        raise Fault(place, "it is missing in the storage.") from error
    if digest.hexdigest() != media.sha256:
        raise Fault(place, "it does not match its hash.")


def check_declined(campaign: Campaign) -> None:
    """Count the answers of each report again, and hold its bundle against them."""
    done = campaign.analysis_runs.filter(state=AnalysisRun.State.DONE).exclude(declined={})
    for run in done.order_by("pk").iterator(chunk_size=1):
        _check_answers(run)


def _check_answers(run: AnalysisRun) -> None:
    place = f"analysis {run.pk}"
    kept = declined_files_of_run(run.declined)
    try:
        read_answers(kept, run_table(run), exclude_raters=report_options(run).exclude_raters)
    except TableError as error:
        raise Fault(place, str(error)) from error
    stored = {name: read_packed(run, name) for name in kept} if has_bundle(run) else kept
    for name in (ANSWERS, COUNTS):
        if stored.get(name) != kept.get(name):
            raise Fault(place, f"{name} in its bundle is not what the report says.")
