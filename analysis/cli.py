"""The command line: `python -m analysis COMMAND FILE [options]`."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from analysis import cli_scales
from analysis.errors import AnalysisError, OptionsError
from analysis.outcome import Grid, Outcome, as_csv, as_json, as_text
from analysis.signature import VERSION, signature
from analysis.table import FORMATS, REQUIRED_COLUMNS, JudgementTable, read_table

if TYPE_CHECKING:
    from analysis.power import CampaignPlan

PLOT_FORMATS = (".svg", ".pdf", ".png")
BAD_INPUT = 2


@dataclass(frozen=True)
class Command:
    """A command: one line of help, its function, and the options that only it takes."""

    help: str
    run: Callable[[JudgementTable, argparse.Namespace], Outcome]
    add_options: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    needs_file: bool = True


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 2 for bad input, whose every fault is printed."""
    options = _parser().parse_args(arguments)
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
    print(text)
    return 0


def _judgements(options: argparse.Namespace) -> JudgementTable:
    if options.file is None:
        return JudgementTable.from_columns({name: [] for name in REQUIRED_COLUMNS})
    return read_table(options.file, options.format, shared=options.shared)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m analysis", description="Statistics of human evaluation."
    )
    parser.add_argument("--version", action="version", version=VERSION)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        one = commands.add_parser(name, help=command.help, description=command.help)
        _add_shared_options(one, file_count=None if command.needs_file else "?")
        command.add_options(one)
    return parser


def _add_shared_options(parser: argparse.ArgumentParser, file_count: str | None) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs=file_count, help="judgements, a bundle, or - (standard input)"
    )
    parser.add_argument(
        "--format", choices=FORMATS, help="what FILE is (default: its content says)"
    )
    parser.add_argument(
        "--shared", metavar="SEPARATOR", help='a system "A,B" is one text of two systems'
    )
    parser.add_argument("--criterion", help="the criterion (default: the only one)")
    parser.add_argument("--seed", type=int, default=1, help="seed of everything random (default 1)")
    parser.add_argument("--alpha", type=float, default=0.05, help="1 − confidence (default 0.05)")
    parser.add_argument(
        "--exclude-raters", type=_names, default=(), metavar="A,B", help="raters to leave out"
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print JSON")
    shape.add_argument("--latex", action="store_true", help="print a LaTeX table (booktabs)")
    shape.add_argument("--csv", action="store_true", help="print CSV")
    parser.add_argument("--plot", metavar="FILE", help="draw into FILE.svg, .pdf or .png")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _check(options: argparse.Namespace) -> None:
    faults = []
    if not 0 < options.alpha < 1:
        faults.append(f"--alpha is {options.alpha}, but must lie between 0 and 1.")
    if options.plot and Path(options.plot).suffix not in PLOT_FORMATS:
        faults.append(f"--plot {options.plot}: the name must end in {', '.join(PLOT_FORMATS)}.")
    if faults:
        raise OptionsError(faults)


def _shape(outcome: Outcome, options: argparse.Namespace) -> str:
    if options.json:
        return as_json(outcome)
    if options.csv:
        return as_csv(outcome)
    if options.latex:
        if outcome.latex is None:
            raise OptionsError([f"{options.command} has no LaTeX table."])
        return outcome.latex()
    return as_text(outcome)


def _plot(outcome: Outcome, path: Path) -> None:
    if outcome.plot is None:
        raise OptionsError(["This command has nothing to plot."])
    outcome.plot(path)


def counted_judgements(table: JudgementTable, options: argparse.Namespace) -> JudgementTable:
    """The judgements that count, on the chosen criterion (or the only one)."""
    table = table.counted().without_raters(options.exclude_raters)
    return table.for_criterion(chosen_criterion(table, options))


def chosen_criterion(table: JudgementTable, options: argparse.Namespace) -> str:
    """The criterion of `--criterion`; without the option, the only one there is."""
    if options.criterion is not None:
        return str(options.criterion)
    if len(table.criterion.labels) != 1:
        known = ", ".join(table.criterion.labels) or "none"
        raise OptionsError([f"Choose one with --criterion; the judgements have: {known}."])
    return table.criterion.labels[0]


# --- clusters ------------------------------------------------------------------------------


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    from analysis.clusters import METHODS, SCHEMES

    parser.add_argument("--method", choices=METHODS, default="wmt", help="how a run ranks")
    parser.add_argument("--runs", type=int, default=200, help="number of runs (default 200)")
    parser.add_argument(
        "--resample", choices=SCHEMES, default="none", help="what is drawn anew before each run"
    )
    parser.add_argument("--threads", type=int, help="default: one for each core")
    _add_direction_option(parser)


def _add_direction_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lower-is-better", action="store_true", help="the lower value wins, as with ranks"
    )


