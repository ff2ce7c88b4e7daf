"""Exports of annotation tools whose records hold several answers, as rows with one rater each.

Label Studio, Potato, Argilla and jsPsych nest answers in JSON; Appraise's tables have no headings.
Anything but numbers and single choices is left out. Marks, and Pearmut's log, have readers of their
own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from analysis.spans.appraise import JUDGED, item_name

from .model_outputs import batch_result, fastchat_answer, harness_sample, is_batch_result

Document = dict[str, Any]

# What Appraise's `ExportSystemScoresToCSV` (AppraiseDev/Appraise) writes, which leaves the names of
# columns out. Its tasks add something before the times, and `--batch-info` something after them.
# With marks it is in a form of marks (analysis/spans/appraise.py).
APPRAISE = (
    "annotator", "system", "item", "item_type", "source_language", "target_language", "score",
)  # fmt: skip
OF_TASKS = ((), ("document", "is_document_score"), ("errors", "source_errors"))
TIMES, BATCH = ("start_time", "end_time"), ("batch_id", "batch_item_id")
LANGUAGES, BOOLEANS = ("source", "target"), ("True", "False")
LANGUAGE_CODE, TIME = re.compile(r"[a-z]{3}"), re.compile(r"\d+(\.\d+)?")
# What Argilla adds to the names of questions, and its own parts of a record.
ANSWERS = ".responses"
OF_ARGILLA = re.compile(r"\.(responses|suggestion)(\.\w+)?$|^(id|status|_server_id)$")
POINT = re.compile(r"scale_\d+")  # what Potato called the points of a scale until 2025
# A rating or number of Label Studio in one cell of its CSV, with the text of the number.
ONE_NUMBER = re.compile(r'\[\{"(?:rating|number)": ?(-?\d+(?:\.\d+)?)\}\]')


def unfolded(document: Any) -> list[Any]:
    """Return the rows of a record that a tool nested; any other as it is."""
    if isinstance(document, dict):
        for parts, rows_of in TOOLS:
            if all(isinstance(document.get(name), kind) for name, kind in parts.items()):
                return list(rows_of(document))
        if any(name.endswith(f"{ANSWERS}.users") for name in document):
            return list(_argilla_flat(document))
        if is_batch_result(document):
            return list(batch_result(document))
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
    """Yield one row: what is chosen on a scale is a label that says so, with its point."""
    row = {"item": record["instance_id"], "annotator": record["user_id"]}
    for criterion, chosen in record["labels"].items():
        if not isinstance(chosen, dict):
            row[criterion] = chosen
            continue
        given = {
            name: value for name, value in chosen.items() if not isinstance(value, dict | list)
        }
        for name, value in given.items():
            is_choice = name in (str(value), criterion) or POINT.fullmatch(name)
            if not is_choice:
                row[f"{criterion}.{name}"] = value
            elif len(given) == 1:
                row[criterion] = value
    yield row


def _jspsych(trial: Document) -> Iterator[Document]:
    """Yield one row: a page of several questions has the answers of all in one object."""
    answers = trial.get("response", trial.get("responses"))
    if isinstance(answers, dict):
        trial = {name: value for name, value in trial.items() if value is not answers}
        trial |= {name: value for name, value in _plain(answers).items() if name not in trial}
    yield trial


def _argilla(record: Document) -> Iterator[Document]:
    """Yield a row for each person who answered, of a record as `records.to_json` writes it."""
    answers: dict[str, Document] = {}
    for question, given in record["responses"].items():
        for each in given if isinstance(given, list) else ():
            if isinstance(each, dict):
                answers.setdefault(str(each.get("user_id")), {})[question] = each.get("value")
    yield from _argilla_rows(record, _plain(record["fields"]), answers)


def _argilla_flat(record: Document) -> Iterator[Document]:
    """Yield the same of a flat record: `to_list(flatten=True)`, or a data set of Hugging Face."""
    answers: dict[str, Document] = {}
    for name, values in record.items():
        question = name.removesuffix(ANSWERS)
        if question != name and isinstance(values, list):
            users = _list(record.get(f"{name}.users"))
            states = _list(record.get(f"{name}.status")) or [None] * len(values)
            for value, user, state in zip(values, users, states, strict=False):
                if state in (None, "submitted"):
                    answers.setdefault(str(user), {})[question] = value
    yield from _argilla_rows(record, _plain(record), answers)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _argilla_rows(
    record: Document, about: Document, answers: dict[str, Document]
) -> Iterator[Document]:
    metadata = record.get("metadata")
    about = {
        "id": record.get("id"),
        **(_plain(metadata) if isinstance(metadata, dict) else {}),
        **{name: value for name, value in about.items() if not OF_ARGILLA.search(name)},
    }
    for user, values in answers.items():
        yield {**about, "annotator": user, **_plain(values)}


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
    ({"fields": dict, "responses": dict, "suggestions": dict}, _argilla),
    ({"trial_type": str, "trial_index": int}, _jspsych),
    ({"doc_id": int, "doc": dict, "resps": list}, harness_sample),
    ({"model_id": str, "choices": list}, fastchat_answer),
)


def appraise_columns(rows: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the columns of `AppraiseRows`; none where Appraise did not write these rows."""
    for of_task, batch in product(OF_TASKS, ((), BATCH)):
        columns = (*APPRAISE, *of_task, *TIMES, *batch)
        if rows and all(
            len(cells) == len(columns) and _is_appraise(dict(zip(columns, cells, strict=True)))
            for cells in rows
        ):
            return (*columns, "screen")
    return ()


def _is_appraise(row: dict[str, str]) -> bool:
    return (
        row["item_type"].isupper()
        and all(LANGUAGE_CODE.fullmatch(row[f"{each}_language"]) for each in LANGUAGES)
        and row.get("is_document_score", "True") in BOOLEANS
        and all(TIME.fullmatch(row[name]) for name in TIMES)
    )


class AppraiseRows:
    """Makes the rows of `appraise_columns`, without checks and scores of whole documents.

    What a rater judges again is on a further screen.
    """

    def __init__(self) -> None:
        self._times: Counter[tuple[str, ...]] = Counter()

    def __call__(self, cells: list[str]) -> list[str] | None:
        rater, system, segment, kind, source, target = cells[:6]
        if kind != JUDGED or cells[8] == "True":
            return None
        document = cells[7] if cells[8] == "False" else ""
        item = item_name(source, target, document, segment)
        self._times[rater, system, item] += 1
        return [rater, system, item, *cells[3:], str(self._times[rater, system, item])]

    def notes(self) -> Iterator[str]:
        yield (
            "Written by Appraise, without headings. Checks (other than TGT) and scores of whole "
            "documents are left out. An item's name has its pair of languages and its document; "
            "what a rater judged again is on a further screen."
        )


def bare(cell: str) -> str:
    """Return a cell without what Label Studio's CSV writes around a number."""
    found = ONE_NUMBER.fullmatch(cell) if cell.startswith("[{") else None
    return found[1] if found else cell
