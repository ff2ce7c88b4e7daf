"""Commands of `python -m analysis` about values on a scale, agreement and whole reports."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from analysis.cli.outcome import Outcome
from analysis.cli.shared import ProgressBar, chosen_criterion, counted_judgements, names
from analysis.errors import OptionsError, TableError, Undefined
from analysis.report.model_tables import mixed_table, pairs_table
from analysis.report.scale_tables import anova_table
from analysis.report.table_model import SYSTEM, Column, Format, P, Row, Table, rows_of
from analysis.report.tables import agreement_table, correlation_table, raters_table, tables_of
from analysis.signature import signature
from analysis.table import JudgementTable

MODELS = ("one-way", "factorial", "interaction", "rater", "latin")


# --- options ---------------------------------------------------------------------------------


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
        "--type", choices=("I", "II", "III"), default="II", help="sums of squares (default II)"
    )
    add_value_options(parser)


def add_value_options(parser: argparse.ArgumentParser) -> None:
    """Options of what is done to the values first."""
    parser.add_argument(
        "--outliers",
        choices=("none", "replace", "winsorise", "drop"),
        default="none",
        help="values beyond mean ± 2 SD (default: none)",
    )
    parser.add_argument("--width", type=float, default=2.0, help="SDs of an outlier (default 2)")
    parser.add_argument("--log", action="store_true", help="analyse logarithms of magnitudes")
    parser.add_argument("--z", action="store_true", help="standardise within each rater first")
    parser.add_argument("--lower-is-better", action="store_true", help="best mean is the lowest")


def _prepared(table: JudgementTable, options: argparse.Namespace) -> JudgementTable:
    """The chosen criterion's values after outliers, logarithm, standardisation (in this order)."""
    from analysis.outliers import log_magnitudes, treat_outliers, z_by_rater

    part = counted_judgements(table, options)
    _check_width(options)
    treated = treat_outliers(part.value, options.outliers, options.width)
    part = replace(part.rows(treated.kept), value=treated.values)
    if options.log:
        part = replace(part, value=log_magnitudes(part.value))
    if options.z:
        scores, varies = z_by_rater(part.value, part.rater.codes)
        part = replace(part, value=scores).rows(varies)
    if not len(part):
        raise Undefined("No judgement is left to analyse.")
    return part


def _check_width(options: argparse.Namespace) -> None:
    from analysis.outliers import width_problems

    if problems := width_problems("--width", options.width):
        raise OptionsError(problems)


def _report_options(options: argparse.Namespace) -> Any:
    from analysis.report.options import ReportOptions

    model = options.model or ("factorial" if options.factors else "one-way")
    return ReportOptions(
        seed=options.seed,
        alpha=options.alpha,
        model=model,
        factors=options.factors,
        sums_of_squares=options.type,
    )


def _signature(
    command: str, table: JudgementTable, options: argparse.Namespace, names: Sequence[str]
) -> str:

    stated = {name: getattr(options, name) for name in names}
    stated |= {"criterion": chosen_criterion(table, options), "alpha": options.alpha}
    stated |= {"exclude": sorted(options.exclude_raters)}
    stated = {name: each for name, each in stated.items() if each not in (False, [], (), None)}
    return signature(command, stated, sha256=table.sha256)


MODEL_NAMES = ("by", "model", "factors", "type", "outliers", "width", "log", "z")
VALUE_NAMES = ("outliers", "width", "log", "z")


# --- analysis of variance --------------------------------------------------------------------


def _anova(part: JudgementTable, options: argparse.Namespace) -> Any:
    from analysis.anova import one_way
    from analysis.report.scale import anova_of

    if options.by == "system":
        return anova_of(part.value, part, _report_options(options))
    column = _grouping(part, options.by)
    return one_way(part.value, column.codes, len(column.labels), options.by)


def _grouping(part: JudgementTable, name: str) -> Any:
    columns = {"system": part.system, "rater": part.rater, "item": part.item, **part.factors}
    if name not in columns:
        raise TableError([f"There is no column {name!r} to group by: {', '.join(columns)}."])
    return columns[name]


def run_anova(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Analysis of variance, with Welch's test and means."""
    from analysis.anova import group_moments, welch
    from analysis.report.latex import tabular
    from analysis.report.scale import Reasons

    part = _prepared(table, options)
    anova = _anova(part, options)
    column = _grouping(part, options.by)
    reasons = Reasons()
    unequal = reasons.attempt("welch", lambda: welch(part.value, column.codes, len(column.labels)))
    moments = group_moments(part.value, column.codes, len(column.labels))
    line = _signature("anova", table, options, MODEL_NAMES)
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
                (Column(options.by), Column("n", Format.WHOLE), Column("Mean", Format.NUMBER, 3)),
                rows_of(*means),
            ),
        ),
        notes=tuple(notes),
        latex=lambda: tabular(anova_table(anova)),
    )


