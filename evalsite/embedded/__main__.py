"""`python -m evalsite.embedded`: watches the servers of the data folder."""

import signal

from . import Servers, data_folder, keep_running

signal.signal(signal.SIGTERM, lambda signum, frame: exit(0))
keep_running(Servers(data_folder()))
