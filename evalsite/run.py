"""Brings the whole site up on one machine: `make run`, which is `python -m evalsite.run`."""

import contextlib
import fcntl
import io
import os
import shlex
import signal
import socket
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import django
import psutil
from django.core.management import call_command
from django.db import connections

from evalsite import embedded
from evalsite.supervisor import Supervisor

# Every process that we start carries the data folder under this name, and so can be found again.
MARK = "RANKME_RUN"
SIGNALS_TO_END = (signal.SIGINT, signal.SIGTERM)
# On a private machine root may run a worker; nobody else can reach its queue.
ROOT_WORKER_IS_MEANT = "ignore:You're running the worker with superuser privileges"
# They need not know of each other (evalsite/settings.py).
WORKER_ALONE = "--without-gossip --without-mingle"
PROCESSES = {
    "web": "gunicorn --config python:evalsite.gunicorn evalsite.wsgi",
    "worker": f"celery --quiet --app evalsite worker --loglevel warning {WORKER_ALONE}",
    "beat": "celery --quiet --app evalsite beat --loglevel warning --pidfile=",
    "servers": "evalsite.embedded",
}


class CannotRun(RuntimeError):
    """The site cannot start; the text says what to do."""


def main() -> int:
    for number in SIGNALS_TO_END:
        signal.signal(number, end_in_order)
    os.environ.setdefault("ENVIRONMENT", "local")
    os.environ.setdefault("GRACEFUL_SECONDS", "3")
    host, port = os.environ.setdefault("HOST", "127.0.0.1"), os.environ.setdefault("PORT", "8000")
    folder = embedded.make_data_folder(embedded.data_folder())
    try:
        with the_only_run(folder):
            end_orphans(folder)
            refuse_taken_port(host, port)
            with servers(folder):
                return supervise(prepare(folder))
    except (CannotRun, embedded.EmbeddedServerError) as problem:
        print(problem, file=sys.stderr)
        return 1


def end_in_order(signum: int, frame: object) -> None:
    """Turn the first signal into an exit that passes through every `finally`."""
    for number in SIGNALS_TO_END:
        signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + signum)


@contextlib.contextmanager
def the_only_run(folder: Path) -> Iterator[None]:
    """Lock the data folder; the kernel releases the lock even after SIGKILL."""
    with (folder / "run.lock").open("a+") as lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CannotRun(
                f"The site already runs with the data of {folder}.\n"
                "For a second one: PORT=8001 DATA_FOLDER=/another/folder make run"
            ) from None
        yield


def end_orphans(folder: Path) -> None:
    """End what a killed run has left behind: exactly the processes that carry our mark."""
    orphans = [process for process in psutil.process_iter() if is_marked(process, folder)]
    for signal_process in (psutil.Process.terminate, psutil.Process.kill):
        for process in orphans:
            with contextlib.suppress(psutil.NoSuchProcess):
                signal_process(process)
        orphans = psutil.wait_procs(orphans, timeout=5)[1]


def is_marked(process: psutil.Process, folder: Path) -> bool:
    try:
        return process.pid != os.getpid() and process.environ().get(MARK) == str(folder)
    except (psutil.Error, OSError):
        return False


def refuse_taken_port(host: str, port: str) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(port)))
        except OSError as problem:
            raise CannotRun(
                f"Port {port} on {host} cannot be used ({problem.strerror}).\n"
                f"Choose another: PORT={int(port) + 1} make run"
            ) from None


@contextlib.contextmanager
def servers(folder: Path) -> Iterator[None]:
    """Have a database and a broker: those that the environment names, or embedded ones."""
    if os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"):
        yield
        return
    with embedded.Servers(folder).running() as own:
        if not os.environ.get("DATABASE_URL"):
            os.environ["DATABASE_OWNER_URL"] = own.postgresql.owner_url
        for name, address in own.addresses().items():
            os.environ.setdefault(name, address)
        yield


def prepare(folder: Path) -> str:
    """Bring database, files and demonstration up to date; return the greeting."""
    django.setup()
    call_command("migrate", verbosity=0, interactive=False)
    call_command("collectstatic", verbosity=0, interactive=False)
    greeting = io.StringIO()
    call_command("demo", stdout=greeting)
    connections.close_all()
    return f"{greeting.getvalue()}Data:      {folder}"


def supervise(greeting: str) -> int:
    """Run all parts until the site has to stop; greet once it answers."""
    environment = os.environ | {
        MARK: str(embedded.data_folder()),
        "PYTHONWARNINGS": ROOT_WORKER_IS_MEANT,
    }
    # Only the migration, which is done, may use the owner's role.
    environment.pop("DATABASE_OWNER_URL", None)
    supervisor = Supervisor(commands(), environment)
    threading.Thread(target=greet, args=[greeting, supervisor.is_up], daemon=True).start()
    return supervisor.run()


def commands() -> dict[str, list[str]]:
    return {
        name: [sys.executable, "-m", *shlex.split(command)] for name, command in PROCESSES.items()
    }


def greet(greeting: str, is_up: threading.Event) -> None:
    """Print the addresses once they answer."""
    host, port = os.environ["HOST"], os.environ["PORT"]
    while True:
        time.sleep(0.2)
        try:
            urllib.request.urlopen(f"http://{host}:{port}/healthz/", timeout=5).close()
        except OSError:
            continue
        is_up.set()
        with contextlib.suppress(OSError):  # nobody reads it
            print(f"\n{greeting}\nCtrl-C stops everything.\n", flush=True)
        return


if __name__ == "__main__":
    sys.exit(main())
