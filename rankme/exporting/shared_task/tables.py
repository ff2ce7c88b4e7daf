"""The tables of results: systems by cluster, then those without a rank, then those without a score.

Every number is the frozen report's; the automatic score is that of the upload's check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.template.loader import render_to_string

from analysis.ranking.rank_ranges import cluster_ends
from analysis.report.answer import Answer, Standing, answers_of
from analysis.report.layout.answer_tables import standings_table
from analysis.report.layout.latex import tabulars
from analysis.report.layout.table_model import (
    SYSTEM,
    Cell,
    Column,
    Format,
    N,
    Role,
    Row,
    Table,
    as_csv,
    file_names,
    rows_of,
)
from analysis.translatable import gettext_noop as _

from .results import Entry, TaskResults, TrackResults

VALUE = Column(_("Value"), Format.NUMBER, 3)
COLUMNS = (
    Column(_("Cluster"), Format.WHOLE, is_once=True),
    Column(_("Ranks"), Format.RANGE),
    SYSTEM,
    Column(_("Team")),
    Column(_("Constrained")),
    VALUE,
    Column(_("Interval"), Format.INTERVAL, 3),
    Column(_("Letters")),
    N,
    Column("chrF", Format.NUMBER, 1),
)
# The columns' names for programs.
NAMES = (
    *("cluster", "ranks", "system", "team", "constrained", "value", "interval", "letters"),
    *("judgements", "chrf"),
)
REMARKS = Column(_("Remarks"))
HEADS = COLUMNS.index(SYSTEM)
ALWAYS = (HEADS, COLUMNS.index(VALUE))
WITHDRAWN = _(
    "Withdrawn systems were compared, too: their places are missing from the ranks of the others."
)
NOT_BLIND = _("This report was made after the names were known.")
CLUSTERS = _(
    "A cluster ends where all systems above were found better than all below. Clusters and ranks "
    "are those of the report."
)
CHRF = _("chrF was computed when the file arrived; it has no part in the ranks.")


METRICS = _(
    "Metrics are those that the report compared with people; they have no part in the ranks."
)
NO_SCORE = _("There is no chrF: items of the track have no reference.")


def tables_of_results(results: TaskResults) -> list[Table]:
    """One table for each track and criterion, best system first."""
    found = [
        (_name(results, track, answer.criterion), track, answer)
        for track in results.tracks
        for answer in _answers(track)
    ]
    names = file_names(name for name, _track, _answer in found)
    return [
        _shown(replace(_full(track, answer), name=file, caption=name))
        for file, (name, track, answer) in zip(names, found, strict=True)
    ]


def _name(results: TaskResults, track: TrackResults, criterion: str) -> str:
    name = criterion.replace("_", " ")
    return f"{track.track.name}: {name}" if len(results.tracks) > 1 else name[:1].upper() + name[1:]


def _answers(track: TrackResults) -> Sequence[Answer]:
    return () if track.report is None else answers_of(track.report)


def _full(track: TrackResults, answer: Answer) -> Table:
    """The table with all columns, as files of one layout need it."""
    assert track.report is not None
    found = track.report.criterion(answer.criterion)
    # The notes say how the answer's intervals and letters hold.
    standings = standings_table(answer, found)
    counts = {row.cells[0]: row.cells[-1] for row in standings.rows}
    title = answer.unit[:1].upper() + answer.unit[1:]
    own = tuple(replace(each, title=title) if each is VALUE else each for each in COLUMNS)
    return Table(
        answer.criterion,
        answer.criterion,
        (*own, *map(_metric, track.metrics), REMARKS),
        (*_rows(track, answer, counts), *_without_score(track, answer)),
        Role.ANSWER,
        heads=HEADS,
        notes=(*standings.notes, *_notes(track, answer)),
    )


def _metric(name: str) -> Column:
    return Column(name, Format.NUMBER, 3, is_label=True)


def _rows(track: TrackResults, answer: Answer, counts: dict[Cell, Cell]) -> Iterator[Row]:
    """Ranked systems by cluster, then withdrawn ones."""
    clusters = dict(zip((each.system for each in answer.standings), _clusters(answer), strict=True))
    by_code = track.by_code
    last: int | None = None
    unranked = []
    for each in answer.standings:
        entry = by_code.get(each.system, Entry(each.system, each.system))
        if entry.is_withdrawn:
            unranked.append((entry, each))
            continue
        cluster = clusters[each.system]
        yield Row(_cells(track, entry, each, counts, cluster), cluster != last)
        last = cluster
    for place, (entry, each) in enumerate(unranked):
        alone = replace(each, rank_low=None, rank_high=None, letters="")
        yield Row(_cells(track, entry, alone, counts, None), place == 0)


def _clusters(answer: Answer) -> list[int | None]:
    """The cluster of each standing, read off its range of ranks."""
    ranges = [(each.rank_low, each.rank_high) for each in answer.standings]
    if not ranges or any(low is None or high is None for low, high in ranges):
        return [None] * len(ranges)
    low, high = np.array(ranges, dtype=np.int32).T
    return [int(each) for each in 1 + np.r_[0, np.cumsum(cluster_ends(low, high)[:-1])]]


def _cells(
    track: TrackResults,
    entry: Entry,
    each: Standing | None,
    counts: dict[Cell, Cell],
    cluster: int | None,
) -> tuple[Cell, ...]:
    known = {None: None, True: "yes", False: "no"}[entry.is_constrained]
    ends = None if each is None else (each.low, each.high)
    return (
        cluster,
        None if each is None or each.rank_low is None else (each.rank_low, each.rank_high),
        entry.system,
        entry.team or None,
        known,
        None if each is None else each.value,
        ends if ends and ends[0] is not None else None,
        None if each is None else each.letters or None,
        None if each is None else counts.get(each.system),
        entry.chrf,
        *(scores.get(entry.code) for scores in track.metrics.values()),
        entry.remark or None,
    )


def _without_score(track: TrackResults, answer: Answer) -> Iterator[Row]:
    scored = {each.system for each in answer.standings}
    left = [each for each in track.entries if not each.code or each.code not in scored]
    for place, entry in enumerate(left):
        why = entry.remark if not entry.code else _because(entry)
        yield Row(_cells(track, replace(entry, remark=why), None, {}, None), place == 0)


def _because(entry: Entry) -> str:
    """A judged system without a score: what the report has says why."""
    return "; ".join(filter(None, [entry.remark, "no score: no judgement of it counts"]))


def _notes(track: TrackResults, answer: Answer) -> Iterator[str]:
    if answer.is_claim:
        yield CLUSTERS
    if any(each.is_withdrawn for each in track.entries):
        yield WITHDRAWN
    if any(each.chrf is not None for each in track.entries):
        yield CHRF
    elif track.track.campaign.items.filter(reference="").exists():
        yield NO_SCORE
    if track.metrics:
        yield METRICS
    if not track.is_blind:
        yield NOT_BLIND


def _shown(table: Table) -> Table:
    """The table without columns in which nothing is known."""
    kept = [
        place
        for place, column in enumerate(table.columns)
        if place in ALWAYS or any(row.cells[place] is not None for row in table.rows)
    ]
    return replace(
        table,
        columns=tuple(table.columns[place] for place in kept),
        rows=tuple(replace(row, cells=tuple(row.cells[k] for k in kept)) for row in table.rows),
        heads=kept.index(HEADS),
    )


def as_one_csv(results: TaskResults) -> str:
    """All tables as one, with the track, the criterion and the unit of the value in each row."""
    rows: list[tuple[Cell, ...]] = []
    metrics = list(dict.fromkeys(name for track in results.tracks for name in track.metrics))
    for track in results.tracks:
        for answer in _answers(track):
            first = (track.track.name, answer.criterion, answer.values)
            for row in _full(track, answer).rows:
                own, scores = row.cells[: len(COLUMNS)], _metrics_in(track, row)
                rows.append((*first, *own, *map(scores.get, metrics), row.cells[-1]))
    heads = (Column("Track"), Column("Criterion"), Column("Unit"))
    columns = (*heads, *COLUMNS, *map(_metric, metrics), REMARKS)
    return as_csv(Table("results", "Results", columns, rows_of(rows)))


def _metrics_in(track: TrackResults, row: Row) -> dict[str, Cell]:
    return dict(zip(track.metrics, row.cells[len(COLUMNS) : -1], strict=True))


def as_documents(results: TaskResults) -> list[dict[str, Any]]:
    """The tables for programs: of each, its facts, notes, and a row for each system."""
    found = []
    for track in results.tracks:
        for answer in _answers(track):
            table = _full(track, answer)
            facts = (track.track.name, answer.criterion, answer.values, table.notes)
            document = dict(zip(("track", "criterion", "unit", "notes"), facts, strict=True))
            found.append(document | {"systems": [_named_cells(track, row) for row in table.rows]})
    return found


def _named_cells(track: TrackResults, row: Row) -> dict[str, Any]:
    cells: dict[str, Any] = dict(zip(NAMES, row.cells, strict=False))
    cells |= {"metrics": _metrics_in(track, row), "remarks": row.cells[-1]}
    cells["rank_low"], cells["rank_high"] = cells.pop("ranks") or (None, None)
    cells["low"], cells["high"] = cells.pop("interval") or (None, None)
    return cells


def as_latex(results: TaskResults) -> str:
    return tabulars(tables_of_results(results)) + "\n"


def as_html(results: TaskResults) -> str:
    """A page that needs nothing else."""
    context = {"task": results.task, "tables": tables_of_results(results)}
    return render_to_string("shared_task/results_file.html", context)
