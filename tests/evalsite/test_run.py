"""The whole site as users meet it: it comes up, says how to get in, and leaves nothing behind.

It comes up from nothing by `make run`. When that is killed, the installed wheel goes on with its
data, below a path of its host; so these tests also show what the wheel holds, and what a proxy
publishes. Starts are dear: every test takes the started site from the one before it, and those
that kill it come before its processes have imported everything.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect

import analysis.cli
from analysis.signature import VERSION
from evalsite.embedded import PROJECT, Servers
from tests.browser.rating import answer_with_mouse, await_screen, begin, go_on, next_screen, shot
from tests.chromium import BROWSER_PATIENCE_MS, broken_policies
from tests.evalsite.processes import processes_of
from tests.evalsite.proxy import PrefixProxy, prefix_proxy
from tests.evalsite.started import (
    Run,
    environment_of,
    install_wheel,
    new_run,
    page_after_login,
    run_command,
    said,
)
from tests.live import PATIENCE, free_port, start_python, wait_for

PREFIX = "/lab/rankme"

pytestmark = pytest.mark.slow


# --- What is in the wheel ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed wheel and its commands, and nothing of the checkout."""
    folder = tmp_path_factory.mktemp("installed")
    install_wheel(folder)
    return folder


def test_the_package_comes_from_the_wheel_and_says_its_version(installed: Path):
    where = [sys.executable, "-c", "import evalsite.embedded as e; print(e.FILES)"]
    files = subprocess.check_output(where, cwd="/", env=environment_of(installed), text=True)
    assert Path(files.strip()) == installed / "evalsite" / "files"
    assert run_command(installed, "rankme", "--version").strip() == VERSION


def test_the_wheel_holds_every_migration(installed: Path):
    """The site that is started from it begins with a database that is migrated."""
    names = {path.name for path in (PROJECT / "rankme/migrations").glob("*.py")}
    assert {path.name for path in (installed / "rankme/migrations").glob("*.py")} == names
    assert len(names) > 2 and (installed / "rankme/migrations/from_1_0.sql").is_file()


def test_the_statistics_are_a_command_of_their_own(installed: Path, capsys):
    # Without a function that Numba compiles: a new copy would have to compile it for seconds.
    command = ["tukey", str(PROJECT / "docs/example/judgements.csv")]
    analysis.cli.main(command)
    ours = capsys.readouterr().out
    assert "Aster" in ours
    assert run_command(installed, "rankme-analysis", *command) == ours


def test_an_unknown_command_is_refused_with_the_usage(installed: Path):
    with pytest.raises(subprocess.CalledProcessError) as refusal:
        run_command(installed, "rankme", "walk")
    assert refusal.value.returncode == 2


# --- From nothing ------------------------------------------------------------------------------


@dataclass
class FirstStart:
    """A site that came up from nothing by `make run`."""

    run: Run
    printed: str
    status_of_the_raters_link: int
    page_after_login: str

    @property
    def password(self) -> str:
        return said(self.printed, "Password")


@pytest.fixture(scope="module")
def first(collected_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FirstStart]:
    static = tmp_path_factory.mktemp("static")  # starts write to it; the wheel collects its own
    shutil.copytree(collected_files, static, dirs_exist_ok=True)
    with new_run() as run:
        run.environment["STATIC_FOLDER"] = str(static)
        run.start()
        run.wait_until_up()
        printed = run.text()
        raters_link = urllib.request.urlopen(said(printed, "Raters"), timeout=PATIENCE)
        page = page_after_login(run.url, "organiser", said(printed, "Password"))
        yield FirstStart(run, printed, raters_link.status, page)


def test_the_site_comes_up_from_nothing_and_says_how_to_get_in(first: FirstStart):
    assert first.status_of_the_raters_link == 200
    assert "shown only once" in first.printed
    assert "id_password" not in first.page_after_login


# --- From the wheel ----------------------------------------------------------------------------


@dataclass
class Successor:
    """The site from the wheel, below PREFIX, after the first start was killed, and a proxy."""

    run: Run
    proxy: PrefixProxy
    printed: str
    orphans: dict[str, psutil.Process]
    outlived_the_supervisor: set[str]

    @property
    def url(self) -> str:
        return self.proxy.url + PREFIX


@pytest.fixture(scope="module")
def successor(first: FirstStart, installed: Path) -> Iterator[Successor]:
    run = first.run
    orphans = run.parts()
    run.supervisor().kill()
    run.process.wait(PATIENCE)
    outlived = {name for name, orphan in orphans.items() if orphan.is_running()}
    with prefix_proxy(run.port, PREFIX, strips=False) as proxy:
        run.take_the_wheel(installed, SITE_URL=proxy.url, PATH_PREFIX=PREFIX)
        run.start()
        run.wait_until_up()
        yield Successor(run, proxy, run.text(), orphans, outlived)


