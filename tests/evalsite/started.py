"""The whole site as users start it: from a checkout (`make run`), or from an installed wheel."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path

import psutil

from evalsite.embedded import PROJECT, Servers, data_folder
from evalsite.run import MARK
from tests.evalsite.processes import processes_of
from tests.live import PATIENCE, free_port, reachable_folder, wait_for


class Run:
    """A site on a free port and a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "run.log"
        outside = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "ENVIRONMENT"}
        self.environment = {k: v for k, v in os.environ.items() if k not in outside}
        self.environment |= self.own()
        self.command = ["make", "run"]
        self.process: subprocess.Popen[bytes] | None = None

    def take_the_wheel(self, installed: Path, **settings: str) -> None:
        """From the next start on it is the one of the installed wheel."""
        self.command = [sys.executable, str(installed / "bin" / "rankme"), "run"]
        self.environment = environment_of(installed, **self.own(), **settings)

    def own(self) -> dict[str, str]:
        """What tells it from others. The mark is that of the test run, which takes it away."""
        place = {"PORT": str(self.port), "DATA_FOLDER": str(self.folder)}
        return place | {MARK: str(data_folder())}

    def start(self) -> None:
        self.log.unlink(missing_ok=True)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=PROJECT if self.command[0] == "make" else self.folder,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def is_up(self) -> bool:
        return "Ctrl-C stops everything." in self.text()

    def wait_until_up(self) -> None:
        wait_for(lambda: self.is_up() or self.process.poll() is not None, "the site")
        assert self.process.poll() is None, self.text()

    def text(self) -> str:
        """What it has printed so far."""
        return self.log.read_text(errors="replace")

    def supervisor(self) -> psutil.Process:
        process = psutil.Process(self.process.pid)
        return process.children()[0] if self.command[0] == "make" else process

    def parts(self) -> dict[str, psutil.Process]:
        return {name: psutil.Process(pid) for name, pid in self.numbers().items()}

    def numbers(self) -> dict[str, int]:
        """The number of the process that was started last for each part."""
        started = re.findall(r"(\w+) +started \(pid=(\d+)\)", self.text())
        return {name: int(number) for name, number in started}

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz/", timeout=PATIENCE) as answer:
                return answer.status == 200
        except OSError:
            return False

    def press_ctrl_c(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def wait_until_gone(self) -> None:
        self.process.wait(PATIENCE)
        wait_for(lambda: processes_of(self.folder) == [], "all processes to end")


@contextlib.contextmanager
def new_run() -> Iterator[Run]:
    """A site with a data folder of its own, which has to make its database first."""
    with reachable_folder("rankme-run-") as made:
        run = Run(made.resolve())
        yield run
        if run.process and run.process.poll() is None:
            run.press_ctrl_c()
            run.wait_until_gone()
        Servers(run.folder).stop()


def said(printed: str, label: str) -> str:
    """What a site's greeting says behind a label."""
    return re.search(rf"{label}: +(\S+)", printed)[1]


def page_after_login(url: str, name: str, password: str) -> str:
    """Log in through the form as a browser would, and give the page that follows."""
    cookies = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
    opener.open(f"{url}/login/", timeout=PATIENCE).close()
    token = next(cookie.value for cookie in cookies if cookie.name == "csrftoken")
    fields = {"login": name, "password": password, "csrfmiddlewaretoken": token}
    body = urllib.parse.urlencode(fields).encode()
    path = urllib.parse.urlsplit(url).path
    address = f"{url}/login/?next={path}/admin/"
    with opener.open(address, body, timeout=PATIENCE) as answer:
        return answer.read().decode()


def install_wheel(folder: Path) -> None:
    """Build the wheel of the checkout, and install it and its commands in a folder."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    options = ["--no-deps", "--no-build-isolation", "--target", str(folder)]
    subprocess.run([*pip, *options, "."], cwd=PROJECT, check=True)


def environment_of(installed: Path, **more: str) -> dict[str, str]:
    """What the commands see: the installed package first, the other packages of this Python."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return kept | {"PYTHONPATH": str(installed)} | more


def run_command(installed: Path, command: str, *arguments: str, **more: str) -> str:
    return subprocess.check_output(
        [sys.executable, str(installed / "bin" / command), *arguments],
        cwd=installed,
        env=environment_of(installed, **more),
        text=True,
    )
