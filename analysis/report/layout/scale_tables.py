"""Tables of values on a scale: means, tests, and comparisons of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.report.model import CriterionReport, Report, SystemRow
from analysis.report.scale_section import ScaleSection
from analysis.report.sentences import HARDWARE_LATENCY
from analysis.scales.anova import Anova, Welch
from analysis.scales.rank_tests import RankTest
from analysis.scales.tukey_hsd import Tukey, letter_name
from analysis.translatable import gettext_noop as _

from .model_tables import model_tables, pairs_table
from .table_model import SYSTEM, Cell, Column, Format, N, P, Role, Table, number, rows_of


def scale_tables(found: CriterionReport, scale: ScaleSection) -> Iterator[Table]:
    """Yield all tables of a criterion with values on a scale, times or errors."""
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
    yield from model_tables(scale, scale.scale, found.systems)


def means_table(found: CriterionReport) -> Table:
    """Means with homogeneous subsets as columns, as the TUNA and SR'11 papers print them."""
    subsets = _lettered_subsets(found.scale.tukey if found.scale else None)
    shared = (
        (_("Systems that share a letter were not found to differ (Tukey's HSD)."),)
        if subsets
        else ()
    )
    rows = (
        (
            system.system,
            *_measured(found, system),
            system.judgements,
            *(letter if system.system in subset else "" for letter, subset in subsets.items()),
        )
        for system in found.systems
    )
    return Table(
        "means",
        _("Means and homogeneous subsets"),
        (SYSTEM, *_measures(found), N, *(Column(letter, is_label=True) for letter in subsets)),
        rows_of(rows),
        Role.PAPER,
        notes=shared + _about_times(found),
    )


def _lettered_subsets(tukey: Tukey | None) -> dict[str, tuple[str, ...]]:
    """Return the homogeneous subsets by their letters."""
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
    """Return all measures side by side, each with the letters of its subsets.

    TUNA's Table 11, Surface Realisation's Tables 8 and 9, and RotoWire's Table 3 have this shape.
    """
    criteria = [found for found in report.criteria if found.scale]
    if len(criteria) < 2:
        return None
    rows = [{row.system: row for row in found.systems} for found in criteria]
    systems = list(dict.fromkeys(system for each in rows for system in each))
    # One column serves all criteria where raters judged the same outputs on each.
    sizes = [{system: row.judgements for system, row in each.items()} for each in rows]
    is_one_n = all(each == sizes[0] for each in sizes)
    parts = list(zip(criteria, rows, strict=True))
    return Table(
        "overview",
        _("All criteria side by side"),
        (
            SYSTEM,
            *(column for found in criteria for column in _overview_columns(found, not is_one_n)),
            *([N] if is_one_n else []),
        ),
        rows_of(
            (
                system,
                *(
                    cell
                    for found, known in parts
                    for cell in _overview_cells(found, known.get(system), not is_one_n)
                ),
                *([sizes[0].get(system)] if is_one_n else []),
            )
            for system in systems
        ),
        Role.PAPER,
        notes=(_("Letters: homogeneous subsets by Tukey's HSD."), *_about_times(*criteria)),
        file="tables/overview",
    )


def _overview_columns(found: CriterionReport, has_n: bool) -> Iterator[Column]:
    yield from _measures(found, group=found.criterion)
    if has_n:
        yield replace(N, group=found.criterion)
    if _overview_subsets(found):
        yield Column(_("Subsets"), group=found.criterion)


def _overview_cells(found: CriterionReport, row: SystemRow | None, has_n: bool) -> Iterator[Cell]:
    yield from _measured(found, row) if row else [None] * len(_measures(found))
    if has_n:
        yield row.judgements if row else None
    if subsets := _overview_subsets(found):
        yield " ".join(letter for letter, subset in subsets.items() if row and row.system in subset)


def _overview_subsets(found: CriterionReport) -> dict[str, tuple[str, ...]]:
    if found.scale is None or found.kind == "error":
        return {}
    return _lettered_subsets(found.scale.tukey)


def anova_table(anova: Anova) -> Table:
    """Source, degrees of freedom, sums and means of squares, F, p and η²."""
    return Table(
        "anova",
        _("Analysis of variance"),
        (
            Column(_("Source")),
            Column("df", Format.DEGREES),
            number(_("Sum of squares")),
            number(_("Mean square")),
            number("F"),
            P,
            number("η²"),
        ),
        rows_of(
            (row.source, row.df, row.sum_sq, row.mean_sq, row.F, row.p, row.eta_sq)
            for row in anova.rows
        ),
        notes=(anova.design,),
    )


def tests_table(tests: Sequence[RankTest], unequal: Welch | None = None) -> Table:
    """Return Kruskal–Wallis, Friedman and Welch, each with its statistic."""
    assumed = _("They assume independent judgements; Friedman's, that raters have no tastes.")
    rows: list[tuple[Cell, ...]] = [
        (test.test, "χ²", test.statistic, test.df, None, test.p, test.n) for test in tests
    ]
    if unequal:
        of_groups = (unequal.F, unequal.df, unequal.df_residual, unequal.p)
        rows.append(("Welch", "F", *of_groups, None))
    return Table(
        "tests",
        _("Tests on ranks and with unequal variances"),
        (
            Column(_("Test")),
            Column(_("Statistic")),
            number(_("Value"), 2),
            Column("df", Format.DEGREES),
            Column(_("Residual df"), Format.DEGREES),
            P,
            N,
        ),
        rows_of(rows),
        Role.HONEST,
        notes=(assumed,),
    )
