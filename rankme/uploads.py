"""Which views take files of data. The limits of requests follow from this alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from rest_framework.parsers import MultiPartParser

View = TypeVar("View", bound=Callable[..., Any])


def takes_files(view: View) -> View:
    """Mark a page's view whose form takes files of data."""
    view.takes_files = True  # type: ignore[attr-defined]
    return view


def is_upload(view: Callable[..., Any]) -> bool:
    """Whether a view takes files of data: a marked page, or any view for scripts that reads forms.

    Decorators of Django keep the mark of the view inside.
    """
    parsers = getattr(getattr(view, "cls", None), "parser_classes", ())
    return hasattr(view, "takes_files") or MultiPartParser in parsers
