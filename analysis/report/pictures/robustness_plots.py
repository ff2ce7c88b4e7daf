"""One picture for each check of an answer's robustness."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from analysis.report.pictures.plots import (
    BAND,
    INK,
    MARGIN,
    ONE_COLUMN,
    PALE,
    label_x,
    new_axes,
    new_panels,
    row_axes,
)
from analysis.report.robustness_section import RobustnessSection
from analysis.robustness.agreement_range import AgreementRange
from analysis.robustness.covariates import ControlledRanking
from analysis.robustness.cycles import Cycles
from analysis.robustness.drift import Drift
from analysis.robustness.influence import Influence
from analysis.robustness.more_units import MoreUnits
from analysis.robustness.order_effects import Bin, OrderEffects
from analysis.robustness.peer_agreement import PeerAgreement
from analysis.robustness.scale_use import ScaleUse
from analysis.table import ORDER

MOST_RATERS = 40
HEIGHT = 2.2  # inches
DASHES = ("-", "--", ":", "-.", (0, (1, 3)))


def robustness_pictures(
    section: RobustnessSection, width: float
) -> Iterator[tuple[str, Callable[[], Figure]]]:
    """Yield the name of each check's picture, and what draws it.

    Parameters
    ----------
    section : of one criterion
    width : in inches
    """
    for name, found in section.results().items():
        if name in PLOTS and (name != "cycles" or found.shown):
            yield name, partial(PLOTS[name], found, width)


def influence_plot(found: Influence, width: float) -> Figure:
    """Mark the difference of the first two systems without each rater, and without each item."""
    figure, axes = new_axes(width, MARGIN + 1)
    axes.set_yticks(range(len(found.without)), list(found.without))
    axes.set_ylim(len(found.without) - 0.4, -0.6)
    removed = {each.units: set(each.removed) for each in found.removals if each.changes == "first"}
    for row, (units, without) in enumerate(found.without.items()):
        inside = removed.get(units, set())
        others = [value for name, value in without.items() if name not in inside]
        axes.plot(others, [row] * len(others), "|", color=INK, markersize=11)
        chosen = [value for name, value in without.items() if name in inside]
        axes.plot(chosen, [row + 0.28] * len(chosen), "^", color=INK, markersize=5)
    axes.axvline(found.difference, color=PALE, linewidth=0.8, linestyle=(0, (1, 2)))
    axes.axvline(0, color=PALE, linewidth=0.8)
    label_x(
        figure,
        f"{found.first} less {found.second} without each one (dotted: with all); triangles: the "
        "set whose removal puts another system first",
    )
    return figure


def covariates_plot(found: ControlledRanking, width: float) -> Figure:
    """Connect each system's estimate with the one with properties held constant."""
    figure, axes = row_axes([each.system for each in found.systems], width)
    for row, each in enumerate(found.systems):
        axes.plot([each.plain, each.controlled], [row, row], color=PALE, linewidth=1.0)
        axes.plot(each.plain, row, "o", color=INK, markerfacecolor="white", markersize=5)
        axes.plot(each.controlled, row, "o", color=INK, markersize=4.5)
    names = " and ".join(each.name for each in found.effects)
    label_x(figure, f"{found.unit}: ○ as judged, ● with {names} held constant")
    return figure


def cycles_plot(found: Cycles, width: float) -> Figure:
    """Show the preferences of the surest circle."""
    steps = found.shown[0].steps
    figure, axes = row_axes([f"{step.a} to {step.b}" for step in steps], width)
    for row, step in enumerate(steps):
        _interval(axes, row, step.share, (step.low, step.high))
    axes.set_xlim(0, 1)
    axes.axvline(0.5, color=PALE, linewidth=0.8)
    label_x(figure, "share that prefers the first to the second, of the surest circle")
    return figure


def order_plot(found: OrderEffects, width: float) -> Figure:
    """Show what is left of the judgements by place, and by share of a rater's work."""
    stacked = width <= ONE_COLUMN
    shape = (len(found.trends), 1) if stacked else (1, len(found.trends))
    figure, panels = new_panels(width, HEIGHT * shape[0], *shape)
    for axes, trend in zip(panels, found.trends, strict=True):
        for each in trend.bins:
            place = (each.lowest + each.highest) / 2
            axes.plot(place, each.mean, "o", color=INK, markersize=4.5)
            if each.error is not None:
                ends = [each.mean - 2 * each.error, each.mean + 2 * each.error]
                axes.plot([place, place], ends, color=INK, linewidth=1.2)
        axes.axhline(0, color=PALE, linewidth=0.8)
        in_time = trend.name == ORDER
        if not in_time and _are_places(trend.bins):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel("share of the rater's work" if in_time else "place on the screen")
        axes.set_ylabel("agreement" if in_time and found.unit == "log-odds" else "judged better →")
    label_x(figure, "mean of what systems and raters leave unexplained, ± 2 standard errors")
    return figure


