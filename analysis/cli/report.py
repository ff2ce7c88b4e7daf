"""The command of `python -m analysis` that makes a whole report."""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from analysis.cli.outcome import Outcome
from analysis.cli.shared import ProgressBar, names
from analysis.errors import OptionsError
from analysis.inference import GENERALITIES
from analysis.report.bundle import (
    stored_comparison,
    stored_declined,
    stored_options,
    write_bundle,
)
from analysis.report.declined import DeclinedAnswer, declined_files, recounted
from analysis.report.layout.latex import document
from analysis.report.layout.report_tables import metrics_of, tables_of
from analysis.report.make import make_report
from analysis.report.options import MODELS, ReportOptions
from analysis.report.rendered import rendered_files
from analysis.signature import citation
from analysis.table import JudgementTable


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
    replaced: dict[str, dict[str, Any]] = {
        "--model": {"choices": MODELS, "help": "the analysis of variance"},
        "--factors": {"type": names, "metavar": "A,B", "help": "factors of the model"},
        "--runs": {"type": int, "help": "runs of a ranking (default 200)"},
        "--resample": {
            "type": names,
            "metavar": "A,B",
            "help": "default: none and what claims are about",
        },
        "--generality": {
            "choices": GENERALITIES,
            "help": "what claims are about: new raters, new items, or both (default)",
        },
        "--lower-is-better": {
            "type": names,
            "metavar": "A,B",
            "help": "criteria on which the lower value wins",
        },
        "--item-groups": {
            "metavar": "FACTOR",
            "help": "draw items together that share this factor, such as document",
        },
        "--covariates": {
            "type": names,
            "metavar": "A,B",
            "help": "numeric columns or metrics that a second ranking holds constant",
        },
        "--title": {"help": "heading of the report"},
    }
    for name, settings in replaced.items():
        parser.add_argument(name, default=argparse.SUPPRESS, **settings)
    parser.add_argument("--bundle", metavar="ZIP", help="write the bundle with tables and plots")


def run_report(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Report every criterion: the paper's table next to the one that a referee would ask for."""
    settings = report_settings(options)
    compared = stored_comparison(options.file, settings.as_dict())
    declined, counts = _declined(table, options, settings.exclude_raters)
    with ProgressBar() as progress:
        report = make_report(table, settings, progress=progress.show, compared=compared)
    if options.bundle:
        files = rendered_files(report, declined=counts) | declined_files(declined, counts)
        write_bundle(Path(options.bundle), table, report, settings, files, compared=compared)
    criteria = tables_of(report, declined=counts)
    shown = [
        replace(each.answered, caption=f"{each.name}: {each.answer.sentence}") for each in criteria
    ]
    shown += [
        replace(table, caption=f"{each.name}: {table.caption}")
        for each in criteria
        for table in (*each.paper, *each.honest)
    ]
    shown += [
        replace(table, caption=f"{criterion}: {table.caption}")
        for criterion, tables in metrics_of(report).items()
        for table in tables
    ]
    sentences = [
        f"{each.criterion}: {sentence}" for each in report.criteria for sentence in each.sentences
    ]
    return Outcome(
        document=report.as_dict(),
        tables=tuple(shown),
        notes=(*sentences, *report.sentences, report.signature, citation(report.signature)),
        latex=lambda: document(report, counts),
    )


def _declined(
    table: JudgementTable, options: argparse.Namespace, exclude_raters: Collection[str]
) -> tuple[list[DeclinedAnswer], dict[str, Any]]:
    """Return a bundle's answers of raters who could not judge, and their counts."""
    found = stored_declined(options.file, table, stored_options(options.file)) or []
    return found, recounted(found, table, exclude_raters=exclude_raters)


def report_settings(options: argparse.Namespace) -> Any:
    """Return the options of a file or bundle, with those of the command line on top."""
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
    if options.options:
        try:
            given = json.loads(Path(options.options).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise OptionsError([f"--options {options.options}: {error}."]) from error
        if not isinstance(given, dict):
            raise OptionsError([f"--options {options.options}: it holds no options."])
        return given
    return stored_options(options.file)
