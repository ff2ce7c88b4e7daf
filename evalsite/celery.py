"""The Celery application: it carries jobs to workers; the job itself is a row."""

import gc
import os
import sys
from importlib import import_module

from celery import Celery
from celery.signals import (
    beat_init,
    worker_init,
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)

# Django's checks of the code load every page and form, which no worker needs. `manage.py check`
# and the web server run them; `refuse_unsafe_start` checks what a worker may not start with.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

LOADED_BEFORE_FORKING = (
    "analysis.report",
    "analysis.report.make",
    "analysis.report.stored",
    "rankme.actions.runs.analysis_runs",
    "rankme.actions.imports.import_jobs",
    "rankme.actions.campaign.large_extensions",
    "rankme.actions.campaign.launches",
    "rankme.actions.panel.sync",
    "rankme.actions.runs.report_files",
    "rankme.verification.nightly",
    "scipy.optimize",
    "scipy.sparse.linalg",
    "scipy.stats",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
)

app = Celery("evalsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["rankme.worker"])


@beat_init.connect
@worker_init.connect
def refuse_unsafe_start(**kwargs: object) -> None:
    from django.core.checks import Tags
    from django.core.exceptions import ImproperlyConfigured

    from evalsite.safety import refuse_unsafe_site

    try:
        refuse_unsafe_site(only=[Tags.database])
    except ImproperlyConfigured as refusal:
        # Celery logs what a signal's receiver raises and starts anyway; only an exit stops it.
        print(refusal, file=sys.__stderr__, flush=True)
        sys.exit(1)


@worker_init.connect
def load_statistics(**kwargs: object) -> None:
    """Import what takes seconds once, before forking: a process that replaces a killed one has it.

    Without this, workers killed every few seconds would spend all of their time on importing.
    """
    for module in LOADED_BEFORE_FORKING:
        import_module(module)
    gc.freeze()  # a search for garbage in all of that would copy it in each process


@worker_ready.connect
def watch_messages(**kwargs: object) -> None:
    """A worker that gets no messages although some wait ends; its supervisor starts a new one."""
    from django.conf import settings

    from rankme.worker.watchdog import watch

    if settings.WORKER_DEAF_AFTER_SECONDS:
        watch(settings.WORKER_DEAF_AFTER_SECONDS)


@worker_shutting_down.connect
def requeue_jobs(**kwargs: object) -> None:
    """When a worker has to stop, its processes put their jobs back into the queue."""
    from rankme.actions.jobs import worker_stops

    worker_stops.set()


@worker_process_init.connect
def step_back(**kwargs: object) -> None:
    """Give imports and analyses a lower priority than raters, who are waiting for an answer."""
    os.nice(10)
