"""Files for a paper about a campaign; to make one is to read what its analysis found."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User

from analysis.report.layout.latex import tabulars
from analysis.report.layout.table_model import as_csv
from rankme.actions.audit import note_seen
from rankme.actions.runs.report_files import require_files
from rankme.exporting.bundle import media_type_of
from rankme.exporting.files import CSV, ZIP, ExportedFile
from rankme.exporting.paper import data_set, earlier, heds, methods, preregistration
from rankme.exporting.paper.study import Study, study_of
from rankme.models import Campaign

from .planned_work import preregistration_of

DATA_SET = "data.zip"
TEXTS: dict[str, tuple[str, Callable[[Study], str]]] = {
    "heds.json": ("application/json", heds.heds_json),
    "heds.tex": ("application/x-tex", heds.heds_latex),
    "methods.md": ("text/markdown; charset=utf-8", methods.as_markdown),
    "methods.tex": ("application/x-tex", methods.as_latex),
    "earlier.tex": ("application/x-tex", lambda study: tabulars(list(earlier.tables(study)))),
    "earlier.csv": (CSV, lambda study: "\n".join(map(as_csv, earlier.tables(study)))),
}


def seen_study(campaign: Campaign, *, by: User) -> Study:
    """The study, with a note that somebody reads what its analysis found."""
    study = study_of(campaign)
    if study.run is not None:
        note_seen(campaign, "texts for a paper", by=by)
    return study


def paper_file(campaign: Campaign, name: str, *, by: User) -> ExportedFile | None:
    """Make a file; nothing where there is none of this name.

    Raises
    ------
    RefusedAction : the data set, or a draft's plan, cannot be made; the message says why
    FilesInPreparation : a worker is making lost files of the report again
    """
    if name in preregistration.FILES:
        document = preregistration_of(campaign)
        if document is None:
            return None
        content = preregistration.FILES[name](document).encode()
        return ExportedFile(f"{campaign.code}-{name}", media_type_of(name), content)
    if name not in {DATA_SET, *TEXTS}:
        return None
    study = seen_study(campaign, by=by)
    if name == DATA_SET:
        if study.run is not None:
            require_files(study.run)
        media_type, content = ZIP, data_set.data_set(study)
    else:
        media_type, write = TEXTS[name]
        content = write(study).encode()
    return ExportedFile(f"{campaign.code}-{name}", media_type, content)
