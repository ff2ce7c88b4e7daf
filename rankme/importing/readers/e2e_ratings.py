"""Ratings as the E2E challenge and RankME published them: one screen per line."""

from __future__ import annotations

from datetime import datetime

from analysis.e2e_ratings import COVERAGE_CRITERION, INPUT, RATER, layout_of, ratings_of
from analysis.translatable import gettext_noop as _
from rankme.importing.files import Place, SourceFile
from rankme.importing.sources import Sources
from rankme.importing.spooling.judgement_spool import Given, JudgementSpool
from rankme.importing.spooling.preview import CriterionPreview, JudgementPreview
from rankme.importing.tabular.records import Record, Shape, columns_missing, records, shape_of

from .reader import Asked, Reader

TIME = "%m/%d/%Y %H:%M:%S"
# Magnitudes have no upper bound: the largest rating of the E2E challenge is 111,111.
LARGEST_MAGNITUDE = 999_999
MOST_POINTS = 11  # of a Likert item


def are_ratings(files: list[SourceFile]) -> bool:
    return shape_of_ratings(files[0]) is not None


def shape_of_ratings(file: SourceFile) -> Shape | None:
    """The shape of a file of ratings, numbered columns or not."""
    shape = shape_of(file, (RATER, INPUT))
    return shape if shape and layout_of(shape.columns) else None


def read_e2e_ratings(sources: Sources, spool: JudgementSpool) -> None:
    """One screen per line; see `analysis.e2e_ratings`."""
    file = sources.files[0]
    shape = shape_of_ratings(file)
    layout = layout_of(shape.columns) if shape else None
    if shape is None or layout is None:
        missing = columns_missing(file, (RATER, INPUT, "sys1", "quality1"))
        sources.problem((file, 1), "", missing)
        return
    if layout.has_units:
        spool.expect_factors(["unit"])
    for number, (line, record) in enumerate(records(sources, file, shape), start=1):
        place = (file, line)
        started_at, submitted_at = (
            _time_of(record, column, spool, place) for column in ("_started_at", "_created_at")
        )
        factors = {"unit": record["_unit_id"]} if layout.has_units else {}
        for each in ratings_of(layout, record, number):
            if each.problem:
                spool.problem(place, each.column, each.problem)
                continue
            given = Given(
                rater=each.rater,
                item=each.item,
                system=each.system,
                criterion=each.criterion,
                screen=each.screen,
                value=each.value,
                input=each.input,
                output=each.output,
                label=each.label,
                started_at=started_at,
                submitted_at=submitted_at,
            )
            spool.add_judgement(given, factors, place)


def _time_of(record: Record, column: str, spool: JudgementSpool, place: Place) -> str:
    cell = record.get(column, "")
    if not cell:
        return ""
    try:
        return datetime.strptime(cell, TIME).isoformat()
    except ValueError:
        spool.problem(place, column, f'"{cell[:40]}" is not a time such as 11/28/2017 14:51:43.')
        return ""


def _asked(criterion: CriterionPreview, preview: JudgementPreview) -> Asked | None:
    """Name the instrument of either paper: check list, magnitude estimation or Likert points."""
    if criterion.name == COVERAGE_CRITERION:
        choices = {"added": "adds information", "missing": "misses information"}
        return Asked("checklist", {"choices": choices, "none_name": "ok"})
    # With one output per screen, magnitudes cannot be turned into ranks.
    if criterion.judgements > preview.n_screens:
        return Asked("rankme", {"largest": max(criterion.highest, LARGEST_MAGNITUDE)})
    if criterion.whole_numbers and criterion.lowest >= 1 and criterion.highest <= MOST_POINTS:
        return Asked("likert", {"points": max(2, int(criterion.highest))})
    return None


READER = Reader(
    title=_("Ratings of the E2E challenge and of RankME"),
    help=_("The CSV files as they were published: one screen per line."),
    recognises=are_ratings,
    read=read_e2e_ratings,
    takes_several=False,
    asked=_asked,
)
