"""What an organiser sees of judgements before deciding whether to import them."""

from __future__ import annotations

from dataclasses import dataclass

from rankme.importing.preview import FilePreview
from rankme.importing.table_previews import TablePreview


@dataclass(frozen=True)
class CriterionPreview:
    """A criterion as its values show it; `labels` name values where the file has names.

    With `has_marks`, a value is what the errors weigh that a rater marked, of these `severities`.
    """

    name: str
    judgements: int
    lowest: float
    highest: float
    whole_numbers: bool
    labels: dict[float, str]
    has_marks: bool = False
    severities: tuple[str, ...] = ()


@dataclass(frozen=True)
class JudgementPreview:
    """All judgements on one page, in short."""

    format: str
    n_judgements: int
    n_screens: int
    n_raters: int
    n_items: int
    systems: tuple[str, ...]
    criteria: tuple[CriterionPreview, ...]
    files: tuple[FilePreview, ...]
    notes: tuple[str, ...]
    tables: tuple[TablePreview, ...] = ()
