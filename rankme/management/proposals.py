"""Proposals for imports by command: as JSON, or in lines for people."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rankme.importing import (
    AS_PROPOSED,
    ImportRefused,
    Reading,
    read_judgement_material,
    read_material,
    reading_from,
)
from rankme.importing.problems import grouped
from rankme.importing.spooling.spool import TextCheck

SHOWN_OF_COLUMNS = ("system_columns", "value_columns", "pattern", "factors")


def add_reading_arguments(parser: ArgumentParser, *, columns: str) -> None:
    parser.add_argument("--columns", default="", help=columns)
    parser.add_argument(
        "--dry-run", action="store_true", help="print what would be imported; store nothing"
    )
    parser.add_argument("--json", action="store_true", help="with --dry-run: print JSON")


def files_of(path: Path) -> list[Path]:
    """Return the file, or the files of a folder without hidden ones."""
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.iterdir() if file.is_file() and file.name[0] != ".")


def reading_of(columns: str) -> Reading:
    """The reading that a command's `--columns` describes.

    Raises
    ------
    InvalidColumns, json.JSONDecodeError
    """
    return reading_from(json.loads(columns)) if columns else AS_PROPOSED


def proposal(
    uploads: Sequence[Path], format: str, reading: Reading, checks: Mapping[str, TextCheck]
) -> dict[str, Any]:
    """Guess the columns, and count what an import of outputs would find.

    `checks` are what the campaign asks of the texts.
    """
    try:
        with read_material(uploads, format or None, reading=reading, checks=checks) as material:
            preview = material.preview
    except ImportRefused as refused:
        return _refused(refused)
    found = {"outputs": preview.n_outputs, "missing": preview.missing}
    return _found(preview, found)


def judgement_proposal(uploads: list[Path], format: str, reading: Reading) -> dict[str, Any]:
    """Guess the columns, and count what an import of judgements would find."""
    try:
        with read_judgement_material(uploads, format or None, reading=reading) as material:
            preview = material.preview
    except ImportRefused as refused:
        return _refused(refused)
    found = {
        "raters": preview.n_raters,
        "criteria": [criterion.name for criterion in preview.criteria],
        "judgements": preview.n_judgements,
        "screens": preview.n_screens,
    }
    return _found(preview, found)


def _found(preview: Any, counted: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **_columns(preview.tables),
        "systems": len(preview.systems),
        "items": preview.n_items,
        "format": preview.format,
        **counted,
        "notes": list(preview.notes),
        "problems": [],
        "tables": [asdict(table) for table in preview.tables],
    }


def _refused(refused: ImportRefused) -> dict[str, Any]:
    return {
        **_columns(refused.tables),
        "systems": refused.n_systems,
        "items": refused.n_items,
        "problems": [asdict(problem) for problem in grouped(refused.problems)],
        "tables": [asdict(table) for table in refused.tables],
    }


def _columns(tables: Sequence[Any]) -> dict[str, Any]:
    """Column roles of the first table that has outputs or judgements."""
    first: dict[str, Any] = max((table.columns for table in tables), key=_has_rows, default={})
    return {
        "columns": first.get("columns", {}),
        "layout": first.get("layout", ""),
        **{name: first[name] for name in SHOWN_OF_COLUMNS if name in first},
    }


def _has_rows(columns: Mapping[str, Any]) -> bool:
    return columns.get("layout") in ("long", "wide")


def described(found: Mapping[str, Any], *, as_json: bool) -> str:
    """The proposal as JSON, or in lines for people."""
    if as_json:
        return json.dumps(found, ensure_ascii=False, indent=2)
    lines = []
    for table in found["tables"]:
        lines.append(table["file"])
        lines += [
            f"  {name or '(no name)'}: {role}"
            for name, role in zip(table["names"], table["roles"], strict=True)
        ]
    lines.append(_sentence(found))
    lines += [problem["text"] for problem in found["problems"]]
    return "\n".join([*lines, *found.get("notes", []), "Nothing was imported."])


def _sentence(found: Mapping[str, Any]) -> str:
    size = f"{found['systems']} systems × {found['items']} items"
    if "judgements" in found:
        people = f"{found['judgements']} judgements: {found['raters']} raters"
        return f"{people}, {size}, {len(found['criteria'])} criteria"
    return f"{size}, {found['missing']} outputs missing" if "missing" in found else size
