"""The command `python -m analysis plan`: what a campaign of a size finds and costs."""

from __future__ import annotations

import argparse
from dataclasses import asdict, fields

from analysis.cli.outcome import Outcome
from analysis.cli.prepared import given_options
from analysis.cli.shared import counted_judgements
from analysis.errors import OptionsError
from analysis.inference import GENERALITIES
from analysis.planning.budget import Limits, Terms
from analysis.planning.judge_value import JudgeValue, judge_value
from analysis.planning.outlook import Plan, outlook
from analysis.planning.pilots import predicted, read_pilot
from analysis.planning.published import STUDIES, study
from analysis.planning.simulated import simulate
from analysis.planning.sizes import Size, Spreads
from analysis.report.layout.table_model import Column, Row, Table, number, whole
from analysis.signature import signature
from analysis.table import JudgementTable

from .shared import ProgressBar

NOTES = (
    "detectable: the difference of two systems that is found with a power of .80; found: share of "
    "differences that are claimed; order: chance that all systems come in their true order; "
    "boundary: chance of any claim if all systems are equal; stable: chance that a repetition "
    "reverses no pair that was claimed.",
    "Differences are in units of the residual's standard deviation, or of the pilot's scale.",
)
ONE_DIFFERENCE = (
    "A pilot of two systems has one difference, which cannot show how much of it is chance: plan "
    "for the low end. If these systems are closer than systems usually are, the expected share is "
    "too high."
)
NUMBERS = ("detectable", "half_width", "found", "order", "boundary", "stable")
COLUMNS = (
    Column("plan"),
    whole("raters"),
    whole("items"),
    whole("repeats"),
    number("minutes", 0),
    number("hours", 1),
    number("money", 2),
    *(number(name.replace("_", " ")) for name in NUMBERS),
)
# Options that decide a number, beyond the size and its terms.
BEYOND_SIZE = (
    "alpha", "criterion", "money", "most_raters", "most_items", "most_minutes", "simulate",
    "judge_correlation", "judge_cost",
)  # fmt: skip


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    """Options of a plan."""
    for name, kind, text in (
        ("raters", int, "number of raters"),
        ("items", int, "number of items"),
        ("repeats", int, "raters of each output (default 1)"),
        ("systems", int, "number of systems; with a pilot, its own"),
        ("shown", int, "systems on a screen (default: all)"),
        ("money", float, "find the best plan for this sum"),
        ("most-raters", int, "raters of the best plan (default: --raters)"),
        ("most-items", int, "items of the best plan (default: --items)"),
        ("most-minutes", float, "find the best plan for so many minutes of each rater"),
        ("simulate", int, "simulate that many campaigns, too"),
        ("judge-correlation", float, "of a judge's verdicts with single judgements"),
        ("judge-cost", float, "of a verdict, relative to a judgement"),
    ):
        parser.add_argument(f"--{name}", type=kind, help=text)
    parser.add_argument(
        "--coverage", type=float, default=1.0, help="share of the items each system is judged on"
    )
    parser.add_argument("--generality", choices=GENERALITIES, default="both")
    keys = [each.key for each in STUDIES]
    parser.add_argument("--study", choices=keys, help="spreads of a published study")
    parser.add_argument(
        "--spreads",
        metavar="NAME=SD,…",
        help="rater_system, item_system, residual; also item, rater_item, system",
    )
    for field in fields(Terms):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(option, type=float, default=field.default, help="see the docs")


