"""Tables and pictures of a report as files; the one module that loads all plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from matplotlib.figure import Figure

from analysis.report.answer import answers_of
from analysis.report.answer_plot import answer_plot
from analysis.report.checkpoints import Parts, computed_now
from analysis.report.layout.latex import commented, document
from analysis.report.layout.report_tables import all_tables, folders_of
from analysis.report.layout.table_model import as_csv
from analysis.report.metric_plots import metric_pictures
from analysis.report.model import Report
from analysis.report.plots import (
    drawn,
    letters_plot,
    rank_heatmap,
    rank_ranges,
    rater_agreement,
    win_matrix,
)

PLOT_FORMATS = ("svg", "pdf")


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
    for picture, make in pictures_to_make(report).items():
        figure = cache(make)  # made when the first format needs it, and not again for the second
        for format in PLOT_FORMATS:
            name = f"plots/{picture}.{format}"
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


def pictures_to_make(report: Report) -> dict[str, Callable[[], Figure]]:
    """Return a function for each picture: a caller that needs only some does not wait for all.

    Parameters
    ----------
    report : from `make_report`
    """
    made: dict[str, Callable[[], Figure]] = {}
    answers = {answer.criterion: answer for answer in answers_of(report)}
    folders = folders_of(report)
    for each in report.criteria:
        name, criterion = folders[each.criterion], each.criterion
        made[f"{name}-answer"] = partial(answer_plot, answers[criterion])
        if each.ranking is not None:
            for scheme, ranking in each.ranking.rankings.items():
                shares = each.ranking.rank_shares[scheme]
                made[f"{name}-ranks-{scheme}"] = partial(rank_ranges, ranking, criterion)
                made[f"{name}-heatmap-{scheme}"] = partial(rank_heatmap, ranking, shares, criterion)
            made[f"{name}-wins"] = partial(win_matrix, each.ranking, criterion)
        if each.scale is not None and each.scale.tukey is not None:
            made[f"{name}-letters"] = partial(
                letters_plot, each.scale.tukey, each.systems, criterion
            )
        profiles = [rater for rater in report.raters if rater.criterion == criterion]
        if each.kind != "category" and any(rater.agreement is not None for rater in profiles):
            made[f"{name}-raters"] = partial(rater_agreement, profiles, criterion)
    for section in report.metrics:
        for ending, make in metric_pictures(section).items():
            made[f"{folders[section.criterion]}-{ending}"] = make
    return made
