"""The E2E challenge's and RankME's own files of ratings, read the same way by command and site.

One line is a screen of one rater (Dušek, Novikova & Rieser 2020; Novikova, Dušek & Rieser 2018).
Its outputs are in numbered columns, `sys1` or `team1`, `ref1`, `quality1`, `check1`, …, or, where
a screen has a single output, in the same columns without a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

RATER, INPUT = "_worker_id", "mr"
SYSTEMS = ("sys", "team")
CRITERIA = {
    "quality": "quality",
    "natur": "naturalness",
    "naturalness": "naturalness",
    "inf": "informativeness",
    "informativeness": "informativeness",
}
CHECKS = ("check", "check_those_that_apply")
COVERAGE_CRITERION = "coverage"
# Numbers as those of the site's check list: 1 for added, 2 for missing.
COVERAGE = {
    "ok": (0, "ok"),
    "added": (1, "added"),
    "missing": (2, "missing"),
    "added\nmissing": (3, "added+missing"),
    "missing\nadded": (3, "added+missing"),
}


@dataclass(frozen=True)
class Output:
    """The columns of one of a screen's outputs; `ratings` are (column, criterion)."""

    system: str
    text: str
    ratings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Layout:
    """The roles of a file's columns."""

    outputs: tuple[Output, ...]
    has_units: bool


@dataclass(frozen=True)
class Rating:
    """One rater's answer about one output on one criterion; `value` is a number as it was written.

    `label` is the name of a value that is a category, `problem` says why the cell has no value.
    """

    rater: str
    item: str
    system: str
    criterion: str
    screen: str
    value: str
    column: str
    input: str
    output: str
    label: str = ""
    problem: str = ""


def layout_of(columns: Sequence[str]) -> Layout | None:
    """Recognise how a file with these columns is laid out; None when it is not of this kind.

    Parameters
    ----------
    columns : of the header
    """
    if RATER not in columns or INPUT not in columns:
        return None
    numbered = [
        (prefix, name.removeprefix(prefix))
        for prefix in SYSTEMS
        for name in columns
        if name.startswith(prefix) and (name == prefix or name.removeprefix(prefix).isdigit())
    ]
    makers = [each for each in numbered if each[0] == numbered[0][0]]
    outputs = tuple(_output(columns, prefix, number) for prefix, number in makers)
    if not any(output.ratings for output in outputs):
        return None
    return Layout(outputs, "_unit_id" in columns)


def _output(columns: Sequence[str], prefix: str, number: str) -> Output:
    stems = {**CRITERIA, **dict.fromkeys(CHECKS, COVERAGE_CRITERION)}
    ratings = ((f"{stem}{number}", criterion) for stem, criterion in stems.items())
    return Output(
        f"{prefix}{number}", f"ref{number}", tuple(each for each in ratings if each[0] in columns)
    )


def ratings_of(layout: Layout, record: Mapping[str, str], number: int) -> Iterator[Rating]:
    """Yield every rating of a record.

    Parameters
    ----------
    layout : from `layout_of`
    record : a row, by column
    number : names the screen where the record has no `_id`
    """
    for output in layout.outputs:
        for column, criterion in output.ratings:
            cell = record[column]
            value, label, problem = cell, "", ""
            if criterion == COVERAGE_CRITERION:
                value, label, problem = _coverage(cell)
            yield Rating(
                rater=record[RATER],
                item=record.get("mr_id") or record[INPUT],
                system=record[output.system],
                criterion=criterion,
                screen=record.get("_id") or str(number),
                value=value,
                column=column,
                input=record[INPUT],
                output=record.get(output.text, ""),
                label=label,
                problem=problem,
            )


def _coverage(cell: str) -> tuple[str, str, str]:
    """Value, label and problem of a check list's cell."""
    checked = cell.replace("\r\n", "\n")
    if checked not in COVERAGE:
        return "", "", f'"{cell[:40]}" is not one of ok, added, missing.'
    value, label = COVERAGE[checked]
    return str(value), label, ""
