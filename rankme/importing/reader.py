"""What describes a format: how to recognise it by its content, and how to read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rankme.importing.files import SourceFile
from rankme.importing.sources import Sources
from rankme.importing.spool import Spool


@dataclass(frozen=True)
class Reader:
    """One format of material; `read` puts it into the spool."""

    title: str
    help: str
    recognises: Callable[[list[SourceFile]], bool]
    read: Callable[[Sources, Spool], None]
    needs_outputs: bool = True
    takes_media: bool = False  # its rows can name pictures, sounds and films
    # Asked when no format recognises the upload: may this reader make something of it?
    could_read: Callable[[Sources], bool] | None = None
