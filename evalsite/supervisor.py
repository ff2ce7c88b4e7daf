"""Keeps the parts of the site running: one that ends is started again, until the site stops."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence

# How long to wait before a part is started again, by how often in a row it ended soon.
PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)
SOON_SECONDS = 60.0
SECONDS_BETWEEN_LOOKS = 0.2
SECONDS_TO_STOP = 5.0
OWN_NAME = "system"


class Part:
    """One part of the site: its command, and the process that runs it now."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name = name
        self.command = command
        self.environment = environment
        self.ends_in_a_row = 0
        self.start_at = 0.0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        self.started_at = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        return self.process

    def note_end(self) -> float:
        """Plan the next start; return the seconds until then."""
        ran = time.monotonic() - self.started_at
        self.ends_in_a_row = self.ends_in_a_row + 1 if ran < SOON_SECONDS else 1
        pause = PAUSES[min(self.ends_in_a_row, len(PAUSES)) - 1]
        self.start_at = time.monotonic() + pause
        self.process = None
        return pause


class Supervisor:
    """All parts of the site, and what they print."""

    def __init__(
        self, commands: Mapping[str, Sequence[str]], environment: Mapping[str, str]
    ) -> None:
        self.parts = [Part(name, command, environment) for name, command in commands.items()]
        self.is_up = threading.Event()
        self._width = max(len(name) for name in (*commands, OWN_NAME))
        self._printing = threading.Lock()

    def run(self) -> int:
        """Run all parts until a signal's handler raises `SystemExit`, or the site cannot start.

        Once `is_up` is set, a part that ends is started again. Before that it ends the start;
        returns its exit code.
        """
        try:
            while True:
                for part in self.parts:
                    code = self._keep_running(part)
                    if code is not None and not self.is_up.is_set():
                        return code or 1
                time.sleep(SECONDS_BETWEEN_LOOKS)
        finally:
            self.stop()

    def stop(self) -> None:
        """End all parts in order; those that take too long are killed."""
        running = {part.name: part.process for part in self.parts if part.process is not None}
        for name, process in running.items():
            self.print(OWN_NAME, f"sending SIGTERM to {name} (pid={process.pid})")
            process.terminate()
        end = time.monotonic() + SECONDS_TO_STOP
        for name, process in running.items():
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(end - time.monotonic(), 0))
            _kill_group(process)
            self.print(OWN_NAME, f"{name} stopped (rc={process.wait()})")

    def print(self, name: str, line: str) -> None:
        """Print a line if anybody still reads it; the site runs and stops without."""
        with self._printing, contextlib.suppress(OSError):
            print(f"{time.strftime('%H:%M:%S')} {name:<{self._width}} | {line}", flush=True)

    def _keep_running(self, part: Part) -> int | None:
        """Start a part that does not run and may; return the exit code of one that has ended."""
        if part.process is None:
            if time.monotonic() >= part.start_at:
                self._start(part)
            return None
        code = part.process.poll()
        if code is not None:
            _kill_group(part.process)  # what a killed process has left behind
            pause = part.note_end()
            self.print(OWN_NAME, f"{part.name} stopped (rc={code}); next start in {pause:g} s")
        return code

    def _start(self, part: Part) -> None:
        process = part.start()
        self.print(OWN_NAME, f"{part.name} started (pid={process.pid})")
        threading.Thread(target=self._print_all, args=[part.name, process], daemon=True).start()

    def _print_all(self, name: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                self.print(name, line.decode(errors="replace").rstrip("\n"))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
