"""A report's pictures: rank ranges, rank distributions, letters, answers, wins, rater agreement.

Each is drawn at one of two widths, with all its text in 8 pt, so that it goes into a paper
unscaled. Colours differ in grey and for colour-blind people; everything that a colour shows is also
shown by position, marker or text. Equal reports give equal files.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import LogLocator, NullLocator

from analysis.ranking.clusters import Ranking
from analysis.reliability.rater_profiles import RaterProfile
from analysis.report.distribution import Distribution
from analysis.report.model import SystemRow
from analysis.report.ranking_section import PairRecord, RankingSection
from analysis.scales.tukey_hsd import Tukey, range_quantile, split_letters
from analysis.typing import Values

INK, PALE, BAND = "#1a1a1a", "#8c8c8c", "#eef1f5"
TWO_COLUMNS, ONE_COLUMN = 16 / 2.54, 7.7 / 2.54  # inches
POINTS = 8  # of all text, in print
CHARACTER = 0.56 * POINTS / 72  # inches, of an average character
LONGEST_NAME, LONGEST_IN_COLUMN = 24, 16  # characters in a line of a row's name
ROW, MARGIN = 0.2, 0.8  # inches: a line of a row, and what is above and below the rows
CELL = 3.4 * CHARACTER  # inches of a heat map's cell, so that "100" fits
LONGEST_LABEL = 30  # characters of a rater's name
MOST_LABELS = 5
SHADES = "Blues"  # one hue whose lightness runs one way: the same in grey and to any eye
# Two hues, each darker towards its end, of which one is darker than the other also in the middle.
ENDS, BELOW, ABOVE = "PuOr", (0.04, 0.36), (0.72, 1.0)
WIN_SHADES = 0.1, 0.9  # shares of wins that are palest and darkest
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "rankme",
    "svg.fonttype": "none",
    # Fonts as TrueType (42): publishers refuse matplotlib's usual Type 3.
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": POINTS,
    **dict.fromkeys(
        (
            "axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize",
            "legend.fontsize", "figure.labelsize",
        ),
        POINTS,
    ),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": PALE,
    "axes.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
}  # fmt: skip
# No date and no version, so that the same report gives the same bytes.
METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def drawn(figure: Figure, format: str) -> bytes:
    """Return the picture as the bytes of an SVG, PDF or PNG."""
    file = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        _lay_out(figure)
        figure.savefig(file, format=format, metadata=METADATA[format], dpi=150)
    return file.getvalue()


def _lay_out(figure: Figure) -> None:
    """Find the places of all parts once: saving would do so twice for each format.

    A figure's formats have the same layout then, whichever of them is drawn first.
    """
    engine = figure.get_layout_engine()
    if engine is not None:
        for text in figure.findobj(Text):
            text.set_fontsize(POINTS)
        engine.execute(figure)
        figure.set_layout_engine(None)


def save(figure: Figure, path: Path) -> None:
    """Write the picture in the format that the file's ending names."""
    path.write_bytes(drawn(figure, path.suffix.lstrip(".")))


def new_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """Make a separate figure, not one of pyplot's, which a server would never release."""
    figure, (axes,) = new_panels(width, height, 1, 1)
    return figure, axes


