"""Describe a format: how to recognise it by its content, and how to read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from rankme.importing.files import SourceFile
from rankme.importing.sources import Sources
from rankme.importing.spooling.preview import CriterionPreview, JudgementPreview
from rankme.importing.spooling.spool import Spool

AnySpool = TypeVar("AnySpool", bound=Spool)


@dataclass(frozen=True)
class Asked:
    """The instrument on which a criterion was answered, as a campaign file names it."""

    instrument: str
    options: dict[str, Any] = field(default_factory=dict)


def not_known(criterion: CriterionPreview, preview: JudgementPreview) -> Asked | None:
    """For a format with answers on any instrument: the values have to show which."""
    return None


@dataclass(frozen=True)
class Reader(Generic[AnySpool]):
    """One format of material or of judgements; `read` puts it into the spool.

    `could_read` is asked when no format recognises the upload: may this reader make something of
    it? `asked` names the instrument of a criterion where the format of judgements determines it.
    """

    title: str
    help: str
    recognises: Callable[[list[SourceFile]], object]
    read: Callable[[Sources, AnySpool], None]
    could_read: Callable[[Sources], bool] | None = None
    needs_outputs: bool = True
    takes_media: bool = False  # its rows can name pictures, sounds and films
    takes_several: bool = True  # files of one upload
    asked: Callable[[CriterionPreview, JudgementPreview], Asked | None] = not_known
