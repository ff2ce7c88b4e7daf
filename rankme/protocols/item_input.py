"""Read items' inputs, which are not trusted: tables or pictures as JSON, attributes with values."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from rankme.errors import InvalidAnswer
from rankme.untrusted.clean_text import read_document
from rankme.untrusted.strict_json import InvalidJson


def _words(cell: Any) -> str:
    if isinstance(cell, dict | list):
        raise ValueError("must be a text or a number")
    return "" if cell is None else str(cell)


Cell = Annotated[str, BeforeValidator(_words)]
Place = Annotated[float, Field(allow_inf_nan=False)]
Lines = Annotated[int, Field(ge=1, le=1_000)]


class Table(BaseModel):
    title: Cell = ""
    columns: list[Cell] = []
    rows: list[list[Cell]] = []


class Tables(BaseModel):
    tables: list[Table]


class Picture(BaseModel):
    """A picture as inline SVG (`svg`) or as a data: address (`src`), at its place, from 1."""

    name: Cell = ""
    svg: str = ""
    src: str = ""
    x: Place | None = None
    y: Place = 0.0


def _across(image: Picture) -> tuple[float, str]:
    content = "\0".join((image.name, image.svg, image.src))
    return image.x or 0.0, hashlib.sha256(content.encode()).hexdigest()


class Pictures(BaseModel):
    images: list[Picture]
    columns: Lines | None = None
    rows: Lines | None = None
    target: Cell = ""

    def in_reading_order(self) -> list[Picture]:
        """The pictures row by row, which says nothing about their order in the file.

        Where the file often names the target first, its order would give the answer away. So
        pictures without a given place are ordered by a digest of their content.
        """
        return sorted(self.images, key=lambda image: (image.y, *_across(image)))


Document = TypeVar("Document", Tables, Pictures)


def read_tables(text: str) -> Tables | None:
    """The tables that the text describes; None when it is anything else."""
    return _read(Tables, text)


def read_pictures(text: str) -> Pictures | None:
    """The pictures that the text describes; None when it is anything else."""
    return _read(Pictures, text)


def lacks_pictures(text: str) -> bool:
    """Tell whether a rater would see a file's name or an empty frame instead of pictures."""
    found = read_pictures(text)
    return not found or not found.images or not all(map(picture_source, found.images))


def picture_source(picture: Picture) -> str:
    """The picture as a data: address; empty when there is none that a browser may show."""
    if picture.svg:
        encoded = base64.b64encode(picture.svg.encode()).decode()
        return f"data:image/svg+xml;base64,{encoded}"
    return picture.src if picture.src.startswith("data:image/") else ""


def _read(shape: type[Document], text: str) -> Document | None:
    try:
        return shape.model_validate(read_document(text.encode()))
    except (InvalidJson, InvalidAnswer, ValidationError):
        return None


# No two parts may match the same character: where they could share spaces, a text of 100,000
# spaces would take days.
_SLOT = re.compile(r"([^\[\],]+)\[([^\]]*)\]\s*(?:,|$)")


def slots(text: str) -> list[tuple[str, str]]:
    """Read the attributes and values of a meaning representation: `name[The Mill], food[Italian]`.

    Empty if the text is none.
    """
    found = []
    position = 0
    while position < len(text):
        match = _SLOT.match(text, position)
        name = match[1].strip() if match else ""
        if not match or not name:
            return []
        found.append((name, match[2]))
        position = match.end()
    return found