def run_plan(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Describe a plan, the best one for the limits, and what a pilot lets expect."""
    if options.raters is None or options.items is None:
        raise OptionsError(["Say how many --raters and --items the campaign has."])
    pilot = None
    if len(table):
        judgements = counted_judgements(table, options)
        codes = (judgements.system.codes, judgements.rater.codes, judgements.item.codes)
        pilot = read_pilot(judgements.value, *codes)
    spreads = pilot.spreads if pilot else _spreads(options)
    systems = options.systems or (len(pilot.means) if pilot else 2)
    size = Size(options.raters, options.items, options.repeats or 1, systems, options.shown,
                options.generality, options.coverage)  # fmt: skip
    terms = Terms(**{field.name: getattr(options, field.name) for field in fields(Terms)})
    found = outlook(size, spreads, terms, _limits(options), alpha=options.alpha)
    document = asdict(found) | {"spreads": asdict(spreads)}
    rows = [_row("asked", found.plan)] + ([_row("best", found.best)] if found.best else [])
    notes = [*NOTES, *([found.refusal] if found.refusal else [])]
    if pilot:
        expected = predicted(pilot, size, alpha=options.alpha, seed=options.seed)
        document["prediction"] = asdict(expected)
        notes.append(
            f"The pilot lets expect that {expected.found:.2f} of all differences are found "
            f"({expected.low:.2f} to {expected.high:.2f}); its own differences would promise "
            f"{expected.naive:.2f}."
        )
        if len(pilot.means) == 2:
            notes.append(ONE_DIFFERENCE)
    if options.simulate:
        with ProgressBar() as bar:
            simulated = simulate(size, spreads, alpha=options.alpha, campaigns=options.simulate,
                                 seed=options.seed, progress=bar.show)  # fmt: skip
        document["simulated"] = asdict(simulated)
        rows.append(Row(("simulated", size.raters, size.items, size.repeats, None, None, None, None,
                         *(getattr(simulated, name) for name in NUMBERS[1:]))))  # fmt: skip
    if options.judge_correlation is not None or options.judge_cost is not None:
        value = _judge(options)
        document["judge"] = asdict(value)
        notes.append(_about_judge(value))
    stated = {**asdict(size), **asdict(spreads), **asdict(terms)}
    drawn = ("seed",) if pilot or options.simulate else ()
    stated |= given_options(options, (*BEYOND_SIZE, *drawn))
    line = signature("plan", stated, sha256=table.sha256)
    shown = Table("plan", "What a campaign of this size costs and finds", COLUMNS, tuple(rows))
    return Outcome({**document, "signature": line}, (shown,), (*notes, line))


def _judge(options: argparse.Namespace) -> JudgeValue:
    if options.judge_correlation is None or options.judge_cost is None:
        raise OptionsError(["Give both --judge-correlation and --judge-cost."])
    return judge_value(options.judge_correlation, options.judge_cost)


def _about_judge(value: JudgeValue) -> str:
    if not value.pays:
        return (
            "The judge does not pay: at this cost it needs a correlation above "
            f"{value.least_correlation:.2f}."
        )
    return (
        f"The judge pays: an estimate costs {value.cost:.2f} of what it costs with people alone, "
        f"if the judge sees {value.verdicts:.1f} outputs for each that people judge. It saves less "
        "where raters' tastes differ."
    )


def _row(name: str, plan: Plan) -> Row:
    size, cost = plan.size, plan.price
    begin = (name, size.raters, size.items, size.repeats)
    middle = (cost.minutes_of_a_rater, cost.hours, cost.money)
    return Row((*begin, *middle, *(getattr(plan.prospect, each) for each in NUMBERS)))


def _limits(options: argparse.Namespace) -> Limits | None:
    if options.money is None and options.most_minutes is None:
        return None
    return Limits(
        money=options.money,
        raters=options.most_raters or options.raters,
        items=options.most_items or options.items,
        minutes=options.most_minutes,
    )


def _spreads(options: argparse.Namespace) -> Spreads:
    if (options.study is None) == (options.spreads is None):
        raise OptionsError(["Give a pilot's judgements (FILE), --study or --spreads, one of them."])
    if options.study:
        return study(options.study).spreads
    known = [field.name for field in fields(Spreads)]
    given: dict[str, float] = {}
    for part in options.spreads.split(","):
        name, _, number = part.partition("=")
        try:
            given[name.strip()] = float(number)
        except ValueError as error:
            example = f"{part!r}: write a name and a number, such as residual=1."
            raise OptionsError([example]) from error
    unknown = sorted(set(given) - set(known))
    problems = [f"There is no spread {name!r}: {', '.join(known)}." for name in unknown]
    problems += [f"The spread {name} is missing." for name in known[:3] if name not in given]
    if problems:
        raise OptionsError(problems)
    return Spreads(**given)
