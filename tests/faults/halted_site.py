"""The site's Celery application, whose worker halts once: soon after it received an analysis.

Its main process then waits for what never comes, as in a read that has no time limit, while one of
its processes does the job.
"""

import os
import threading
from pathlib import Path

from celery.signals import task_received, worker_ready

from tests.faults.plain_site import app  # noqa: F401

HALTED_ONCE = Path(os.environ["HALTED_ONCE"])
timers = []


@worker_ready.connect
def keep_timer(sender, **kwargs):
    timers.append(sender.timer)


@task_received.connect
def halt(request, **kwargs):
    if request.name == "rankme.tasks.execute_run" and not HALTED_ONCE.exists():
        HALTED_ONCE.touch()
        timers[0].call_after(0.1, threading.Event().wait)