def _with_omega(anova: Any) -> Table:
    """The report's table of an analysis of variance, with ω² next to η²."""
    table = anova_table(anova)
    rows = zip(table.rows, anova.rows, strict=True)
    return replace(
        table,
        caption=f"{table.caption} ({anova.type})",
        columns=(*table.columns, Column("ω²", Format.NUMBER, 3)),
        rows=tuple(Row((*row.cells, each.omega_sq)) for row, each in rows),
    )


def run_tukey(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Compare all pairs of systems by Tukey's test, with letters and SPSS's subsets."""
    from analysis.report.make import system_rows
    from analysis.report.plots import letters_plot, save
    from analysis.report.scale import tukey_of

    part = _prepared(table, options)
    higher = not options.lower_is_better
    found = tukey_of(part.value, part, options.alpha, _anova(part, options), higher)
    line = _signature("tukey", table, options, (*MODEL_NAMES, "lower_is_better"))
    rows = system_rows(part, _report_options(options), higher)
    means = {row.system: row.mean for row in rows}
    mean = Column("Mean", Format.NUMBER, 3)
    letters = rows_of(*((name, means[name], held) for name, held in found.letters.items()))
    subsets = zip(found.subsets, found.subset_p, strict=True)
    numbered = rows_of(*((n, ", ".join(each), p) for n, (each, p) in enumerate(subsets, start=1)))
    number = Column("Subset", Format.WHOLE)
    return Outcome(
        document={**asdict(found), "signature": line},
        tables=(
            pairs_table("tukey", "Pairs", found.pairs),
            Table("letters", "Letters", (SYSTEM, mean, Column("Letters")), letters),
            Table("subsets", "Subsets", (number, Column("Systems"), P), numbered),
        ),
        notes=(
            f"Letters: {found.letters_method}.",
            f"Subsets: {found.subsets_method}; n = {found.harmonic_n:.2f}.",
            line,
        ),
        latex=lambda: _subsets_latex(part, options, higher, found),
        plot=lambda path: save(letters_plot(found, rows, part.criterion.labels[0]), path),
    )


def _subsets_latex(
    part: JudgementTable, options: argparse.Namespace, higher: bool, found: Any
) -> str:
    from analysis.report.latex import SubsetBlock, subsets_table
    from analysis.report.make import system_rows

    rows = system_rows(part, _report_options(options), higher)
    means = {row.system: row.mean for row in rows}
    return subsets_table([SubsetBlock(part.criterion.labels[0], means, found)])


def run_kruskal(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Kruskal–Wallis with Dunn's pairs, Friedman and Wilcoxon over items."""
    from analysis.nonparametric import dunn, friedman, kruskal_wallis, wilcoxon_pairs
    from analysis.report.scale import Reasons, item_means

    part = _prepared(table, options)
    groups, labels = part.system.codes, part.system.labels
    whole = kruskal_wallis(part.value, groups, len(labels))
    reasons = Reasons()
    blocks = reasons.attempt("blocks", lambda: item_means(part.value, part))
    complete = None if blocks is None else reasons.attempt("friedman", lambda: friedman(blocks))
    signed = () if blocks is None else wilcoxon_pairs(blocks, labels)
    after = dunn(part.value, groups, labels)
    line = _signature("kruskal", table, options, VALUE_NAMES)
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
            _rank_tests(tests),
            _rank_pairs("Dunn", "z", after),
            _rank_pairs("Wilcoxon over items", "W", signed),
        ),
        notes=(*(f"{name}: {reason}" for name, reason in reasons.items()), line),
    )


def _rank_tests(tests: Sequence[Any]) -> Table:
    statistic, df, n = Column("χ²", Format.NUMBER, 3), Column("df", Format.DEGREES), _whole("n")
    rows = rows_of(*((each.test, each.statistic, each.df, each.p, each.n) for each in tests))
    return Table("tests", "Tests", (Column("Test"), statistic, df, P, n), rows)


def _rank_pairs(caption: str, statistic: str, pairs: Sequence[Any]) -> Table:
    columns = (
        Column("A"),
        Column("B"),
        Column(statistic, Format.NUMBER, 3),
        P,
        Column("p (Holm)", Format.P),
        _whole("n"),
        Column("Not available because"),
    )
    rows = rows_of(
        *(
            (each.a, each.b, each.statistic, each.p, each.p_holm, each.n, each.reason)
            for each in pairs
        )
    )
    return Table(caption.lower(), caption, columns, rows)


