"""Three machines of one site on this one, with lines between them and the servers they share.

Each machine has folders and processes of its own, and reaches PostgreSQL, the broker and the bucket
by a line that a test can cut. What is killed comes back, as under systemd.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
from collections import Counter
from pathlib import Path

import httpx
import psutil

from evalsite.embedded import DATABASE, PROJECT, SITE_ROLE, Servers
from tests.evalsite.bucket import BucketServer, settings_of
from tests.evalsite.machines.line import Line
from tests.evalsite.processes import SAFE
from tests.live import LiveSite, celery_worker, free_port, run_python, wait_for

NAME = "evaluation.example.org"
# Their reports have no pictures, which take most of their time.
PLAIN, MISLED = "tests.faults.plain_site", "tests.faults.misled_site"
SECONDS_BETWEEN_LOOKS = 1.0


class Clock:
    """What the programs of one machine take for the time, in a file that they read."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.set(0)

    def set(self, seconds: float) -> None:
        # Renamed into its place, so that a reader never finds half a number.
        draft = self.file.with_suffix(".draft")
        draft.write_text(f"{seconds:+.0f}\n")
        draft.rename(self.file)


class Machine(LiveSite):
    """One machine: a web server, workers and perhaps beat, in folders of its own.

    `misled`: with a clock that can be set. `release`: the code that its web server runs.
    """

    def __init__(
        self,
        folder: Path,
        servers: Servers,
        bucket: BucketServer,
        *,
        parts: str,
        misled: bool = False,
        release: Path = PROJECT,
    ) -> None:
        super().__init__(servers, DATABASE, folder)
        self.is_up = True
        self.release_of_web = release
        for made in ("data", "tmp"):
            (folder / made).mkdir(parents=True)
        self.clock = Clock(folder / "clock") if misled else None
        self.parts = {part: command(part, folder.name, misled) for part in parts.split()}
        behind = {
            "database": str(servers.postgresql.sockets / ".s.PGSQL.5432"),
            "broker": str(servers.valkey.socket),
            "bucket": str(bucket.port),
        }
        self.lines = {
            name: Line(free_port(), server, self.environment) for name, server in behind.items()
        }
        ports = {name: line.port for name, line in self.lines.items()}
        self.environment |= SAFE | settings_of(f"http://127.0.0.1:{ports['bucket']}")
        self.environment |= {
            "ALLOWED_HOSTS": f"{NAME},127.0.0.1",
            "BEHIND_TLS_PROXY": "true",
            "PROXIES": "127.0.0.1",
            "DATABASE_URL": f"postgresql://{SITE_ROLE}@127.0.0.1:{ports['database']}/{DATABASE}",
            "REDIS_URL": f"redis://127.0.0.1:{ports['broker']}/0",
            "DATA_FOLDER": str(folder / "data"),
            "TMPDIR": str(folder / "tmp"),
            "STATIC_FOLDER": str(servers.folder / "static"),
            "WORKER_PROCESSES": "1",
        }
        if self.clock:
            self.environment["CLOCK_FILE"] = str(self.clock.file)

    def collect_files(self) -> None:
        """Have the static files of its own release."""
        if self.release_of_web == PROJECT:
            return
        self.environment["STATIC_FOLDER"] = str(self.log_folder / "static")
        local = self.environment | {"ENVIRONMENT": "local"}
        command = ["manage.py", "collectstatic", "--no-input", "--verbosity=0"]
        done = run_python(command, local, self.release_of_web)
        assert done.returncode == 0, done.stderr

    def code_of(self, name: str) -> Path:
        return self.release_of_web if name == "web" else PROJECT

    def connect(self) -> None:
        for line in self.lines.values():
            line.connect()

    def start_parts(self, *parts: str) -> None:
        """Start those of these that do not run."""
        for part in parts:
            self.start(part, *self.parts[part])

    def answers(self) -> bool:
        assert self.is_running("web"), self.log("web").read_text()[-3000:]
        return self.web_answers()

    def lose(self) -> None:
        """Take the whole machine away."""
        self.is_up = False
        for part in self.parts:
            self.kill(part)
        for line in self.lines.values():
            line.cut()

    def bring_back(self) -> None:
        self.connect()
        self.is_up = True

    def send(self, part: str, number: signal.Signals) -> None:
        if self.is_running(part):
            os.killpg(self.processes[part].pid, number)

    def kill_one_of(self, part: str) -> None:
        """Kill one of the processes that a server has started; it starts another."""
        with contextlib.suppress(psutil.Error, IndexError):
            psutil.Process(self.processes[part].pid).children()[0].kill()


