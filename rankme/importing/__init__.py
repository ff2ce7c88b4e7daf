"""Importing: uploads in several formats become checked rows, or a list of all their faults."""

from rankme.importing.judgements import (
    JUDGEMENT_READERS,
    JudgementMaterial,
    JudgementPreview,
    read_judgement_material,
)
from rankme.importing.limits import LIMITS, Limits
from rankme.importing.material import READERS, Material, Reader, detect, read_material
from rankme.importing.preview import Preview
from rankme.importing.problems import FileProblem, ImportRefused
from rankme.importing.rows import ItemRow, JudgementRow, OutputRow

__all__ = [
    "JUDGEMENT_READERS",
    "LIMITS",
    "READERS",
    "FileProblem",
    "ImportRefused",
    "ItemRow",
    "JudgementMaterial",
    "JudgementPreview",
    "JudgementRow",
    "Limits",
    "Material",
    "OutputRow",
    "Preview",
    "Reader",
    "detect",
    "read_judgement_material",
    "read_material",
]
