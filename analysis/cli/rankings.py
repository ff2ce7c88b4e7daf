"""Commands of `python -m analysis` about rankings: clusters, Bradley–Terry, power."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from analysis.cli.outcome import Outcome
from analysis.cli.shared import ProgressBar, chosen_criterion, counted_judgements
from analysis.errors import OptionsError
from analysis.inference import GENERALITIES, beyond
from analysis.ranking import power
from analysis.ranking.arena import arena_score, arena_strengths, read_votes
from analysis.ranking.bradley_terry import INDEPENDENT, TIES, bradley_terry
from analysis.ranking.clusters import (
    METHODS,
    SCHEMES,
    RankingOptions,
    compute_draws,
    ranking_from_draws,
    resampling_of,
)
from analysis.ranking.pairs import pairs_from_table
from analysis.ranking.power import plan_from_pilot
from analysis.ranking.simulated_campaigns import CampaignPlan
from analysis.report.layout.model_tables import pairs_table
from analysis.report.layout.ranking_tables import ranking_table, strength_table
from analysis.report.layout.table_model import Row, Table, number, whole
from analysis.report.pictures.plots import rank_ranges, save
from analysis.signature import signature
from analysis.table import JudgementTable

# --- clusters ------------------------------------------------------------------------------


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Options of rankings from repeated runs."""
    parser.add_argument("--method", choices=METHODS, default="wmt", help="how a run ranks")
    parser.add_argument("--runs", type=int, default=200, help="number of runs (default 200)")
    parser.add_argument(
        "--resample", choices=SCHEMES, default="none", help="what is resampled before each run"
    )
    parser.add_argument("--threads", type=int, help="default: one for each core")
    _add_direction_option(parser)


def _add_direction_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lower-is-better", action="store_true", help="the lower value wins, as with ranks"
    )


