"""Commands of `python -m analysis` about values on a scale."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace

from analysis.cli.outcome import Outcome
from analysis.cli.prepared import (
    VALUE_NAMES,
    add_value_options,
    prepared,
    signature_of,
)
from analysis.cli.shared import names
from analysis.errors import OptionsError, TableError
from analysis.report.effect_section import effect_section, effect_sentences, pairs_of
from analysis.report.layout.effect_tables import effect_tables
from analysis.report.layout.model_tables import (
    generalisability_tables,
    mixed_table,
    ordinal_tables,
    pairs_table,
)
from analysis.report.layout.scale_tables import anova_table, tests_table
from analysis.report.layout.table_model import (
    SYSTEM,
    A,
    B,
    Column,
    Format,
    P,
    Row,
    Table,
    number,
    rows_of,
    whole,
)
from analysis.report.options import MODELS, SUM_TYPES, ReportOptions
from analysis.report.pictures.plots import letters_plot, save
from analysis.report.scale_section import (
    Reasons,
    anova_of,
    clustered,
    full_mixed_model,
    generalisability_of,
    group_means,
    mixed_model,
    ordinal_model,
    tukey_of,
)
from analysis.report.system_rows import system_rows
from analysis.scales.anova import Anova, group_moments, one_way, welch
from analysis.scales.cumulative_links import LINKS
from analysis.scales.rank_tests import (
    RankPair,
    dunn,
    friedman,
    kruskal_wallis,
    wilcoxon_pairs,
)
from analysis.table import Column as Labels
from analysis.table import JudgementTable


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Options of the analysis of variance."""
    parser.add_argument(
        "--by", default="system", help="the grouping factor of a one-way analysis (default: system)"
    )
    parser.add_argument(
        "--model",
        choices=MODELS,
        help="default: one-way, or with --factors system + factors",
    )
    parser.add_argument("--factors", type=names, default=(), metavar="A,B", help="other factors")
    parser.add_argument(
        "--type", choices=SUM_TYPES, default="II", help="sums of squares (default II)"
    )
    add_value_options(parser)


def _report_options(options: argparse.Namespace) -> ReportOptions:
    model = options.model or ("factorial" if options.factors else "one-way")
    return ReportOptions(
        seed=options.seed,
        alpha=options.alpha,
        model=model,
        factors=options.factors,
        sums_of_squares=options.type,
    )


MODEL_NAMES = ("by", "model", "factors", "type", "outliers", "width", "log", "z")


def _anova(part: JudgementTable, options: argparse.Namespace) -> Anova:
    if options.by == "system":
        return anova_of(part.value, part, _report_options(options))
    column = _grouping(part, options.by)
    return one_way(part.value, column.codes, len(column.labels), options.by)


def _grouping(part: JudgementTable, name: str) -> Labels:
    columns = {"system": part.system, "rater": part.rater, "item": part.item, **part.factors}
    if name not in columns:
        raise TableError([f"There is no column {name!r} to group by: {', '.join(columns)}."])
    return columns[name]


