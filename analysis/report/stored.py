"""A report's JSON as the typed report that it was."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from analysis.report.model import Report
from analysis.sequential.section import SequentialSection


def read_report(document: Mapping[str, Any]) -> Report:
    """Rebuild the report that `Report.as_dict` wrote; fields added since take their defaults.

    Parameters
    ----------
    document : its JSON
    """
    report: Report = _rebuilt(Report, document)
    return report


def read_look(document: Mapping[str, Any]) -> SequentialSection:
    """Rebuild a criterion's part of a look from its JSON.

    Parameters
    ----------
    document : its JSON
    """
    section: SequentialSection = _rebuilt(SequentialSection, document)
    return section


@lru_cache(maxsize=128)
def _types_of(made: type) -> dict[str, Any]:
    return get_type_hints(made)


def _rebuilt(annotation: Any, value: Any) -> Any:
    """`value` as the annotation wants it."""
    if value is None:
        return None
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _rebuilt(next(each for each in arguments if each is not type(None)), value)
    if isinstance(annotation, type) and is_dataclass(annotation):
        return _object(annotation, value)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_rebuilt(arguments[0], each) for each in value)
        return tuple(_rebuilt(part, each) for part, each in zip(arguments, value, strict=True))
    if origin is not None and issubclass(origin, Mapping):
        return {name: _rebuilt(arguments[1], each) for name, each in value.items()}
    return value


def _object(made: type, value: Mapping[str, Any]) -> Any:
    hints = _types_of(made)
    given = {}
    for field in fields(made):
        if field.name in value:
            given[field.name] = _rebuilt(hints[field.name], value[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            given[field.name] = None
    return made(**given)
