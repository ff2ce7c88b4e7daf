"""The Celery application: it carries jobs to workers; the job itself is a row."""

import gc
import os
import sys

from celery import Celery
from celery.signals import (
    beat_init,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)
from django.conf import settings
from django.core.checks import Tags
from django.core.exceptions import ImproperlyConfigured

from evalsite.safety import refuse_unsafe_site

# Django's checks of the code load every page and form, which no worker needs. `manage.py check`
# and the web server run them; `refuse_unsafe_start` checks what a worker may not start with.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
# Arrow's own allocator keeps what it was given back: 190 MB after ten million judgements were read.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

app = Celery("evalsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["rankme.worker"])
app.steps["consumer"].add("rankme.worker.watchdog:Turns")


@beat_init.connect
@worker_init.connect
def refuse_unsafe_start(**kwargs: object) -> None:
    try:
        refuse_unsafe_site(only=[Tags.database])
    except ImproperlyConfigured as refusal:
        # Celery logs what a signal's receiver raises and starts anyway; only an exit stops it.
        print(refusal, file=sys.__stderr__, flush=True)
        sys.exit(1)


@worker_init.connect
def refuse_a_storage_of_its_own(**kwargs: object) -> None:
    """A worker that sees other files than the web servers would fail their jobs."""
    from evalsite.operation.readiness import before_the_fork, shared_storage

    trouble = before_the_fork(shared_storage) if settings.PRODUCTION else None
    if trouble:
        print(f"{trouble.what} {trouble.remedy}", file=sys.__stderr__, flush=True)
        sys.exit(1)


@worker_init.connect
def load_libraries(**kwargs: object) -> None:
    """Import once, before forking, what statistics and plots import when they first need it.

    These 100 MB are shared by all processes, and one that replaces a killed one does not spend
    another second on them. As in the web server, the garbage collector leaves them alone: its
    first look at everything would let each process copy 75 MB.
    """
    import scipy.stats  # noqa: F401

    import analysis.report.rendered  # noqa: F401

    gc.freeze()


@worker_ready.connect
def watch_messages(**kwargs: object) -> None:
    """A worker that gets no messages although some wait ends; its supervisor starts a new one."""
    from rankme.worker.watchdog import watch

    if settings.WORKER_DEAF_AFTER_SECONDS:
        watch(settings.WORKER_DEAF_AFTER_SECONDS)


@worker_ready.connect
def announce_worker(**kwargs: object) -> None:
    from evalsite.operation.presence import announce

    announce("worker", os.getpid())


@beat_init.connect
def announce_beat(**kwargs: object) -> None:
    from evalsite.operation.presence import announce

    announce("beat", os.getpid())


@worker_shutting_down.connect
def requeue_jobs(**kwargs: object) -> None:
    """When a worker has to stop, its processes put their jobs back into the queue."""
    from rankme.actions.jobs import worker_stops

    worker_stops.set()


@worker_process_init.connect
def step_back(**kwargs: object) -> None:
    """Give imports and analyses a lower priority than raters, who are waiting for an answer."""
    os.nice(10)
