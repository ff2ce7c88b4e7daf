"""The files of an unsealed task, by name."""

from __future__ import annotations

from collections.abc import Callable

from rankme.exporting.bundle import media_type_of
from rankme.exporting.files import CSV, ExportedFile

from . import tables, teams
from .results import TaskResults

HTML = "text/html; charset=utf-8"
BIBTEX = "application/x-bibtex"
TEXTS: dict[str, tuple[str, Callable[[TaskResults], str]]] = {
    "results.csv": (CSV, tables.as_one_csv),
    "results.tex": (media_type_of(".tex"), tables.as_latex),
    "results.html": (HTML, tables.as_html),
    "teams.csv": (CSV, teams.as_table_csv),
    "teams.tex": (media_type_of(".tex"), teams.as_latex),
    "teams.bib": (BIBTEX, teams.as_bibtex),
}
FILES = (*TEXTS,)


def task_file(results: TaskResults, name: str) -> ExportedFile | None:
    """Make a file; nothing where there is none of this name."""
    if name not in TEXTS:
        return None
    media_type, write = TEXTS[name]
    return ExportedFile(f"{results.task.code}-{name}", media_type, write(results).encode())
