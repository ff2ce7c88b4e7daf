"""A worker below the supervisor of `make run`, until SIGTERM; the argument names its app."""

import os
import signal
import sys

from evalsite.run import end_in_order
from evalsite.supervisor import Supervisor
from tests.live import celery_worker

signal.signal(signal.SIGTERM, end_in_order)
command = [sys.executable, *celery_worker("worker", sys.argv[1])]
supervisor = Supervisor({"worker": command}, os.environ)
supervisor.is_up.set()
supervisor.run()
