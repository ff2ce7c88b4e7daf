"""A report's pictures: rank ranges, rank distributions, letters, wins and rater agreement.

Colours are from one sequence that grows darker (readable in grey, and for colour-blind people);
everything that a colour shows is also shown by position, marker or text. Equal reports give equal
files.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.errors import OptionsError
from analysis.ranking.clusters import Ranking
from analysis.reliability.rater_profiles import RaterProfile
from analysis.report.model import SystemRow
from analysis.scales.tukey_hsd import Tukey, range_quantile, split_letters

from .ranking_section import PairRecord, RankingSection

FORMATS = ("svg", "pdf", "png")
INK, PALE, BAND = "#1a1a1a", "#8c8c8c", "#eef1f5"
WIDTH = 6.4  # inches
INCHES_PER_LETTER, USUAL_LENGTH = 0.08, 24
# Where a point's label may be: at its right or left, and how many points above it.
LABEL_OFFSETS = [(right, above) for above in (0, 10, -10, 20, -20, 30) for right in (True, False)]
LONGEST_LABEL = 40
SHADES = "Blues"  # one hue whose lightness runs one way: the same in grey and to any eye
WIN_SHADES = 0.1, 0.9  # shares of wins that are palest and darkest
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "rankme",
    "svg.fonttype": "none",
    # Fonts as TrueType (42): publishers refuse matplotlib's usual Type 3.
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": PALE,
    "axes.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
}
# No date and no version, so that the same report gives the same bytes.
METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def drawn(figure: Figure, format: str) -> bytes:
    """Return the picture as the bytes of an SVG, PDF or PNG."""
    if format not in FORMATS:
        raise OptionsError([f"There is no picture format {format!r}: {', '.join(FORMATS)}."])
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
        engine.execute(figure)
        figure.set_layout_engine(None)


def save(figure: Figure, path: Path) -> None:
    """Write the picture in the format that the file's ending names."""
    path.write_bytes(drawn(figure, path.suffix.lstrip(".").lower()))


def new_axes(width: float, height: float, names: Sequence[str] = ()) -> tuple[Figure, Axes]:
    """Make a separate figure, not one of pyplot's, which a server would never release.

    Figures are equally wide as long as they can be, so that their fonts look alike when a page
    scales them; `names` next to the axes that are longer than usual need more.
    """
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width + extra_width(names), height), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
    return figure, axes


