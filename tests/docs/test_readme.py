"""What the README shows is run: its commands work, and its links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
from django.core.management import call_command

from analysis.cli import main

PROJECT = Path(__file__).parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, flags=re.DOTALL)
    for line in block.splitlines()
]


def commands_of(program: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in COMMANDS if line.startswith(f".venv/bin/{program}")]


def test_the_readme_shows_commands_of_both_programs():
    first_words = [words[:2] for words in commands_of("python")]
    assert ["manage.py", "campaign"] in first_words
    assert ["-m", "analysis"] in first_words


@pytest.mark.parametrize(
    "words", [words for words in commands_of("python") if words[0] == "-m"], ids=" ".join
)
@pytest.mark.slow
def test_a_command_of_the_statistics_prints_its_signature(words, monkeypatch, capsys):
    """In this process: that `python -m analysis` calls `main` is a test of the ranking commands."""
    assert words[:2] == ["-m", "analysis"]
    monkeypatch.chdir(PROJECT)
    assert main(words[2:]) == 0
    printed = capsys.readouterr().out
    assert "seed:1" in printed
    assert "Aster" in printed


@pytest.mark.django_db
@pytest.mark.usefixtures("own_uploads")
@pytest.mark.parametrize(
    "words", [words for words in commands_of("python") if words[0] == "manage.py"], ids=" ".join
)
def test_a_command_of_the_site_works(words, monkeypatch, capsys):
    """In this process: that `manage.py` finds the site's servers is a test of the embedded ones."""
    call_command("organiser", "olga")
    monkeypatch.chdir(PROJECT)
    call_command(*words[1:])
    assert "/r/" in capsys.readouterr().out


CITED = re.compile(
    r"([A-ZÀ-Ž][\w’-]+)"  # the first author, others, a year
    r"(?:(?:, (?:[Vv]an )?[A-ZÀ-Ž][\w’-]+)*,? & (?:[Vv]an )?[A-ZÀ-Ž][\w’-]+| et al\.)?"
    r",? \(?((?:19|20)\d\d)\b"
)
NO_AUTHORS = {"November", "WMT"}


def test_every_work_that_the_docs_name_is_in_the_list_of_references_and_no_other():
    pages = {page.name: page.read_text("utf-8") for page in (PROJECT / "docs").glob("*.md")}
    pages["statistics.md"], _, listed = pages["statistics.md"].partition("## References")
    entries = " ".join(listed.split()).split(" - ")[1:]
    works = [re.search(r"([A-ZÀ-Ž][\w’-]+),.*? \((\d{4})\)\.", entry) for entry in entries]
    cited = {
        found
        for text in pages.values()
        for found in CITED.findall(" ".join(text.split()))
        if found[0] not in NO_AUTHORS
    }
    assert len(entries) > 30 and all(works)
    assert {work.groups() for work in works} == cited


def test_every_link_of_the_docs_leads_to_a_file():
    pages = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *(PROJECT / "docs").rglob("*.md")]
    missing = [
        f"{page.relative_to(PROJECT)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert missing == []


@pytest.mark.django_db
def test_the_example_of_a_test_passes():
    (example,) = re.findall(
        r"```python\n(.*?)```", (PROJECT / "docs/testing.md").read_text("utf-8"), flags=re.DOTALL
    )
    names: dict = {}
    exec(example, names)
    names["test_a_paused_campaign_hands_out_no_batches"]()
