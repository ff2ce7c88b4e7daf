"""A report's tables: once, as typed cells, for the site, the terminal, LaTeX and CSV to render.

A table says what its numbers are; how they are written is the renderers' business (`text` here,
`latex` next to it). Titles are plain English, which the site translates.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import groupby
from typing import Any, Protocol

from analysis.agreement import Coefficient
from analysis.anova import Anova, Welch
from analysis.clusters import Ranking
from analysis.comparison import FixedMean
from analysis.correlations import Correlation
from analysis.mixed import MixedModel
from analysis.nonparametric import RankTest
from analysis.paired_comparison import BradleyTerry
from analysis.raters import RaterProfile
from analysis.report.category import CategorySection
from analysis.report.make import CriterionReport, RankChange, Report, SystemRow
from analysis.report.ranking import RankingSection, WinShare
from analysis.report.scale import ScaleSection
from analysis.report.sentences import HARDWARE_LATENCY, probability, stated
from analysis.table_files import guarded
from analysis.translatable import gettext_noop as _
from analysis.tukey_hsd import Tukey, letter_name

Cell = str | int | float | tuple[float | None, float | None] | None

MISSING = "–"


class Format(Enum):
    """What the cells of a column are; None is a cell without a value in every one of them."""

    TEXT = "text"
    WHOLE = "whole"  # a whole number
    NUMBER = "number"  # a number with `digits` decimals
    DEGREES = "degrees"  # degrees of freedom: decimals only where there are any
    P = "p"
    RANGE = "range"  # (lowest, highest)
    INTERVAL = "interval"  # (low, high)


class Role(Enum):
    """Where a report shows a table."""

    PAPER = "paper"  # as the field's papers print it
    HONEST = "honest"  # what a strict reviewer asks for
    AGREEMENT = "agreement"
    MORE = "more"


@dataclass(frozen=True)
class Column:
    """`group` is what several neighbouring columns are about, printed once above them."""

    title: str
    format: Format = Format.TEXT
    digits: int = 0
    group: str = ""
    is_label: bool = False  # the title is data (a factor's level), so nobody translates it

    @property
    def full_title(self) -> str:
        """The title where nothing is printed above it."""
        return f"{self.group}: {self.title}" if self.group else self.title

    @property
    def is_number(self) -> bool:
        return self.format is not Format.TEXT


@dataclass(frozen=True)
class Row:
    """`begins` marks the first row of a cluster, so that a rule separates the clusters."""

    cells: tuple[Cell, ...]
    begins: bool = False


@dataclass(frozen=True)
class Table:
    """`name` can be part of a file's name; `heads` is the column that names the row."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    role: Role = Role.MORE
    heads: int = 0
    notes: tuple[str, ...] = ()

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings above groups of columns and how many each spans; none without groups."""
        if not any(column.group for column in self.columns):
            return []
        runs = groupby(column.group for column in self.columns)
        return [(group, len(list(columns))) for group, columns in runs]

    @property
    def lines(self) -> list[tuple[Row, list[tuple[str, Column, bool]]]]:
        """Each row with its cells as text, their columns, and whether a cell names the row."""
        return [
            (
                row,
                [
                    (text(cell, column), column, place == self.heads)
                    for place, (cell, column) in enumerate(
                        zip(row.cells, self.columns, strict=True)
                    )
                ],
            )
            for row in self.rows
        ]


def rows_of(*rows: Sequence[Cell]) -> tuple[Row, ...]:
    """Rows without clusters."""
    return tuple(Row(tuple(cells)) for cells in rows)


# --- text and CSV ------------------------------------------------------------------------------


def text(cell: Cell, column: Column) -> str:
    """A cell as plain text."""
    if cell is None:
        return MISSING
    if isinstance(cell, str):
        return cell
    if isinstance(cell, tuple):
        return _two_numbers(cell, column)
    if not math.isfinite(cell):
        return MISSING
    if column.format is Format.P:
        return probability(cell)
    if column.format is Format.WHOLE:
        return f"{cell:,}"
    if column.format is Format.DEGREES:
        return f"{cell:.{0 if float(cell).is_integer() else 1}f}"
    return f"{cell:.{column.digits}f}"


def _two_numbers(cell: tuple[float | None, float | None], column: Column) -> str:
    low, high = cell
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        return MISSING
    ends = f"{low:.{column.digits}f}", f"{high:.{column.digits}f}"
    if column.format is Format.INTERVAL:
        return " … ".join(ends)
    return ends[0] if low == high else "–".join(ends)


def as_csv(table: Table) -> str:
    """The table with numbers in full; text that a spreadsheet would run as a formula is guarded."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([guarded(column.full_title) for column in table.columns])
    for row in table.rows:
        writer.writerow(
            _csv_cell(cell, column) for cell, column in zip(row.cells, table.columns, strict=True)
        )
    return out.getvalue()


