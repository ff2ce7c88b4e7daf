"""All ten language pairs of WMT15: our clusters next to the published ones, with deviations.

    python benchmarks/wmt15_clusters.py [--runs 1000]

Needs the published judgements (see tests/analysis/published.py); the reference procedure, 1,000
runs, no resampling, as the shared task made its tables.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    from tests.analysis.published import published

    print("| pair | comparisons | mean, at most | rank bound, at most | clusters | cuts |")
    print("|---|---|---|---|---|---|")
    identical = 0
    everything = published("wmt15")
    for pair, rows in everything["clusters"].items():
        identical += compare(pair, rows, everything["pairs"][pair], options)
    print(f"\n{identical} of {len(everything['clusters'])} cluster sets are identical.")


def compare(pair: str, rows: list[dict], comparisons: int, options: argparse.Namespace) -> bool:
    """Print one line; whether the clusters hold the same systems."""
    from analysis.ranking.clusters import RankingOptions, rank_criterion
    from tests.analysis.published import wmt15_rankings

    table = wmt15_rankings(*pair.split("-"))
    ours = rank_criterion(table, "rank", RankingOptions(runs=options.runs, seed=options.seed))
    assert ours.comparisons == comparisons, f"{pair}: other comparisons than the published ones"
    theirs = {row["system"]: row for row in rows}
    mean = max(abs(row.mean - theirs[row.system]["trueskill"]) for row in ours.systems)
    bound = max(
        max(abs(row.rank_low - other["rank_lo"]), abs(row.rank_high - other["rank_hi"]))
        for row in ours.systems
        for other in [theirs[row.system]]
    )
    here = cuts((row.system, row.cluster) for row in ours.systems)
    there = cuts((row["system"], row["cluster"]) for row in rows)
    shares = cut_shares(ours)
    apart = [
        f"{'only ours' if top in here else 'only published'} after {len(top)}"
        f" (cut share {shares.get(top, 0.0):.2f})"
        for top in sorted(here ^ there, key=len)
    ]
    print(
        f"| {pair} | {ours.comparisons} | {mean:.3f} | {bound} | {len(here) + 1} of "
        f"{len(there) + 1} | {'; '.join(apart) or 'identical'} |",
        flush=True,
    )
    return not apart


def cut_shares(ranking) -> dict[frozenset[str], float]:
    """The certainty of a boundary below each set of leading systems."""
    systems = [row.system for row in ranking.systems]
    return {
        frozenset(systems[: place + 1]): row.cut_share for place, row in enumerate(ranking.systems)
    }


def cuts(rows) -> set[frozenset[str]]:
    """The sets of systems above each boundary."""
    rows = list(rows)
    clusters = sorted({cluster for _, cluster in rows})
    return {frozenset(s for s, c in rows if c <= cluster) for cluster in clusters[:-1]}


if __name__ == "__main__":
    main()