@pytest.fixture
def site(successor: Successor) -> Successor:
    """The running site, which each test leaves running for the others, or stopped."""
    if successor.run.process.poll() is not None:
        successor.run.start()
        successor.run.wait_until_up()
    return successor


def test_a_start_after_a_killed_supervisor_ends_what_that_left(site: Successor, first: FirstStart):
    assert site.outlived_the_supervisor == {"web", "worker", "beat", "servers"}
    assert not any(orphan.is_running() for orphan in site.orphans.values())
    assert "shown only once" not in site.printed
    assert "manage.py demo --reset-password" in site.printed
    assert "id_password" not in page_after_login(site.url, "organiser", first.password)
    for kept in site.run.folder.rglob("*"):
        assert not (kept.is_file() and first.password.encode() in kept.read_bytes()), kept


def test_every_part_that_is_killed_is_started_again(site: Successor):
    before = site.run.numbers()
    for process in site.run.parts().values():
        process.kill()
    wait_for(lambda: not before.items() & site.run.numbers().items(), "every part to start again")
    wait_for(lambda: site.run.is_ready(), "the site")
    assert site.run.process.poll() is None


@pytest.fixture(params=[False, True], ids=["whole paths", "stripped paths"])
def proxy(site: Successor, request: pytest.FixtureRequest) -> Iterator[PrefixProxy]:
    with prefix_proxy(site.run.port, PREFIX, strips=request.param) as proxy:
        yield proxy
        assert proxy.strays == []


def fetch(address: str, **headers: str) -> HTTPResponse | urllib.error.HTTPError:
    try:
        return urllib.request.urlopen(
            urllib.request.Request(address, headers=headers), timeout=PATIENCE
        )
    except urllib.error.HTTPError as error:
        return error


def test_the_site_starts_from_the_wheel(proxy: PrefixProxy):
    home = proxy.url + PREFIX
    assert b"Anmelden" in fetch(f"{home}/login/", **{"Accept-Language": "de"}).read()
    assert b"e2e-quality" in fetch(f"{home}/gallery/").read()
    login = fetch(f"{home}/login/").read().decode()
    files = re.findall(r'(?:href|src)="([^"]+\.(?:css|js|svg))"', login)
    assert len(files) >= 2
    for address in files:
        with fetch(proxy.url + address) as file:
            assert file.status == 200, address
            assert "immutable" in file.headers["Cache-Control"], address


def test_redirects_and_refusals_stay_below_the_prefix(proxy: PrefixProxy):
    home = proxy.url + PREFIX
    assert f'href="{PREFIX}/login/' in fetch(home).read().decode()
    asked = fetch(f"{home}/campaigns/").url
    assert asked == f"{home}/login/?next={PREFIX}/campaigns/"
    unknown = fetch(f"{home}/api/v1/nothing/")
    assert (unknown.status, unknown.headers["Content-Type"]) == (404, "application/json")
    assert f"{PREFIX}/api/v1/docs/" in json.load(unknown)["error"]["message"]
    schema = fetch(f"{home}/api/v1/schema/").read().decode()
    assert f"- url: {PREFIX}\n" in schema and "  /api/v1/campaigns/:\n" in schema


def test_cookies_are_for_the_prefix_alone(proxy: PrefixProxy):
    cookie = fetch(f"{proxy.url}{PREFIX}/login/").headers["Set-Cookie"]
    assert f"Path={PREFIX};" in cookie


def test_the_health_check_of_a_container_needs_no_prefix(site: Successor):
    assert fetch(f"http://127.0.0.1:{site.run.port}/healthz/").status == 200


@pytest.fixture
def visitor(browser: Browser, site: Successor) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1366, "height": 768}, locale="en")
    context.set_default_timeout(BROWSER_PATIENCE_MS)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.extend(broken_policies(message.text)))
    yield page
    context.close()
    assert (problems, site.proxy.strays) == ([], [])


def test_a_rater_rates_a_screen_below_the_prefix(visitor: Page, site: Successor):
    visitor.goto(said(site.printed, "Raters"))
    visitor.get_by_role("button", name="I agree").click()
    begin(visitor)
    with visitor.expect_response(lambda answer: answer.url.endswith("/submit/")) as stored:
        rate_the_practice(visitor)
        shot(visitor, "prefix-rater")
        answer_with_mouse(visitor)
        next_screen(visitor)
    assert stored.value.status == 201
    rater = next(each for each in visitor.context.cookies() if each["name"] == "rater")
    assert rater["path"].startswith(f"{PREFIX}/r/")


