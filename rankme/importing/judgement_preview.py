"""What an organiser sees of judgements before deciding whether to import them."""

from __future__ import annotations

from dataclasses import dataclass

from rankme.importing.preview import FilePreview


@dataclass(frozen=True)
class CriterionPreview:
    """A criterion as its values show it; `labels` name values where the file has names."""

    name: str
    judgements: int
    lowest: float
    highest: float
    whole_numbers: bool
    labels: dict[float, str]


@dataclass(frozen=True)
class JudgementPreview:
    """The whole of the judgements in one page."""

    format: str
    n_judgements: int
    n_screens: int
    n_raters: int
    n_items: int
    systems: tuple[str, ...]
    criteria: tuple[CriterionPreview, ...]
    files: tuple[FilePreview, ...]
    notes: tuple[str, ...]
