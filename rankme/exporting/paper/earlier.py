"""An earlier study of the same systems: its scores, and how far this one reproduced them."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import IO

from analysis.csv_rows import read_rows
from analysis.errors import Undefined
from analysis.report.layout.reproduction_table import reproduction_table
from analysis.report.layout.table_model import Table
from analysis.report.model import CriterionReport, Report
from analysis.scales.reproduction import reproduction

from .study import Study

EARLIER = "earlier"  # the name under which it is stored with the answers for the paper
COLUMNS = ("criterion", "system", "score")
MOST_ROWS = 2_000
Scores = dict[str, dict[str, float]]


def read_scores(file: IO[bytes]) -> Scores:
    """Read a CSV with the columns criterion, system and score.

    Raises
    ------
    TableError : it has other columns, a score that is not a number, or a system twice
    """
    rows = read_rows(file)
    rows.require(COLUMNS)
    scores: Scores = defaultdict(dict)
    for number, (line, cells) in enumerate(rows, 1):
        of_criterion = scores[cells["criterion"].strip()]
        try:
            score = float(cells["score"])
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            rows.problem(line, "score", "write a number.")
        if cells["system"].strip() in of_criterion:
            rows.problem(line, "system", "this system is in the criterion twice.")
        if number > MOST_ROWS:
            rows.problem(line, "", f"there are more than {MOST_ROWS:,} rows.")
            break
        of_criterion[cells["system"].strip()] = score
    rows.refuse()
    return dict(scores)


def as_csv(scores: Mapping[str, Mapping[str, float]]) -> str:
    """Write what `read_scores` reads."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for criterion, systems in scores.items():
        writer.writerows((criterion, system, score) for system, score in systems.items())
    return out.getvalue()


def scores_of(report: Report) -> Scores:
    """The scores of a report: means, or shares of won pairs where values have no zero."""
    return {found.criterion: _scores(found) for found in report.criteria if found.systems}


def _scores(found: CriterionReport) -> dict[str, float]:
    if found.ranking is not None and any(row.mean < 0 for row in found.systems):
        return {row.system: row.share for row in found.ranking.win_shares}
    return {row.system: row.mean for row in found.systems}


def tables(study: Study) -> Iterator[Table]:
    """Yield a table for each criterion that both studies have."""
    kept = study.confirmed.get(EARLIER)
    if not kept or study.report is None:
        return
    earlier, now = read_scores(io.BytesIO(kept.encode())), scores_of(study.report)
    lowest = {each.name: each.tool.lowest(each.settings) for each in study.definition.criteria}
    for name in now:
        try:
            found = reproduction(name, earlier.get(name, {}), now[name], lowest=lowest.get(name, 0))
        except Undefined:
            continue
        yield reproduction_table(found)
