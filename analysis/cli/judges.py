"""Commands of `python -m analysis` that put a judge next to people, or use a metric with them."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from analysis.cli.outcome import Outcome
from analysis.cli.prepared import (
    add_transformations,
    signature_of,
    stated_options,
    transformed,
)
from analysis.cli.shared import counted_judgements, names
from analysis.csv_rows import read_rows
from analysis.errors import OptionsError
from analysis.meta_evaluation.compared import Compared
from analysis.meta_evaluation.judge_report import JudgeReport, judge_report
from analysis.meta_evaluation.judges import Verdict
from analysis.meta_evaluation.people import People
from analysis.meta_evaluation.verdict_files import has_verdicts, verdicts_of_rows
from analysis.report.layout.judge_tables import judge_tables
from analysis.report.layout.metric_tables import powered_table, worth_table
from analysis.report.metric_section import powered_estimates
from analysis.table import JudgementTable
from analysis.text_metrics.score_files import MetricScores, read_scores, scores_of_rows

# --- judges --------------------------------------------------------------------------------------


def add_judge_options(parser: argparse.ArgumentParser) -> None:
    """Options of a judge next to people."""
    parser.add_argument(
        "verdicts",
        metavar="FILE",
        help="pairwise verdicts (judge, item, first, second, winner) or scores on the raters' "
        "scale (system, item, metric, score)",
    )
    parser.add_argument(
        "--judges", type=names, metavar="A,B", help="which of the file's (default: all)"
    )
    parser.add_argument(
        "--own", type=names, default=(), metavar="A,B", help="systems of the judge's own model"
    )
    parser.add_argument(
        "--outputs", metavar="FILE.csv", help="system, item, output: for the lengths of outputs"
    )
    parser.add_argument(
        "--epsilon",
        type=float,
        default=0.1,
        help="what raters may be better by: .1 for crowds, .15 skilled, .2 experts (default .1)",
    )
    parser.add_argument(
        "--low-judgements-are-better", action="store_true", help="low values are good judgements"
    )


def run_judge(judgements: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Agreement, preferences, calibration and the alternative-annotator test of judges."""
    part = counted_judgements(judgements, options)
    people = People.from_table(part, lower_is_better=options.low_judgements_are_better)
    lengths = _lengths(options)
    found, sha256 = _judges(people, options, lengths)
    hashes = {"verdicts": sha256[:16]}
    if lengths:
        listed = json.dumps(sorted((*place, length) for place, length in lengths.items()))
        hashes["lengths"] = hashlib.sha256(listed.encode()).hexdigest()[:16]
    decided_by = ("epsilon", "own", "low_judgements_are_better")
    line = signature_of("judge", judgements, options, decided_by, **hashes)
    tables = tuple(judge_tables(found))
    notes = dict.fromkeys(sentence for each in found for sentence in each.sentences)
    return Outcome(
        document={"judges": [asdict(each) for each in found], "signature": line},
        tables=tables,
        notes=(*notes, line),
    )


def _judges(
    people: People, options: argparse.Namespace, lengths: Mapping[tuple[str, str], float]
) -> tuple[list[JudgeReport], str]:
    rows = read_rows(options.verdicts)
    answers: dict[str, Sequence[Verdict] | MetricScores]
    if has_verdicts(rows.header):
        verdicts = verdicts_of_rows(rows)
        answers, sha256 = {**verdicts}, Compared(None, verdicts).sha256
    else:
        scores = scores_of_rows(rows)
        answers, sha256 = dict.fromkeys(scores.metrics, scores), scores.sha256
    found = [
        judge_report(
            people, name, answers[name], lengths=lengths, own=options.own,
            epsilon=options.epsilon, alpha=options.alpha,
        )
        for name in _chosen("judge", options.judges, list(answers))
    ]  # fmt: skip
    return found, sha256


def _chosen(what: str, names: Sequence[str] | None, known: Sequence[str]) -> list[str]:
    """Return the names of an option; without it, all that the file has."""
    listed = ", ".join(known)
    problems = [
        f"There is no {what} {each!r}: {listed}." for each in names or () if each not in known
    ]
    if problems:
        raise OptionsError(problems)
    return list(names or known)


def _lengths(options: argparse.Namespace) -> dict[tuple[str, str], float]:
    if not options.outputs:
        return {}
    rows = read_rows(options.outputs)
    rows.require(("system", "item", "output"))
    rows.refuse()
    return {(row["system"], row["item"]): float(len(row["output"])) for _, row in rows}


# --- prediction-powered estimates ----------------------------------------------------------------


DECIDES_ESTIMATES = ("z", "log", "item_groups", "low_judgements_are_better")


def add_predict_options(parser: argparse.ArgumentParser) -> None:
    """Options of estimates that use a metric."""
    parser.add_argument(
        "scores", metavar="SCORES", help="scores of all outputs, as `metrics` reads"
    )
    parser.add_argument(
        "--metrics", type=names, metavar="A,B", help="which of the file's (default: all)"
    )
    parser.add_argument(
        "--price", type=float, default=0.0, help="what a judgement by a person costs"
    )
    parser.add_argument(
        "--low-judgements-are-better", action="store_true", help="low values are good judgements"
    )
    parser.add_argument(
        "--item-groups",
        default="",
        metavar="FACTOR",
        help="cluster errors by these groups of items (such as documents), not by items",
    )
    add_transformations(parser)


def run_predict(judgements: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Means of systems from judgements of some outputs and a metric of all of them."""
    scores = read_scores(options.scores)
    chosen = scores.of(_chosen("metric", options.metrics, scores.metrics))
    part = transformed(counted_judgements(judgements, options), options)
    found = list(
        powered_estimates(
            People.from_table(
                part,
                lower_is_better=options.low_judgements_are_better,
                item_groups=options.item_groups,
            ),
            chosen or scores,
            alpha=options.alpha,
            price=options.price,
            sha256=judgements.sha256,
            stated=stated_options(judgements, options, DECIDES_ESTIMATES),
        )
    )
    known = [each for each in found if each.estimates]
    tables = (*((worth_table(known),) if known else ()), *map(powered_table, known))
    refused = [f"{each.metric}: {each.reason}" for each in found if each.reason]
    return Outcome(
        document={"estimates": [asdict(each) for each in found]},
        tables=tables,
        notes=(*refused, *(each.signature for each in known)),
    )
