"""JSON documents that the site keeps: read strictly, and checked to be storable."""

from __future__ import annotations

from typing import Any

from . import strict_json
from .clean_text import check_document


def read_document(body: bytes) -> Any:
    """Read a document of which every part can be stored.

    Raises
    ------
    InvalidJson : this is not JSON, or has more than one meaning
    InvalidAnswer : a part cannot be stored, or is nested too deep; with its place
    """
    document = strict_json.parse(body)
    check_document(document)
    return document