def _csv_cell(cell: Cell, column: Column) -> Any:
    if cell is None:
        return ""
    if isinstance(cell, tuple):
        return text(cell, column)
    return guarded(cell) if isinstance(cell, str) else cell


# --- rankings ----------------------------------------------------------------------------------

RANKED = {
    "none": (Role.PAPER, _("As published in this field: no resampling")),
    "raters": (Role.HONEST, _("Whole raters resampled before each run")),
    "raters-items": (Role.HONEST, _("Raters and items resampled before each run")),
    "items": (Role.MORE, _("Whole items resampled before each run")),
    "screens": (Role.MORE, _("Whole screens resampled before each run")),
    "pairs": (Role.MORE, _("Pairs resampled before each run")),
}
SYSTEM = Column(_("System"))
CLUSTER = Column(_("Cluster"), Format.WHOLE)
RANKS = Column(_("Ranks"), Format.RANGE)
P = Column("p", Format.P)


def ranking_table(ranking: Ranking, scheme: str) -> Table:
    """Cluster, score, range of ranks and system (Dušek, Novikova & Rieser 2020, Table 11)."""
    role, caption = RANKED[scheme]
    return Table(
        f"ranking-{scheme}",
        caption,
        (CLUSTER, Column(_("Score"), Format.NUMBER, 3), RANKS, SYSTEM),
        clustered_rows(
            ranking.systems, lambda row: (row.mean, (row.rank_low, row.rank_high), row.system)
        ),
        role,
        heads=3,
        notes=(ranking.signature,),
    )


def strength_table(result: BradleyTerry) -> Table:
    """Bradley–Terry abilities with their errors and simultaneous sets of ranks."""
    return Table(
        "bradley-terry",
        _("Bradley–Terry with simultaneous intervals for all pairs"),
        (
            CLUSTER,
            Column(_("Log-odds"), Format.NUMBER, 3),
            Column(_("Error"), Format.NUMBER, 3),
            RANKS,
            SYSTEM,
        ),
        clustered_rows(
            result.systems,
            lambda row: (
                row.ability,
                row.standard_error,
                (row.rank_low, row.rank_high),
                row.system,
            ),
        ),
        Role.HONEST,
        heads=4,
    )


def clustered_rows(
    systems: Sequence[Any], cells: Callable[[Any], tuple[Cell, ...]]
) -> tuple[Row, ...]:
    """Rows in which a cluster's number is written once, at its first system."""
    before = [None, *(system.cluster for system in systems)]
    return tuple(
        Row((system.cluster if begins else "", *cells(system)), begins)
        for system, last in zip(systems, before, strict=False)
        for begins in [system.cluster != last]
    )


def wins_table(shares: Sequence[WinShare]) -> Table:
    """Wins, ties and losses of each system."""
    return Table(
        "wins",
        _("Wins, ties and losses in pairs"),
        (
            SYSTEM,
            *(Column(title, Format.WHOLE) for title in (_("Wins"), _("Ties"), _("Losses"))),
            Column(_("Share"), Format.NUMBER, 3),
        ),
        rows_of(*((won.system, won.wins, won.ties, won.losses, won.share) for won in shares)),
    )


def _ranking_tables(ranking: RankingSection, schemes: Sequence[str]) -> Iterator[Table]:
    # The database keeps a mapping's names in the order of their length; the options know better.
    for scheme in sorted(ranking.rankings, key=_place_in(schemes)):
        yield ranking_table(ranking.rankings[scheme], scheme)
    if ranking.bradley_terry:
        yield strength_table(ranking.bradley_terry)
    yield wins_table(ranking.win_shares)
    yield from _model_tables(ranking, ranking.mixed_scale)


def _place_in(names: Sequence[str]) -> Callable[[str], tuple[bool, int]]:
    return lambda name: (name not in names, names.index(name) if name in names else 0)


# --- scales ------------------------------------------------------------------------------------


