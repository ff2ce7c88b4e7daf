"""Pictures of metrics next to people: scatter plots with intervals on both axes, a heat map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.meta_evaluation.against_people import MetricReport, SystemPoint
from analysis.report.metric_section import MetricSection
from analysis.report.pictures.plots import (
    CELL,
    INK,
    ONE_COLUMN,
    PALE,
    TWO_COLUMNS,
    has_room,
    label_x,
    new_panels,
    numbered,
    plain_label,
    row_axes,
    shade_cells,
    write_cell,
)

PANEL, PANEL_HEIGHT = 1.9, 1.9  # inches, the least width and the height
PEOPLE = "people"
LONGEST = 18  # characters of a metric above its panel


def metric_pictures(section: MetricSection, width: float) -> dict[str, Callable[[], Figure]]:
    """Return functions that draw one criterion's pictures, by the ends of their names."""
    found = section.comparison
    if found is None:
        return {}
    made: dict[str, Callable[[], Figure]] = {}
    if found.points:
        made["metrics-scatter"] = partial(scatter, found, section.criterion, width)
    names = _names(found)
    if len(names) > 2 and (width > ONE_COLUMN or has_room(names, width)):
        made["metrics-heatmap"] = partial(_correlation_heatmap, found, width)
    return made


def _names(found: MetricReport) -> list[str]:
    return [PEOPLE, *(each.metric for each in found.system_level)]


def scatter(found: MetricReport, criterion: str, width: float = TWO_COLUMNS) -> Figure:
    """Draw a panel for each metric: its score of every system against the mean judgement."""
    metrics = [each for each in found.system_level if each.systems]
    columns = max(1, min(len(metrics), int(width / PANEL)))
    rows = -(-len(metrics) // columns)
    figure, panels = new_panels(width, PANEL_HEIGHT * rows + 0.4, rows, columns)
    for axes, each in zip(panels, metrics, strict=False):
        points = [point for point in found.points if point.metric == each.metric]
        _draw_points(axes, points)
        r = "–" if each.pearson is None else f"{each.pearson:.2f}".replace("-", "−")
        name = each.metric if len(each.metric) <= LONGEST else f"{each.metric[: LONGEST - 1]}…"
        axes.set_title(f"{plain_label(name)}  r = {r}", loc="left")
    for axes in panels[len(metrics) :]:
        axes.set_axis_off()
    label_x(figure, f"{criterion[:90]}: mean judgement, 95 % intervals over items")
    figure.supylabel("score")
    return figure


def _draw_points(axes: Axes, points: Sequence[SystemPoint]) -> None:
    for point in points:
        if point.people_interval:
            axes.plot(point.people_interval, [point.score] * 2, color=PALE, linewidth=0.8)
        if point.score_interval:
            axes.plot([point.people] * 2, point.score_interval, color=PALE, linewidth=0.8)
    axes.plot(
        [point.people for point in points],
        [point.score for point in points],
        "o",
        color=INK,
        markersize=3,
    )


def _correlation_heatmap(found: MetricReport, width: float) -> Figure:
    """Pearson's r over systems between people and all metrics; the darker the further from 0."""
    names = _names(found)
    cells = np.array([[np.nan if r is None else r for r in row] for row in found.correlations])
    figure, axes = row_axes(numbered(names), max(width, CELL * len(names) + 2))
    shade_cells(axes, np.abs(cells), 0.0, 1.0)
    for row, column in np.argwhere(~np.isnan(cells)):
        r = float(cells[row, column])
        said = f"{r:.2f}".replace("-", "−").replace("0.", ".") if abs(r) < 1 else f"{r:.0f}"
        write_cell(axes, int(row), int(column), said, abs(r))
    axes.set_xticks(range(len(names)), [str(number + 1) for number in range(len(names))])
    label_x(figure, "Pearson r over systems, higher is better for all; the shade is its size")
    return figure
