"""What each method can claim: wrong claims and coverage in simulated campaigns.

Run: python benchmarks/ranking_coverage.py [--campaigns 200] [--runs 200] [--scenario dependent]

A campaign is like the E2E challenge's quality judgements (Dušek, Novikova & Rieser 2020): 21
systems, 2,979 screens of five outputs, 112 raters whose unequal shares of the work equal 33.3
raters with equal shares, 630 items, half of the comparisons tie. Abilities and dependence are those
that `plan_from_pilot` measures in the released judgements, abilities rounded to one decimal so that
some systems are truly equal. `boundary`: campaigns in which a cluster boundary puts a pair in the
wrong order or separates equal systems. `claim`: the same for any claim about a pair (methods that
compare pairs). `covered`: true ranks that lie in their range. `found`: truly different pairs told
apart.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from analysis import JudgementTable  # noqa: E402
from analysis.ranking.bradley_terry import bradley_terry  # noqa: E402
from analysis.ranking.pairs import pairs_from_table  # noqa: E402
from analysis.ranking.power import Claim, by_clusters, score  # noqa: E402
from analysis.ranking.rank_ranges import cluster_ends  # noqa: E402
from analysis.ranking.simulated_campaigns import CampaignPlan, simulated_campaign, system_names  # noqa: E402
from analysis.scales.clustered import clustered_comparison  # noqa: E402
from analysis.scales.tukey_hsd import tukey  # noqa: E402

E2E_ABILITIES = (
    *(-0.4, -1.1, 0.5, 0.0, -0.3, 0.5, -0.1, 0.1, -0.1, -1.1, 0.7),
    *(0.4, 0.4, 0.2, 0.1, -0.4, -0.2, 0.8, -0.5, 0.0, 0.3),
)
DEPENDENT = CampaignPlan(
    abilities=E2E_ABILITIES,
    screens=2979,
    shown=5,
    raters=112,
    effective_raters=33.3,
    items=630,
    rater_spread=0.56,
    item_spread=0.70,
    tie_share=0.50,
)
INDEPENDENT = replace(DEPENDENT, rater_spread=0.0, item_spread=0.0)
EQUAL = replace(DEPENDENT, abilities=(0.0,) * 21)
SCENARIOS = {"independent": INDEPENDENT, "dependent": DEPENDENT, "all equal, dependent": EQUAL}


@dataclass(frozen=True)
class Verdict:
    """One analysis of one campaign; `claim` is None for methods that do not compare pairs."""

    boundary: bool
    claim: bool | None
    covered: float
    found: float


Method = Callable[[CampaignPlan, JudgementTable, int], Verdict]


def clusters_method(method: str, resample: str, runs: int) -> Method:
    analyse = by_clusters(method, resample, runs)

    def judge(plan: CampaignPlan, table: JudgementTable, campaign: int) -> Verdict:
        found = score(plan.abilities, analyse(table, campaign))
        return Verdict(found.wrong, None, found.covered, found.found)

    return judge


def simultaneous_method(generality: str) -> Method:
    def judge(plan: CampaignPlan, table: JudgementTable, campaign: int) -> Verdict:
        result = bradley_terry(pairs_from_table(table), generality=generality)
        means = {row.system: row.ability for row in result.systems}
        surely = {(row.a, row.b) for row in result.pairs if row.p < 0.05}
        return pairwise_verdict(plan, means, surely)

    return judge


def tukey_method(plan: CampaignPlan, table: JudgementTable, campaign: int) -> Verdict:
    """One-way analysis of variance of the values, every judgement treated as independent."""
    sizes = np.bincount(table.system.codes)
    means = np.bincount(table.system.codes, table.value) / sizes
    residual = float(np.sum((table.value - means[table.system.codes]) ** 2))
    df = len(table) - len(sizes)
    result = tukey(table.system.labels, means, sizes, residual / df, df)
    surely = {(row.a, row.b) for row in result.pairs if row.p < 0.05}
    return pairwise_verdict(plan, dict(zip(table.system.labels, means, strict=True)), surely)


def clustered_method(plan: CampaignPlan, table: JudgementTable, campaign: int) -> Verdict:
    result = clustered_comparison(
        table.value,
        table.system.codes,
        table.system.labels,
        table.rater.codes,
        table.item.codes,
    )
    sizes = np.bincount(table.system.codes)
    means = np.bincount(table.system.codes, table.value) / sizes
    surely = {(row.a, row.b) for row in result.contrasts if row.p < 0.05}
    return pairwise_verdict(plan, dict(zip(table.system.labels, means, strict=True)), surely)


def pairwise_verdict(
    plan: CampaignPlan, means: dict[str, float], surely: set[tuple[str, str]]
) -> Verdict:
    """Hold claims about pairs against the truth; rank sets and clusters follow from them."""
    names = system_names(len(plan.abilities))
    truth = dict(zip(names, plan.abilities, strict=True))
    order = sorted(names, key=lambda name: -means[name])
    better = {(a, b) if means[a] > means[b] else (b, a) for a, b in surely}
    low = np.array([1 + sum((other, name) in better for other in names) for name in order])
    high = np.array([21 - sum((name, other) in better for other in names) for name in order])
    cluster = 1 + np.r_[0, np.cumsum(cluster_ends(low, high)[:-1])]
    claims = [
        Claim(name, int(low[k]), int(high[k]), int(cluster[k])) for k, name in enumerate(order)
    ]
    by_cluster = score(plan.abilities, claims)
    different = sum(truth[a] > truth[b] for a in names for b in names)
    right = sum(truth[a] > truth[b] for a, b in better)
    wrong = right < len(better)
    return Verdict(by_cluster.wrong, wrong, by_cluster.covered, right / max(different, 1))


def methods(runs: int) -> dict[str, Method]:
    resampled = ("none", "pairs", "screens", "items", "raters", "raters-items")
    return {
        **{f"TrueSkill, {name}": clusters_method("wmt", name, runs) for name in resampled},
        "Bradley–Terry, raters": clusters_method("bradley-terry", "raters", runs),
        **{
            f"Bradley–Terry, simultaneous, {name}": simultaneous_method(name)
            for name in ("raters", "both")
        },
        "Tukey HSD on values": tukey_method,
        "means, clustered by rater and item": clustered_method,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=200)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenario", choices=SCENARIOS, help="default: all")
    options = parser.parse_args()
    for scenario in [options.scenario] if options.scenario else SCENARIOS:
        plan = SCENARIOS[scenario]
        begun = time.perf_counter()
        verdicts: dict[str, list[Verdict]] = {name: [] for name in methods(options.runs)}
        for campaign in range(options.campaigns):
            table = simulated_campaign(plan, seed=options.seed, campaign=campaign)
            for name, judge in methods(options.runs).items():
                verdicts[name].append(judge(plan, table, campaign))
        print_scenario(scenario, verdicts, time.perf_counter() - begun)


def print_scenario(scenario: str, verdicts: dict[str, list[Verdict]], seconds: float) -> None:
    """A table of one scenario; ± is the simulation's own standard error."""
    campaigns = len(next(iter(verdicts.values())))
    print(f"\n## {scenario} ({campaigns} campaigns, {seconds:.0f} s)\n")
    print("| method | boundary | claim | covered | found |\n|---|---|---|---|---|")
    for name, rows in verdicts.items():
        claim = "–" if rows[0].claim is None else share([bool(row.claim) for row in rows])
        covered = np.mean([row.covered for row in rows])
        found = np.mean([row.found for row in rows])
        boundary = share([row.boundary for row in rows])
        print(f"| {name} | {boundary} | {claim} | {covered:.3f} | {found:.2f} |", flush=True)


def share(happened: list[bool]) -> str:
    chance = float(np.mean(happened))
    return f"{chance:.3f} ± {np.sqrt(chance * (1 - chance) / len(happened)):.3f}"


if __name__ == "__main__":
    main()
