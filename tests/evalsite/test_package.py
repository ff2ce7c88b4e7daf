"""The wheel holds all that the site needs: it is built, installed elsewhere and started there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.signature import VERSION
from evalsite.embedded import PROJECT, Servers
from tests.live import free_port, reachable_folder, wait_for

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


def test_the_statistics_are_a_command_of_their_own(installed: Path):
    table = str(PROJECT / "docs/example/judgements.csv")
    ours = [sys.executable, "-m", "analysis", "clusters", table, "--runs", "20", "--seed", "1"]
    theirs = run(installed, "rankme-analysis", "clusters", table, "--runs", "20", "--seed", "1")
    assert theirs == subprocess.check_output(ours, cwd=PROJECT, text=True)


def test_an_unknown_command_is_refused_with_the_usage(installed: Path):
    with pytest.raises(subprocess.CalledProcessError) as refusal:
        run(installed, "rankme", "walk")
    assert refusal.value.returncode == 2


@pytest.fixture
def folder() -> Iterator[Path]:
    with reachable_folder("rankme-wheel-") as made:
        yield made.resolve()
        Servers(made.resolve()).stop()


def test_the_site_starts_from_the_wheel(installed: Path, folder: Path):
    port = free_port()
    settings = environment(installed, DATA_FOLDER=str(folder), PORT=str(port))
    command = [sys.executable, str(installed / "bin" / "rankme"), "run"]
    with (folder / "run.log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=settings, stdout=log, stderr=log, start_new_session=True
        )
    try:
        wait_for(lambda: "Password:" in (folder / "run.log").read_text(), "the site", 120)
        login = urllib.request.urlopen(f"http://127.0.0.1:{port}/login/", timeout=20).read()
        assert b"/static/css/base." in login
        german = urllib.request.Request(
            f"http://127.0.0.1:{port}/login/", headers={"Accept-Language": "de"}
        )
        assert b"Anmelden" in urllib.request.urlopen(german, timeout=20).read()
        gallery = urllib.request.urlopen(f"http://127.0.0.1:{port}/gallery/", timeout=20)
        assert b"e2e-quality" in gallery.read()
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)
