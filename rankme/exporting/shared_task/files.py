"""The files of an unsealed task, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rankme.exporting.bundle import media_type_of
from rankme.exporting.files import CSV, ZIP, ExportedFile
from rankme.exporting.zipped import Content, zipped

from . import outputs, overview, tables, teams
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
ARCHIVES: dict[str, Callable[[TaskResults], Iterator[tuple[str, Content]]]] = {
    "overview.zip": overview.overview_files,
    "outputs-wmt.zip": outputs.wmt_files,
    "outputs-mtme.zip": outputs.mtme_files,
}
FILES = (*TEXTS, *ARCHIVES)
# The skeleton of the overview paper is a draft of the hosts.
PUBLIC = tuple(name for name in FILES if name != "overview.zip")


def task_file(results: TaskResults, name: str) -> ExportedFile | None:
    """Make a file; nothing where there is none of this name."""
    label = f"{results.task.code}-{name}"
    if name in ARCHIVES:
        return ExportedFile(label, ZIP, zipped(ARCHIVES[name](results)))
    if name not in TEXTS:
        return None
    media_type, write = TEXTS[name]
    return ExportedFile(label, media_type, write(results).encode())
