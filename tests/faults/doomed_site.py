"""The site's Celery application with workers that stop or die in the middle of a job.

Nothing of this is part of the site: a test starts a worker with this module instead of `evalsite`.

DEATHS_IN_EACH_PHASE: so many leaders of an analysis kill themselves while it draws its runs, and as
many while it writes its report: in turn when they have stored a part of the work, and when they
were about to. LIVES_FILE counts them.

HALT_FILE: while this file exists, a worker that has stored a part of an analysis, or the greater
part of an upload, writes that into it and waits.
"""

import contextlib
import os
import signal
import time
from pathlib import Path

import django

django.setup()

from django.db import transaction  # noqa: E402

from analysis.report import rendered  # noqa: E402
from evalsite.celery import app  # noqa: E402, F401
from rankme.actions import jobs  # noqa: E402
from rankme.actions.runs import run_chunks  # noqa: E402
from rankme.models import AnalysisRun  # noqa: E402

DEATHS = int(os.environ.get("DEATHS_IN_EACH_PHASE", "0"))
LIVES = Path(os.environ.get("LIVES_FILE", "/dev/null"))
HALT = Path(os.environ.get("HALT_FILE", "/nowhere"))
MIDDLE_OF_COPYING = 0.5

checkpoint_plainly, heartbeat_plainly = jobs.checkpoint, jobs.heartbeat_while_copying
drawn = []  # since the last checkpoint

compute_plainly, help_plainly = run_chunks.compute_one, run_chunks.compute_chunks


def deaths(phase):
    return LIVES.read_text().count(phase)


def die(phase):
    with LIVES.open("a") as lives:
        lives.write(f"died-{phase}\n")
    os.kill(os.getpid(), signal.SIGKILL)


def checkpoint(row):
    phase = "drawing" if drawn else "writing"
    drawn.clear()
    if deaths(phase) < DEATHS and deaths(phase) % 2:
        die(phase)
    checkpoint_plainly(row)
    halt()
    if deaths(phase) < DEATHS:
        die(phase)


def compute_one(run, worker, *resampling):
    """Compute a chunk; every second leader dies before it has stored it."""
    is_leader = run.claimed_by == worker
    if is_leader and deaths("drawing") < DEATHS and deaths("drawing") % 2:
        with transaction.atomic():
            if compute_plainly(run, worker, *resampling):
                die("drawing")
    is_drawn = compute_plainly(run, worker, *resampling)
    if is_leader and is_drawn:
        drawn.append(run.pk)
    return is_drawn


def compute_chunks(run_id, worker):
    """Help with one chunk only, so that there are some for all leaders that have to die."""
    if deaths("drawing") >= DEATHS:
        return help_plainly(run_id, worker)
    run = AnalysisRun.objects.get(pk=run_id)
    return int(jobs.is_leased(run) and compute_one(run, worker))


def heartbeat_while_copying(row, *, progress, step):
    heartbeat_plainly(row, progress=progress, step=step)
    if progress > MIDDLE_OF_COPYING:
        halt()


def halt():
    with contextlib.suppress(FileNotFoundError):
        with HALT.open("r+") as told:  # makes no file where a test has just taken it away
            told.write("halted")
        while HALT.exists():
            time.sleep(0.05)


rendered.PLOT_FORMATS = (
    "svg",
)  # each process that takes over draws what is left: one format will do
jobs.checkpoint = checkpoint
jobs.heartbeat_while_copying = heartbeat_while_copying
run_chunks.compute_one, run_chunks.compute_chunks = compute_one, compute_chunks
