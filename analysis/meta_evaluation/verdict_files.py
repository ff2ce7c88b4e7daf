"""Pairwise verdicts of judges: the files that they are read from and written to."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import IO

from analysis.csv_rows import Rows, Source, read_rows
from analysis.table_files import guarded
from analysis.text_metrics.score_files import Known, note_unknown

from .judges import FIRST, SECOND, TIE, Verdict

COLUMNS = ("item", "first", "second", "winner")
# Where a file has no column of this name, its verdicts are those of one judge.
JUDGE = "judge"
WORDS = {
    "first": FIRST, "model_a": FIRST, "a": FIRST, "1": FIRST,
    "second": SECOND, "model_b": SECOND, "b": SECOND, "2": SECOND,
    "tie": TIE, "tie (bothbad)": TIE, "both_bad": TIE, "both": TIE,
}  # fmt: skip

Verdicts = Mapping[str, tuple[Verdict, ...]]


def has_verdicts(header: Sequence[str]) -> bool:
    """Recognise a file of verdicts, not of scores.

    Parameters
    ----------
    header : its columns
    """
    return {"first", "second"} <= set(header)


def read_verdicts(source: Source, *, known: Known | None = None) -> dict[str, tuple[Verdict, ...]]:
    """Read `judge,item,first,second,winner`: what was shown first, what second, and which won.

    `winner` is the name of one of the two systems, or a word: `first`, `second`, `tie`, or those of
    arenas (`model_a`, `model_b`, `tie (bothbad)`). A judge may be asked about a pair repeatedly.

    Parameters
    ----------
    source : a path or a binary file; CSV, optionally compressed with gzip
    known : a verdict about another system or item is a problem; None: any may come

    Returns
    -------
    Verdicts by judge; without the column `judge`, of a judge called `judge`.

    Raises
    ------
    TableError : with every problem and its line and column
    """
    return verdicts_of_rows(read_rows(source), known=known)


def verdicts_of_rows(rows: Rows, *, known: Known | None = None) -> dict[str, tuple[Verdict, ...]]:
    """Read verdicts, as `read_verdicts` does, from rows that are read already.

    Parameters
    ----------
    rows : of the file
    known : a verdict about another system or item is a problem; None: any may come

    Raises
    ------
    TableError : with every problem and its line and column
    """
    rows.require(COLUMNS)
    if known:
        note_unknown(rows, known, ("first", "second"))
    if not rows.rows and not rows.problems:
        rows.problem(1, "", "there are no verdicts.")
    found: dict[str, list[Verdict]] = {}
    for line, row in rows:
        judge = row.get(JUDGE, JUDGE)
        if empty := [name for name in (*COLUMNS, JUDGE) if not row.get(name, "-").strip()]:
            rows.problem(line, empty[0], "the cell is empty.")
            continue
        if row["first"] == row["second"]:
            rows.problem(line, "second", "this is the same system as the first.")
            continue
        outcome = _outcome(row)
        if outcome is None:
            given = row["winner"][:40]
            rows.problem(line, "winner", f'"{given}" is not one of the two systems or "tie".')
            continue
        found.setdefault(judge, []).append(
            Verdict(row["item"], row["first"], row["second"], outcome)
        )
    rows.refuse()
    return {judge: tuple(verdicts) for judge, verdicts in found.items()}


def _outcome(row: Mapping[str, str]) -> int | None:
    """A system's name comes before the words: a system may be called "tie"."""
    winner = row["winner"]
    if winner in (row["first"], row["second"]):
        return FIRST if winner == row["first"] else SECOND
    return WORDS.get(winner.strip().lower())


def write_verdicts(verdicts: Verdicts, file: IO[bytes]) -> None:
    """Write the file that `read_verdicts` reads.

    Parameters
    ----------
    verdicts : by judge
    file : open for writing bytes
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    out = csv.writer(text)
    out.writerow((JUDGE, *COLUMNS))
    for judge, found in verdicts.items():
        for each in found:
            names = (judge, each.item, each.first, each.second)
            winner = {FIRST: each.first, SECOND: each.second}.get(each.outcome, "tie")
            out.writerow([guarded(name) for name in (*names, winner)])
    text.flush()
    text.detach()
