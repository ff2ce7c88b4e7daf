"""Settings of the web server: `gunicorn --config python:evalsite.gunicorn evalsite.wsgi`."""

import gc
import os

from gunicorn.arbiter import Arbiter
from gunicorn.config import Config
from gunicorn.glogging import Logger

from evalsite import environment
from evalsite.privacy import WithoutParticipants

# Read by the settings when a worker loads the site: a page that takes longer hangs.
os.environ.setdefault("STATEMENT_TIMEOUT_SECONDS", "15")

bind = f"{environment.text('HOST', '127.0.0.1')}:{environment.text('PORT', '8000')}"
worker_class = "evalsite.front.FrontWorker"
workers = environment.whole_number("WEB_PROCESSES", 2)
threads = environment.whole_number("WEB_THREADS", 4)
# The site is loaded once and forked: less memory, and a killed child is back at once.
preload_app = True
timeout = 60
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


def on_starting(server: Arbiter) -> None:
    """Check once, before any child exists: a later outage of the database must not end them."""
    from evalsite.safety import refuse_unsafe_site

    refuse_unsafe_site()


def when_ready(server: Arbiter) -> None:
    """Leave what is loaded out of every search for garbage, which would copy it in each child."""
    gc.freeze()
