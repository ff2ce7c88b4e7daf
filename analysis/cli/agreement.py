"""Commands of `python -m analysis` about agreement, correlations, outliers and raters."""

from __future__ import annotations

import argparse
from dataclasses import asdict

import numpy as np

from analysis.cli.outcome import Outcome
from analysis.cli.prepared import check_width, given_options, signature_of
from analysis.cli.shared import counted_judgements
from analysis.errors import Undefined
from analysis.ranking.clusters import kind_of
from analysis.reliability.rater_profiles import rater_profiles
from analysis.report.agreement_section import agreement_of
from analysis.report.layout.report_tables import agreement_table, correlation_table, raters_table
from analysis.report.layout.table_model import SYSTEM, Column, Format, Table, rows_of, whole
from analysis.report.options import ReportOptions
from analysis.report.pictures.plots import rater_agreement, save
from analysis.scales.correlations import METHODS, correlations
from analysis.scales.outliers import treat_outliers
from analysis.signature import signature
from analysis.table import JudgementTable


def run_agreement(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Krippendorff's α, intraclass correlation, Kendall's W, Fleiss' κ, self-consistency."""
    part = counted_judgements(table, options)
    settings = ReportOptions(seed=options.seed, agreement_resamples=options.resamples)
    kind = (
        "category" if options.nominal else kind_of(part, part.criterion.labels[0], settings.kinds)
    )
    found = agreement_of(part, kind, settings)
    line = signature_of("agreement", table, options, ("seed", "resamples", "nominal"))
    return Outcome(
        document={"coefficients": [asdict(each) for each in found], "signature": line},
        tables=(agreement_table(found),),
        notes=("Intervals: 95 %; those of α resample whole items.", line),
    )


def add_agreement_options(parser: argparse.ArgumentParser) -> None:
    """Options of agreement."""
    parser.add_argument("--resamples", type=int, default=1000, help="of items (default 1000)")
    parser.add_argument("--nominal", action="store_true", help="the values are categories")


def run_correlations(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Correlate every two criteria over systems or outputs."""
    part = table.counted().without_raters(options.exclude_raters)
    methods = METHODS if options.method == "all" else (options.method,)
    found = correlations(part, methods=methods, level=options.level)
    if not found:
        raise Undefined("A correlation needs two criteria; the judgements have one.")
    stated = given_options(options, ("method", "level"))
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
    part = counted_judgements(table, options)
    check_width(options)
    found = treat_outliers(part.value, options.treatment, options.width).count
    if found.low is None or found.high is None:
        raise Undefined("Outliers need at least two values.")
    low, high = found.low, found.high
    outside = (part.value < low) | (part.value > high)
    counts = np.bincount(part.system.codes, outside, minlength=len(part.system.labels))
    line = signature_of("outliers", table, options, ("treatment", "width"))
    by_system = {name: int(each) for name, each in zip(part.system.labels, counts, strict=True)}
    return Outcome(
        document={**asdict(found), "by_system": by_system, "signature": line},
        tables=(
            Table(
                "outliers",
                "Outliers",
                (Column("Limits", Format.RANGE, 3), *map(whole, ("Below", "Above", "Of"))),
                rows_of([((low, high), found.below, found.above, found.values)]),
            ),
            Table(
                "by-system",
                "By system",
                (SYSTEM, whole("Outliers")),
                rows_of(by_system.items()),
            ),
        ),
        notes=(found.sentence, line),
    )


def add_outlier_options(parser: argparse.ArgumentParser) -> None:
    """Options of outliers."""
    parser.add_argument("--treatment", choices=("replace", "winsorise", "drop"), default="replace")
    parser.add_argument("--width", type=float, default=2.0, help="SDs of an outlier (default 2)")


def run_raters(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Profile each rater: agreement with the rest, time, ties, use of the scale."""
    part = counted_judgements(table, options)
    found = rater_profiles(part)
    line = signature_of("raters", table, options, ())
    return Outcome(
        document={"raters": [asdict(each) for each in found], "signature": line},
        tables=(raters_table(found),),
        notes=("Agreement: correlation with the mean of the others on the same outputs.", line),
        plot=lambda path: save(rater_agreement(found), path),
    )