def new_panels(width: float, height: float, rows: int, columns: int) -> tuple[Figure, list[Axes]]:
    """Make a figure of several panels, row by row."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(rows, columns, squeeze=False)
    return figure, list(panels.ravel())


def row_axes(names: Sequence[str], width: float) -> tuple[Figure, Axes]:
    """Make a figure with a row for each name, the first on top; long names are broken."""
    most = LONGEST_NAME if width > ONE_COLUMN else LONGEST_IN_COLUMN
    labels = [textwrap.wrap(name, most) or [""] for name in map(plain_label, names)]
    lines = max(map(len, labels), default=1)
    figure, axes = new_axes(width, MARGIN + ROW * lines * max(len(names), 2))
    axes.set_yticks(range(len(names)), ["\n".join(label) for label in labels])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    return figure, axes


def label_x(figure: Figure, said: str) -> None:
    """Write below a figure what it shows, in lines that are as wide as the figure."""
    most = int(figure.get_size_inches()[0] / CHARACTER)
    figure.supxlabel("\n".join(textwrap.wrap(plain_label(said), most)))


def plain_label(label: str) -> str:
    """Dollar signs would start a formula."""
    return label.replace("$", r"\$")


# --- rankings --------------------------------------------------------------------------------


def rank_ranges(ranking: Ranking, width: float = TWO_COLUMNS) -> Figure:
    """Rank ranges and means, the best on top; every second cluster has a band behind it."""
    systems = ranking.systems
    figure, axes = row_axes([system.system for system in systems], width)
    _cluster_bands(axes, [system.cluster for system in systems])
    for row, system in enumerate(systems):
        axes.plot([system.rank_low, system.rank_high], [row, row], color=INK, linewidth=1.6)
        axes.plot([system.rank_low, system.rank_high], [row, row], "|", color=INK, markersize=7)
        axes.annotate(
            f"{system.mean:.3f}".replace("-", "−"),
            (1.01, row),
            xycoords=("axes fraction", "data"),
            va="center",
        )
    axes.set_xlim(0.5, len(systems) + 1.2 + len(systems) * 0.05)
    step = max(1, round(len(systems) / (12 if width > ONE_COLUMN else 5)))
    axes.set_xticks(range(1, len(systems) + 1, step))
    label_x(figure, "rank (range over the runs); number of the cluster and mean at the right")
    return figure


def _cluster_bands(axes: Axes, clusters: Sequence[int]) -> None:
    """Draw a pale band behind every second cluster, its number, and a line at each boundary."""
    for cluster in sorted(set(clusters)):
        rows = [row for row, each in enumerate(clusters) if each == cluster]
        if cluster % 2 == 1:
            axes.axhspan(rows[0] - 0.5, rows[-1] + 0.5, color=BAND, zorder=0)
        if rows[0] > 0:
            axes.axhline(rows[0] - 0.5, color=PALE, linewidth=0.8, linestyle=(0, (1, 2)))
        axes.annotate(
            str(cluster),
            (0.995, rows[0]),
            xycoords=("axes fraction", "data"),
            va="center",
            ha="right",
            color=INK,
            fontweight="bold",
        )


def has_room(names: Sequence[str], width: float) -> bool:
    """Say whether a heat map with a column for each name has room for the numbers in its cells."""
    longest = min(max(map(len, names), default=0), LONGEST_NAME)
    return CELL * len(names) + CHARACTER * (longest + 5) <= width


def rank_heatmap(ranking: Ranking, shares: dict[str, tuple[float, ...]], width: float) -> Figure:
    """Plot how often each system had each rank: darker is more often, with the share in writing."""
    names = [system.system for system in ranking.systems]
    cells = np.array([shares[name] for name in names])
    figure, axes = row_axes(names, _at_least(names, width))
    shade_cells(axes, cells, 0.0, 1.0)
    for row, column in np.argwhere(cells >= 0.005):
        write_cell(axes, row, column, f"{100 * cells[row, column]:.0f}", cells[row, column])
    axes.set_xticks(range(len(names)), [str(rank) for rank in range(1, len(names) + 1)])
    label_x(figure, "rank (per cent of the runs)")
    return figure


def _at_least(names: Sequence[str], width: float) -> float:
    """Return a width that has room for a heat map's numbers, if this one has not."""
    return width if has_room(names, width) else CELL * len(names) + CHARACTER * (LONGEST_NAME + 5)


def shade_cells(axes: Axes, cells: Any, lowest: float, highest: float) -> None:
    """Shade cells from pale to dark."""
    axes.imshow(cells, cmap=SHADES, vmin=lowest, vmax=highest, aspect="auto", interpolation="none")
    axes.tick_params(length=0)


def write_cell(axes: Axes, row: int, column: int, text: str, shade: float) -> None:
    """Write into a cell in the colour that can be read on its shade."""
    axes.text(column, row, text, ha="center", va="center", color=ink_on(shade))