def new_panels(width: float, height: float, rows: int, columns: int) -> tuple[Figure, list[Axes]]:
    """Make a figure of several panels, row by row."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(rows, columns, squeeze=False)
    return figure, list(panels.ravel())


def extra_width(names: Sequence[str]) -> float:
    """Inches for what a name is longer than usual."""
    longest = max(map(len, names), default=0)
    return INCHES_PER_LETTER * max(0, longest - USUAL_LENGTH)


def height_of(rows: int) -> float:
    """Compute the height in inches of a figure with this many rows."""
    return 1.1 + 0.24 * max(rows, 2)


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """Names as the rows of a figure, the first on top."""
    axes.set_yticks(range(len(names)), [plain_label(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def plain_label(label: str) -> str:
    """Dollar signs would start a formula."""
    return label.replace("$", r"\$")


# --- rankings --------------------------------------------------------------------------------


def rank_ranges(ranking: Ranking, title: str) -> Figure:
    """Rank ranges and means, the best on top; every second cluster has a band behind it."""
    systems = ranking.systems
    names = [system.system for system in systems]
    figure, axes = new_axes(WIDTH, height_of(len(systems)), names)
    _cluster_bands(axes, [system.cluster for system in systems])
    for row, system in enumerate(systems):
        axes.plot([system.rank_low, system.rank_high], [row, row], color=INK, linewidth=1.6)
        axes.plot([system.rank_low, system.rank_high], [row, row], "|", color=INK, markersize=7)
        axes.annotate(
            f"{system.mean:.3f}".replace("-", "−"),
            (1.01, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8,
        )
    name_rows(axes, names)
    axes.set_xlim(0.5, len(systems) + 1.2)
    step = max(1, round(len(systems) / 12))
    axes.set_xticks(range(1, len(systems) + 1, step))
    axes.set_xlabel("rank (range over the runs); number of the cluster and mean at the right")
    axes.set_title(plain_label(title), loc="left")
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
            fontsize=8,
            color=INK,
            fontweight="bold",
        )


def rank_heatmap(ranking: Ranking, shares: dict[str, tuple[float, ...]], title: str) -> Figure:
    """Plot how often each system had each rank: darker is more often, with the share in writing."""
    names = [system.system for system in ranking.systems]
    cells = np.array([shares[name] for name in names])
    figure, axes = new_axes(max(WIDTH, 2.0 + 0.3 * len(names)), height_of(len(names)), names)
    shade_cells(axes, cells, 0.0, 1.0)
    for row, column in np.argwhere(cells >= 0.005):
        write_cell(axes, row, column, f"{100 * cells[row, column]:.0f}", cells[row, column])
    name_rows(axes, names)
    axes.set_xticks(range(len(names)), [str(rank) for rank in range(1, len(names) + 1)])
    axes.set_xlabel("rank (per cent of the runs)")
    axes.set_title(plain_label(title), loc="left")
    return figure


def shade_cells(axes: Axes, cells: Any, lowest: float, highest: float) -> None:
    """Shade cells from pale to dark."""
    axes.imshow(cells, cmap=SHADES, vmin=lowest, vmax=highest, aspect="auto", interpolation="none")
    axes.tick_params(length=0)


def write_cell(axes: Axes, row: int, column: int, text: str, shade: float) -> None:
    """Write into a cell in the colour that can be read on its shade."""
    axes.text(column, row, text, ha="center", va="center", fontsize=6.5, color=ink_on(shade))


def luminance(shade: float) -> float:
    """Relative luminance of a shade from 0 (pale) to 1 (dark), after WCAG 2."""
    channels = matplotlib.colormaps[SHADES](float(np.clip(shade, 0, 1)))[:3]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def ink_on(shade: float) -> str:
    """White or black, whichever has more contrast: never less than 4.5 to 1."""
    return "white" if luminance(shade) < 0.179 else "black"


def win_matrix(section: RankingSection, title: str) -> Figure:
    """Share of pairs that the row's system won against the column's; a tie is half a win."""
    names = [row.system for row in section.win_shares]
    cells = _win_cells(section.pairs, names)
    height = 2.0 + 0.26 * len(names) + extra_width(names)
    figure, axes = new_axes(max(WIDTH, 2.0 + 0.32 * len(names)), height, names)
    shade_cells(axes, cells, *WIN_SHADES)
    for row, column in np.argwhere(~np.isnan(cells)):
        shade = (cells[row, column] - WIN_SHADES[0]) / (WIN_SHADES[1] - WIN_SHADES[0])
        write_cell(axes, row, column, f"{100 * cells[row, column]:.0f}", shade)
    name_rows(axes, names)
    axes.set_xticks(range(len(names)), [plain_label(name) for name in names], rotation=90)
    axes.set_xlabel("per cent of pairs that the row won; a tie is half a win")
    axes.set_title(plain_label(title), loc="left")
    return figure


def _win_cells(pairs: Sequence[PairRecord], names: Sequence[str]) -> Any:
    place = {name: number for number, name in enumerate(names)}
    cells = np.full((len(names), len(names)), np.nan)
    for pair in pairs:
        share = (pair.wins + pair.ties / 2) / (pair.wins + pair.ties + pair.losses)
        cells[place[pair.a], place[pair.b]] = share
        cells[place[pair.b], place[pair.a]] = 1 - share
    return cells


# --- scales ----------------------------------------------------------------------------------


def letters_plot(tukey: Tukey, systems: Sequence[SystemRow], title: str) -> Figure:
    """Means with the intervals of the Tukey test, best on top, and the letters in columns."""
    rows = {row.system: row for row in systems}
    names = list(tukey.letters)
    figure, axes = new_axes(WIDTH, height_of(len(names)), names)
    widths = _comparison_widths(tukey, {name: rows[name].judgements for name in names})
    for place, name in enumerate(names):
        axes.plot(rows[name].mean, place, "o", color=INK, markersize=4.5)
        span = [rows[name].mean - widths[name], rows[name].mean + widths[name]]
        axes.plot(span, [place, place], color=INK, linewidth=1.3)
    letter_columns(axes, [tukey.letters[name] for name in names])
    name_rows(axes, names)
    level = f"{100 * (1 - tukey.alpha):.3g} %"
    axes.set_xlabel(f"mean with {level} Tukey comparison interval; letters at the right")
    axes.set_title(plain_label(title), loc="left")
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
                (1.02 + 0.03 * letters.index(letter), place),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize=8,
                family="monospace",
            )


# --- raters ----------------------------------------------------------------------------------


def rater_agreement(profiles: Sequence[RaterProfile], title: str) -> Figure:
    """Draw each rater's correlation with the rest against the number of judgements."""
    known = [each for each in profiles if each.agreement is not None]
    figure, axes = new_axes(WIDTH, 4.0)
    sizes = [each.judgements for each in known]
    agreement = [each.agreement or 0.0 for each in known]
    axes.axhline(0, color=PALE, linewidth=0.8)
    axes.plot(sizes, agreement, "o", color=INK, markersize=4, alpha=0.6)
    axes.set_ylim(min([0.0, *agreement]) - 0.08, 1.05)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if known and max(sizes) > 20 * min(sizes):
        axes.set_xscale("log")
    axes.set_xlabel("judgements of the rater (the three least agreeing are named)")
    axes.set_ylabel("correlation with the others")
    missing = len(profiles) - len(known)
    suffix = f" ({missing} raters share too few outputs)" if missing else ""
    axes.set_title(plain_label(title) + suffix, loc="left")
    least = sorted(known, key=lambda rater: rater.agreement or 0.0)[:3]
    points = [(each.judgements, each.agreement or 0.0, each.rater) for each in least]
    _label_points(figure, axes, points)
    return figure


def _label_points(figure: Figure, axes: Axes, points: Sequence[tuple[float, float, str]]) -> None:
    """Write a label next to each point, where it covers neither an earlier label nor the edge."""
    _lay_out(figure)  # now the axes have their size
    taken: list[Any] = []
    for x, y, name in points:
        text = name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 1]}…"
        for right, above in LABEL_OFFSETS:
            label = axes.annotate(
                plain_label(text),
                (x, y),
                textcoords="offset points",
                xytext=(5 if right else -5, above),
                ha="left" if right else "right",
                va="center",
                fontsize=7,
            )
            label.set_in_layout(False)
            box = label.get_window_extent().padded(1)
            inside = axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1 and box.y0 >= axes.bbox.y0
            if inside and not any(box.overlaps(other) for other in taken):
                break
            if (right, above) != LABEL_OFFSETS[-1]:
                label.remove()
        taken.append(box)