def run_clusters(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Rank the systems in clusters (`--method`, `--runs`, `--resample`)."""
    from analysis.clusters import RankingOptions, compute_draws, ranking_from_draws, ranking_job
    from analysis.latex import clusters_table
    from analysis.plots import rank_ranges, save

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
    job = ranking_job(table, criterion, ranking_options)
    with ProgressBar() as progress:
        draws = compute_draws([job], threads=options.threads, progress=progress.show)[job.key]
    ranking = ranking_from_draws(job, draws, alpha=options.alpha, exclude=options.exclude_raters)
    rows = tuple(
        (row.cluster, row.system, row.mean, _span(row.rank_low, row.rank_high), row.cut_share)
        for row in ranking.systems
    )
    header = ("cluster", "system", "mean", "rank", "cut share")
    title = f"{criterion}: {ranking.comparisons} comparisons"
    return Outcome(
        document=asdict(ranking),
        grids=(Grid(title, header, rows),),
        notes=(*_ranking_notes(options.resample, ranking.unmet), ranking.signature),
        latex=lambda: clusters_table({criterion: ranking}),
        plot=lambda path: save(rank_ranges(ranking, criterion), path),
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


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


# --- Bradley–Terry -------------------------------------------------------------------------


def _add_bradley_terry_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--ties", choices=("davidson", "half"), default="davidson")
    parser.add_argument(
        "--cluster",
        choices=("none", "rater", "item", "both"),
        default="both",
        help="whose judgements depend on each other",
    )
    _add_direction_option(parser)


def run_bradley_terry(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Fit Bradley–Terry and compare all pairs of systems simultaneously."""
    from analysis.bradley_terry import bradley_terry
    from analysis.latex import strengths_table
    from analysis.pairs import pairs_from_table

    judgements = counted_judgements(table, options)
    pairs = pairs_from_table(judgements, lower_is_better=options.lower_is_better)
    result = bradley_terry(
        pairs, ties=options.ties, cluster=options.cluster, alpha=options.alpha, seed=options.seed
    )
    stated = {name: getattr(options, name) for name in ("ties", "cluster", "alpha", "seed")}
    stated |= {"criterion": chosen_criterion(table, options)}
    stated |= {"exclude": sorted(options.exclude_raters)}
    stated |= {"lower": "better"} if options.lower_is_better else {}
    line = signature("bradley-terry", stated, sha256=table.sha256)
    strengths = tuple(
        (
            row.cluster,
            row.system,
            row.ability,
            row.standard_error,
            _span(row.rank_low, row.rank_high),
        )
        for row in result.systems
    )
    differences = tuple(
        (row.a, row.b, row.difference, row.low, row.high, row.p) for row in result.pairs
    )
    return Outcome(
        document={**asdict(result), "signature": line},
        grids=(
            Grid("Strengths", ("cluster", "system", "ability", "error", "rank"), strengths),
            Grid("Differences", ("a", "b", "difference", "low", "high", "p"), differences),
        ),
        notes=("All intervals hold together; p is adjusted for all pairs.", line),
        latex=lambda: strengths_table(result),
    )


# --- power ---------------------------------------------------------------------------------

POWER_METHODS = ("raters", "paper", "bradley-terry")
POWER_NOTE = (
    "found: share of truly different pairs that clusters set apart; right: chance that the "
    "clusters are exactly the groups of equal systems; wrong: chance that a boundary puts some "
    "pair in the wrong order; covered: share of true ranks inside their range; width: ranks in it."
)
PLAN_OPTIONS: tuple[tuple[str, Callable[[str], float], str], ...] = (
    ("shown", int, "outputs on a screen"),
    ("raters", int, "number of raters"),
    ("effective-raters", float, "how many, had all worked equally"),
    ("items", int, "number of items"),
    ("rater-spread", float, "raters' own likings of systems, in units of a judgement's scatter"),
    ("item-spread", float, "how differently systems do on different items, likewise"),
    ("tie-share", float, "share of comparisons that tie"),
)


def _add_power_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--screens", type=_integers, required=True, metavar="N,M", help="sizes")
    parser.add_argument(
        "--effects", type=_numbers, metavar="X,Y", help="the systems' abilities, without a pilot"
    )
    for name, kind, text in PLAN_OPTIONS:
        parser.add_argument(f"--{name}", type=kind, help=text)
    parser.add_argument("--price", type=float, help="what a screen costs")
    parser.add_argument("--campaigns", type=int, default=100, help="simulated (default 100)")
    parser.add_argument("--runs", type=int, default=200, help="runs of one analysis (default 200)")
    parser.add_argument(
        "--method",
        choices=POWER_METHODS,
        default="raters",
        help="clusters after drawing raters, as published (paper), or simultaneous intervals",
    )


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split(","))