def luminance(colour: Any) -> float:
    """Relative luminance of red, green and blue from 0 to 1, after WCAG 2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def ink_on(shade: float) -> str:
    """White or black on a shade from 0 (pale) to 1 (dark): never less contrast than 4.5 to 1."""
    return ink_on_colour(matplotlib.colormaps[SHADES](float(np.clip(shade, 0, 1))))


def ink_on_colour(colour: Any) -> str:
    """White or black, whichever has more contrast."""
    return "white" if luminance(colour) < 0.179 else "black"


def win_matrix(section: RankingSection, width: float) -> Figure:
    """Share of pairs that the row's system won against the column's; a tie is half a win."""
    names = [row.system for row in section.win_shares]
    cells = _win_cells(section.pairs, names)
    figure, axes = row_axes(numbered(names), _at_least(names, width))
    shade_cells(axes, cells, *WIN_SHADES)
    for row, column in np.argwhere(~np.isnan(cells)):
        shade = (cells[row, column] - WIN_SHADES[0]) / (WIN_SHADES[1] - WIN_SHADES[0])
        write_cell(axes, row, column, f"{100 * cells[row, column]:.0f}", shade)
    axes.set_xticks(range(len(names)), [str(number + 1) for number in range(len(names))])
    label_x(figure, "per cent of pairs that the row won against the column; a tie is half a win")
    return figure


def numbered(names: Sequence[str]) -> list[str]:
    """Put a number before each name, which is the name of its column."""
    return [f"{number} {name}" for number, name in enumerate(names, start=1)]


def _win_cells(pairs: Sequence[PairRecord], names: Sequence[str]) -> Any:
    place = {name: number for number, name in enumerate(names)}
    cells = np.full((len(names), len(names)), np.nan)
    for pair in pairs:
        share = (pair.wins + pair.ties / 2) / (pair.wins + pair.ties + pair.losses)
        cells[place[pair.a], place[pair.b]] = share
        cells[place[pair.b], place[pair.a]] = 1 - share
    return cells


# --- scales ----------------------------------------------------------------------------------


def letters_plot(tukey: Tukey, systems: Sequence[SystemRow], width: float = TWO_COLUMNS) -> Figure:
    """Means with the intervals of the Tukey test, best on top, and the letters in columns."""
    rows = {row.system: row for row in systems}
    names = list(tukey.letters)
    figure, axes = row_axes(names, width)
    widths = _comparison_widths(tukey, {name: rows[name].judgements for name in names})
    for place, name in enumerate(names):
        axes.plot(rows[name].mean, place, "o", color=INK, markersize=4.5)
        span = [rows[name].mean - widths[name], rows[name].mean + widths[name]]
        axes.plot(span, [place, place], color=INK, linewidth=1.3)
    letter_columns(axes, [tukey.letters[name] for name in names])
    level = f"{100 * (1 - tukey.alpha):.3g} %"
    label_x(figure, f"mean with {level} Tukey comparison interval; letters at the right")
    return figure


def _comparison_widths(tukey: Tukey, sizes: dict[str, int]) -> dict[str, float]:
    """Half of the difference that is significant: bars of equal sizes part where pairs differ."""
    critical = range_quantile(1 - tukey.alpha, len(sizes), tukey.df)
    return {
        name: float(critical * np.sqrt(tukey.mean_sq / size) / 2) for name, size in sizes.items()
    }


def letter_columns(axes: Axes, rows: Sequence[str]) -> None:
    """Write the letters of each row at the right, one below the other."""
    letters = sorted(
        {letter for row in rows for letter in split_letters(row)},
        key=lambda letter: (len(letter), letter[0].islower(), letter),
    )
    for place, row in enumerate(rows):
        for letter in split_letters(row):
            axes.annotate(
                letter,
                (1, place),
                xytext=(4 + POINTS * letters.index(letter), 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                family="monospace",
            )


def answer_bars(found: Distribution, systems: Sequence[str], width: float = TWO_COLUMNS) -> Figure:
    """Stack the shares of each point of a scale, so that the middle of the scale is at 0."""
    figure, axes = row_axes(systems, width)
    points = found.values
    colours = point_colours(len(points))
    shares = np.array([found.counts[name] for name in systems], dtype=float)
    shares *= 100 / shares.sum(axis=1, keepdims=True)
    middle = len(points) // 2
    below = shares[:, :middle].sum(axis=1)
    if len(points) % 2:
        below += shares[:, middle] / 2
    starts = np.cumsum(shares, axis=1) - shares - below[:, None]
    least = 3 * CHARACTER / (width - CHARACTER * LONGEST_NAME) * 200  # per cent that have room
    for column, (point, colour) in enumerate(zip(points, colours, strict=True)):
        axes.barh(
            range(len(systems)), shares[:, column], left=starts[:, column], height=0.8,
            color=colour, edgecolor=PALE, linewidth=0.5, label=f"{point:g}",
        )  # fmt: skip
        for row in np.flatnonzero(shares[:, column] >= least).tolist():
            share, start = shares[row, column], starts[row, column]
            axes.text(
                start + share / 2, row, f"{share:.0f}", ha="center", va="center",
                color=ink_on_colour(colour),
            )  # fmt: skip
    axes.axvline(0, color=INK, linewidth=0.8, zorder=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):.0f}")
    figure.legend(
        loc="outside upper center", ncols=len(points), frameon=False, handlelength=1,
        handleheight=1, columnspacing=0.8, handletextpad=0.3, fontsize=POINTS,
    )  # fmt: skip
    label_x(figure, "per cent of the answers, from the middle of the scale")
    return figure


def point_colours(count: int) -> list[tuple[float, ...]]:
    """Return a colour for each point of a scale, palest in the middle."""
    half = count // 2
    places = [*np.linspace(*BELOW, half), *[0.5] * (count % 2), *np.linspace(*ABOVE, half)]
    return [tuple(each) for each in matplotlib.colormaps[ENDS](places)]


def answer_strips(
    found: Distribution, systems: Sequence[SystemRow], width: float = TWO_COLUMNS
) -> Figure:
    """Draw a histogram of each system's values in its row, with mean and median."""
    figure, axes = row_axes([row.system for row in systems], width)
    edges = np.array(found.values)
    most = max(max(found.counts[row.system]) / row.judgements for row in systems)
    for place, row in enumerate(systems):
        heights = 0.8 * np.array(found.counts[row.system]) / row.judgements / most
        axes.stairs(
            place + 0.42 - heights, edges, baseline=place + 0.42, fill=True, color="#9fb6cd"
        )
        axes.axhline(place + 0.42, color=PALE, linewidth=0.5)
        axes.plot([row.median] * 2, [place - 0.38, place + 0.42], color=INK, linewidth=1.2)
        axes.plot(row.mean, place + 0.2, "D", color=INK, markersize=3.2)
    if found.is_logarithmic:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.set_xlim(edges[0], edges[-1])
    label_x(figure, "values; line: median, diamond: mean")
    return figure


