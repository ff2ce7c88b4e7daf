"""Importing: uploads in several formats become checked rows, or a list of all their faults."""

from rankme.importing.limits import LIMITS, Limits
from rankme.importing.problems import FileProblem, ImportRefused
from rankme.importing.readers.reader import Reader
from rankme.importing.spooling.preview import JudgementPreview, Preview
from rankme.importing.spooling.rows import ItemRow, JudgementRow, OutputRow
from rankme.importing.tabular.columns import columns_from_roles
from rankme.importing.tabular.headings import InvalidColumns
from rankme.importing.tabular.reading import AS_PROPOSED, Reading, reading_from
from rankme.importing.uploads import (
    JUDGEMENT_READERS,
    READERS,
    JudgementMaterial,
    Material,
    read_judgement_material,
    read_material,
    read_scores,
)

__all__ = [
    "AS_PROPOSED",
    "JUDGEMENT_READERS",
    "LIMITS",
    "READERS",
    "FileProblem",
    "ImportRefused",
    "InvalidColumns",
    "ItemRow",
    "JudgementMaterial",
    "JudgementPreview",
    "JudgementRow",
    "Limits",
    "Material",
    "OutputRow",
    "Preview",
    "Reader",
    "Reading",
    "columns_from_roles",
    "read_judgement_material",
    "read_material",
    "read_scores",
    "reading_from",
]
