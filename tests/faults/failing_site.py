"""The site with a fault built in, for gunicorn: it kills its own worker at a named point.

Nothing of this is part of the site, and no address reaches it: a test starts the web server with
this module instead of `evalsite.wsgi` and names the point in FAILPOINT: with `after_commit:30`
each worker process dies when it reaches that point for the thirtieth time, in requests of the
address that ends as FAILING_PATH.
"""

import contextlib
import itertools
import os
import signal
import threading
from types import SimpleNamespace

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import QuerySet

from evalsite.wsgi import application as site
from rankme.actions import judgements

POINT, _, TIMES = os.environ["FAILPOINT"].partition(":")
PATH = os.environ.get("FAILING_PATH", "/submit/")
request = threading.local()
reached = itertools.count(1)


def reach(point: str) -> None:
    """Die here, when this is the point and such a request is answered for the last time."""
    is_here = point == POINT and getattr(request, "is_meant", False)
    if is_here and next(reached) >= int(TIMES):
        os.kill(os.getpid(), signal.SIGKILL)


def application(environ, start_response):
    request.is_meant = environ["PATH_INFO"].endswith(PATH)
    return site(environ, start_response)


plain_commit = BaseDatabaseWrapper._commit
plain_insert = judgements.insert_judgements


def commit(self):
    reach("before_commit")
    plain_commit(self)
    reach("after_commit")


def insert_judgements(*arguments):
    reach("between_inserts")
    plain_insert(*arguments)


BaseDatabaseWrapper._commit = commit
judgements.insert_judgements = insert_judgements

if os.environ.get("WITHOUT_TRANSACTION"):
    judgements.transaction = SimpleNamespace(atomic=contextlib.nullcontext)
    QuerySet.select_for_update = lambda self, **options: self
