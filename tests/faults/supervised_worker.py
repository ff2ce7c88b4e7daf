"""A worker below the supervisor of `make run`, until SIGTERM; the arguments start it."""

import os
import signal
import sys

from evalsite.run import end_in_order
from evalsite.supervisor import Supervisor

signal.signal(signal.SIGTERM, end_in_order)
supervisor = Supervisor({"worker": [sys.executable, "-m", *sys.argv[1:]]}, os.environ)
supervisor.is_up.set()
supervisor.run()