def _integers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(","))


def run_power(table: JudgementTable, options: argparse.Namespace) -> Outcome:
    """Simulate campaigns of several sizes, from a pilot (FILE) or from --effects."""
    from analysis import power

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
    header = ("screens", "judgements", "cost", "found", "right", "wrong", "covered", "width")
    rows = tuple(tuple(getattr(row, name) for name in header) for row in results)
    sizes = [asdict(row) for row in results]
    return Outcome(
        document={"plan": asdict(plan), "sizes": sizes, "signature": line},
        grids=(Grid(f"{options.campaigns} simulated campaigns a size", header, rows),),
        notes=(POWER_NOTE, line),
    )


def _campaign_plan(table: JudgementTable, options: argparse.Namespace) -> "CampaignPlan":
    """The pilot's plan, or one for --effects; what is said on the command line goes first."""
    from analysis.power import CampaignPlan, plan_from_pilot

    names = [name.replace("-", "_") for name, _, _ in PLAN_OPTIONS]
    said = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    if bool(len(table)) == (options.effects is not None):
        raise OptionsError(["Give a pilot's judgements (FILE) or --effects, one of the two."])
    if options.effects is not None:
        said.setdefault("shown", min(5, len(options.effects)))
        return CampaignPlan(abilities=options.effects, screens=max(options.screens), **said)
    pilot = counted_judgements(table, options)
    return replace(plan_from_pilot(pilot, max(options.screens), seed=options.seed), **said)


# --- the terminal --------------------------------------------------------------------------


class ProgressBar:
    """A bar on standard error while somebody watches, else nothing."""

    def __enter__(self) -> "ProgressBar":
        from tqdm import tqdm

        self.bar = tqdm(total=100, unit="%", leave=False, disable=not sys.stderr.isatty())
        return self

    def show(self, share: float) -> None:
        """Set the bar to the share that is done, 0 to 1."""
        self.bar.update(round(100 * share) - self.bar.n)

    def __exit__(self, *failure: object) -> None:
        self.bar.close()


COMMANDS: dict[str, Command] = {
    "clusters": Command("Rank systems in clusters.", run_clusters, _add_run_options),
    "bradley-terry": Command(
        "Compare all pairs of systems simultaneously.",
        run_bradley_terry,
        _add_bradley_terry_options,
    ),
    "power": Command(
        "Plan a campaign: what its analysis would find.",
        run_power,
        _add_power_options,
        needs_file=False,
    ),
    "anova": Command("Analysis of variance.", cli_scales.run_anova, cli_scales.add_model_options),
    "tukey": Command(
        "Compare all pairs of systems, with letters and homogeneous subsets.",
        cli_scales.run_tukey,
        cli_scales.add_model_options,
    ),
    "kruskal": Command(
        "Tests on ranks: Kruskal–Wallis, Dunn, Friedman, Wilcoxon.",
        cli_scales.run_kruskal,
        cli_scales.add_value_options,
    ),
    "mixed": Command(
        "Mixed model with random raters and items.",
        cli_scales.run_mixed,
        cli_scales.add_mixed_options,
    ),
    "agreement": Command(
        "Agreement of raters.", cli_scales.run_agreement, cli_scales.add_agreement_options
    ),
    "correlations": Command(
        "Correlations between criteria.",
        cli_scales.run_correlations,
        cli_scales.add_correlation_options,
    ),
    "outliers": Command(
        "Count outlying values.", cli_scales.run_outliers, cli_scales.add_outlier_options
    ),
    "raters": Command("What each rater did.", cli_scales.run_raters),
    "report": Command(
        "Every criterion: the paper's table and the referee's.",
        cli_scales.run_report,
        cli_scales.add_report_options,
    ),
}
