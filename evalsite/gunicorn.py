"""The web server: `gunicorn --config python:evalsite.gunicorn evalsite.wsgi`.

gunicorn starts the processes, replaces lost and hung ones and stops them in order. Inside each
process waitress reads requests and writes answers in one loop, and its threads see only complete
requests: connections that send nothing, half a header or half a body cost a socket and no thread.
Raters have threads of their own: whatever the pages of others wait for, answers are taken.
"""

import atexit
import gc
import os
import re
import shutil
import time
from collections.abc import Iterable
from typing import Any

from django.conf import settings
from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.workers.base import Worker
from waitress import create_server
from waitress.task import ThreadedTaskDispatcher
from waitress.wasyncore import loop

from evalsite import environment
from evalsite.connections import (
    CONNECTIONS,
    REST_PER_CONNECTION,
    Connection,
    accept_all,
    is_busy,
    most_connections,
)
from evalsite.privacy import WithoutParticipants
from evalsite.safety import refuse_unsafe_site
from rankme.scratch import new_folder

# Read by the settings when a worker loads the site: a page that takes longer hangs.
os.environ.setdefault("STATEMENT_TIMEOUT_SECONDS", "15")

bind = f"{environment.text('HOST', '127.0.0.1')}:{environment.text('PORT', '8000')}"
worker_class = "evalsite.gunicorn.WaitressWorker"
workers = environment.whole_number("WEB_PROCESSES", 2)
threads = environment.whole_number("WEB_THREADS", 4)  # for raters, and as many for all others
# The site is loaded once and forked: less memory, and a killed child is back at once.
preload_app = True
# A process is replaced when no thread for raters, or none for others, has been free for so long.
timeout = environment.whole_number("REQUEST_SECONDS", 120)
graceful_timeout = environment.whole_number("GRACEFUL_SECONDS", 30)
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
# It would be created in the home folder of the user who starts the server, and is not used.
control_socket_disable = True


class PrivateLogger(Logger):
    """The server's own messages quote requests, and those name participants."""

    def setup(self, cfg: Config) -> None:
        super().setup(cfg)
        self.error_log.addFilter(WithoutParticipants())


logger_class = PrivateLogger
# All processes count their requests here, for the one that is asked (operation/metrics.py).
counts = new_folder("counts", inside=worker_tmp_dir)
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(counts)


def forget_counts(server: int) -> None:
    if os.getpid() == server:  # and not one of the processes that were forked from it
        shutil.rmtree(counts, ignore_errors=True)


atexit.register(forget_counts, os.getpid())


def on_starting(server: Arbiter) -> None:
    """Check once, before any child exists: a later outage of the database must not end them."""
    refuse_unsafe_site()
    from evalsite.operation.readiness import before_the_fork, name_new_storage

    if settings.PRODUCTION:
        before_the_fork(name_new_storage)


def when_ready(server: Arbiter) -> None:
    """Keep what is loaded by now from the garbage collector of each process that is forked.

    It would write to every object that it looks at, and so copy memory that all processes share:
    a process would need 93 MB of its own instead of 37.
    """
    gc.freeze()


RATERS_PAGES = re.compile(
    re.escape(settings.PATH_PREFIX) + r"/(r/[^/]+/(?!media/)|(healthz|readyz)/)"
)


class Lanes(ThreadedTaskDispatcher):
    """Threads for what raters do with their work, and as many others for everything else.

    Files, reports, exports and organisers' pages may wait for a bucket or a large table. Then they
    wait for each other, and no rater waits for them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.others = ThreadedTaskDispatcher()

    def set_thread_count(self, count: int) -> None:
        super().set_thread_count(count)
        self.others.set_thread_count(count)

    def add_task(self, task: Any) -> None:
        path = getattr(task.requests[0], "path", "")  # none, if the request cannot be read
        if RATERS_PAGES.match(path):
            super().add_task(task)
        else:
            self.others.add_task(task)

    def with_a_free_thread(self, threads: int) -> set[bool]:
        """Which lanes have a thread that waits for work; True is that of the raters."""
        lanes = {True: self, False: self.others}
        return {name for name, lane in lanes.items() if lane.active_count < threads}


class WaitressWorker(Worker):
    """A process of gunicorn in which waitress serves gunicorn's socket."""

    def run(self) -> None:
        from evalsite.operation.presence import announce

        announce("web", self.ppid)
        connections: dict[int, Any] = {}
        self.were_free: set[bool] = set()
        lanes = Lanes()
        lanes.set_thread_count(self.cfg.threads)
        server = create_server(
            self.answer,
            map=connections,
            sockets=[listener.sock for listener in self.sockets],
            _dispatcher=lanes,
            ident=None,
            url_prefix=settings.PATH_PREFIX,
            connection_limit=most_connections(),
            backlog=CONNECTIONS,
            max_request_header_size=32 * 2**10,
            max_request_body_size=settings.LARGEST_UPLOAD,
            # Answers are buffered whole (on the disk beyond a megabyte), so that no slow reader
            # holds a thread.
            outbuf_high_watermark=2**34,
            # Django decides which address to trust (BEHIND_TLS_PROXY).
            clear_untrusted_proxy_headers=False,
        )
        server.channel_class = Connection
        while self.alive and self.ppid == os.getppid():
            self.note_free(lanes.with_a_free_thread(self.cfg.threads))
            loop(timeout=1, use_poll=True, map=connections, count=1)
            accept_all(server, connections)
            time.sleep(len(connections) * REST_PER_CONNECTION)
        server.accepting = False
        while is_busy(server) and self.ppid == os.getppid():  # gunicorn sets a limit
            loop(timeout=0.1, use_poll=True, map=connections, count=1)

    def answer(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path = environ["SCRIPT_NAME"] + environ["PATH_INFO"]
        self.note_free({bool(RATERS_PAGES.match(path))})  # a thread of that lane was
        answer: Iterable[bytes] = self.wsgi(environ, start_response)
        return answer

    def note_free(self, lanes: set[bool]) -> None:
        """Tell gunicorn that the process lives, as soon as each lane has had a free thread."""
        self.were_free |= lanes
        if len(self.were_free) == 2:
            self.were_free = set()
            self.notify()