def _are_places(bins: tuple[Bin, ...]) -> bool:
    return all(each.lowest == each.highest for each in bins)


def scale_use_plot(found: ScaleUse, width: float) -> Figure:
    """Show the range, the mean and the SD of each rater's values, the widest on top."""
    raters = found.raters
    if len(raters) > MOST_RATERS:
        raters = (*raters[: MOST_RATERS // 2], *raters[-(MOST_RATERS // 2) :])
    figure, axes = row_axes([each.rater for each in raters], width)
    for row, each in enumerate(raters):
        axes.plot([each.lowest, each.highest], [row, row], color=PALE, linewidth=0.8)
        span = [max(each.mean - each.sd, each.lowest), min(each.mean + each.sd, each.highest)]
        axes.plot(span, [row, row], color=INK, linewidth=2.2)
        axes.plot(each.mean, row, "o", color=INK, markerfacecolor="white", markersize=5)
    left = len(found.raters) - len(raters)
    more = f"; {left} raters between these are not shown" if left else ""
    label_x(figure, f"values: range (thin), mean ± SD (thick) of each rater{more}")
    return figure


def peers_plot(found: PeerAgreement, width: float) -> Figure:
    """Show each rater's agreement beyond chance, the lowest on top."""
    raters = found.raters[:MOST_RATERS]
    figure, axes = row_axes([each.rater for each in raters], width)
    for row, each in enumerate(raters):
        fill = INK if each.agrees else "white"
        axes.plot(each.score, row, "o", color=INK, markerfacecolor=fill, markersize=5)
    axes.axvline(0, color=PALE, linewidth=0.8)
    left = len(found.raters) - len(raters)
    more = f"; {left} raters with more are not shown" if left else ""
    label_x(figure, f"agreement beyond chance (0); ○: no more than chance can be shown{more}")
    return figure


def more_units_plot(found: MoreUnits, width: float) -> Figure:
    """Draw half widths of intervals over raters, with a line for each number of items."""
    figure, axes = new_axes(width, MARGIN + HEIGHT)
    items = sorted({each.items for each in found.sizes})
    for number, dash in zip(items, DASHES, strict=False):
        known = [
            (each.raters, each.half_width)
            for each in found.sizes
            if each.items == number and each.half_width is not None
        ]
        raters, widths = zip(*sorted(known), strict=True)
        axes.plot(raters, widths, color=INK, linewidth=1.2, linestyle=dash, label=f"{number} items")
    if found.now.half_width is not None:
        axes.plot(found.now.raters, found.now.half_width, "D", color=INK, markersize=5)
    axes.set_yscale("log")
    axes.set_ylabel(f"± ({found.unit})")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    # Not over the lines, which fill the axes.
    figure.legend(loc="outside right upper", frameon=False)
    label_x(
        figure,
        "raters, if each judged every item; diamond: the numbers of this campaign",
    )
    return figure


def drift_plot(found: Drift, width: float) -> Figure:
    """Show by how much each system moved against the others since the first version."""
    several = len(found.versions) > 2
    names = [f"{each.system}, {each.version}" if several else each.system for each in found.shifts]
    figure, axes = row_axes(names, width)
    for row, each in enumerate(found.shifts):
        _interval(axes, row, each.shift, (each.low, each.high))
    axes.axvline(0, color=PALE, linewidth=0.8)
    label_x(
        figure,
        f"shift since version {found.versions[0]} ({found.unit}), with intervals for all together",
    )
    return figure


def agreement_plot(found: AgreementRange, width: float) -> Figure:
    """Compare the spread of outputs with that of raters, and with answers at random."""
    rows = {
        "outputs": found.outputs,
        "raters on the same output": found.raters,
        "answers at random": found.guessing,
    }
    figure, axes = row_axes(list(rows), width)
    axes.barh(range(len(rows)), list(rows.values()), height=0.5, color=BAND, edgecolor=INK)
    label_x(figure, "SD of the values")
    return figure


def _interval(axes: Axes, row: int, value: float, ends: tuple[float | None, float | None]) -> None:
    axes.plot(value, row, "o", color=INK, markersize=4.5)
    if None not in ends:
        axes.plot([end for end in ends if end is not None], [row, row], color=INK, linewidth=1.3)


PLOTS: dict[str, Callable[[Any, float], Figure]] = {
    "influence": influence_plot,
    "covariates": covariates_plot,
    "cycles": cycles_plot,
    "order": order_plot,
    "scale-use": scale_use_plot,
    "peers": peers_plot,
    "more-units": more_units_plot,
    "drift": drift_plot,
    "agreement-range": agreement_plot,
}
