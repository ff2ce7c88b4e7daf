"""Pictures of metrics next to people: scatter plots with intervals on both axes, a heat map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.meta_evaluation.against_people import MetricReport, SystemPoint
from analysis.report.plots import (
    INK,
    PALE,
    WIDTH,
    extra_width,
    height_of,
    name_rows,
    new_axes,
    new_panels,
    plain_label,
    shade_cells,
    write_cell,
)

from .metric_section import MetricSection

COLUMNS, PANEL_HEIGHT = 3, 2.1
PEOPLE = "people"


def metric_pictures(section: MetricSection) -> dict[str, Callable[[], Figure]]:
    """Return functions that draw one criterion's pictures, by the ends of their names."""
    found = section.comparison
    if found is None:
        return {}
    made: dict[str, Callable[[], Figure]] = {}
    if found.points:
        made["metrics-scatter"] = partial(scatter, found, section.criterion)
    if len(found.system_level) > 1:
        made["metrics-heatmap"] = partial(_correlation_heatmap, found, section.criterion)
    return made


def scatter(found: MetricReport, criterion: str) -> Figure:
    """Draw a panel for each metric: its score of every system against the mean judgement."""
    metrics = [each for each in found.system_level if each.systems]
    rows = -(-len(metrics) // COLUMNS)
    figure, panels = new_panels(WIDTH, PANEL_HEIGHT * rows + 0.4, rows, min(len(metrics), COLUMNS))
    for axes, each in zip(panels, metrics, strict=False):
        points = [point for point in found.points if point.metric == each.metric]
        _draw_points(axes, points)
        r = "–" if each.pearson is None else f"{each.pearson:.2f}".replace("-", "−")
        axes.set_title(f"{plain_label(each.metric)}  r = {r}", loc="left", fontsize=8)
    for axes in panels[len(metrics) :]:
        axes.set_axis_off()
    figure.supxlabel(plain_label(f"{criterion}: mean judgement, 95 % intervals over items"[:90]))
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
    axes.tick_params(labelsize=7)


def _correlation_heatmap(found: MetricReport, criterion: str) -> Figure:
    """Pearson's r over systems between people and all metrics; the darker the further from 0."""
    names = [PEOPLE, *(each.metric for each in found.system_level)]
    cells = np.array([[np.nan if r is None else r for r in row] for row in found.correlations])
    width = max(WIDTH, 2.0 + 0.36 * len(names))
    figure, axes = new_axes(width, height_of(len(names)) + 0.6 + extra_width(names), names)
    shade_cells(axes, np.abs(cells), 0.0, 1.0)
    for row, column in np.argwhere(~np.isnan(cells)):
        r = float(cells[row, column])
        write_cell(axes, int(row), int(column), f"{r:.2f}".replace("-", "−"), abs(r))
    name_rows(axes, names)
    axes.set_xticks(range(len(names)), [plain_label(name) for name in names], rotation=90)
    axes.set_xlabel("Pearson r over systems, higher is better for all; the shade is its size")
    axes.set_title(plain_label(criterion), loc="left")
    return figure