def command(part: str, machine: str, misled: bool) -> tuple[str, ...]:
    """The module, with its arguments, that runs this part."""
    app = MISLED if misled else PLAIN
    if part == "web":
        site = MISLED if misled else "evalsite.wsgi"
        return "gunicorn", "-c", "python:evalsite.gunicorn", site
    if part == "beat":
        return "celery", "-A", app, "beat", "--pidfile="
    return celery_worker(f"{part}-{machine}", app)


class Proxy(httpx.BaseTransport):
    """The proxy in front of the web servers: one after the other, and the next if one is away.

    It ends TLS: what comes to the site's public address goes to a web server by HTTP.
    """

    def __init__(self, ports: list[int]) -> None:
        self.ports = itertools.cycle(ports)
        self.tries = len(ports)
        self.lines = threading.local()  # connections of this thread
        self.visitors = itertools.count(1)
        self.stored = 0  # screens that were acknowledged
        self.statuses: Counter[int] = Counter()
        self.lock = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not hasattr(self.lines, "address"):
            number = next(self.visitors)
            self.lines.address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
            self.lines.open = {}
        request.headers["X-Forwarded-Proto"] = "https"
        request.headers["X-Forwarded-For"] = self.lines.address
        for _ in range(self.tries):
            port = next(self.ports)
            line = self.lines.open.setdefault(port, httpx.HTTPTransport(trust_env=False))
            try:
                answer = line.handle_request(sent_to(port, request))
            except httpx.ConnectError as error:
                trouble = error
                continue
            self.count(request, answer)
            return answer
        raise trouble

    def count(self, request: httpx.Request, answer: httpx.Response) -> None:
        with self.lock:
            self.statuses[answer.status_code] += 1
            if request.url.path.endswith("/submit/"):
                self.stored += answer.status_code in (200, 201, 202)

    def close(self) -> None:
        """Leave it open: every browser of the raters closes its own."""


def sent_to(port: int, request: httpx.Request) -> httpx.Request:
    url = request.url.copy_with(scheme="http", host="127.0.0.1", port=port)
    return httpx.Request(
        request.method, url, headers=request.headers, stream=request.stream,
        extensions=request.extensions,
    )  # fmt: skip


class Cluster:
    """The machines, what they share, and the proxy in front of them."""

    def __init__(self, machines: list[Machine], servers: Servers, bucket: BucketServer) -> None:
        self.machines, self.servers, self.bucket = machines, servers, bucket
        self.proxy = Proxy([machine.port for machine in machines])
        self.is_over = threading.Event()
        self.keeper = threading.Thread(target=self.keep_running, daemon=True)

    def start(self) -> None:
        for machine in self.machines:
            machine.collect_files()
            machine.connect()
            # The first web server marks the bucket, and workers refuse one without its mark.
            machine.start_parts("web")
        for machine in self.machines:
            wait_for(machine.answers, "the web server")
        self.keeper.start()

    def keep_running(self) -> None:
        while not self.is_over.wait(SECONDS_BETWEEN_LOOKS):
            for machine in self.machines:
                if machine.is_up:
                    machine.start_parts(*machine.parts)

    def leave_the_first_alone(self) -> None:
        """Let only the first machine run, whole."""
        first, *others = self.machines
        for machine in others:
            machine.lose()
        first.start_parts(*first.parts)
        wait_for(first.web_answers, "the web server that is left")

    def end(self) -> None:
        self.is_over.set()
        if self.keeper.is_alive():
            self.keeper.join()  # or it would start what has just been ended
        for machine in self.machines:
            machine.end()
            for line in machine.lines.values():
                line.cut()
