"""The site as real processes, to be killed and started again.

`live_site` is a function fixture over one web server per test run: it is started when the first
test asks for it and again when a test has killed it. Its database is that of the test, so what
a test writes the site sees (the tests are transactional), and what the site writes is swept away.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import psutil
import pytest

from evalsite.embedded import (
    OWNER_ROLE,
    PROJECT,
    SITE_ROLE,
    Servers,
    data_folder,
    make_data_folder,
)
from evalsite.embedded.servers import locked
from evalsite.run import MARK, WORKER_ALONE

# Upper bounds, reached only when something is wrong: a busy machine may need many seconds.
PATIENCE = 600


@contextlib.contextmanager
def reachable_folder(prefix: str = "rankme test ") -> Iterator[Path]:
    """A data folder that the servers' account can enter, unlike pytest's own tmp_path.

    It lies in that of this test run: if that is killed, the next one ends what runs here.
    """
    own = make_data_folder(data_folder())
    with tempfile.TemporaryDirectory(prefix=prefix, dir=own) as name:
        os.chmod(name, 0o711)
        yield Path(name)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# What is asked again and again leaves nearly all of a core to what it waits for.
LEAST_PAUSE, PAUSES_PER_LOOK, LONGEST_PAUSE = 0.05, 15, 0.5


def wait_for(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        if condition():
            return
        now = time.monotonic()
        if now > end:
            pytest.fail(f"Waited {seconds} s in vain for {what}.")
        time.sleep(min(max(LEAST_PAUSE, PAUSES_PER_LOOK * (now - began)), LONGEST_PAUSE))


def start_python(
    arguments: Sequence[str], environment: Mapping[str, str], log: Path, code: Path = PROJECT
) -> subprocess.Popen[bytes]:
    """Start `python ARGUMENTS` in a session of its own; its output goes to the log."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, *arguments],
            cwd=code,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def run_python(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    code: Path = PROJECT,
    *,
    seconds: float = PATIENCE,
) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS` to its end."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=code,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


class LiveSite:
    """Web server, worker, beat, PostgreSQL and Valkey, each of which a test may take away."""

    def __init__(self, servers: Servers, database: str, log_folder: Path) -> None:
        self.servers = servers
        self.owner_url = servers.postgresql.url_of(OWNER_ROLE, database)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log_folder = log_folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.web_is: tuple[str, dict[str, str]] | None = None
        self.environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
            "ENVIRONMENT": "local",
            "DATABASE_URL": servers.postgresql.url_of(SITE_ROLE, database),
            "REDIS_URL": servers.valkey.url,
            "DATA_FOLDER": str(servers.folder),
            "PORT": str(self.port),
            "SITE_URL": self.url,
            "GRACEFUL_SECONDS": "2",
            MARK: str(servers.folder),
        }

    # Web ------------------------------------------------------------------------------------

    def start_web(self, module: str = "evalsite.wsgi", **settings: str) -> None:
        """Have a web server of this module and these settings; one of others is taken away."""
        wanted = (module, self.environment | settings)
        if self.is_running("web") and self.web_is == wanted:
            return
        self.kill_web()
        self.web_is = wanted
        self.start("web", "gunicorn", "-c", "python:evalsite.gunicorn", module, **settings)
        wait_for(self.web_answers, f"the web server; its log is {self.log('web')}")

    def stop_web(self) -> None:
        """Take the web server away as a deployment does (SIGTERM)."""
        self.stop("web")

    def kill_web(self) -> None:
        """Take the whole web server away without a word: the master and all of its children."""
        self.kill("web")

    def kill_web_child(self) -> None:
        """Kill one gunicorn worker; the master starts another."""
        master = psutil.Process(self.processes["web"].pid)
        master.children()[0].kill()

    def web_answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.url}/healthz/", timeout=5).close()
        except (OSError, urllib.error.URLError):
            return False
        return True

    # Worker and beat ------------------------------------------------------------------------

    def start_worker(self, name: str = "worker", app: str = "evalsite", **settings: str) -> None:
        self.start(name, *celery_worker(name, app), **settings)

    def kill_worker(self) -> None:
        self.kill("worker")

    def start_beat(self, **settings: str) -> None:
        self.start("beat", "celery", "-A", "tests.quick_site", "beat", "--pidfile=", **settings)

    def kill_beat(self) -> None:
        self.kill("beat")

    # Servers --------------------------------------------------------------------------------

    def restart_postgresql(self) -> None:
        """Pull the plug of the database (immediate stop), and put it in again."""
        self.stop_postgresql()
        self.start_postgresql()

    def stop_postgresql(self) -> None:
        from django.db import connections

        connections.close_all()
        self.servers.postgresql.stop("immediate")

    def start_postgresql(self) -> None:
        self.servers.postgresql.start()

    def kill_valkey(self) -> None:
        """Take the broker away between two messages.

        A worker of Celery 5.7 that has a message in hand then ends, for its supervisor to start
        another. Here nobody would.
        """
        with self.beat_suspended():
            if self.is_running("worker"):
                wait_for(self.no_message_is_under_way, "the worker to be at rest")
            self.servers.valkey.kill()

    @contextlib.contextmanager
    def beat_suspended(self) -> Iterator[None]:
        """Beat sends nothing meanwhile, but lives."""
        beat = psutil.Process(self.processes["beat"].pid) if self.is_running("beat") else None
        if beat:
            beat.suspend()
        try:
            yield
        finally:
            if beat:
                beat.resume()

    def no_message_is_under_way(self) -> bool:
        import redis

        with redis.Redis(unix_socket_path=str(self.servers.valkey.socket)) as client:
            return not client.exists("rankme", "unacked")

    def start_valkey(self) -> None:
        self.servers.valkey.start()

    def flush_valkey(self) -> None:
        import redis

        with redis.Redis(unix_socket_path=str(self.servers.valkey.socket)) as client:
            client.flushall()

    # Processes ------------------------------------------------------------------------------

    def manage(self, *arguments: str) -> str:
        """Run a command of manage.py against the live database, and give what it prints."""
        environment = self.environment | {"DATABASE_OWNER_URL": self.owner_url}
        done = run_python(["manage.py", *arguments], environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def log(self, name: str) -> Path:
        return self.log_folder / f"{name}.log"

    def start(self, name: str, *arguments: str, **settings: str) -> None:
        """Start `python -m ARGUMENTS`, unless it runs."""
        if not self.is_running(name):
            environment = self.environment | settings
            self.processes[name] = start_python(
                ["-m", *arguments], environment, self.log(name), self.code_of(name)
            )

    def code_of(self, name: str) -> Path:
        """The folder of the release that this process runs."""
        return PROJECT

    def is_running(self, name: str) -> bool:
        return name in self.processes and self.processes[name].poll() is None

    def stop(self, name: str) -> None:
        if self.is_running(name):
            process = self.processes[name]
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill(name)

    def kill(self, name: str) -> None:
        if name in self.processes:
            # Another thread may start the next one at once, for which nobody must wait.
            process = self.processes[name]
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE)

    def repair_servers(self) -> None:
        """Bring back the servers that a test may have taken away, with an empty queue."""
        self.servers.start()
        self.flush_valkey()

    def end(self, but: str = "") -> None:
        """Take away what runs: no test looks any more at how it ends."""
        for name in set(self.processes) - {but}:
            if self.is_running(name):
                self.kill(name)


def celery_worker(name: str, app: str = "evalsite") -> tuple[str, ...]:
    """The module and its arguments that start a worker."""
    options = ["--loglevel", "info", *WORKER_ALONE.split(), "--hostname", f"{name}@%h"]
    return "celery", "-A", app, "worker", *options


def readiness(site: LiveSite) -> int:
    """The status of the answer to "are you ready?"."""
    try:
        with urllib.request.urlopen(f"{site.url}/readyz/", timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:  # else its socket may be found open in another test, which then fails
            return error.code


@pytest.fixture(scope="session")
def collected_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The static files as a site sends them, collected once for all processes of a test run."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, unfinished = shared / "static", shared / "static.unfinished"
    with (shared / "static.lock").open("a") as lock, locked(lock):
        if not folder.exists():
            environment = os.environ | {"DJANGO_SETTINGS_MODULE": "evalsite.settings"}
            environment["STATIC_FOLDER"] = str(unfinished)
            command = [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity=0"]
            subprocess.run(command, cwd=PROJECT, env=environment, check=True)
            unfinished.rename(folder)
    return folder


@pytest.fixture(scope="session")
def site_of_the_session(
    servers: Servers,
    django_db_setup: None,
    collected_files: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[LiveSite]:
    from django.conf import settings

    site = LiveSite(servers, settings.DATABASES["default"]["NAME"], tmp_path_factory.mktemp("live"))
    site.environment["STATIC_FOLDER"] = str(collected_files)
    try:
        yield site
    finally:
        site.end()


@pytest.fixture
def site_without_web(site_of_the_session: LiveSite, transactional_db: None) -> Iterator[LiveSite]:
    """The site, for a test that starts its web server itself, or needs none."""
    site_of_the_session.repair_servers()
    yield site_of_the_session
    site_of_the_session.end(but="web")
    site_of_the_session.servers.start()


@pytest.fixture
def live_site(site_without_web: LiveSite) -> LiveSite:
    """The running site; whatever the test kills is back for the next test."""
    site_without_web.start_web()
    return site_without_web
