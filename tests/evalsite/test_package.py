"""The wheel holds all that the site needs: it is built, installed elsewhere and started there.

The started site is below a path of its host, so that these tests also show what a proxy publishes.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPResponse
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import analysis.cli
from analysis.signature import VERSION
from evalsite.embedded import PROJECT, Servers
from tests.browser.rating import answer_with_mouse, await_screen, begin, go_on, next_screen, shot
from tests.chromium import BROWSER_PATIENCE_MS, broken_policies
from tests.evalsite.processes import processes_of
from tests.evalsite.proxy import PrefixProxy, prefix_proxy
from tests.live import PATIENCE, free_port, reachable_folder, wait_for
from tests.migrated import put_migrated_cluster

PREFIX = "/lab/rankme"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed wheel and its commands, and nothing of the checkout."""
    wheels = tmp_path_factory.mktemp("wheels")
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), "."]
    subprocess.run([*pip, *build], cwd=PROJECT, check=True)
    (wheel,) = wheels.glob("rankme-*.whl")
    subprocess.run([*pip, "install", "--no-deps", "--target", str(folder), str(wheel)], check=True)
    return folder


def environment(installed: Path, **more: str) -> dict[str, str]:
    """What the commands see: the installed package first, the other packages of this Python."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return kept | {"PYTHONPATH": str(installed)} | more


def run(installed: Path, command: str, *arguments: str, **more: str) -> str:
    return subprocess.check_output(
        [sys.executable, str(installed / "bin" / command), *arguments],
        cwd=installed,
        env=environment(installed, **more),
        text=True,
    )


def test_the_package_comes_from_the_wheel_and_says_its_version(installed: Path):
    where = [sys.executable, "-c", "import evalsite.embedded as e; print(e.FILES)"]
    files = subprocess.check_output(where, cwd="/", env=environment(installed), text=True)
    assert Path(files.strip()) == installed / "evalsite" / "files"
    assert run(installed, "rankme", "--version").strip() == VERSION


def test_the_wheel_holds_every_migration(installed: Path):
    """The site that is started here begins with a database that is migrated."""
    names = {path.name for path in (PROJECT / "rankme/migrations").glob("*.py")}
    assert {path.name for path in (installed / "rankme/migrations").glob("*.py")} == names
    assert len(names) > 30


def test_the_statistics_are_a_command_of_their_own(installed: Path, capsys):
    command = ["clusters", str(PROJECT / "docs/example/judgements.csv"), "--runs", "5"]
    analysis.cli.main([*command, "--seed", "1"])
    ours = capsys.readouterr().out
    assert "Aster" in ours
    assert run(installed, "rankme-analysis", *command, "--seed", "1") == ours


def test_an_unknown_command_is_refused_with_the_usage(installed: Path):
    with pytest.raises(subprocess.CalledProcessError) as refusal:
        run(installed, "rankme", "walk")
    assert refusal.value.returncode == 2


@dataclass
class StartedSite:
    """The site from the wheel, below PREFIX: its own port, and a proxy before it."""

    port: int
    proxy: PrefixProxy
    greeting: str

    def printed(self, label: str) -> str:
        return re.search(rf"{label}: +(\S+)", self.greeting)[1]


@pytest.fixture(scope="module")
def site(installed: Path) -> Iterator[StartedSite]:
    port = free_port()
    with (
        reachable_folder("rankme-wheel-") as folder,
        prefix_proxy(port, PREFIX, strips=False) as proxy,
        (folder / "run.log").open("wb") as log,
    ):
        put_migrated_cluster(Servers(folder.resolve()).postgresql)
        settings = environment(
            installed,
            DATA_FOLDER=str(folder.resolve()),
            PORT=str(port),
            SITE_URL=proxy.url,
            PATH_PREFIX=PREFIX,
        )
        command = [sys.executable, str(installed / "bin" / "rankme"), "run"]
        process = subprocess.Popen(
            command, cwd=folder, env=settings, stdout=log, stderr=log, start_new_session=True
        )
        try:
            wait_for(lambda: "Raters:" in (folder / "run.log").read_text(), "the site")
            yield StartedSite(port, proxy, (folder / "run.log").read_text())
        finally:
            os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C in a terminal does
            process.wait(PATIENCE)
            wait_for(lambda: processes_of(folder.resolve()) == [], "all processes to end")


@pytest.fixture(params=[False, True], ids=["whole paths", "stripped paths"])
def proxy(site: StartedSite, request: pytest.FixtureRequest) -> Iterator[PrefixProxy]:
    with prefix_proxy(site.port, PREFIX, strips=request.param) as proxy:
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


def test_the_health_check_of_a_container_needs_no_prefix(site: StartedSite):
    assert fetch(f"http://127.0.0.1:{site.port}/healthz/").status == 200


@pytest.fixture
def visitor(browser: Browser, site: StartedSite) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1366, "height": 768}, locale="en")
    context.set_default_timeout(BROWSER_PATIENCE_MS)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.extend(broken_policies(message.text)))
    yield page
    context.close()
    assert (problems, site.proxy.strays) == ([], [])


@pytest.mark.browser
def test_a_rater_rates_a_screen_below_the_prefix(visitor: Page, site: StartedSite):
    visitor.goto(site.printed("Raters"))
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


@pytest.mark.browser
def test_an_organiser_works_below_the_prefix(visitor: Page, site: StartedSite):
    visitor.goto(site.printed("Organiser"))
    visitor.get_by_label("Name").fill(site.printed("Name"))
    visitor.get_by_label("Password").fill(site.printed("Password"))
    visitor.get_by_role("button", name="Log in").click()
    visitor.get_by_role("link", name="Demonstration: restaurant descriptions").click()
    shot(visitor, "prefix-organiser")
    assert site.proxy.url + PREFIX in visitor.url
    visitor.goto(f"{site.proxy.url}{PREFIX}/api/v1/docs/")
    expect(visitor.get_by_text(f"{site.proxy.url}{PREFIX}/api/v1/token/")).to_be_visible()
    shot(visitor, "prefix-api")
