"""Every worker process also looks for jobs itself, in case the broker loses messages or is silent.

A worker can be alive but receive nothing, because its broker has stopped sending. So a thread
of each worker process asks the database every second, over an index, whether there is a job that
nobody works on, and does it. As always, the job's lock decides which of two workers takes it.
"""

from __future__ import annotations

import logging
import multiprocessing
import threading
import time

from celery import current_app
from celery.signals import task_postrun, task_prerun
from django.db import Error as DatabaseTrouble
from django.db import close_old_connections, connection

from rankme.actions import jobs

log = logging.getLogger(__name__)

# A process does one thing at a time, whether it was told of it or has found it.
_at_work = threading.Lock()
# Of the worker and all the processes that it forks. Celery ends a worker of which a process dies
# before it is ready, so nobody begins before; a worker that finds no broker is never ready.
_is_ready = multiprocessing.Event()
MOST_SECONDS_TO_START = 15


def worker_is_ready(**kwargs: object) -> None:
    _is_ready.set()


def keep_looking(every_seconds: float) -> None:
    """Begin to look, for as long as this process lives."""
    task_prerun.connect(_begin_task)
    task_postrun.connect(_end_task)
    threading.Thread(target=_look_for_ever, args=[every_seconds], daemon=True).start()


def look() -> None:
    """Do what is to be had, one job after the other; nothing while this process is at work."""
    if not _at_work.acquire(blocking=False):
        return
    try:
        for task, pk in jobs.all_waiting():
            current_app.tasks[task](pk)
    finally:
        _at_work.release()


def _look_for_ever(every_seconds: float) -> None:
    _is_ready.wait(MOST_SECONDS_TO_START)
    while True:
        time.sleep(every_seconds)
        close_old_connections()
        try:
            look()
        except DatabaseTrouble as error:
            log.warning("The database cannot be asked for waiting jobs: %s", error)
            connection.close()


def _begin_task(**kwargs: object) -> None:
    _at_work.acquire()


def _end_task(**kwargs: object) -> None:
    _at_work.release()
