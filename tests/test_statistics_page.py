"""The tutorial of the statistics is run: each command works and prints what the page shows."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
PAGE = (PROJECT / "docs/statistics.md").read_text(encoding="utf-8")


def steps() -> list[tuple[str, list[str]]]:
    """Each command of the page with the lines that it should print."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", PAGE, flags=re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.strip():
                found[-1][1].append(line)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder of its own with the example in it, so that the page's commands write there."""
    made = tmp_path_factory.mktemp("tutorial")
    (made / "docs").symlink_to(PROJECT / "docs")
    return made


def test_the_tutorial_shows_every_command_once():
    shown = {command.split()[3] for command, _ in steps()}
    assert {
        "clusters",
        "anova",
        "tukey",
        "kruskal",
        "agreement",
        "outliers",
        "power",
        "report",
    } <= shown


@pytest.mark.parametrize(("command", "expected"), steps(), ids=[command for command, _ in steps()])
def test_a_command_of_the_tutorial_prints_what_the_page_shows(folder, command, expected):
    python, *words = shlex.split(command)
    assert python == "python"
    if "bundle.zip" in words[2:3] or words[2:4] == ["report", "bundle.zip"]:
        make_bundle(folder)
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={"PYTHONPATH": str(PROJECT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = {" ".join(line.split()) for line in done.stdout.splitlines()}
    for line in expected:
        wanted = " ".join(line.split())
        assert any(wanted in each for each in printed), f"not printed: {line}"


def make_bundle(folder: Path) -> None:
    """The step before writes it; alone, this step writes its own."""
    from analysis.cli import main

    if not (folder / "bundle.zip").exists():
        table = str(PROJECT / "docs/example/judgements.csv")
        assert main(["report", table, "--bundle", str(folder / "bundle.zip")]) == 0


def test_the_python_example_runs(folder):
    examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert examples
    for example in examples:
        done = subprocess.run(
            [sys.executable, "-c", example],
            cwd=folder,
            env={"PYTHONPATH": str(PROJECT), "PATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()
