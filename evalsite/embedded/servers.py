"""Both servers of a data folder, shared by all commands that run in it."""

import contextlib
import fcntl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from .folders import make_data_folder, refuse_closed_folder
from .postgresql import PostgreSQL
from .valkey import Valkey


class Servers:
    """The two servers of one data folder."""

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self.folder = folder
        self.postgresql = PostgreSQL(folder, durable=durable)
        self.valkey = Valkey(folder)

    def start(self) -> None:
        refuse_closed_folder(make_data_folder(self.folder))
        self.postgresql.start()
        self.valkey.start()

    def stop(self) -> None:
        self.valkey.stop()
        self.postgresql.stop()

    def addresses(self) -> dict[str, str]:
        """Return the addresses under the names by which the settings read them."""
        return {"DATABASE_URL": self.postgresql.url, "REDIS_URL": self.valkey.url}

    @contextlib.contextmanager
    def running(self) -> Iterator["Servers"]:
        """Keep the servers running: the first user starts them, the last one stops them.

        The kernel drops the locks of a killed process, so a crash blocks nobody.
        """
        make_data_folder(self.folder)
        with (
            (self.folder / "servers.lock").open("a") as change,
            (self.folder / "users.lock").open("a+") as users,
        ):
            with locked(change):
                fcntl.lockf(users, fcntl.LOCK_SH)
                self.start()
            try:
                yield self
            finally:
                with locked(change):
                    if is_last(users):
                        self.stop()


@contextlib.contextmanager
def locked(file: IO[str]) -> Iterator[None]:
    fcntl.lockf(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN)


def is_last(users: IO[str]) -> bool:
    try:
        fcntl.lockf(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def keep_running(servers: Servers) -> None:
    """Restart a server that was killed, until this process has to stop."""
    while True:
        time.sleep(1)
        if not (servers.postgresql.is_running() and servers.valkey.is_running()):
            print("An embedded server has stopped; starting it again.", flush=True)
            servers.start()
