"""Which views take files of data, and how large. The limits of requests follow from this alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.conf import settings
from rest_framework.parsers import FileUploadParser, MultiPartParser

from rankme.actions.shared_task.uploads import LARGEST_FILE

View = TypeVar("View", bound=Callable[..., Any])
# Anybody can register a team, so more than twice the limit is not even read. Up to that, the action
# says what is allowed.
LARGEST_OF_TEAMS = 2 * LARGEST_FILE


def takes_files(view: View) -> View:
    """Mark a page's view whose form takes files of data."""
    view.largest_body = settings.LARGEST_UPLOAD  # type: ignore[attr-defined]
    return view


def takes_files_of_teams(view: View) -> View:
    """Mark a page's view, or a class for scripts, to which teams of shared tasks send files."""
    view.largest_body = LARGEST_OF_TEAMS  # type: ignore[attr-defined]
    return view


def largest_body(view: Callable[..., Any]) -> int:
    """The number of bytes that a request to this view may have.

    Decorators of Django keep the mark of the view inside.
    """
    marked = getattr(getattr(view, "cls", view), "largest_body", None)
    if marked is not None:
        return int(marked)
    return settings.LARGEST_UPLOAD if is_upload(view) else settings.LARGEST_BODY


def is_upload(view: Callable[..., Any]) -> bool:
    """Whether a view takes files of data: a marked one, or one for scripts that reads them."""
    parsers = getattr(getattr(view, "cls", None), "parser_classes", ())
    reads = any(issubclass(each, MultiPartParser | FileUploadParser) for each in parsers)
    return hasattr(view, "largest_body") or reads