def _scale_tables(found: CriterionReport, scale: ScaleSection) -> Iterator[Table]:
    is_error = found.kind == "error"
    yield means_table(found)
    if scale.anova:
        yield replace(anova_table(scale.anova), role=Role.HONEST if is_error else Role.PAPER)
    tests = [test for test in (scale.kruskal, scale.friedman) if test]
    if tests or scale.welch:
        # Errors are not measurements: TUNA's paper tests them by ranks.
        yield replace(tests_table(tests, scale.welch), role=Role.PAPER if is_error else Role.HONEST)
    if scale.tukey:
        yield pairs_table("tukey", _("Tukey HSD, pair by pair"), scale.tukey.pairs)
    yield from _model_tables(scale, scale.scale)


def means_table(found: CriterionReport) -> Table:
    """Means with homogeneous subsets as columns, as the TUNA and SR'11 papers print them."""
    subsets = lettered_subsets(found.scale.tukey if found.scale else None)
    shared = (
        (_("Systems that share a letter were not found to differ (Tukey's HSD)."),)
        if subsets
        else ()
    )
    rows = (
        (
            system.system,
            *_measured(found, system),
            *(letter if system.system in subset else "" for letter, subset in subsets.items()),
        )
        for system in found.systems
    )
    return Table(
        "means",
        _("Means and homogeneous subsets"),
        (SYSTEM, *_measures(found), *(Column(letter, is_label=True) for letter in subsets)),
        rows_of(*rows),
        Role.PAPER,
        notes=shared + _about_times(found),
    )


def lettered_subsets(tukey: Tukey | None) -> dict[str, tuple[str, ...]]:
    """The homogeneous subsets by their letters."""
    subsets = tukey.subsets if tukey else ()
    return {letter_name(number): subset for number, subset in enumerate(subsets)}


def _about_times(*criteria: CriterionReport) -> tuple[str, ...]:
    return (HARDWARE_LATENCY,) if any(each.kind == "time" for each in criteria) else ()


def _levels(found: CriterionReport) -> list[str]:
    return sorted({level for system in found.systems for level in system.by_level})


def _measures(found: CriterionReport, group: str = "") -> list[Column]:
    """Means of each system: by level and overall, as TUNA's Table 11; z as at WMT."""
    levels = _levels(found)
    unit = " %" if found.kind == "error" else ""
    means = [
        *(Column(f"{level}{unit}", Format.NUMBER, 2, group, is_label=True) for level in levels),
        Column(_title_over_levels(len(levels), in_percent=bool(unit)), Format.NUMBER, 2, group),
    ]
    if found.kind == "error":
        return means
    is_standardised = any(system.mean_z is not None for system in found.systems)
    z = [Column(_("Mean z"), Format.NUMBER, 3, group)] if is_standardised else []
    return [*z, *means, Column("SD", Format.NUMBER, 2, group)]


def _title_over_levels(levels: int, *, in_percent: bool) -> str:
    if levels == 0:
        return _("Mean %") if in_percent else _("Mean")
    if levels == 2:
        return _("both %") if in_percent else _("both")
    return _("all %") if in_percent else _("all")


def _measured(found: CriterionReport, system: SystemRow) -> list[Cell]:
    means = [system.by_level.get(level) for level in _levels(found)] + [system.mean]
    if found.kind == "error":
        return [None if mean is None else 100 * mean for mean in means]
    z = [system.mean_z] if system.mean_z is not None else []
    return [*z, *means, system.sd]


def overview_table(report: Report) -> Table | None:
    """All measures side by side, each with the letters of its subsets.

    TUNA's Table 11, Surface Realisation's Tables 8 and 9, and RotoWire's Table 3 have this shape.
    """
    criteria = [found for found in report.criteria if found.scale]
    if len(criteria) < 2:
        return None
    systems = [system.system for system in criteria[0].systems]
    return Table(
        "overview",
        _("All criteria side by side"),
        (SYSTEM, *(column for found in criteria for column in _overview_columns(found))),
        rows_of(
            *(
                (system, *(cell for found in criteria for cell in _overview_cells(found, system)))
                for system in systems
            )
        ),
        Role.PAPER,
        notes=(_("Letters: homogeneous subsets by Tukey's HSD."), *_about_times(*criteria)),
    )


def _overview_columns(found: CriterionReport) -> Iterator[Column]:
    yield from _measures(found, group=found.criterion)
    if _overview_subsets(found):
        yield Column(_("Subsets"), group=found.criterion)


def _overview_cells(found: CriterionReport, system: str) -> Iterator[Cell]:
    row = next((row for row in found.systems if row.system == system), None)
    yield from _measured(found, row) if row else [""] * len(_measures(found))
    if subsets := _overview_subsets(found):
        yield " ".join(letter for letter, subset in subsets.items() if system in subset)