def rate_the_practice(page: Page) -> None:
    """Up to the first screen that counts."""
    await_screen(page)
    while "ractice" in page.locator("#progress").inner_text():
        answer_with_mouse(page)
        next_screen(page)
        page.wait_for_selector("[data-go-on]:visible, form.screen[data-onset]")
        while page.locator("[data-go-on]:visible").count():
            go_on(page)
        await_screen(page)


def test_an_organiser_works_below_the_prefix(visitor: Page, site: Successor, first: FirstStart):
    visitor.goto(said(site.printed, "Organiser"))
    visitor.get_by_label("Name").fill(said(site.printed, "Name"))
    visitor.get_by_label("Password").fill(first.password)
    visitor.get_by_role("button", name="Log in", exact=True).click()
    visitor.get_by_role("link", name="Demonstration: restaurant descriptions").click()
    shot(visitor, "prefix-organiser")
    assert site.url in visitor.url
    visitor.goto(f"{site.url}/api/v1/docs/")
    expect(visitor.get_by_text(f"{site.url}/api/v1/token/")).to_be_visible()
    shot(visitor, "prefix-api")


# --- How it lives and ends ---------------------------------------------------------------------


def test_a_second_run_on_the_same_data_is_refused(site: Successor):
    second = subprocess.run(
        ["make", "run"],
        cwd=PROJECT,
        env=site.run.environment | {"PORT": str(free_port())},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert second.returncode != 0
    assert "already runs" in second.stderr
    time.sleep(1)
    assert site.run.process.poll() is None


def test_killed_servers_are_started_again_under_the_running_site(site: Successor):
    servers = Servers(site.run.folder)
    missed = site.run.text().count("starting it again")
    servers.postgresql.kill()
    servers.valkey.kill()
    wait_for(
        lambda: site.run.text().count("starting it again") > missed, "the servers to be missed"
    )
    wait_for(servers.valkey.is_running, "Valkey")
    wait_for(lambda: site.run.is_ready(), "the database")


def test_after_ctrl_c_nothing_is_left(site: Successor):
    site.run.press_ctrl_c()
    site.run.wait_until_gone()


# The supervisor of a site with a part that takes no time to start, and with those that are named.
WITH_A_PART = """
import sys
from evalsite import run
run.prepare = lambda folder: "Ready."
others = {name: run.PROCESSES[name] for name in sys.argv[1:]}
run.PROCESSES = {"part": "http.server --bind 127.0.0.1 0"} | others
sys.exit(run.main())
"""


def supervisor_in(folder: Path, *parts: str, **settings: str) -> subprocess.Popen[bytes]:
    environment = {"DATABASE_URL": "elsewhere", "REDIS_URL": "elsewhere"} | settings
    environment |= {"DATA_FOLDER": str(folder), "PORT": str(free_port())}
    program = ["-c", WITH_A_PART, *parts]
    return start_python(program, os.environ | environment, folder / "run.log")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_parts_before_the_supervisor(tmp_path: Path, number: signal.Signals):
    supervisor, log = supervisor_in(tmp_path), tmp_path / "run.log"
    wait_for(lambda: "part started" in log.read_text(), "the part")
    os.kill(supervisor.pid, number)
    assert supervisor.wait(PATIENCE) == 128 + number, log.read_text()
    assert "part stopped (rc=" in log.read_text()
    assert processes_of(tmp_path) == []


def test_a_part_that_cannot_start_ends_the_start(tmp_path: Path):
    # The number is refused by the web server alone.
    supervisor, log = supervisor_in(tmp_path, "web", WEB_PROCESSES="many"), tmp_path / "run.log"
    assert supervisor.wait(PATIENCE) != 0
    assert "WEB_PROCESSES" in log.read_text() and "part stopped (rc=" in log.read_text()
    assert processes_of(tmp_path) == []


def test_a_taken_port_is_said_with_the_way_out():
    with new_run() as run, socket.create_server(("127.0.0.1", run.port)):
        run.start()
        assert run.process.wait(PATIENCE) != 0
        assert f"Port {run.port} on 127.0.0.1 cannot be used" in run.text()
        assert f"PORT={run.port + 1} make run" in run.text()
        assert not Servers(run.folder).postgresql.is_running()


LAUNCHER = """
import os, signal, sys
from evalsite.supervisor import Supervisor
signal.signal(signal.SIGTERM, lambda *told: sys.exit(0))
Supervisor({"part": ["sleep", "600"]}, dict(os.environ)).run()
"""


def test_a_site_whose_output_nobody_reads_any_more_still_ends_its_parts():
    """As after `make run | head`: to print raises an error then."""
    command = [sys.executable, "-c", LAUNCHER]
    launcher = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=PROJECT)
    part = psutil.Process(int(re.search(rb"pid=(\d+)", launcher.stdout.readline())[1]))
    try:
        launcher.stdout.close()
        launcher.terminate()
        launcher.wait(PATIENCE)
        assert not part.is_running()
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            part.kill()
