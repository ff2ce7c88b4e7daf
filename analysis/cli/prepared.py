"""Options, values and signature shared by the commands about values."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from analysis.cli.shared import chosen_criterion, counted_judgements
from analysis.errors import OptionsError, Undefined
from analysis.scales.outliers import log_magnitudes, treat_outliers, width_problems, z_by_rater
from analysis.signature import signature
from analysis.table import JudgementTable


def add_value_options(parser: argparse.ArgumentParser) -> None:
    """Options of how the values are prepared."""
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


def add_transformations(parser: argparse.ArgumentParser) -> None:
    """Options of what happens to values before they are compared with metrics."""
    parser.add_argument("--z", action="store_true", help="standardise within each rater first")
    parser.add_argument("--log", action="store_true", help="analyse logarithms of magnitudes")


def transformed(part: JudgementTable, options: argparse.Namespace) -> JudgementTable:
    """Return the values after logarithm and standardisation, in this order."""
    if options.log:
        part = replace(part, value=log_magnitudes(part.value))
    if options.z:
        values, varies = z_by_rater(part.value, part.rater.codes)
        part = replace(part, value=values).rows(varies)
    return part


def prepared(table: JudgementTable, options: argparse.Namespace) -> JudgementTable:
    """Prepare the criterion's values: outliers, logarithm, standardisation, in this order."""
    part = counted_judgements(table, options)
    check_width(options)
    treated = treat_outliers(part.value, options.outliers, options.width)
    part = transformed(replace(part.rows(treated.kept), value=treated.values), options)
    if not len(part):
        raise Undefined("No judgement is left to analyse.")
    return part


def check_width(options: argparse.Namespace) -> None:
    """Refuse a width that cannot tell outliers from other values."""
    if problems := width_problems("--width", options.width):
        raise OptionsError(problems)


def signature_of(
    command: str,
    table: JudgementTable,
    options: argparse.Namespace,
    names: Sequence[str],
    **more: object,
) -> str:
    """Return the command with the options that were given, and the hash of its judgements."""
    stated = stated_options(table, options, names) | more
    return signature(command, stated, sha256=table.sha256)


def stated_options(
    table: JudgementTable, options: argparse.Namespace, names: Sequence[str]
) -> dict[str, object]:
    """Return the options that decide a number, those that were given."""
    criterion = chosen_criterion(table, options)
    return given_options(options, (*names, "alpha")) | {"criterion": criterion}


def given_options(options: argparse.Namespace, names: Sequence[str]) -> dict[str, object]:
    """Return these options and the raters that were left out, as far as they were given."""
    stated = {name: getattr(options, name) for name in names}
    stated |= {"exclude": sorted(options.exclude_raters)}
    return {name: each for name, each in stated.items() if each not in (False, [], (), None, "")}


VALUE_NAMES = ("outliers", "width", "log", "z")
