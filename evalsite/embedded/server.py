"""What the two embedded servers have in common: start, wait, stop, kill."""

import signal
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path

import psutil

from .accounts import Account
from .errors import EmbeddedServerError
from .folders import make_data_folder, make_folder, make_socket_folder, socket_folder

STOP_SECONDS = 20


class Server(ABC):
    """One server in a data folder. It outlives the process that started it."""

    name: str
    # After a crash a server first repairs its data, which can take minutes on a slow disk.
    patience = 900.0
    seconds_between_messages = 10.0
    seconds_to_answer = 5  # to one question

    def __init__(self, folder: Path) -> None:
        program = self.name.lower()
        self.account = Account.unprivileged()
        self.folder = folder
        self.home = folder / program
        self.log = folder / "log" / f"{program}.log"
        self.sockets = socket_folder(folder, program)

    @property
    @abstractmethod
    def pid_file(self) -> Path: ...

    @abstractmethod
    def launch(self) -> None:
        """Start the process, which is not running."""

    @abstractmethod
    def make_ready(self) -> bool:
        """Set up what the site needs; False if the server does not accept commands yet."""

    @property
    def process(self) -> psutil.Process | None:
        return living_process(self.pid_file, self.home)

    def is_running(self) -> bool:
        return self.process is not None

    def start(self) -> None:
        """Start the server unless it runs, and wait until it answers.

        A server that runs but does not answer is recovering from a crash, or the machine is
        overloaded. It is left to finish: a second one on the same files cannot start.
        """
        begun = told = time.monotonic()
        while not (self.is_running() and self.make_ready()):
            now = time.monotonic()
            if now - begun > self.patience:
                raise EmbeddedServerError(
                    f"{self.name} has not answered for {self.patience:g} seconds. "
                    f"Its log ({self.log}) ends:\n{end_of(self.log)}"
                )
            if not self.is_running():
                self._make_folders()
                self.launch()
            elif now - told > self.seconds_between_messages:
                told = now
                print(
                    f"Waiting for {self.name}: it is running but does not answer yet. After a "
                    "crash it has to recover its data first.",
                    file=sys.stderr,
                    flush=True,
                )
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server in order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Take the server away without warning (SIGKILL)."""
        if self.process:
            self.process.kill()
            wait_until(lambda: not self.is_running(), STOP_SECONDS)

    def _end(self, by: signal.Signals) -> None:
        process = self.process
        if process is None:
            return
        process.send_signal(by)
        if not wait_until(lambda: not self.is_running(), STOP_SECONDS):
            raise EmbeddedServerError(f"{self.name} (pid {process.pid}) does not stop.")

    def _make_folders(self) -> None:
        make_data_folder(self.folder)
        make_socket_folder(self.sockets, self.account)
        make_folder(self.log.parent, 0o700, self.account)


def living_process(pid_file: Path, home: Path) -> psutil.Process | None:
    """Find the server that wrote this pid file, unless another process now has its number."""
    try:
        process = psutil.Process(int(pid_file.read_text().split()[0]))
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process if Path(process.cwd()) == home.resolve() else None
    except (OSError, ValueError, IndexError, psutil.Error):
        return None


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def end_of(file: Path, lines: int = 15) -> str:
    if not file.exists():
        return ""
    return "\n".join(file.read_text(errors="replace").splitlines()[-lines:])