def _whole(title: str) -> Column:
    return Column(title, Format.WHOLE)


def run_mixed(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Mixed model of systems with random raters and items, by REML."""
    from analysis.report.scale import full_mixed_model, mixed_model

    part = _prepared(table, options)
    fit = full_mixed_model if options.full else mixed_model
    model = fit(part.value, part, options.alpha, not options.lower_is_better)
    line = _signature("mixed", table, options, (*VALUE_NAMES, "full"))
    number = (Column("Variance", Format.NUMBER, 3), Column("SD", Format.NUMBER, 3))
    parts = rows_of(*((row.source, row.levels, row.variance, row.sd) for row in model.components))
    return Outcome(
        document={**asdict(model), "signature": line},
        tables=(
            replace(mixed_table(model), caption=model.formula),
            pairs_table("mixed-pairs", "Pairs", model.contrasts),
            Table("variance", "Variance", (Column("Source"), _whole("Levels"), *number), parts),
        ),
        notes=("The intervals of pairs are simultaneous; p is adjusted for all pairs.", line),
    )


def add_mixed_options(parser: argparse.ArgumentParser) -> None:
    """Options of the mixed model."""
    add_value_options(parser)
    parser.add_argument(
        "--full", action="store_true", help="raters and items may differ on each system"
    )


# --- agreement, correlations, outliers, raters -----------------------------------------------


def run_agreement(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Krippendorff's α, intraclass correlation, Kendall's W, Fleiss' κ, self-consistency."""
    from analysis.clusters import kind_of
    from analysis.report.make import agreement_of
    from analysis.report.options import ReportOptions

    part = counted_judgements(table, options)
    settings = ReportOptions(seed=options.seed, agreement_resamples=options.resamples)
    kind = (
        "category" if options.nominal else kind_of(part, part.criterion.labels[0], settings.kinds)
    )
    found = agreement_of(part, kind, settings)
    line = _signature("agreement", table, options, ("seed", "resamples", "nominal"))
    return Outcome(
        document={"coefficients": [asdict(each) for each in found], "signature": line},
        tables=(agreement_table(found),),
        notes=("Intervals: 95 %, whole items resampled.", line),
    )


def add_agreement_options(parser: argparse.ArgumentParser) -> None:
    """Options of agreement."""
    parser.add_argument("--resamples", type=int, default=1000, help="of items (default 1000)")
    parser.add_argument("--nominal", action="store_true", help="the values are categories")


def run_correlations(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Correlate every two criteria over systems or outputs."""
    from analysis.correlations import METHODS, correlations

    part = table.counted().without_raters(options.exclude_raters)
    methods = METHODS if options.method == "all" else (options.method,)
    found = correlations(part, methods=methods, level=options.level)
    if not found:
        raise Undefined("A correlation needs two criteria; the judgements have one.")
    stated = {"method": options.method, "level": options.level}
    line = signature("correlations", stated, sha256=table.sha256)
    shown = correlation_table(found)
    return Outcome(
        document={"correlations": [asdict(each) for each in found], "signature": line},
        tables=() if shown is None else (shown,),
        notes=("p is for each pair alone.", line),
    )


def add_correlation_options(parser: argparse.ArgumentParser) -> None:
    """Options of correlations."""
    parser.add_argument("--level", choices=("system", "output"), default="system")
    parser.add_argument(
        "--method", choices=("pearson", "spearman", "kendall", "all"), default="all"
    )


def run_outliers(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Count the values beyond mean ± 2 SD, by system."""
    from analysis.outliers import treat_outliers

    part = counted_judgements(table, options)
    _check_width(options)
    found = treat_outliers(part.value, options.treatment, options.width).count
    if found.low is None or found.high is None:
        raise Undefined("Outliers need at least two values.")
    low, high = found.low, found.high
    outside = (part.value < low) | (part.value > high)
    counts = np.bincount(part.system.codes, outside, minlength=len(part.system.labels))
    line = _signature("outliers", table, options, ("treatment", "width"))
    by_system = {name: int(each) for name, each in zip(part.system.labels, counts, strict=True)}
    return Outcome(
        document={**asdict(found), "by_system": by_system, "signature": line},
        tables=(
            Table(
                "outliers",
                "Outliers",
                (
                    Column("Limits", Format.RANGE, 3),
                    *map(_whole, ("Below", "Above", "Of")),
                ),
                rows_of(((low, high), found.below, found.above, found.values)),
            ),
            Table(
                "by-system",
                "By system",
                (SYSTEM, _whole("Outliers")),
                rows_of(*by_system.items()),
            ),
        ),
        notes=(found.sentence, line),
    )


def add_outlier_options(parser: argparse.ArgumentParser) -> None:
    """Options of outliers."""
    parser.add_argument("--treatment", choices=("replace", "winsorise", "drop"), default="replace")
    parser.add_argument("--width", type=float, default=2.0, help="SDs of an outlier (default 2)")


def run_raters(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """What each rater did: agreement with the rest, time, ties, use of the scale."""
    from analysis.raters import rater_profiles
    from analysis.report.plots import rater_agreement, save

    part = counted_judgements(table, options)
    found = rater_profiles(part)
    line = _signature("raters", table, options, ())
    return Outcome(
        document={"raters": [asdict(each) for each in found], "signature": line},
        tables=(raters_table(found),),
        notes=("Agreement: correlation with the mean of the others on the same outputs.", line),
        plot=lambda path: save(rater_agreement(found, part.criterion.labels[0]), path),
    )


# --- the whole report ------------------------------------------------------------------------


def add_report_options(parser: argparse.ArgumentParser) -> None:
    """Options of a report. A bundle contains its own; options given here replace them. An option
    that is not given is absent from the namespace, so that it differs from one given with the
    default value.
    """
    parser.add_argument("--options", metavar="JSON", help="a file of options (see options.json)")
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        metavar="CRITERION=KIND",
        help="relative, scale, category, count, time or error; may be repeated",
    )
    parser.add_argument(
        "--model", choices=MODELS, default=argparse.SUPPRESS, help="the analysis of variance"
    )
    parser.add_argument(
        "--factors",
        type=names,
        default=argparse.SUPPRESS,
        metavar="A,B",
        help="factors of the model",
    )
    parser.add_argument(
        "--runs", type=int, default=argparse.SUPPRESS, help="runs of a ranking (default 200)"
    )
    parser.add_argument(
        "--resample",
        type=names,
        default=argparse.SUPPRESS,
        metavar="A,B",
        help="default: none,raters",
    )
    parser.add_argument(
        "--lower-is-better",
        type=names,
        default=argparse.SUPPRESS,
        metavar="A,B",
        help="criteria on which the lower value wins",
    )
    parser.add_argument("--title", default=argparse.SUPPRESS, help="heading of the report")
    parser.add_argument("--bundle", metavar="ZIP", help="write the bundle with tables and plots")


def run_report(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Report every criterion: the paper's table next to the one that a referee would ask for."""
    from analysis.report.bundle import rendered_files, write_bundle
    from analysis.report.latex import document
    from analysis.report.make import make_report

    settings = report_settings(options)
    with ProgressBar() as progress:
        report = make_report(table, settings, progress=progress.show)
    if options.bundle:
        write_bundle(Path(options.bundle), table, report, settings, rendered_files(report))
    shown = [
        replace(table, caption=f"{each.name}: {table.caption}")
        for each in tables_of(report)
        for table in (*each.paper, *each.honest)
    ]
    sentences = [
        f"{each.criterion}: {sentence}" for each in report.criteria for sentence in each.sentences
    ]
    return Outcome(
        document=report.as_dict(),
        tables=tuple(shown),
        notes=(*sentences, *report.sentences, report.signature),
        latex=lambda: document(report),
    )


def report_settings(options: argparse.Namespace) -> Any:
    """The options of a file or bundle, with those of the command line on top."""
    from analysis.report.options import ReportOptions

    given = _stored_options(options)
    named = {each.name for each in fields(ReportOptions)}
    given |= {name: value for name, value in vars(options).items() if name in named}
    kinds = dict(given.get("kinds", {}))
    for text in options.kind:
        criterion, equals, kind = text.partition("=")
        if not equals:
            raise OptionsError([f"--kind {text}: write it as CRITERION=KIND."])
        kinds[criterion] = kind
    return ReportOptions.from_dict({**given, "kinds": kinds})


def _stored_options(options: argparse.Namespace) -> dict[str, Any]:
    from analysis.report.bundle import stored_options

    if options.options:
        try:
            given = json.loads(Path(options.options).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise OptionsError([f"--options {options.options}: {error}."]) from error
        if not isinstance(given, dict):
            raise OptionsError([f"--options {options.options}: it holds no options."])
        return given
    return stored_options(options.file)
