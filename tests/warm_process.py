"""Warm processes: they have imported what takes long, and fork what tests start (tests/warm.py)."""

from __future__ import annotations

import gc
import importlib
import json
import multiprocessing
import os
import runpy
import select
import socket
import sys
from typing import Any

import django
import numpy
from django.conf import settings

# None of them reads Django's settings or the site's environment when it is imported, also the
# site's own, which make half of the time in which a site is imported.
IMPORTED = (
    "analysis.checks.forecast",
    "analysis.checks.joint",
    "analysis.checks.signed_rank",
    "analysis.reliability.krippendorff",
    "analysis.report.bundle",
    "analysis.report.layout.latex",
    "analysis.report.make",
    "analysis.report.plots",
    "analysis.report.stored",
    "analysis.report.layout.report_tables",
    "analysis.ranking.resampling",
    "analysis.spans.files",
    "analysis.ranking.trueskill",
    "annotated_types",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.backends.base",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.worker.consumer.consumer",
    "cryptography.fernet",
    "cryptography.hazmat.primitives.asymmetric.ec",
    "cryptography.hazmat.primitives.asymmetric.rsa",
    "csp.decorators",
    "csp.middleware",
    "dj_database_url",
    "django.contrib.admin.options",
    "django.contrib.admin.views.main",
    "django.contrib.auth.management",
    "django.contrib.auth.password_validation",
    "django.contrib.messages.middleware",
    "django.contrib.postgres.aggregates",
    "django.contrib.postgres.fields",
    "django.contrib.sessions.backends.db",
    "django.contrib.staticfiles.storage",
    "django.core.checks",
    "django.core.handlers.wsgi",
    "django.core.management",
    "django.core.wsgi",
    "django.db.backends.postgresql.base",
    "django.db.migrations",
    "django.db.models",
    "django.forms",
    "django.middleware.csrf",
    "django.middleware.locale",
    "django.template",
    "django.test",
    "drf_spectacular.utils",
    "filetype",
    "fontTools.subset",
    "gunicorn.app.wsgiapp",
    "gunicorn.arbiter",
    "gunicorn.http",
    "gunicorn.workers.base",
    "httpcore",
    "httpx",
    "jwt",
    "kombu.transport.redis",
    "markdown_it",
    "math_core",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "mdit_py_plugins.dollarmath",
    "nh3",
    "numba",
    "pandas",
    "PIL.ExifTags",
    "PIL.Image",
    "psycopg2",
    "pyarrow.csv",
    "pydantic",
    "pydantic.json_schema",
    "pydantic.type_adapter",
    "rankme.actions.imports.archive_definitions",
    "rankme.actions.rows.pictures",
    "rankme.checks.drawing",
    "rankme.corruptions",
    "rankme.panel_links",
    "rankme.designs.growth",
    "rankme.importing.e2e",
    "rankme.importing.uploads",
    "rankme.markdown",
    "rankme.panel_calls.prolific",
    "rankme.protocols.preset_languages",
    "rankme.queries.words",
    "redis.asyncio",
    "regex",
    "rest_framework.authentication",
    "rest_framework.serializers",
    "scipy.optimize",
    "scipy.sparse.linalg",
    "scipy.stats",
    "sqlite3",
    "statistics",
    "tinytag",
    "waitress",
    "whitenoise.middleware",
    "xml.etree.ElementTree",
)
LONGEST_MESSAGE = 2**17


def serve(line: socket.socket) -> dict[str, Any] | None:
    """Fork whenever that is asked for. Returns in each fork what it shall be, and None at the end.

    So a fork leaves this function as the only thing on its stack, and ends like any program.
    A fork that comes with a line of its own is a warm process, too, which has the site already.
    """
    while True:
        message, lines, _, _ = socket.recv_fds(line, LONGEST_MESSAGE, 1)
        if not message:
            return None
        question = json.loads(message)
        if "ended" in question:
            answer = exit_code(question["ended"])
        else:
            answer = os.fork()
            if answer == 0:
                line.close()
                if not lines:
                    return question
                line = socket.socket(fileno=lines[0])
                prepare_site(question["environment"])
                continue
        for theirs in lines:
            os.close(theirs)
        line.sendall(json.dumps(answer).encode())


def line_to_a_worker(listener: socket.socket) -> socket.socket | None:
    """Fork for every worker of the test run that calls; returns its line there.

    Returns None once the test run has closed our input.
    """
    while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
        line, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            with open(os.devnull) as nothing:
                os.dup2(nothing.fileno(), sys.stdin.fileno())
            return line
        line.close()
    return None


def exit_code(pid: int) -> int | None:
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def prepare_site(environment: dict[str, str]) -> None:
    """Import the site in this environment, as far as all of its programs do."""
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    django.setup()
    importlib.import_module("evalsite.urls")
    gc.freeze()


def become(wanted: dict[str, Any]) -> None:
    """Continue as the program that was asked for."""
    os.setsid()
    for output, file in ((sys.stdout, wanted["log"]), (sys.stderr, wanted["errors"])):
        output.flush()
        with open(file, "ab") as log:
            os.dup2(log.fileno(), output.fileno())
    os.environ.clear()
    os.environ.update(wanted["environment"])
    if "rankme.actions.jobs" in sys.modules:
        share_no_event()
    kind, *arguments = wanted["arguments"]
    if kind == "-m":
        module, *sys.argv[1:] = arguments
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    elif kind == "-c":
        code, *sys.argv[1:] = arguments
        exec(code, {"__name__": "__main__"})
    else:
        sys.argv = [kind, *arguments]
        runpy.run_path(kind, run_name="__main__")


def share_no_event() -> None:
    """A worker tells its children by shared memory to stop: not all forks of this process."""
    from rankme.actions.jobs import worker_stops

    worker_stops.__init__(ctx=multiprocessing.get_context())


def import_all() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    load_compiler()
    too_early = sorted({"evalsite", "rankme.models"} & sys.modules.keys())
    if settings.configured or too_early:
        sys.exit(f"These have read an environment that is not theirs: {too_early or 'settings'}")
    gc.freeze()


def load_compiler() -> None:
    """The first call of any compiled function loads what they all need: a third of a second."""
    from analysis.ranking.streams import mixed

    mixed(numpy.uint64(1))


def main() -> None:
    import_all()
    line: socket.socket | None = socket.socket(fileno=int(sys.argv[1]))
    if line.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        line = line_to_a_worker(line)
    shall_be = serve(line) if line else None
    if shall_be is not None:
        become(shall_be)


if __name__ == "__main__":
    main()
