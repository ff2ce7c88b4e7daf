"""Commands of `python -m analysis` that compare automatic metrics with people."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from analysis.cli.outcome import Outcome
from analysis.cli.prepared import add_transformations, given_options, transformed
from analysis.cli.shared import ProgressBar, chosen_criterion, counted_judgements, names
from analysis.errors import OptionsError
from analysis.meta_evaluation.against_people import MetricOptions, metrics_against_people
from analysis.meta_evaluation.people import People
from analysis.ranking.clusters import kind_of
from analysis.report.layout.metric_tables import comparison_tables, ranking_level_table
from analysis.report.metric_section import ranking_levels
from analysis.report.pictures.metric_plots import scatter
from analysis.report.pictures.plots import save
from analysis.signature import signature
from analysis.table import JudgementTable
from analysis.text_metrics.score_files import read_scores

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
    add_transformations(parser)
    parser.add_argument(
        "--permutations", type=int, default=1000, help="of each test (default 1000)"
    )
    parser.add_argument(
        "--resamples", type=int, default=1000, help="of each bootstrap (default 1000)"
    )


def run_metrics(judgements: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Compare metrics with human judgements, about systems and about single outputs."""
    _check_sizes(options)
    given = counted_judgements(judgements, options)
    part = transformed(given, options)
    scores = read_scores(options.scores, lower_is_better=options.lower_is_better)
    people = People.from_table(part, lower_is_better=options.low_judgements_are_better)
    settings = MetricOptions(options.seed, options.alpha, options.permutations, options.resamples)
    with ProgressBar() as progress:
        found = metrics_against_people(people, scores, settings, progress=progress.show)
        ranking = ranking_levels(
            given,
            scores,
            settings,
            kind=kind_of(given, given.criterion.labels[0], {}),
            lower_is_better=options.low_judgements_are_better,
        )
    stated = {
        **asdict(settings),
        "criterion": chosen_criterion(judgements, options),
        "lower": list(scores.turned),
        "scores": scores.sha256[:16],
        **given_options(options, ("z", "log", "low_judgements_are_better")),
    }
    line = signature("metrics", stated, sha256=judgements.sha256)
    people_first, *rest = comparison_tables(found)
    strengths = [ranking_level_table(ranking)] if ranking else []
    tables = (people_first, *strengths, *rest)
    return Outcome(
        document={
            **asdict(found),
            "ranking_level": [asdict(each) for each in ranking],
            "signature": line,
        },
        tables=tables,
        notes=(*found.sentences, line),
        plot=lambda path: save(scatter(found, stated["criterion"]), path),
    )


def _check_sizes(options: argparse.Namespace) -> None:
    problems = [
        f"--{name} must be 1 or more."
        for name in ("permutations", "resamples")
        if getattr(options, name) < 1
    ]
    if problems:
        raise OptionsError(problems)