def _overview_subsets(found: CriterionReport) -> dict[str, tuple[str, ...]]:
    if found.scale is None or found.kind == "error":
        return {}
    return lettered_subsets(found.scale.tukey)


def anova_table(anova: Anova) -> Table:
    """Source, degrees of freedom, sums and means of squares, F, p and η²."""
    numbers = (_("Sum of squares"), _("Mean square"), "F")
    return Table(
        "anova",
        _("Analysis of variance"),
        (
            Column(_("Source")),
            Column("df", Format.DEGREES),
            *(Column(title, Format.NUMBER, 3) for title in numbers),
            P,
            Column("η²", Format.NUMBER, 3),
        ),
        rows_of(
            *(
                (row.source, row.df, row.sum_sq, row.mean_sq, row.F, row.p, row.eta_sq)
                for row in anova.rows
            )
        ),
        notes=(anova.design,),
    )


def tests_table(tests: Sequence[RankTest], unequal: Welch | None) -> Table:
    """Kruskal–Wallis, Friedman and Welch, each with its statistic."""
    rows: list[tuple[Cell, ...]] = [
        (test.test, f"χ²({test.df}) = {test.statistic:.2f}", test.p) for test in tests
    ]
    if unequal:
        between = f"F({unequal.df:.0f}, {unequal.df_residual:.1f})"
        rows.append(("Welch", f"{between} = {unequal.F:.2f}", unequal.p))
    return Table(
        "tests",
        _("Tests with fewer assumptions"),
        (Column(_("Test")), Column(_("Statistic")), P),
        rows_of(*rows),
        Role.HONEST,
    )


def _model_tables(section: RankingSection | ScaleSection, scale: str) -> Iterator[Table]:
    if section.clustered:
        caption = _("Least squares with errors clustered by rater and item")
        yield estimates_table("clustered", caption, section.clustered.means)
    model = section.mixed_full or section.mixed
    if model:
        yield replace(mixed_table(model), role=Role.HONEST, notes=(model.formula, scale))
        yield pairs_table(
            "mixed-pairs", _("Mixed model, pair by pair, simultaneous"), model.contrasts
        )


def mixed_table(model: MixedModel) -> Table:
    """The means of a mixed model."""
    caption = _("Mixed model: raters and items as random effects")
    return replace(estimates_table("mixed", caption, model.means), notes=(model.formula,))


def estimates_table(name: str, caption: str, means: Sequence[FixedMean]) -> Table:
    """A model's means with their intervals."""
    return Table(
        name,
        caption,
        (SYSTEM, Column(_("Mean"), Format.NUMBER, 3), Column(_("Interval"), Format.INTERVAL, 3)),
        rows_of(*((mean.system, mean.mean, (mean.low, mean.high)) for mean in means)),
    )


