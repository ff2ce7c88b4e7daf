"""The same simulated ratings in five tools: false claims and power with 3 to 24 raters.

Run: python benchmarks/five_tools.py [--campaigns N] [--table]

Every rater judges all systems' outputs for each of 100 items on one screen. A value adds the
rater's strictness, the item's difficulty, the rater's taste for the system, what the item does to
the system, and chance. The tastes have the ratio to chance that the published quality ratings of
the E2E challenge have. `false`: the share of campaigns of equal systems with any false claim.
`found`: with a first system better by half a point, the share in which it is claimed to be better
than every system that the tool compares it with. `without tastes` is the control: raters and items
differ, but order the systems alike, and then every tool keeps its level for each pair.

The formulas of the other tools were read in their published packages and written again:

- Pearmut 1.1.6, `results_export.py`: a later rating of an item replaces the earlier one, also
  that of another rater; systems are sorted by mean, and each is compared with the next by a paired
  t test over items at .05.
- Potato 2.12.1, `export/listening_exporter.py`: mean ± t · SD/√n over all ratings of a condition.
  It compares nothing; here, systems are claimed to differ if their intervals do not overlap.
- Potato 2.12.1, `server_utils/eval_stats.py`: `paired_bootstrap` over examples, here the items'
  means; "significant" if the 95 % interval excludes 0.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from analysis.errors import Undefined  # noqa: E402
from analysis.scales.clustered import clustered_comparison  # noqa: E402
from analysis.scales.tukey_hsd import range_quantile  # noqa: E402

RATERS, SYSTEMS, ITEMS = (3, 6, 12, 24), (2, 5), 100
LEVEL, EFFECT, RESAMPLES = 0.05, 0.5, 2000
COLUMNS = ("tool", "tastes", "systems", "raters", "campaigns", "false", "found")
RESULTS = ROOT / "docs/data/five_tools.csv"

# The pairs of systems that a tool calls different: the better one first.
Claims = set[tuple[int, int]]


@dataclass(frozen=True)
class Spread:
    """Standard deviations of the parts of a value."""

    strictness: float = 0.5
    difficulty: float = 0.5
    raters_taste: float = 0.25
    items_taste: float = 0.5
    chance: float = 0.7


TASTES = {"with tastes": Spread(), "without tastes": Spread(raters_taste=0.0, items_taste=0.0)}


def campaign(
    rng: np.random.Generator, raters: int, systems: int, spread: Spread, effect: float = 0.0
) -> np.ndarray:
    """Simulate the values of one campaign, shape (raters, items, systems)."""
    values = rng.normal(0, spread.chance, (raters, ITEMS, systems))
    values += rng.normal(0, spread.strictness, (raters, 1, 1))
    values += rng.normal(0, spread.difficulty, (1, ITEMS, 1))
    values += rng.normal(0, spread.raters_taste, (raters, 1, systems))
    values += rng.normal(0, spread.items_taste, (1, ITEMS, systems))
    values[:, :, 0] += effect
    return values


# --- what each tool claims ---------------------------------------------------------------------


def pearmut(values: np.ndarray, rng: np.random.Generator) -> Claims:
    """Compare neighbours by a paired t test over items, each with its last rating."""
    last = values[rng.integers(len(values), size=ITEMS), np.arange(ITEMS)]
    order = np.argsort(-last.mean(axis=0))
    tests = ((a, b, last[:, a] - last[:, b]) for a, b in itertools.pairwise(order.tolist()))
    return {(a, b) for a, b, each in tests if _t(each.mean(), each.std(ddof=1), ITEMS) < LEVEL}


def _t(mean: float, sd: float, count: int) -> float:
    return float(2 * scipy.special.stdtr(count - 1, -abs(mean) / (sd / np.sqrt(count))))


def potato_intervals(values: np.ndarray, _: np.random.Generator) -> Claims:
    """Call systems different whose intervals of the mean over all ratings do not overlap."""
    ratings = values.reshape(-1, values.shape[2])
    means, half = ratings.mean(axis=0), half_width(ratings)
    return {
        (a, b)
        for a, b in itertools.permutations(range(len(means)), 2)
        if means[a] - half[a] > means[b] + half[b]
    }


def half_width(ratings: np.ndarray) -> np.ndarray:
    """Half of Potato's 95 % interval of a mean; shape (ratings, systems) → (systems,)."""
    count = len(ratings)
    return scipy.stats.t.ppf(0.975, count - 1) * ratings.std(axis=0, ddof=1) / np.sqrt(count)


def potato_bootstrap(values: np.ndarray, rng: np.random.Generator) -> Claims:
    """Resample the items' means of both systems; an interval that excludes 0 is a claim."""
    items = values.mean(axis=0)
    weights = rng.multinomial(ITEMS, np.full(ITEMS, 1 / ITEMS), size=RESAMPLES) / ITEMS
    low, high = int(0.025 * RESAMPLES), int(np.ceil(0.975 * RESAMPLES)) - 1
    claims = set()
    for a, b in itertools.combinations(range(values.shape[2]), 2):
        drawn = np.sort(weights @ (items[:, a] - items[:, b]))
        claims |= {(a, b)} if drawn[low] > 0 else {(b, a)} if drawn[high] < 0 else set()
    return claims


