"""What describes a format of judgements: how to recognise it, read it, and what was asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rankme.importing.files import SourceFile
from rankme.importing.judgement_preview import CriterionPreview, JudgementPreview
from rankme.importing.judgement_spool import JudgementSpool
from rankme.importing.records import Shape
from rankme.importing.sources import Sources


@dataclass(frozen=True)
class Asked:
    """The instrument on which a criterion was answered, as a campaign file names it."""

    instrument: str
    options: dict[str, Any] = field(default_factory=dict)


def not_known(criterion: CriterionPreview, preview: JudgementPreview) -> Asked | None:
    """For a format with answers on any instrument: the values have to show which."""
    return None


@dataclass(frozen=True)
class JudgementReader:
    """One format of judgements; `read` puts them into the spool.

    `asked` names the instrument of a criterion where the format determines it. `could_read` is
    asked when no format recognises the file: may this reader make something of it? Several files of
    one upload are read together where the format comes so (`takes_several`).
    """

    title: str
    help: str
    recognises: Callable[[SourceFile], Shape | bool | None]
    read: Callable[[Sources, JudgementSpool, SourceFile], None]
    asked: Callable[[CriterionPreview, JudgementPreview], Asked | None] = not_known
    could_read: Callable[[Sources, SourceFile], bool] | None = None
    takes_several: bool = False
