"""Commands of `python -m analysis` that compare automatic metrics with people."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from analysis.cli.outcome import Outcome
from analysis.cli.shared import ProgressBar, chosen_criterion, counted_judgements, names
from analysis.errors import OptionsError
from analysis.report.table_model import Column, Format, Table, rows_of
from analysis.signature import signature
from analysis.table import JudgementTable

if TYPE_CHECKING:
    from analysis.metrics.against_people import MetricReport
    from analysis.metrics.metric_tests import MetricPair

# --- metrics against people --------------------------------------------------------------------


def add_metrics_options(parser: argparse.ArgumentParser) -> None:
    """Options of comparing metrics with people."""
    parser.add_argument(
        "scores",
        metavar="SCORES",
        help="a CSV with system, item, metric, score, or a column for each metric; "
        "without an item: scores of whole systems",
    )
    parser.add_argument(
        "--lower-is-better",
        type=names,
        metavar="A,B",
        help="metrics that are better when lower (default: ter, ser, wer, cer, mer, wil)",
    )
    parser.add_argument(
        "--low-judgements-are-better", action="store_true", help="low values are good judgements"
    )
    parser.add_argument("--z", action="store_true", help="standardise within each rater first")
    parser.add_argument("--log", action="store_true", help="analyse logarithms of magnitudes")
    parser.add_argument(
        "--permutations", type=int, default=1000, help="of each test (default 1000)"
    )
    parser.add_argument(
        "--resamples", type=int, default=1000, help="of each bootstrap (default 1000)"
    )


def run_metrics(judgements: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Compare metrics with human judgements, about systems and about single outputs."""
    from analysis.metrics.against_people import MetricOptions, metrics_against_people
    from analysis.metrics.people import People
    from analysis.metrics.score_files import read_scores

    _check_sizes(options)
    part = _prepared(counted_judgements(judgements, options), options)
    scores = read_scores(options.scores, lower_is_better=options.lower_is_better)
    people = People.from_table(part, lower_is_better=options.low_judgements_are_better)
    settings = MetricOptions(options.seed, options.alpha, options.permutations, options.resamples)
    with ProgressBar() as progress:
        found = metrics_against_people(people, scores, settings, progress=progress.show)
    stated = {
        **asdict(settings),
        "criterion": chosen_criterion(judgements, options),
        "lower": list(scores.turned),
        "scores": scores.sha256[:16],
        **{name: True for name in ("z", "log") if getattr(options, name)},
    }
    if options.exclude_raters:
        stated["exclude"] = sorted(options.exclude_raters)
    line = signature("metrics", stated, sha256=judgements.sha256)
    return Outcome(
        document={**asdict(found), "signature": line},
        tables=_report_tables(found),
        notes=(*found.sentences, line),
    )


def _check_sizes(options: argparse.Namespace) -> None:
    problems = [
        f"--{name} must be 1 or more."
        for name in ("permutations", "resamples")
        if getattr(options, name) < 1
    ]
    if problems:
        raise OptionsError(problems)


def _prepared(part: JudgementTable, options: argparse.Namespace) -> JudgementTable:
    """The values after logarithm and standardisation, in this order."""
    from analysis.outliers import log_magnitudes, z_by_rater

    if options.log:
        part = replace(part, value=log_magnitudes(part.value))
    if options.z:
        values, varies = z_by_rater(part.value, part.rater.codes)
        part = replace(part, value=values).rows(varies)
    return part


def _report_tables(found: MetricReport) -> tuple[Table, ...]:
    tables = [_system_table(found), _segment_table(found)]
    tables += [
        _tests_table(name, caption, tests)
        for name, caption, tests in (
            ("system-tests", "Pearson's r over systems, metric against metric", found.system_tests),
            ("segment-tests", "acc*_eq, metric against metric", found.segment_tests),
        )
        if tests
    ]
    return (*tables, _ceiling_table(found))


def _number(title: str, digits: int = 3) -> Column:
    return Column(title, Format.NUMBER, digits)


METRIC = Column("Metric")
CLUSTER = Column("Cluster", Format.WHOLE)


def _system_table(found: MetricReport) -> Table:
    over = ("systems", "items", "raters")
    intervals = (Column(f"r, other {unit}", Format.INTERVAL, 3) for unit in over)
    columns = (
        METRIC, CLUSTER, _number("Pearson r"), *intervals, _number("Spearman ρ"),
        _number("Kendall τ_b"), _number("Pairwise accuracy"), _number("Soft pairwise accuracy"),
        Column("Systems", Format.WHOLE), Column("Not available because"),
    )  # fmt: skip
    rows = [
        (
            each.metric,
            found.system_clusters.get(each.metric),
            each.pearson,
            *(each.intervals.get(unit, {}).get("pearson") for unit in over),
            each.spearman,
            each.kendall,
            each.pairwise_accuracy,
            each.soft_pairwise_accuracy,
            each.systems,
            each.reason,
        )
        for each in found.system_level
    ]
    return Table("system-level", "Whole systems", columns, rows_of(*rows))


def _segment_table(found: MetricReport) -> Table:
    columns = (
        METRIC, CLUSTER, _number("acc*_eq"), Column("other items", Format.INTERVAL, 3),
        _number("cross-fitted"), _number("ε", 4), _number("Kendall τ_b within items"),
        _number("Pearson r within items"), _number("Pearson r"),
        Column("Outputs", Format.WHOLE), Column("Not available because"),
    )  # fmt: skip
    rows = [
        (
            each.metric,
            found.segment_clusters.get(each.metric),
            each.acc_eq,
            each.acc_eq_interval,
            each.acc_eq_cross_fit,
            each.epsilon,
            each.kendall,
            each.pearson_within_items,
            each.pearson,
            each.outputs,
            each.reason,
        )
        for each in found.segment_level
    ]
    return Table("segment-level", "Single outputs", columns, rows_of(*rows))


def _tests_table(name: str, caption: str, tests: Sequence[MetricPair]) -> Table:
    columns = [Column("Closer"), Column("Than"), _number("Difference"), Column("p", Format.P)]
    more = "p (Williams)" if name == "system-tests" else "p by items"
    columns.append(Column(more, Format.P))
    rows = [
        (
            each.a,
            each.b,
            each.difference,
            each.p,
            each.williams if name == "system-tests" else each.p_items,
        )
        for each in tests
    ]
    return Table(name, caption, tuple(columns), rows_of(*rows))


def _ceiling_table(found: MetricReport) -> Table:
    columns = (
        Column("Compared with the other raters"), _number("acc*_eq"), _number("Pearson r, systems"),
        _number("Pairwise accuracy, systems"), Column("Raters", Format.WHOLE),
        Column("Outputs", Format.WHOLE), Column("Not available because"),
    )  # fmt: skip
    rows = [
        (
            each.metric, each.acc_eq, each.pearson_systems, each.pairwise_accuracy, each.raters,
            each.outputs, each.reason,
        )
        for each in found.ceiling
    ]  # fmt: skip
    return Table("ceiling", "A rater held out, on the same outputs", columns, rows_of(*rows))
