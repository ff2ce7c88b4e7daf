"""`make run` as a user meets it: it comes up, says how to get in, and leaves nothing behind."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path

import psutil
import pytest

from evalsite.embedded import PROJECT, Servers
from tests.evalsite.processes import processes_of
from tests.live import PATIENCE, collected_files, free_port, reachable_folder, wait_for
from tests.migrated import put_migrated_cluster

pytestmark = pytest.mark.slow


class Run:
    """One `make run` on a free port and a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "make-run.log"
        outside = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "ENVIRONMENT"}
        self.environment = {k: v for k, v in os.environ.items() if k not in outside}
        self.environment |= {"PORT": str(self.port), "DATA_FOLDER": str(folder)}
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.log.unlink(missing_ok=True)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["make", "run"],
                cwd=PROJECT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def is_up(self) -> bool:
        return "Ctrl-C stops everything." in self.printed()

    def wait_until_up(self) -> None:
        wait_for(lambda: self.is_up() or self.process.poll() is not None, "make run")
        assert self.process.poll() is None, self.printed()

    def printed(self) -> str:
        return self.log.read_text(errors="replace")

    def supervisor(self) -> psutil.Process:
        return psutil.Process(self.process.pid).children()[0]

    def parts(self) -> dict[str, psutil.Process]:
        return {name: psutil.Process(pid) for name, pid in self.numbers().items()}

    def numbers(self) -> dict[str, int]:
        """The number of the process that was started last for each part."""
        started = re.findall(r"(\w+) +started \(pid=(\d+)\)", self.printed())
        return {name: int(number) for name, number in started}

    def wait_until_gone(self) -> None:
        self.process.wait(PATIENCE)
        wait_for(lambda: processes_of(self.folder) == [], "all processes to end")


@contextlib.contextmanager
def new_run() -> Iterator[Run]:
    """A site with a data folder of its own, which has to make its database first."""
    with reachable_folder("rankme-run-") as made:
        folder = made.resolve()
        run = Run(folder)
        yield run
        if run.process and run.process.poll() is None:
            os.killpg(run.process.pid, signal.SIGTERM)
            run.process.wait(PATIENCE)
        Servers(folder).stop()


@pytest.fixture(scope="module")
def started() -> Iterator[tuple[Run, str]]:
    """A site that was started from nothing, and what it printed then."""
    with new_run() as run:
        run.start()
        run.wait_until_up()
        yield run, run.printed()


@pytest.fixture
def site(started: tuple[Run, str]) -> Run:
    """The running site, which each test leaves running for the others, or stopped."""
    site, _ = started
    if site.process.poll() is not None:
        site.start()
        site.wait_until_up()
    return site


@pytest.fixture
def stopped_site() -> Iterator[Run]:
    """A site whose database and files are there already, though it never ran."""
    with new_run() as run:
        put_migrated_cluster(Servers(run.folder).postgresql)
        run.environment["STATIC_FOLDER"] = str(collected_files())
        yield run


def log_in(url: str, name: str, password: str) -> str:
    """Log in through the form as a browser would, and give the page that follows."""
    cookies = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
    opener.open(f"{url}/admin/login/", timeout=PATIENCE).close()
    token = next(cookie.value for cookie in cookies if cookie.name == "csrftoken")
    fields = {"username": name, "password": password, "csrfmiddlewaretoken": token}
    body = urllib.parse.urlencode(fields).encode()
    with opener.open(f"{url}/admin/login/?next=/admin/", body, timeout=PATIENCE) as answer:
        return answer.read().decode()


def test_the_site_comes_up_and_a_start_after_a_killed_supervisor_ends_what_that_left(
    site: Run, started: tuple[Run, str]
):
    _, first_printed = started
    password = re.search(r"Password: +(\S+)", first_printed)[1]
    raters_link = re.search(r"Raters: +(\S+)", first_printed)[1]
    assert urllib.request.urlopen(raters_link, timeout=PATIENCE).status == 200
    assert "id_password" not in log_in(site.url, "organiser", password)
    orphans = site.parts()
    assert set(orphans) == {"web", "worker", "beat", "servers"}

    site.supervisor().kill()
    site.process.wait(PATIENCE)
    assert all(orphan.is_running() for orphan in orphans.values())

    site.start()
    site.wait_until_up()
    assert not any(orphan.is_running() for orphan in orphans.values())
    assert "shown only once" not in site.printed()
    assert "manage.py demo --reset-password" in site.printed()
    assert "id_password" not in log_in(site.url, "organiser", password)
    for kept in site.folder.rglob("*"):
        assert not (kept.is_file() and password.encode() in kept.read_bytes()), kept


def test_a_second_run_on_the_same_data_is_refused(site: Run):
    second = subprocess.run(
        ["make", "run"],
        cwd=PROJECT,
        env=site.environment | {"PORT": str(free_port())},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert second.returncode != 0
    assert "already runs" in second.stderr
    time.sleep(1)
    assert site.process.poll() is None


def test_killed_servers_are_started_again_under_the_running_site(site: Run):
    servers = Servers(site.folder)
    missed = site.printed().count("starting it again")
    servers.postgresql.kill()
    servers.valkey.kill()
    wait_for(lambda: site.printed().count("starting it again") > missed, "the servers to be missed")
    wait_for(servers.valkey.is_running, "Valkey")
    wait_for(lambda: is_ready(site.url), "the database")


def is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz/", timeout=PATIENCE) as answer:
            return answer.status == 200
    except OSError:
        return False


def test_every_part_that_is_killed_is_started_again_and_the_site_goes_without_a_trace(site: Run):
    before = site.numbers()
    for process in site.parts().values():
        process.kill()
    wait_for(lambda: not before.items() & site.numbers().items(), "every part to start again")
    wait_for(lambda: is_ready(site.url), "the site")
    assert site.process.poll() is None

    site.process.terminate()
    site.wait_until_gone()


def test_a_part_that_cannot_start_ends_the_start(stopped_site: Run):
    stopped_site.environment["WEB_PROCESSES"] = "many"  # refused by the web server alone
    stopped_site.start()
    assert stopped_site.process.wait(PATIENCE) != 0
    stopped_site.wait_until_gone()


def test_a_taken_port_is_said_with_the_way_out(stopped_site: Run):
    with socket.create_server(("127.0.0.1", stopped_site.port)):
        stopped_site.start()
        assert stopped_site.process.wait(PATIENCE) != 0
    assert f"Port {stopped_site.port} on 127.0.0.1 cannot be used" in stopped_site.printed()
    assert f"PORT={stopped_site.port + 1} make run" in stopped_site.printed()
    assert not Servers(stopped_site.folder).postgresql.is_running()
