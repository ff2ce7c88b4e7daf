"""The tutorial of the statistics is run: each command works and prints what the page shows.

In this process: that `python -m analysis` calls `main` is a test of the ranking commands.
"""

import re
import shlex
from pathlib import Path

import pytest

from analysis.cli import main

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).parents[2]
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


@pytest.fixture(autouse=True)
def in_the_folder(folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)


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
def test_a_command_of_the_tutorial_prints_what_the_page_shows(folder, command, expected, capsys):
    python, flag, module, *words = shlex.split(command)
    assert (python, flag, module) == ("python", "-m", "analysis")
    if words[:2] == ["report", "bundle.zip"]:
        make_bundle(folder)
        capsys.readouterr()
    status = main(words)
    done = capsys.readouterr()
    assert status == 0, done.err
    printed = {" ".join(line.split()) for line in done.out.splitlines()}
    for line in expected:
        wanted = " ".join(line.split())
        assert any(wanted in each for each in printed), f"not printed: {line}"


def make_bundle(folder: Path) -> None:
    """The step before writes it; alone, this step writes its own."""
    if not (folder / "bundle.zip").exists():
        table = str(PROJECT / "docs/example/judgements.csv")
        assert main(["report", table, "--bundle", str(folder / "bundle.zip")]) == 0


def test_the_python_example_runs(capsys):
    examples = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert examples
    for example in examples:
        exec(compile(example, "docs/statistics.md", "exec"), {"__name__": "__main__"})
        assert capsys.readouterr().out.strip()
