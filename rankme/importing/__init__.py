"""Importing: uploads in several formats become checked rows, or a list of all their faults."""

from rankme.importing.columns import (
    Columns,
    InvalidColumns,
    columns_from,
    columns_from_roles,
)
from rankme.importing.judgement_columns import JudgementColumns, judgement_columns_from_roles
from rankme.importing.judgement_preview import JudgementPreview
from rankme.importing.judgements import (
    JUDGEMENT_READERS,
    JudgementMaterial,
    read_judgement_material,
)
from rankme.importing.limits import LIMITS, Limits
from rankme.importing.material import READERS, Material, detect, read_material
from rankme.importing.preview import Preview
from rankme.importing.problems import FileProblem, ImportRefused
from rankme.importing.reader import Reader
from rankme.importing.reading import AS_PROPOSED, Reading, reading_from
from rankme.importing.rows import ItemRow, JudgementRow, OutputRow

__all__ = [
    "AS_PROPOSED",
    "JUDGEMENT_READERS",
    "LIMITS",
    "READERS",
    "Columns",
    "FileProblem",
    "ImportRefused",
    "InvalidColumns",
    "ItemRow",
    "JudgementColumns",
    "JudgementMaterial",
    "JudgementPreview",
    "JudgementRow",
    "Limits",
    "Material",
    "OutputRow",
    "Preview",
    "Reader",
    "Reading",
    "columns_from",
    "columns_from_roles",
    "detect",
    "judgement_columns_from_roles",
    "read_judgement_material",
    "read_material",
    "reading_from",
]
