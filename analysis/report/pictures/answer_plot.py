"""The figure of an answer: each system's mean or rank, and which systems were not told apart."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.report.answer import Answer, Standing, confidence_of
from analysis.report.pictures.plots import INK, TWO_COLUMNS, label_x, letter_columns, row_axes


def answer_plot(answer: Answer, width: float = TWO_COLUMNS) -> Figure:
    """Draw the systems, best on top, with intervals that hold for all together.

    Comparisons have ranks, since log-odds say little to readers. Without a claim, points only
    describe the judgements and have no intervals.

    Parameters
    ----------
    answer : of one criterion
    width : in inches
    """
    names = [each.system for each in answer.standings]
    figure, axes = row_axes(names, width)
    by_rank = answer.is_claim and answer.unit == "log-odds"
    for row, each in enumerate(answer.standings):
        value, low, high = _drawn(each, row + 1 if by_rank else None)
        axes.plot(value, row, "o", color=INK, markersize=4.5, clip_on=False)
        if low is not None and high is not None:
            axes.plot([low, high], [row, row], color=INK, linewidth=1.3)
    if by_rank:
        axes.set_xlim(0.5, len(names) + 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if answer.is_claim:
        letter_columns(axes, [each.letters for each in answer.standings])
        level = confidence_of(answer.alpha or 0.0)
        what, range_ = ("rank", "range") if by_rank else (answer.values, "interval")
        if answer.sequential is not None:
            label_x(
                figure,
                f"{answer.values} of these judgements; systems that share a letter were not told "
                f"apart at {level}, for all looks together",
            )
            return figure
        label_x(
            figure,
            f"{what} with {level} {range_}, for all systems together; "
            "systems that share a letter were not told apart",
        )
    else:
        label_x(figure, f"{answer.values}, of these judgements; no difference can be claimed")
    return figure


def _drawn(each: Standing, place: int | None) -> tuple[float, float | None, float | None]:
    if place is None:
        return each.value, each.low, each.high
    return place, each.rank_low, each.rank_high
