"""Starts processes of the site in a fraction of the time that Python needs to import everything.

A process of the site imports for two seconds before it does anything, and tests of faults start a
hundred of them. So one *warm* process (`tests/warm_process.py`), which all workers of a test run
share, imports what no configuration changes: other people's packages, the statistics, and what of
the site reads no settings. For each environment in which the site is started it forks another,
which reads the settings and imports the rest. The processes that tests start are forks of these,
and run their program as usual.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evalsite.embedded import PROJECT, data_folder
from evalsite.run import MARK
from tests.warm_process import LONGEST_MESSAGE

SHARED = "RANKME_TEST_WARM"  # the address of the one that all workers share
SECONDS_BETWEEN_LOOKS = 0.02


class Warm:
    """A warm process, seen from the tests: it forks others, and says how they ended."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        atexit.register(line.close)  # which ends the process, and goes before what waits for that
        self.asking = threading.Lock()

    def ask(self, *lines: int, **question: Any) -> int | None:
        with self.asking:
            socket.send_fds(self.line, [json.dumps(question).encode()], lines)
            answer = self.line.recv(LONGEST_MESSAGE)
        assert answer, "the warm process has ended"
        return json.loads(answer)

    def with_site(self, environment: Mapping[str, str]) -> Warm:
        """A fork of it that has imported the site in this environment."""
        line, theirs = line_of_packets()
        with theirs:
            self.ask(theirs.fileno(), environment=dict(environment))
        return Warm(line)

    def start(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        errors: Path | None = None,
    ) -> Forked:
        """Start `python ARGUMENTS` with this environment; its output goes to the log.

        The arguments begin as Python's own do: with `-m MODULE`, `-c CODE` or a file. Errors may
        go to a file of their own.
        """
        log.touch()  # there as soon as the process is
        asked = {
            "arguments": list(arguments),
            "environment": dict(environment),
            "log": str(log),
            "errors": str(errors or log),
        }
        return Forked(self, self.ask(**asked))


def line_of_packets() -> tuple[socket.socket, socket.socket]:
    """Each message is one packet: what is sent together is received together."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


@functools.cache
def warm() -> Warm:
    """The first warm process: one of this process, or the one that all workers of a run share."""
    if SHARED in os.environ:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        line.connect(os.environ[SHARED])
    else:
        line, theirs = line_of_packets()
        with theirs:
            process = start_warm(theirs, stdin=subprocess.DEVNULL)
        atexit.register(process.wait)
    return Warm(line)


def start_warm(line: socket.socket, stdin: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.warm_process", str(line.fileno())],
        cwd=PROJECT,
        env=os.environ | {MARK: str(data_folder())},
        stdin=stdin,
        pass_fds=[line.fileno()],
        start_new_session=True,
    )


@contextlib.contextmanager
def one_for_all_workers() -> Iterator[None]:
    """Start a warm process that the workers of this test run share, and end it after them."""
    with (
        tempfile.TemporaryDirectory(prefix="rankme-warm-") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener,
    ):
        address = str(Path(folder, "line"))
        listener.bind(address)
        listener.listen()
        process = start_warm(listener, stdin=subprocess.PIPE)
        os.environ[SHARED] = address  # which the workers inherit
        yield
        process.communicate()


# Read by the tests' own variants of the site, or by its web server alone: not by its settings.
NOT_FOR_SETTINGS = frozenset(
    {
        *("FAILPOINTS", "FAILING_PATH", "DEATHS_FILE", "WITHOUT_TRANSACTION"),
        *("DEATHS_IN_EACH_PHASE", "LIVES_FILE", "HALT_FILE", "CLOCK_FILE"),
        *("HEADER_SECONDS", "BODY_SECONDS", "REQUEST_SECONDS"),
    }
)


def start(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Forked:
    """Start `python -m ARGUMENTS` of the site with this environment."""
    for_all = {name: value for name, value in environment.items() if name not in NOT_FOR_SETTINGS}
    return warm_site(frozenset(for_all.items())).start(["-m", *arguments], environment, log)


@functools.cache
def warm_site(environment: frozenset[tuple[str, str]]) -> Warm:
    return warm().with_site(dict(environment))


def run_to_its_end(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    seconds: float,
    *,
    often: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Do what `subprocess.run(["python", *arguments])` would do, in a fork of the first one.

    With `often`, it is a fork of one that has the site, which stays for further runs.
    """
    parent = warm_site(frozenset(environment.items())) if often else warm()
    with tempfile.TemporaryDirectory(prefix="rankme-warm-") as folder:
        printed, errors = Path(folder, "printed"), Path(folder, "errors")
        process = parent.start(arguments, environment, printed, errors)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return subprocess.CompletedProcess(
            [sys.executable, *arguments], code, printed.read_text(), errors.read_text()
        )


class Forked:
    """A process that the warm one has started, with what `subprocess.Popen` would offer."""

    def __init__(self, parent: Warm, pid: int) -> None:
        self.parent = parent
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self.parent.ask(ended=self.pid)
        return self.returncode

    def wait(self, timeout: float) -> int:
        end = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
            time.sleep(SECONDS_BETWEEN_LOOKS)
        return code

    def terminate(self) -> None:
        # It is not reaped before `poll` asks for it, so its number belongs to nobody else.
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        if self.poll() is None:
            os.killpg(self.pid, signal.SIGKILL)
