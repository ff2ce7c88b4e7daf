"""An earlier study of the same systems: its scores, and how far this one reproduced them."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import IO

from analysis.csv_rows import read_rows
from analysis.errors import Undefined
from analysis.report.answer import answers_of
from analysis.report.layout.reproduction_table import reproduction_table
from analysis.report.layout.table_model import Table
from analysis.report.model import CriterionReport, Report
from analysis.scales.reproduction import reproduction

from .study import Study

EARLIER = "earlier"  # the name under which it is stored with the answers for the paper
COLUMNS = ("criterion", "system", "score")
LETTERS = "letters"
MOST_ROWS = 2_000
Scores = dict[str, dict[str, float]]


@dataclass(frozen=True)
class EarlierStudy:
    """Scores by criterion and system, and letters, which systems that were not told apart share.

    A criterion has letters only if all of its systems have.
    """

    scores: Scores
    letters: dict[str, dict[str, str]]

    def claims(self, criterion: str, *, higher_is_better: bool) -> set[tuple[str, str]] | None:
        """The pairs of systems that it tells apart, the better one first; None if not known."""
        letters = self.letters.get(criterion, {})
        scores = self.scores.get(criterion, {})
        if not scores or not all(letters.get(system) for system in scores):
            return None
        ordered = sorted(scores, key=lambda system: scores[system], reverse=higher_is_better)
        return {(a, b) for a, b in combinations(ordered, 2) if not {*letters[a]} & {*letters[b]}}


def read_study(file: IO[bytes]) -> EarlierStudy:
    """Read a CSV with the columns criterion, system, score and perhaps letters.

    Raises
    ------
    TableError : it has other columns, a score that is not a number, or a system twice
    """
    rows = read_rows(file)
    rows.require(COLUMNS)
    scores: Scores = defaultdict(dict)
    letters: dict[str, dict[str, str]] = defaultdict(dict)
    for number, (line, cells) in enumerate(rows, 1):
        criterion, system = cells["criterion"].strip(), cells["system"].strip()
        try:
            score = float(cells["score"])
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            rows.problem(line, "score", "write a number.")
        if system in scores[criterion]:
            rows.problem(line, "system", "this system is in the criterion twice.")
        if number > MOST_ROWS:
            rows.problem(line, "", f"there are more than {MOST_ROWS:,} rows.")
            break
        scores[criterion][system] = score
        letters[criterion][system] = cells.get(LETTERS, "").strip()
    rows.refuse()
    return EarlierStudy(dict(scores), dict(letters))


def as_csv(study: EarlierStudy) -> str:
    """Write what `read_study` reads."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow((*COLUMNS, LETTERS))
    for criterion, systems in study.scores.items():
        letters = study.letters.get(criterion, {})
        writer.writerows(
            (criterion, system, score, letters.get(system, "")) for system, score in systems.items()
        )
    return out.getvalue()


def study_from(report: Report) -> EarlierStudy:
    """The study of a report: means, or shares of won pairs, with the letters of its answers."""
    return EarlierStudy(
        {found.criterion: _scores(found) for found in report.criteria if found.systems},
        {
            answer.criterion: {each.system: each.letters for each in answer.standings}
            for answer in answers_of(report)
        },
    )


def _scores(found: CriterionReport) -> dict[str, float]:
    if found.ranking is not None and any(row.mean < 0 for row in found.systems):
        return {row.system: row.share for row in found.ranking.win_shares}
    return {row.system: row.mean for row in found.systems}


def tables(study: Study) -> Iterator[Table]:
    """Yield a table for each criterion that both studies have."""
    kept = study.confirmed.get(EARLIER)
    if not kept or study.report is None:
        return
    earlier, now = read_study(io.BytesIO(kept.encode())), study_from(study.report)
    lowest = {each.name: each.tool.lowest(each.settings) for each in study.definition.criteria}
    for name, scores in now.scores.items():
        higher = study.report.criterion(name).higher_is_better
        before, after = (each.claims(name, higher_is_better=higher) for each in (earlier, now))
        try:
            found = reproduction(
                name,
                earlier.scores.get(name, {}),
                scores,
                lowest=lowest.get(name, 0),
                claims=None if before is None or after is None else (before, after),
            )
        except Undefined:
            continue
        yield reproduction_table(found)