# --- raters ----------------------------------------------------------------------------------


def rater_agreement(profiles: Sequence[RaterProfile], width: float = TWO_COLUMNS) -> Figure:
    """Stack the raters as dots by their correlation with the rest; name those far below."""
    known = [each for each in profiles if each.agreement is not None]
    values = np.array([each.agreement for each in known], dtype=float)
    lowest = min(-0.1, float(values.min()) - 0.05)
    step = (1.05 - lowest) / (width * 72 / 9)  # a dot is 6 points wide
    places = np.floor((values - lowest) / step).astype(int)
    heights = np.array([np.sum(places[:k] == places[k]) for k in range(len(known))])
    at = lowest + (places + 0.5) * step
    figure, axes = new_axes(width, MARGIN + 1.0 + 0.1 * int(heights.max()))
    named = _worth_naming(values)
    axes.plot(np.delete(at, named), np.delete(heights, named), "o", color=INK, markersize=4.5)
    axes.plot(at[named], heights[named], "D", color=INK, markerfacecolor="white", markersize=5)
    axes.axvline(0, color=PALE, linewidth=0.8)
    axes.set_xlim(lowest, 1.05)
    axes.set_ylim(-1, int(heights.max()) + 2)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    missing = len(profiles) - len(known)
    said = "each dot is a rater: correlation with the others on the same outputs"
    if named:
        said += f"; diamonds: far below the rest, or not above 0 ({_listed(known, named)})"
    said += f"; {missing} raters share too few outputs" if missing else ""
    label_x(figure, said)
    return figure


def _listed(known: Sequence[RaterProfile], named: Sequence[int]) -> str:
    """Name the first of them: next to their dots, names would cover each other and other dots."""
    names = (known[k].rater for k in named[:MOST_LABELS])
    cut = [n if len(n) <= LONGEST_LABEL else f"{n[: LONGEST_LABEL - 1]}…" for n in names]
    more = len(named) - MOST_LABELS
    return ", ".join(cut) + (f" and {more} more" if more > 0 else "")


def _worth_naming(values: Values) -> list[int]:
    """Return the raters below Tukey's fence (1977), and those with no agreement at all."""
    low, high = np.quantile(values, [0.25, 0.75])
    below = (values < low - 1.5 * (high - low)) | (values <= 0)
    return [int(k) for k in np.argsort(values, kind="stable") if below[k]]
