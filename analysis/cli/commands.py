"""The command line: `python -m analysis COMMAND FILE [options]`."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.cli.outcome import Outcome, as_csv, as_json, as_text
from analysis.cli.shared import add_rater_options
from analysis.errors import AnalysisError, OptionsError
from analysis.ranking.clusters import PASSES, alpha_problems
from analysis.report.layout.latex import tabulars
from analysis.signature import VERSION
from analysis.table import REQUIRED_COLUMNS, JudgementTable
from analysis.table_files import FORMATS, read_table

from . import (
    against_people,
    agreement,
    judges,
    plans,
    prepared,
    rankings,
    report,
    scales,
    scores,
    spans,
)

PLOT_FORMATS = (".svg", ".pdf", ".png")
BAD_INPUT = 2


@dataclass(frozen=True)
class Command:
    """A command: one line of help, its function, and the options that only it takes.

    `has_stored_options` says that the file may contain options; options that are given on the
    command line replace them. `reads_judgements` is false for a command that reads FILE itself,
    and `file` says what FILE is.
    """

    help: str
    run: Callable[[JudgementTable, argparse.Namespace], Outcome]
    add_options: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    needs_file: bool = True
    has_stored_options: bool = False
    reads_judgements: bool = True
    file: str = "judgements, a bundle, or - (standard input)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 2 for bad input, whose every problem is printed."""
    options = argument_parser().parse_args(arguments)
    try:
        _check(options)
        table = _judgements(options)
        outcome = COMMANDS[options.command].run(table, options)
        text = _shape(outcome, options)
        if options.plot:
            _plot(outcome, Path(options.plot))
    except AnalysisError as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _judgements(options: argparse.Namespace) -> JudgementTable:
    if options.file is None or not COMMANDS[options.command].reads_judgements:
        return JudgementTable.from_columns({name: [] for name in REQUIRED_COLUMNS})
    # A single pass is about the order in which the rows were given; a report sorts them itself.
    is_pass = getattr(options, "method", "") in PASSES
    as_given = is_pass or COMMANDS[options.command].has_stored_options
    return read_table(options.file, options.format, shared=options.shared, as_given=as_given)


def argument_parser() -> argparse.ArgumentParser:
    """Return the commands and their options."""
    parser = argparse.ArgumentParser(
        prog="python -m analysis", description="Statistics of human evaluation."
    )
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, help=command.help, description=command.help)
        _add_shared_options(subparser, command)
        command.add_options(subparser)
    return parser


def _add_shared_options(parser: argparse.ArgumentParser, command: Command) -> None:
    def default(value: Any) -> Any:
        return argparse.SUPPRESS if command.has_stored_options else value

    parser.add_argument(
        "file",
        metavar="FILE",
        nargs=None if command.needs_file else "?",
        help=command.file,
    )
    if command.reads_judgements:
        _add_judgement_options(parser, default)
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print JSON")
    shape.add_argument("--latex", action="store_true", help="print LaTeX tables (booktabs)")
    shape.add_argument("--csv", action="store_true", help="print CSV")
    parser.add_argument("--plot", metavar="FILE", help="plot into FILE.svg, .pdf or .png")


def _add_judgement_options(
    parser: argparse.ArgumentParser, default: Callable[[object], object]
) -> None:
    parser.add_argument(
        "--format", choices=FORMATS, help="format of FILE (default: detected from its content)"
    )
    parser.add_argument(
        "--shared", metavar="SEPARATOR", help='a system "A,B" is one text that two systems produced'
    )
    parser.add_argument("--criterion", help="the criterion (default: the only one)")
    add_rater_options(parser, default)


def _check(options: argparse.Namespace) -> None:
    problems = [f"--{problem}" for problem in alpha_problems(getattr(options, "alpha", 0.05))]
    if options.plot and Path(options.plot).suffix not in PLOT_FORMATS:
        problems.append(f"--plot {options.plot}: the name must end in {', '.join(PLOT_FORMATS)}.")
    if problems:
        raise OptionsError(problems)


def _shape(outcome: Outcome, options: argparse.Namespace) -> str:
    if options.json:
        return as_json(outcome)
    if options.csv:
        return as_csv(outcome)
    if options.latex:
        return outcome.latex() if outcome.latex else tabulars(outcome.tables)
    return as_text(outcome)


