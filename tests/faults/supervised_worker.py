"""A worker below the supervisor of `make run`, until SIGTERM; the arguments start it.

The supervisor forks it: this process has already imported what a new Python would import first.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing.context import ForkProcess

from evalsite.run import end_in_order
from evalsite.supervisor import Part, Supervisor
from tests.warm_process import become


class Forked(ForkProcess):
    """A fork of this process, with what `subprocess.Popen` would offer to the supervisor."""

    def __init__(self, arguments: list[str]) -> None:
        reads, writes = os.pipe()
        output = f"/dev/fd/{writes}"
        wanted = {"arguments": arguments, "environment": dict(os.environ)}
        super().__init__(target=become, args=[wanted | {"log": output, "errors": output}])
        self.start()
        os.close(writes)
        self.stdout = os.fdopen(reads, "rb")

    def poll(self) -> int | None:
        return self.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self.join(timeout)
        if self.exitcode is None:
            raise subprocess.TimeoutExpired(self.name, timeout)
        return self.exitcode


class ForkedPart(Part):
    def start(self) -> Forked:
        self.started_at = time.monotonic()
        self.process = Forked(self.command)
        return self.process


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, end_in_order)
    supervisor = Supervisor({}, os.environ)
    supervisor.parts = [ForkedPart("worker", ["-m", *sys.argv[1:]], os.environ)]
    supervisor.is_up.set()
    supervisor.run()
