"""Reading JSON from strangers: one meaning per document, finite numbers, bounded depth."""

from __future__ import annotations

import json
import math
from typing import Any


class InvalidJson(ValueError):
    """The bytes are not a JSON document that the site accepts; the message says why."""


def parse(body: bytes) -> Any:
    """Read a document; refuse doubled names, infinite numbers, and what is nested too deep."""
    try:
        return json.loads(
            body,
            object_pairs_hook=_without_doubles,
            parse_float=_finite,
            parse_constant=_refuse_constant,
        )
    except RecursionError as error:
        raise InvalidJson("The document is nested too deeply.") from error
    except UnicodeDecodeError as error:
        raise InvalidJson("The document is not UTF-8.") from error
    except InvalidJson:
        raise
    except ValueError as error:  # also numbers of more digits than Python reads
        raise InvalidJson(f"This is not JSON: {error}") from error


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise InvalidJson("A name appears twice in one object.")
    return document


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidJson(f"The number {digits[:20]} is too large.")
    return number


def _refuse_constant(name: str) -> Any:
    raise InvalidJson(f"{name} is not a number.")
