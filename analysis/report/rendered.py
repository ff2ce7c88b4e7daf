"""Tables and pictures of a report as files; the one module that loads all plots."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

from matplotlib.figure import Figure

from analysis.report.answer import answers_of
from analysis.report.checkpoints import Parts, computed_now
from analysis.report.layout.latex import commented, document
from analysis.report.layout.report_tables import all_tables, folders_of
from analysis.report.layout.table_model import as_csv
from analysis.report.model import CriterionReport, Report
from analysis.report.pictures.answer_plot import answer_plot
from analysis.report.pictures.metric_plots import metric_pictures
from analysis.report.pictures.plots import (
    ONE_COLUMN,
    TWO_COLUMNS,
    answer_bars,
    answer_strips,
    drawn,
    has_room,
    letters_plot,
    rank_heatmap,
    rank_ranges,
    rater_agreement,
    win_matrix,
)
from analysis.report.pictures.robustness_plots import robustness_pictures

PLOT_FORMATS = ("svg", "pdf")
FOLDERS = {"plots/": TWO_COLUMNS, "plots/column/": ONE_COLUMN}


def rendered_files(
    report: Report, parts: Parts = computed_now, declined: Mapping[str, Any] | None = None
) -> dict[str, bytes]:
    """Render tables (LaTeX, CSV) and pictures (SVG, PDF), by their names in a bundle.

    Parameters
    ----------
    report : from `make_report`
    parts : may store the pictures, which take most of the time
    declined : numbers of answers of raters who could not judge (see `analysis.report.declined`)
    """
    files = {"tables/report.tex": document(report, declined).encode()}
    for _, tables in all_tables(report, declined):
        for table in tables:
            files[f"{table.file}.tex"] = commented(table).encode()
            files[f"{table.file}.csv"] = as_csv(table).encode()
    for folder, width in FOLDERS.items():
        for picture, make in pictures_to_make(report, width).items():
            figure = cache(make)  # made when the first format needs it, and not again
            for format in PLOT_FORMATS:
                name = f"{folder}{picture}.{format}"
                files[name] = parts(name, bytes, partial(_drawn, figure, format))
    return files


def _drawn(figure: Callable[[], Figure], format: str) -> bytes:
    return drawn(figure(), format)


def pictures(report: Report) -> dict[str, Figure]:
    """Draw every picture of the report, by a short name that can be a file's.

    Parameters
    ----------
    report : from `make_report`
    """
    return {name: make() for name, make in pictures_to_make(report).items()}


def pictures_to_make(report: Report, width: float = TWO_COLUMNS) -> dict[str, Callable[[], Figure]]:
    """Return a function for each picture: a caller that needs only some does not wait for all.

    Parameters
    ----------
    report : from `make_report`
    width : in inches; heat maps of many systems exist only at two columns
    """
    made: dict[str, Callable[[], Figure]] = {}
    answers = {answer.criterion: answer for answer in answers_of(report)}
    folders = folders_of(report)
    for each in report.criteria:
        name, criterion = folders[each.criterion], each.criterion
        made[f"{name}-answer"] = partial(answer_plot, answers[criterion], width)
        pictures = (
            *_ranking_pictures(each, width), *_scale_pictures(each, width),
            *_rater_pictures(report, each, width),
            *(robustness_pictures(each.robustness, width) if each.robustness else ()),
        )  # fmt: skip
        made |= {f"{name}-{ending}": make for ending, make in pictures}
    for section in report.metrics:
        for ending, make in metric_pictures(section, width).items():
            made[f"{folders[section.criterion]}-{ending}"] = make
    return made


Pictures = Iterator[tuple[str, Callable[[], Figure]]]


def _ranking_pictures(found: CriterionReport, width: float) -> Pictures:
    if found.ranking is None:
        return
    names = [row.system for row in found.ranking.win_shares]
    is_heatmap = width > ONE_COLUMN or has_room(names, width)
    for scheme, ranking in found.ranking.rankings.items():
        yield f"ranks-{scheme}", partial(rank_ranges, ranking, width)
        if is_heatmap:
            shares = found.ranking.rank_shares[scheme]
            yield f"heatmap-{scheme}", partial(rank_heatmap, ranking, shares, width)
    if is_heatmap:
        yield "wins", partial(win_matrix, found.ranking, width)


def _scale_pictures(found: CriterionReport, width: float) -> Pictures:
    if found.scale is not None and found.scale.tukey is not None:
        yield "letters", partial(letters_plot, found.scale.tukey, found.systems, width)
    if (values := found.distribution) is None:
        return
    if values.is_points and found.kind == "scale":
        names = [row.system for row in found.systems]
        yield "answers", partial(answer_bars, values, names, width)
    elif not values.is_points:
        yield "answers", partial(answer_strips, values, found.systems, width)


def _rater_pictures(report: Report, found: CriterionReport, width: float) -> Pictures:
    profiles = [rater for rater in report.raters if rater.criterion == found.criterion]
    if found.kind != "category" and any(rater.agreement is not None for rater in profiles):
        yield "raters", partial(rater_agreement, profiles, width)
