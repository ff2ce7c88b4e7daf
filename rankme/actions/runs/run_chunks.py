"""The bootstrap of a run, in chunks that are rows.

A worker holds a chunk by the row's lock, which the database releases when the worker dies. A chunk
gives the same numbers whichever worker computes it.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from django.db import transaction
from django.db.models.functions import Now

from analysis.errors import AnalysisError, RankingError
from analysis.ranking.clusters import SIDE_BY_SIDE, Resampling, resamplings_of
from analysis.report.options import ReportOptions
from analysis.table import JudgementTable
from analysis.typing import Values
from rankme.actions import jobs
from rankme.exporting.bundle import report_options
from rankme.models import AnalysisRun, RunChunk

from .run_columns import columns_of

log = logging.getLogger(__name__)

# A chunk is a second or so of work, and of ten million judgements five: long enough to be worth a
# row, short enough to lose.
JUDGEMENT_RUNS_PER_CHUNK = 10_000_000
LEAST_CHUNKS = 4
MOST_HELPERS = 8
SECONDS_BETWEEN_LOOKS = 0.1
SHARE_OF_CHUNKS = 0.8  # of the progress bar


def compute_chunks(run_id: int, worker: str) -> int:
    """Help with a run that another worker leads; returns how many chunks this worker computed. Ends
    when the leader is lost, because this worker may then take the run over.
    """
    under_way = AnalysisRun.objects.filter(pk=run_id, state=jobs.WORKING).exclude(data_sha256="")
    done = 0
    while (
        (run := under_way.defer("table_csv_gz").first())
        and jobs.is_leased(run)
        and compute_one(run, worker)
    ):
        done += 1
    resamplings_of_run.cache_clear()  # a large table is not kept for a run that may be the last
    return done


def plan_chunks(run: AnalysisRun, table: JudgementTable) -> None:
    RunChunk.objects.filter(run=run).delete()
    RunChunk.objects.bulk_create(
        RunChunk(run=run, job=resampling.key, first=first, count=count)
        for resampling in resamplings(table, report_options(run))
        for first, count in chunk_bounds(resampling.runs, len(table))
    )


def chunk_bounds(runs: int, judgements: int) -> list[tuple[int, int]]:
    """Cut `runs` into (first, count) so that each is a second or so of work.

    Runs are made side by side, in half the time, so a chunk has whole sets of those where it can.
    """
    size = JUDGEMENT_RUNS_PER_CHUNK // max(judgements, 1)
    size = max(size - size % SIDE_BY_SIDE, SIDE_BY_SIDE)
    size = min(size, math.ceil(runs / LEAST_CHUNKS))
    return [(first, min(size, runs - first)) for first in range(0, runs, size)]


def resamplings(table: JudgementTable, options: ReportOptions) -> tuple[Resampling, ...]:
    try:
        return resamplings_of(table, options)
    except RankingError as error:
        # The report says so for this criterion, and continues with the others.
        log.info("no chunks: %s", error)
        return ()


@lru_cache(maxsize=1)
def resamplings_of_run(run_id: int, data_sha256: str) -> dict[str, Resampling]:
    """The draws of a run, kept while its chunks are computed one after the other."""
    run = AnalysisRun.objects.defer("table_csv_gz").get(pk=run_id)
    return {
        resampling.key: resampling
        for resampling in resamplings(columns_of(run), report_options(run))
    }


def call_helpers(run: AnalysisRun) -> None:
    waiting = run.chunks.filter(draws=None).count()
    # The leader computes one itself.
    helpers = min(waiting - 1, MOST_HELPERS)
    jobs.send([("rankme.tasks.compute_chunks", run.pk)] * max(helpers, 0))


def share_drawn(run: AnalysisRun) -> float:
    total = run.chunks.count()
    return 1 - run.chunks.filter(draws=None).count() / total if total else 1.0


def drawn(run: AnalysisRun, resampling: Resampling, say: Callable[[str], None]) -> Values:
    """All runs of a resampling, shape (runs, systems): compute chunks until none is left.

    Also those of helpers that die meanwhile. `say` is told the step before each.
    """
    chunks = run.chunks.filter(job=resampling.key)
    while chunks.filter(draws=None).exists():
        say("Drawing the runs")
        if compute_one(run, run.claimed_by, resampling):
            jobs.checkpoint(run)
        else:
            time.sleep(SECONDS_BETWEEN_LOOKS)
    parts = [
        np.frombuffer(bytes(draws or b""), dtype="<f8").reshape(count, -1)
        for count, draws in chunks.order_by("first").values_list("count", "draws")
    ]
    if not parts:
        raise AnalysisError(f"The runs of {resampling.key} are missing.")
    return np.concatenate(parts)


@transaction.atomic
def compute_one(run: AnalysisRun, worker: str, resampling: Resampling | None = None) -> bool:
    """Compute a chunk, of this resampling or of any, that no worker computes yet.

    The lock on its row ends with its holder.
    """
    waiting = run.chunks.filter(draws=None).order_by("id")
    if resampling is not None:
        waiting = waiting.filter(job=resampling.key)
    chunk = waiting.select_for_update(skip_locked=True).first()
    if chunk is None:
        return False
    if resampling is None:
        resampling = resamplings_of_run(run.pk, run.data_sha256)[chunk.job]
    # Little-endian on every machine: a site's workers need not have the same kind of processor.
    drawn = np.ascontiguousarray(resampling.draw(chunk.first, chunk.count), dtype="<f8")
    RunChunk.objects.filter(pk=chunk.pk).update(
        draws=drawn.tobytes(), claimed_at=Now(), claimed_by=worker[:200]
    )
    return True
