"""The site with a fault built in, for gunicorn: it kills its own worker at named points.

Nothing of this is part of the site, and no address reaches it: a test starts the web server with
this module instead of `evalsite.wsgi` and names the points in FAILPOINTS: with
`before_commit,after_commit:30` a worker process dies when it reaches one of them for the thirtieth
time, in requests of the address that ends as FAILING_PATH. It is the turn of the point at which
the fewest have died, until so many have died at each; DEATHS_FILE says where they did.
"""

import contextlib
import itertools
import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

from evalsite.wsgi import application as site
from rankme.actions.sitting import judgements

NAMES, _, TIMES = os.environ["FAILPOINTS"].partition(":")
POINTS = NAMES.split(",")
PATH = os.environ.get("FAILING_PATH", "/submit/")
DEATHS = Path(os.environ["DEATHS_FILE"])
DEATHS_AT_EACH_POINT = 2
request = threading.local()
reached = itertools.count(1)


def reach(point: str) -> None:
    """Die here, when it is this point's turn and such a request is answered for the last time."""
    is_here = getattr(request, "is_meant", False) and point == point_in_turn()
    if is_here and next(reached) >= int(TIMES):
        with DEATHS.open("a") as deaths:
            deaths.write(f"{point}\n")
        os.kill(os.getpid(), signal.SIGKILL)


def point_in_turn() -> str | None:
    died = DEATHS.read_text().split()
    point = min(POINTS, key=died.count)
    return point if died.count(point) < DEATHS_AT_EACH_POINT else None


def application(environ, start_response):
    request.is_meant = environ["PATH_INFO"].endswith(PATH)
    return site(environ, start_response)


plain_commit = BaseDatabaseWrapper._commit
plain_store = judgements.store_screen


def commit(self):
    reach("before_commit")
    plain_commit(self)
    reach("after_commit")


def store_screen(*arguments):
    stored = plain_store(*arguments)
    reach("after_storing")
    return stored


BaseDatabaseWrapper._commit = commit
judgements.store_screen = store_screen

if os.environ.get("WITHOUT_TRANSACTION"):
    # Two statements, of which a worker that dies runs the first alone.
    screen, _, _values = judgements.STORE.partition(", judged AS (")
    judgements.STORE = f"{screen} SELECT id FROM stored"
    judgements.transaction = SimpleNamespace(atomic=contextlib.nullcontext)
    QuerySet.select_for_update = lambda self, **options: self