def run_anova(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Analysis of variance, with Welch's test and means."""
    part = prepared(table, options)
    anova = _anova(part, options)
    column = _grouping(part, options.by)
    reasons = Reasons()
    unequal = reasons.attempt("welch", lambda: welch(part.value, column.codes, len(column.labels)))
    moments = group_moments(part.value, column.codes, len(column.labels))
    line = signature_of("anova", table, options, MODEL_NAMES)
    shown = _with_omega(anova)
    means = zip(column.labels, moments.sizes.tolist(), moments.means.tolist(), strict=True)
    notes = [anova.design, line]
    if unequal is not None:
        notes.insert(
            1,
            f"Welch: F({unequal.df:g}, {unequal.df_residual:.2f}) = {unequal.F:.4f}, "
            f"p = {unequal.p:.4g}",
        )
    return Outcome(
        document={
            **asdict(anova),
            "welch": None if unequal is None else asdict(unequal),
            "undefined": dict(reasons),
            "signature": line,
        },
        tables=(
            shown,
            Table(
                "means",
                "Means",
                (Column(options.by), whole("n"), number("Mean")),
                rows_of(means),
            ),
        ),
        notes=tuple(notes),
    )


def _with_omega(anova: Anova) -> Table:
    """Return the report's table of an analysis of variance, with ω² next to η²."""
    table = anova_table(anova)
    rows = zip(table.rows, anova.rows, strict=True)
    return replace(
        table,
        caption=f"{table.caption} ({anova.type})",
        columns=(*table.columns, number("ω²")),
        rows=tuple(Row((*row.cells, each.omega_sq)) for row, each in rows),
    )


def run_tukey(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Compare all pairs of systems by Tukey's test, with letters and SPSS's subsets."""
    part = prepared(table, options)
    higher = not options.lower_is_better
    found = tukey_of(part.value, part, options.alpha, _anova(part, options), higher)
    line = signature_of("tukey", table, options, (*MODEL_NAMES, "lower_is_better"))
    rows = system_rows(part, _report_options(options), higher)
    means = {row.system: row.mean for row in rows}
    letters = rows_of((name, means[name], held) for name, held in found.letters.items())
    subsets = zip(found.subsets, found.subset_p, strict=True)
    numbered = rows_of((n, ", ".join(each), p) for n, (each, p) in enumerate(subsets, start=1))
    return Outcome(
        document={**asdict(found), "signature": line},
        tables=(
            pairs_table("tukey", "Pairs", found.pairs),
            Table("letters", "Letters", (SYSTEM, number("Mean"), Column("Letters")), letters),
            Table("subsets", "Subsets", (whole("Subset"), Column("Systems"), P), numbered),
        ),
        notes=(
            f"Letters: {found.letters_method}.",
            f"Subsets: {found.subsets_method}; n = {found.harmonic_n:.2f}.",
            line,
        ),
        plot=lambda path: save(letters_plot(found, rows), path),
    )


def run_kruskal(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Kruskal–Wallis with Dunn's pairs, Friedman and Wilcoxon over items."""
    part = prepared(table, options)
    groups, labels = part.system.codes, part.system.labels
    whole = kruskal_wallis(part.value, groups, len(labels))
    reasons = Reasons()
    blocks = reasons.attempt("blocks", lambda: group_means(part.value, part, part.item))
    complete = None if blocks is None else reasons.attempt("friedman", lambda: friedman(blocks))
    signed = () if blocks is None else wilcoxon_pairs(blocks, labels)
    after = dunn(part.value, groups, labels)
    line = signature_of("kruskal", table, options, VALUE_NAMES)
    tests = [test for test in (whole, complete) if test is not None]
    return Outcome(
        document={
            "kruskal": asdict(whole),
            "dunn": [asdict(pair) for pair in after],
            "friedman": None if complete is None else asdict(complete),
            "wilcoxon": [asdict(pair) for pair in signed],
            "undefined": dict(reasons),
            "signature": line,
        },
        tables=(
            tests_table(tests),
            _rank_pairs("Dunn", "z", after),
            _rank_pairs("Wilcoxon over items", "W", signed),
        ),
        notes=(*(f"{name}: {reason}" for name, reason in reasons.items()), line),
    )


def _rank_pairs(caption: str, statistic: str, pairs: Sequence[RankPair]) -> Table:
    columns = (
        A,
        B,
        number(statistic),
        P,
        Column("p (Holm)", Format.P),
        whole("n"),
        Column("Not available because"),
    )
    rows = rows_of(
        (each.a, each.b, each.statistic, each.p, each.p_holm, each.n, each.reason) for each in pairs
    )
    return Table(caption.lower(), caption, columns, rows)


def run_mixed(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Mixed model of systems with random raters and items, by REML."""
    part = prepared(table, options)
    if options.ordinal:
        return _ordinal(part, table, options)
    if options.link != "logit":
        raise OptionsError(["--link is of ordinal models: add --ordinal."])
    fit = full_mixed_model if options.full else mixed_model
    settings = ReportOptions(alpha=options.alpha)
    model = fit(part.value, part, settings, not options.lower_is_better)
    line = signature_of("mixed", table, options, (*VALUE_NAMES, "full"))
    shown = (Column("Source"), whole("Levels"), number("Variance"), number("SD"))
    parts = rows_of((row.source, row.levels, row.variance, row.sd) for row in model.components)
    return Outcome(
        document={**asdict(model), "signature": line},
        tables=(
            replace(mixed_table(model), caption=model.formula),
            pairs_table("mixed-pairs", "Pairs", model.contrasts),
            Table("variance", "Variance", shown, parts),
        ),
        notes=("The intervals of pairs are simultaneous; p is adjusted for all pairs.", line),
    )


def _ordinal(part: JudgementTable, table: JudgementTable, options: argparse.Namespace) -> Outcome:
    settings = ReportOptions(alpha=options.alpha)
    higher = not options.lower_is_better
    model = ordinal_model(part.value, part, settings, higher, full=options.full, link=options.link)
    line = signature_of("mixed", table, options, (*VALUE_NAMES, "full", "ordinal", "link"))
    sds = rows_of((each.source, each.levels, each.sd) for each in model.effects)
    shown = (Column("Source"), whole("Levels"), number("SD"))
    return Outcome(
        document={**asdict(model), "signature": line},
        tables=(*ordinal_tables(model), Table("effects", "Random effects", shown, sds)),
        notes=("The intervals of pairs are simultaneous; p is adjusted for all pairs.", line),
    )


def run_generalisability(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Divide the variance of scores, and say what other numbers of raters and items give."""
    part = prepared(table, options)
    found = generalisability_of(part.value, part, options.alpha)
    line = signature_of("generalisability", table, options, VALUE_NAMES)
    return Outcome(
        document={**asdict(found), "signature": line},
        tables=tuple(generalisability_tables(found)),
        notes=(line,),
    )


def add_pairs_options(parser: argparse.ArgumentParser) -> None:
    """Options of the comparison of single pairs."""
    add_value_options(parser)
    parser.add_argument("--relative", action="store_true", help="only the order on screens counts")
    parser.add_argument(
        "--equivalence", type=float, metavar="DELTA", help="the difference that does not matter"
    )


def run_pairs(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Exact tests over raters, probabilities of being preferred, and equivalence."""
    part = prepared(table, options)
    higher = not options.lower_is_better
    criterion = part.criterion.labels[0]
    margins = {} if options.equivalence is None else {criterion: options.equivalence}
    settings = ReportOptions(alpha=options.alpha, seed=options.seed, equivalence=margins)
    least_squares = None
    if not options.relative and margins:
        least_squares = clustered(part.value, part, settings, higher)
    found = effect_section(
        part,
        settings,
        compared=pairs_of(part, settings, higher) if options.relative else None,
        higher_is_better=higher,
        clustered=least_squares,
    )
    line = signature_of("pairs", table, options, (*VALUE_NAMES, "relative", "equivalence"))
    return Outcome(
        document={**asdict(found), "signature": line},
        tables=tuple(effect_tables(found)),
        notes=(*effect_sentences(found, settings.generality), line),
    )


def add_mixed_options(parser: argparse.ArgumentParser) -> None:
    """Options of the mixed model."""
    add_value_options(parser)
    parser.add_argument(
        "--full", action="store_true", help="raters and items may differ on each system"
    )
    parser.add_argument(
        "--ordinal", action="store_true", help="cumulative links, for scales of few points"
    )
    parser.add_argument(
        "--link", choices=LINKS, default="logit", help="of --ordinal: what lies under the points"
    )