def t_test(values: np.ndarray, _: np.random.Generator) -> Claims:
    """Compare every two systems by Student's t test over all ratings, as independent samples."""
    ratings = values.reshape(-1, values.shape[2])
    return _apart(ratings, scipy.stats.t.isf(LEVEL / 2, 2 * len(ratings) - 2), each=True)


def tukey(values: np.ndarray, _: np.random.Generator) -> Claims:
    """Compare every two systems by Tukey's test after a one-way analysis of variance."""
    ratings = values.reshape(-1, values.shape[2])
    count, systems = ratings.shape
    df = float(systems * (count - 1))
    return _apart(ratings, range_quantile(1 - LEVEL, systems, df) / np.sqrt(2), each=False)


def _apart(ratings: np.ndarray, critical: float, *, each: bool) -> Claims:
    means, variances = ratings.mean(axis=0), ratings.var(axis=0, ddof=1)
    claims = set()
    for a, b in itertools.permutations(range(len(means)), 2):
        pooled = (variances[a] + variances[b]) / 2 if each else variances.mean()
        if means[a] - means[b] > critical * np.sqrt(2 * pooled / len(ratings)):
            claims.add((a, b))
    return claims


def ours(values: np.ndarray, _: np.random.Generator) -> Claims:
    """Claim what a report of this site claims: errors clustered by rater and item."""
    rater, item, system = (codes.ravel() for codes in np.indices(values.shape))
    names = [str(code) for code in range(values.shape[2])]
    try:
        rows = clustered_comparison(values.ravel(), system, names, rater, item).contrasts
    except Undefined:
        return set()
    return {
        (int(row.a), int(row.b)) if row.difference > 0 else (int(row.b), int(row.a))
        for row in rows
        if row.p < LEVEL
    }


TOOLS: dict[str, Callable[[np.ndarray, np.random.Generator], Claims]] = {
    "Pearmut": pearmut,
    "Potato, intervals": potato_intervals,
    "Potato, bootstrap": potato_bootstrap,
    "t test": t_test,
    "Tukey": tukey,
    "RankME": ours,
}
ONLY_NEIGHBOURS = {"Pearmut"}

# --- the table ---------------------------------------------------------------------------------


def is_found(tool: str, claims: Claims, systems: int) -> bool:
    """Tell whether the first system is claimed to be better than all it is compared with."""
    wins = sum(better == 0 for better, _ in claims)
    return wins == (1 if tool in ONLY_NEIGHBOURS else systems - 1)


def simulated(
    tastes: str, systems: int, raters: int, campaigns: int, tools: tuple[str, ...] = tuple(TOOLS)
) -> Iterator[dict[str, object]]:
    """Yield a line for each tool, all from the same campaigns."""
    false = {tool: 0 for tool in tools}
    found = {tool: 0 for tool in tools}
    for number in range(campaigns):
        rng = np.random.default_rng([number, systems, raters])
        equal = campaign(rng, raters, systems, TASTES[tastes])
        better = campaign(rng, raters, systems, TASTES[tastes], EFFECT)
        for tool in tools:
            false[tool] += bool(TOOLS[tool](equal, rng))
            found[tool] += is_found(tool, TOOLS[tool](better, rng), systems)
    for tool in tools:
        shares = (f"{counts[tool] / campaigns:.3f}" for counts in (false, found))
        cell = (tool, tastes, systems, raters, campaigns, *shares)
        yield dict(zip(COLUMNS, cell, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=600)
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--table", action="store_true", help="only print the table of --out")
    options = parser.parse_args()
    if options.table:
        print_table(read(options.out))
        return
    done = {(row["tastes"], row["systems"], row["raters"]) for row in read(options.out)}
    for tastes, systems, raters in itertools.product(TASTES, SYSTEMS, RATERS):
        if (tastes, str(systems), str(raters)) not in done:
            add(options.out, list(simulated(tastes, systems, raters, options.campaigns)))


def read(path: Path) -> list[dict[str, str]]:
    """Read the lines of a file of results."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def add(path: Path, lines: list[dict[str, object]]) -> None:
    begins = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if begins:
            writer.writeheader()
        writer.writerows(lines)


def print_table(rows: list[dict[str, str]]) -> None:
    """Print a table in Markdown for each number of systems: false claims, then power."""
    for tastes, systems in itertools.product(TASTES, SYSTEMS):
        print(f"\n{systems} systems, {tastes}\n")
        heads = "".join(f" {raters} raters |" for raters in RATERS)
        print(f"| tool |{heads}\n|{' --- |' * (len(RATERS) + 1)}")
        for tool in TOOLS:
            print(f"| {tool} |", " | ".join(cells(rows, tool, tastes, systems)), "|")


def cells(rows: list[dict[str, str]], tool: str, tastes: str, systems: int) -> list[str]:
    """Write false claims and power of a tool for each number of raters, as the docs show them."""
    wanted = (tool, tastes, str(systems))
    found = [row for row in rows if (row["tool"], row["tastes"], row["systems"]) == wanted]
    return [f"{_share(row['false'])}, {_share(row['found'])}" for row in found]


def _share(share: str) -> str:
    written = f"{float(share):.2f}"
    return written if written.startswith("1") else written.removeprefix("0")


if __name__ == "__main__":
    main()
