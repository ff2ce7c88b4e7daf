"""Exports of annotation tools whose records hold several answers, as rows with one rater each.

Label Studio (JSON) and Potato (JSON lines) nest the answers; Appraise writes tables without
headings. Anything but numbers and single choices is left out. Marks, and Pearmut's log, have
readers of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Document = dict[str, Any]

# The columns of Appraise's `ExportSystemScoresToCSV` (AppraiseDev/Appraise), which it leaves out.
APPRAISE = (
    "annotator", "system", "item", "item_type", "source_language", "target_language", "score",
    "document", "is_document_score", "start_time", "end_time",
)  # fmt: skip
LANGUAGE_CODE = re.compile(r"[a-z]{3}")
# A rating or number of Label Studio in one cell of its CSV, with the text of the number.
ONE_NUMBER = re.compile(r'\[\{"(?:rating|number)": (-?\d+(?:\.\d+)?)\}\]')


def unfolded(document: Any) -> list[Any]:
    """Return the rows of a record of Label Studio or Potato; any other as it is."""
    if isinstance(document, dict):
        for parts, rows_of in TOOLS:
            if all(isinstance(document.get(name), kind) for name, kind in parts.items()):
                return list(rows_of(document))
    return [document]


def _label_studio(task: Document) -> Iterator[Document]:
    """Yield a row for each annotation that was submitted."""
    data = _plain(task["data"])
    for annotation in task["annotations"]:
        if not isinstance(annotation, dict) or annotation.get("was_cancelled"):
            continue
        rater = annotation.get("completed_by")
        if isinstance(rater, dict):
            rater = rater.get("email") or rater.get("id")
        row = {"item": task.get("id"), **data, "annotator": rater}
        for found in annotation.get("result") or ():
            if isinstance(found, dict) and isinstance(found.get("value"), dict):
                value = _single(found["value"])
                if value is not None:
                    row[str(found.get("from_name"))] = value
        yield row


def _single(value: Document) -> Any:
    """The number or the one choice of an answer; None for texts, marks and several choices."""
    given = value.get("rating", value.get("number", value.get("choices")))
    if isinstance(given, list):
        return given[0] if len(given) == 1 else None
    return given


def _potato(record: Document) -> Iterator[Document]:
    """Yield one row: an answer on a scale is a label with the value of its point."""
    row = {"item": record["instance_id"], "annotator": record["user_id"]}
    for criterion, chosen in record["labels"].items():
        if isinstance(chosen, dict):
            given = [value for value in chosen.values() if not isinstance(value, dict | list)]
            chosen = given[0] if len(given) == 1 else None
        row[criterion] = chosen
    yield row


def _plain(record: Document) -> Document:
    """Those parts of a record that are filled, without lists and objects."""
    return {
        name: value
        for name, value in record.items()
        if value is not None and not isinstance(value, dict | list)
    }


# What a record of the tool has, with its types.
TOOLS: tuple[tuple[dict[str, type], Callable[[Document], Iterator[Document]]], ...] = (
    ({"annotations": list, "data": dict}, _label_studio),
    ({"instance_id": str, "user_id": str, "labels": dict}, _potato),
)


def is_appraise(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether rows have no heading and are written by Appraise."""
    return bool(rows) and all(
        len(cells) == len(APPRAISE)
        and cells[3].isupper()
        and all(map(LANGUAGE_CODE.fullmatch, cells[4:6]))
        and cells[8] in ("True", "False")
        for cells in rows
    )


def is_of_appraise_alone(cells: Sequence[str]) -> bool:
    """Tell whether a row of Appraise is a check, or the score of a whole document."""
    return cells[3] != "TGT" or cells[8] == "True"


def bare(cell: str) -> str:
    """Return a cell without what Label Studio's CSV writes around a number."""
    found = ONE_NUMBER.fullmatch(cell) if cell.startswith("[{") else None
    return found[1] if found else cell