class Compared(Protocol):
    """Two systems that were compared."""

    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def difference(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def p(self) -> float: ...


def pairs_table(name: str, caption: str, pairs: Sequence[Compared]) -> Table:
    """Every pair's difference, simultaneous interval and adjusted p."""
    return Table(
        name,
        caption,
        (
            Column("A"),
            Column("B"),
            Column(_("Difference"), Format.NUMBER, 3),
            Column(_("Interval"), Format.INTERVAL, 3),
            P,
        ),
        rows_of(
            *((pair.a, pair.b, pair.difference, (pair.low, pair.high), pair.p) for pair in pairs)
        ),
    )


# --- the rest ----------------------------------------------------------------------------------


def category_table(section: CategorySection) -> Table:
    """Percentages by system (Dušek, Novikova & Rieser 2020, Table 12)."""
    test = section.test
    note = section.reason
    if test:
        note = f"{test.test}({test.df}) = {test.statistic:.2f}, {stated(test.p)}"
    labels = (Column(f"{label} %", Format.NUMBER, 1, is_label=True) for label in section.labels)
    return Table(
        "categories",
        _("Percentages by system"),
        (SYSTEM, *labels, Column("n", Format.WHOLE)),
        tuple(Row((row.system, *row.percent, row.judgements)) for row in section.rows),
        Role.PAPER,
        notes=(note,) if note else (),
    )


def exclusion_table(changes: Sequence[RankChange]) -> Table:
    """Each system's rank with and without the raters who were excluded."""
    return Table(
        "exclusion",
        _("Ranks before and after raters were excluded"),
        (SYSTEM, Column(_("Before"), Format.WHOLE), Column(_("After"), Format.WHOLE)),
        rows_of(*((row.system, row.rank_before, row.rank_after) for row in changes)),
        Role.HONEST,
    )


def agreement_table(coefficients: Sequence[Coefficient]) -> Table:
    """Coefficients of agreement; one without a value has its reason."""
    return Table(
        "agreement",
        _("Agreement of raters"),
        (
            Column(_("Coefficient")),
            Column(_("Value"), Format.NUMBER, 3),
            Column(_("Interval"), Format.INTERVAL, 3),
            Column(_("Not available because")),
        ),
        rows_of(
            *((each.name, each.value, (each.low, each.high), each.reason) for each in coefficients)
        ),
        Role.AGREEMENT,
    )


def raters_table(raters: Sequence[RaterProfile]) -> Table:
    """What each rater did on one criterion."""
    return Table(
        "raters",
        _("Raters"),
        (
            Column(_("Rater")),
            Column(_("Judgements"), Format.WHOLE),
            Column(_("Agreement"), Format.NUMBER, 2),
            Column(_("Seconds per screen"), Format.NUMBER, 1),
            Column(_("Ties"), Format.NUMBER, 2),
            Column(_("Range"), Format.RANGE, 1),
        ),
        rows_of(
            *(
                (
                    each.rater,
                    each.judgements,
                    each.agreement,
                    each.seconds_per_screen,
                    each.ties,
                    (each.lowest, each.highest),
                )
                for each in raters
            )
        ),
    )


def correlation_table(found: Sequence[Correlation]) -> Table | None:
    """Correlations between criteria, where there are several."""
    if not found:
        return None
    return Table(
        "correlations",
        _("Correlations between criteria"),
        (
            Column("A"),
            Column("B"),
            Column(_("Method")),
            Column(_("Level")),
            Column("r", Format.NUMBER, 3),
            P,
            Column("n", Format.WHOLE),
        ),
        tuple(
            Row((each.a, each.b, each.method, each.level, each.value, each.p, each.n))
            for each in found
        ),
    )


# --- a whole report ----------------------------------------------------------------------------


@dataclass(frozen=True)
class CriterionTables:
    """One criterion's tables, and the reasons of methods that have none."""

    name: str
    kind: str
    facts: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    undefined: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]

    def of(self, role: Role) -> list[Table]:
        """The tables of one role."""
        return [table for table in self.tables if table.role is role]

    @property
    def paper(self) -> list[Table]:
        return self.of(Role.PAPER)

    @property
    def honest(self) -> list[Table]:
        return self.of(Role.HONEST)

    @property
    def agreement(self) -> list[Table]:
        return self.of(Role.AGREEMENT)

    @property
    def more(self) -> list[Table]:
        return self.of(Role.MORE)


def tables_of(report: Report, timed_out: Mapping[str, int] | None = None) -> list[CriterionTables]:
    """All tables of a report by criterion; `timed_out` counts answers that came too late."""
    late = timed_out or {}
    return [_criterion(found, report, late.get(found.criterion, 0)) for found in report.criteria]


def _criterion(found: CriterionReport, report: Report, timed_out: int) -> CriterionTables:
    sections = (section for section in (found.ranking, found.scale) if section)
    undefined = {
        method: reason for section in sections for method, reason in section.undefined.items()
    }
    return CriterionTables(
        name=found.criterion,
        kind=found.kind,
        facts=tuple(_facts(found, timed_out)),
        tables=tuple(_tables(found, report)),
        undefined=tuple(undefined.items()),
        sentences=found.sentences,
    )


def _facts(found: CriterionReport, timed_out: int) -> Iterator[tuple[str, str]]:
    yield _("Judgements"), f"{found.judgements:,}"
    yield _("Raters"), f"{found.raters:,}"
    yield _("Items"), f"{found.items:,}"
    yield _("Screens"), f"{found.screens:,}"
    if timed_out:
        yield _("Excluded because time ran out"), f"{timed_out:,}"
    if found.outliers:
        yield _("Outliers"), f"{found.outliers.treated:,} ({found.outliers.sentence})"


def _tables(found: CriterionReport, report: Report) -> Iterator[Table]:
    if found.ranking:
        yield from _ranking_tables(found.ranking, report.options.get("resample", ()))
    if found.categories:
        yield category_table(found.categories)
    if found.scale:
        yield from _scale_tables(found, found.scale)
    if found.exclusion:
        yield exclusion_table(found.exclusion)
    yield agreement_table(found.agreement)
    mine = [rater for rater in report.raters if rater.criterion == found.criterion]
    if mine:
        yield raters_table(mine)