def _plot(outcome: Outcome, path: Path) -> None:
    if outcome.plot is None:
        raise OptionsError(["This command has nothing to plot."])
    outcome.plot(path)


COMMANDS: dict[str, Command] = {
    "clusters": Command(
        "Rank systems in clusters.", rankings.run_clusters, rankings.add_run_options
    ),
    "bradley-terry": Command(
        "Compare all pairs of systems simultaneously.",
        rankings.run_bradley_terry,
        rankings.add_bradley_terry_options,
    ),
    "plan": Command(
        "Plan a campaign: raters, items and repeats, time and money, and what they find.",
        plans.run_plan,
        plans.add_plan_options,
        needs_file=False,
        file="judgements of a pilot, a bundle, or - (standard input)",
    ),
    "arena": Command(
        "Rank models by votes of an arena: strengths, errors clustered by judge, sets of ranks.",
        rankings.run_arena,
        rankings.add_arena_options,
        reads_judgements=False,
        file="votes (model_a, model_b, winner, judge) as CSV or Parquet",
    ),
    "power": Command(
        "Simulate a campaign of comparisons: what its ranking would find.",
        rankings.run_power,
        rankings.add_power_options,
        needs_file=False,
    ),
    "anova": Command("Analysis of variance.", scales.run_anova, scales.add_model_options),
    "tukey": Command(
        "Compare all pairs of systems, with letters and homogeneous subsets.",
        scales.run_tukey,
        scales.add_model_options,
    ),
    "kruskal": Command(
        "Tests on ranks: Kruskal–Wallis, Dunn, Friedman, Wilcoxon.",
        scales.run_kruskal,
        prepared.add_value_options,
    ),
    "mixed": Command(
        "Mixed model with random raters and items.",
        scales.run_mixed,
        scales.add_mixed_options,
    ),
    "generalisability": Command(
        "What scores vary with, and what other numbers of raters and items would give.",
        scales.run_generalisability,
        prepared.add_value_options,
    ),
    "pairs": Command(
        "Every two systems: exact tests over raters, preferences, equivalence.",
        scales.run_pairs,
        scales.add_pairs_options,
    ),
    "agreement": Command(
        "Agreement of raters.", agreement.run_agreement, agreement.add_agreement_options
    ),
    "correlations": Command(
        "Correlations between criteria.",
        agreement.run_correlations,
        agreement.add_correlation_options,
    ),
    "outliers": Command(
        "Count outlying values.", agreement.run_outliers, agreement.add_outlier_options
    ),
    "raters": Command("What each rater did.", agreement.run_raters),
    "score": Command(
        "Compute automatic metrics of outputs: BLEU, chrF, TER, NIST, ROUGE-L and others.",
        scores.run_score,
        scores.add_score_options,
        reads_judgements=False,
        file="outputs (system, item, output), or - (standard input)",
    ),
    "facts": Command(
        "Score facts that were extracted from texts about tables (RotoWire): RG, CS, CO.",
        scores.run_facts,
        scores.add_facts_options,
        reads_judgements=False,
        file="extracted facts (system, item, entity, value, type, supported), or -",
    ),
    "spans": Command(
        "Score error spans; compare raters, rank systems, convert between formats.",
        spans.run_spans,
        spans.add_span_options,
        reads_judgements=False,
        file="error spans of any tool, or - (standard input)",
    ),
    "metrics": Command(
        "Compare automatic metrics with people: correlations, accuracies, tests, ceiling.",
        against_people.run_metrics,
        against_people.add_metrics_options,
    ),
    "judge": Command(
        "Put a judge next to people: agreement, preferences, calibration, may it replace a rater?",
        judges.run_judge,
        judges.add_judge_options,
    ),
    "predict": Command(
        "Means of systems from judgements of some outputs and a metric of all of them.",
        judges.run_predict,
        judges.add_predict_options,
    ),
    "mtme": Command(
        "Read an archive of the WMT metrics tasks (mt-metrics-eval): judgements and metrics.",
        scores.run_mtme,
        scores.add_mtme_options,
        reads_judgements=False,
        file="the folder of an archive, such as wmt22",
    ),
    "report": Command(
        "Every criterion: the standard table and the stricter analysis.",
        report.run_report,
        report.add_report_options,
        has_stored_options=True,
    ),
}