def run_clusters(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Rank the systems in clusters (`--method`, `--runs`, `--resample`)."""
    criterion = chosen_criterion(table, options)
    ranking_options = RankingOptions(
        seed=options.seed,
        runs=options.runs,
        method=options.method,
        resample=(options.resample,),
        alpha=options.alpha,
        exclude_raters=options.exclude_raters,
        lower_is_better=(criterion,) if options.lower_is_better else (),
    )
    resampling = resampling_of(table, criterion, ranking_options)
    with ProgressBar() as progress:
        draws = compute_draws([resampling], threads=options.threads, progress=progress.show)[
            resampling.key
        ]
    ranking = ranking_from_draws(
        resampling, draws, alpha=options.alpha, exclude=options.exclude_raters
    )
    shown = ranking_table(ranking, options.resample)
    shares = [Row((*row.cells, each.cut_share), row.begins)
              for row, each in zip(shown.rows, ranking.systems, strict=True)]  # fmt: skip
    shown = replace(
        shown,
        caption=f"{criterion}: {ranking.comparisons} comparisons",
        columns=(*shown.columns, number("Cut share")),
        rows=tuple(shares),
    )
    return Outcome(
        document=asdict(ranking),
        tables=(shown,),
        notes=(*_ranking_notes(options.resample, ranking.unmet), ranking.signature),
        plot=lambda path: save(rank_ranges(ranking), path),
    )


def _ranking_notes(resample: str, unmet: Sequence[tuple[str, str]]) -> list[str]:
    notes = ["cut share: in how many of the repeated draws of these runs a cluster ends there."]
    if resample == "none":
        notes.append(
            "Rank ranges show how far the runs scatter, as published in this field; "
            "they do not allow for other raters or items: see --resample raters."
        )
    if unmet:
        named = "; ".join(f"{a} and {b}" for a, b in unmet)
        notes.append(f"Never compared side by side: {named}.")
    return notes


# --- Bradley–Terry -------------------------------------------------------------------------


def add_bradley_terry_options(parser: argparse.ArgumentParser) -> None:
    """Options of the Bradley–Terry model."""
    parser.add_argument("--ties", choices=("davidson", "half"), default="davidson")
    parser.add_argument(
        "--generality",
        choices=(*GENERALITIES, INDEPENDENT),
        default="both",
        help="what claims are about: new raters, new items, or both; none: take all judgements as "
        "independent",
    )
    _add_direction_option(parser)


def run_bradley_terry(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Fit Bradley–Terry and compare all pairs of systems simultaneously."""
    judgements = counted_judgements(table, options)
    pairs = pairs_from_table(judgements, lower_is_better=options.lower_is_better)
    result = bradley_terry(
        pairs, ties=options.ties, generality=options.generality, alpha=options.alpha
    )
    stated = {name: getattr(options, name) for name in ("ties", "generality", "alpha")}
    stated |= {"criterion": chosen_criterion(table, options)}
    stated |= {"exclude": sorted(options.exclude_raters)}
    stated |= {"lower": "better"} if options.lower_is_better else {}
    line = signature("bradley-terry", stated, sha256=table.sha256)
    strengths = strength_table(result)
    return Outcome(
        document={**asdict(result), "signature": line},
        tables=(strengths, pairs_table("differences", "Differences", result.pairs)),
        notes=("The intervals are simultaneous; p is adjusted for all pairs.", line),
    )


# --- arenas --------------------------------------------------------------------------------


def add_arena_options(parser: argparse.ArgumentParser) -> None:
    """Options of rankings by votes."""
    parser.add_argument("--ties", choices=TIES, default="half", help="default: half a win for each")
    parser.add_argument(
        "--alpha", type=float, default=0.05, help="1 − confidence of all pairs together"
    )


def run_arena(_: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Rank the models of an arena by its votes."""
    votes = read_votes(sys.stdin.buffer if options.file == "-" else options.file)
    found = arena_strengths(votes, ties=options.ties, alpha=options.alpha)
    shown = strength_table(found)
    shown = replace(
        shown,
        caption=f"{found.comparisons:,} votes",
        columns=(*shown.columns, number("Score", 1)),
        rows=tuple(
            Row((*row.cells, arena_score(each.ability)), row.begins)
            for row, each in zip(shown.rows, found.systems, strict=True)
        ),
    )
    judged = (
        f"Errors are clustered by {len(votes.pairs.raters):,} judges. Ranks hold for all models "
        f"together, {beyond('raters')}."
        if votes.has_judges
        else "There is no column judge: errors take votes as independent, and are too small where "
        "one judge gives several."
    )
    systems = [asdict(each) | {"score": arena_score(each.ability)} for each in found.systems]
    return Outcome(
        document={**asdict(found), "systems": systems},
        tables=(shown,),
        notes=(judged, "The score is 1000 + 400 log₁₀ of the odds, as arenas print it."),
    )


# --- power ---------------------------------------------------------------------------------

POWER_METHODS = ("raters", "paper", "bradley-terry")
POWER_NOTE = (
    "found: share of truly different pairs that clusters set apart; right: chance that the "
    "clusters are exactly the groups of equal systems; wrong: chance that a boundary puts some "
    "pair in the wrong order; covered: share of true ranks inside their range; width: ranks in it."
)
POWER_COLUMNS = (
    whole("screens"),
    whole("judgements"),
    number("cost", 2),
    *(number(title) for title in ("found", "right", "wrong", "covered", "width")),
)
PLAN_OPTIONS: tuple[tuple[str, Callable[[str], float], str], ...] = (
    ("shown", int, "outputs per screen"),
    ("raters", int, "number of raters"),
    ("effective-raters", float, "how many there would be if all had worked equally"),
    ("items", int, "number of items"),
    (
        "rater-spread",
        float,
        "spread of raters' preferences for systems, in units of a judgement's scatter",
    ),
    ("item-spread", float, "spread of systems' quality across items, in the same units"),
    ("tie-share", float, "share of comparisons that are ties"),
)


def add_power_options(parser: argparse.ArgumentParser) -> None:
    """Options of planning."""
    parser.add_argument("--screens", type=_integers, required=True, metavar="N,M", help="sizes")
    parser.add_argument(
        "--effects",
        type=_numbers,
        metavar="X,Y",
        help="the systems' abilities, if there is no pilot",
    )
    for name, kind, text in PLAN_OPTIONS:
        parser.add_argument(f"--{name}", type=kind, help=text)
    parser.add_argument("--price", type=float, help="cost per screen")
    parser.add_argument("--campaigns", type=int, default=100, help="simulated (default 100)")
    parser.add_argument("--runs", type=int, default=200, help="runs of one analysis (default 200)")
    parser.add_argument(
        "--method",
        choices=POWER_METHODS,
        default="raters",
        help="clusters after resampling raters, as published (paper), or simultaneous intervals",
    )


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split(","))


def _integers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


def run_power(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Simulate campaigns of several sizes, from a pilot (FILE) or from --effects."""
    if options.campaigns < 1:
        raise OptionsError([f"--campaigns is {options.campaigns}; simulate at least one."])
    plan = _campaign_plan(table, options)
    analyses = {
        "raters": power.by_clusters(resample="raters", runs=options.runs),
        "paper": power.by_clusters(runs=options.runs),
        "bradley-terry": power.by_simultaneous_intervals(),
    }
    with ProgressBar() as progress:
        results = power.power(
            power.with_screens(plan, options.screens),
            analyses[options.method],
            seed=options.seed,
            campaigns=options.campaigns,
            price=options.price,
            progress=progress.show,
        )
    stated = {"seed": options.seed, "campaigns": options.campaigns, **asdict(plan)}
    stated |= {"runs": options.runs, "screens": list(options.screens)}
    line = signature(f"power-{options.method}", stated, sha256=table.sha256)
    shown = Table(
        "power",
        f"{options.campaigns} simulated campaigns per size",
        POWER_COLUMNS,
        tuple(Row(tuple(getattr(row, each.title) for each in POWER_COLUMNS)) for row in results),
    )
    sizes = [asdict(row) for row in results]
    return Outcome(
        document={"plan": asdict(plan), "sizes": sizes, "signature": line},
        tables=(shown,),
        notes=(POWER_NOTE, line),
    )


def _campaign_plan(table: JudgementTable, options: argparse.Namespace) -> "CampaignPlan":
    """Return the pilot's plan, or one for --effects; options of the command line win."""
    names = [name.replace("-", "_") for name, _, _ in PLAN_OPTIONS]
    said = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    if bool(len(table)) == (options.effects is not None):
        raise OptionsError(["Give a pilot's judgements (FILE) or --effects, one of the two."])
    if options.effects is not None:
        said.setdefault("shown", min(5, len(options.effects)))
        return CampaignPlan(abilities=options.effects, screens=max(options.screens), **said)
    pilot = counted_judgements(table, options)
    return replace(plan_from_pilot(pilot, max(options.screens), seed=options.seed), **said)
