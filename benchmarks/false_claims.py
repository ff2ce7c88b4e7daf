"""False claims and power of every claiming method in campaigns of few raters and few items.

Run: python benchmarks/false_claims.py [--cells 5x12x10] [--methods Bradley] [--campaigns N]

Every rater judges every item on one screen of up to five systems, drawn at random. Scores are
rounded to half a standard deviation of the residual, so some tie. `DEPENDENCES` says how raters and
items differ. `false`: the share of campaigns of equal systems in which the report would call any
two systems different. `found`: with a first system better by 1 SD, the share of true differences
that it calls. `before`: false claims under the rule of version 1.6.0. A quarter of the campaigns
serve for the last two. Cells in which the report makes no claim are empty.

Results are added to the file `--out` cell by cell; cells that are in it are not computed again.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from analysis import Column, JudgementTable  # noqa: E402
from analysis.errors import RankingError, Undefined  # noqa: E402
from analysis.inference import LEAST_RESAMPLED_UNITS, Units  # noqa: E402
from analysis.ranking.bradley_terry import bradley_terry, fit, sandwich  # noqa: E402
from analysis.ranking.clusters import (  # noqa: E402
    Ranking,
    RankingOptions,
    Resampling,
    compute_draws,
    ranking_from_draws,
    resampling_of,
)
from analysis.ranking.pairs import count, pairs_from_table  # noqa: E402
from analysis.report.options import ReportOptions  # noqa: E402
from analysis.report.scale_section import clustered, full_mixed_model  # noqa: E402
from analysis.scales.comparison import Contrast  # noqa: E402
from analysis.scales.tukey_hsd import range_tail  # noqa: E402

RATERS, ITEMS, SYSTEMS = (3, 5, 8, 12, 24), (4, 12, 60), (2, 5, 10)
# SD of strictness, of raters' tastes and of items' tastes, in SDs of the residual.
DEPENDENCES = {
    "independent": (0.0, 0.0, 0.0),
    "severe": (1.0, 0.0, 0.0),
    "tasteful raters": (1.0, 0.5, 0.0),
    "tasteful raters and items": (1.0, 0.5, 0.5),
}
HARDEST = "tasteful raters"  # tastes of items too make errors larger than they need be
SHOWN = 5
EFFECT, STEP = 1.0, 0.5
LEVEL = 0.05
RUNS = 200
CRITERION = "quality"
OPTIONS = ReportOptions(kinds={CRITERION: "relative"})
COLUMNS = ("method", "raters", "items", "systems", "dependence", "campaigns", "refused", "false",
           "found", "before")  # fmt: skip

# The pairs of systems that a method calls different: the better one first.
Claims = set[tuple[str, str]]


@dataclass(frozen=True)
class Cell:
    """One situation; `effect` is how much better the first system is."""

    raters: int
    items: int
    systems: int
    dependence: str

    @property
    def size(self) -> str:
        return f"{self.raters}x{self.items}x{self.systems}"

    def campaign(self, number: int, effect: float = 0.0) -> JudgementTable:
        """Simulate the judgements of one campaign."""
        rng = np.random.default_rng([number, self.raters, self.items, self.systems])
        shown = min(SHOWN, self.systems)
        rater, item = np.divmod(np.arange(self.raters * self.items), self.items)
        system = np.argsort(rng.random((len(rater), self.systems)))[:, :shown].ravel()
        rater, item = np.repeat(rater, shown), np.repeat(item, shown)
        value = rng.normal(size=len(rater)) + effect * (system == 0)
        strictness, *tastes = DEPENDENCES[self.dependence]
        units = ((rater, self.raters), (item, self.items))
        for (codes, number_of), taste in zip(units, tastes, strict=True):
            value += strictness * rng.normal(size=number_of)[codes]
            value += taste * rng.normal(size=(number_of, self.systems))[codes, system]
        return JudgementTable.from_columns(
            {
                "rater": _column(rater, "r"),
                "item": _column(item, "i"),
                "system": _column(system, "s"),
                "criterion": Column(np.zeros(len(rater), dtype=np.int32), (CRITERION,)),
                "screen": _column(rater * self.items + item, "x"),
                "value": np.round(value / STEP) * STEP,
            }
        )


def _column(codes: np.ndarray, prefix: str) -> Column:
    labels = tuple(f"{prefix}{code:04d}" for code in range(int(codes.max()) + 1))
    return Column(codes.astype(np.int32), labels)


# --- what the report would claim ---------------------------------------------------------------


def of_clusters(table: JudgementTable, campaign: int) -> Claims:
    """TrueSkill's clusters, if there are units enough for claims from them."""
    resampling = _resampling(table, "raters-items", campaign)
    assert resampling.units is not None
    resampling.units.require(LEAST_RESAMPLED_UNITS)
    draws = compute_draws([resampling], threads=1)[resampling.key]
    return _separated(ranking_from_draws(resampling, draws))


def of_bradley_terry(table: JudgementTable, _: int) -> Claims:
    return _called(bradley_terry(pairs_from_table(table)).pairs)


def of_clustered(table: JudgementTable, _: int) -> Claims:
    return _called(clustered(table.value, table, OPTIONS, True).contrasts)


def of_full_mixed(table: JudgementTable, _: int) -> Claims:
    return _called(full_mixed_model(table.value, table, OPTIONS, True).contrasts)


def _called(pairs: Collection) -> Claims:
    return {(row.a, row.b) if row.difference > 0 else (row.b, row.a)
            for row in pairs if row.p < LEVEL}  # fmt: skip


def _separated(ranking: Ranking) -> Claims:
    return {(above.system, below.system)
            for above, below in itertools.combinations(ranking.systems, 2)
            if above.cluster < below.cluster}  # fmt: skip


def _resampling(table: JudgementTable, scheme: str, campaign: int) -> Resampling:
    options = RankingOptions(seed=campaign, runs=RUNS, resample=(scheme,))
    return resampling_of(table, CRITERION, options)


# --- what version 1.6.0 would have claimed -----------------------------------------------------


def of_clusters_before(table: JudgementTable, campaign: int) -> Claims:
    """Whole raters drawn, and the percentiles of the runs taken as they are."""
    resampling = replace(_resampling(table, "raters", campaign), scheme="screens")
    draws = compute_draws([replace(resampling, scheme="raters")], threads=1)
    return _separated(ranking_from_draws(resampling, next(iter(draws.values()))))


def of_bradley_terry_before(table: JudgementTable, campaign: int) -> Claims:
    """The largest |t| drawn from the estimated covariance, with one χ² for all pairs."""
    pairs = pairs_from_table(table)
    bread, by_rater, by_item, by_both = sandwich(pairs, fit(count(pairs)))
    values, vectors = np.linalg.eigh(by_rater + by_item - by_both)
    root = vectors * np.sqrt(np.maximum(values, 0))
    first, second = np.triu_indices(len(bread), 1)
    errors = np.linalg.norm(root[first] - root[second], axis=1)
    df = max(Units.of(pairs.rater, pairs.item).df, 1.0)
    rng = np.random.default_rng(campaign)
    drawn = rng.standard_normal((1000, len(bread))) @ root.T
    largest = (np.abs(drawn[:, first] - drawn[:, second]) / errors).max(axis=1)
    critical = np.quantile(largest / np.sqrt(rng.chisquare(df, 1000) / df), 1 - LEVEL)
    rows = bradley_terry(pairs).pairs
    place = {system: number for number, system in enumerate(pairs.systems)}
    spread = np.linalg.norm(root[:, None] - root[None, :], axis=2)
    return {(row.a, row.b) for row in rows
            if abs(row.difference) > critical * spread[place[row.a], place[row.b]]}  # fmt: skip


def of_clustered_before(table: JudgementTable, _: int) -> Claims:
    """Tukey's range, which takes all variances from one estimate."""
    found = clustered(table.value, table, OPTIONS, True)
    return _by_tukey(found.contrasts, found.df, table)


def of_full_mixed_before(table: JudgementTable, _: int) -> Claims:
    """t with raters − 1 degrees of freedom, however few items there are."""
    found = full_mixed_model(table.value, table, OPTIONS, True)
    return _by_tukey(found.contrasts, len(table.rater.labels) - 1, table)


def _by_tukey(rows: Collection[Contrast], df: float, table: JudgementTable) -> Claims:
    ratios = np.array([np.sqrt(2) * abs(row.difference) / row.se for row in rows])
    p = range_tail(ratios, len(table.system.labels), df)
    return {(row.a, row.b) for row, each in zip(rows, p, strict=True) if each < LEVEL}


# --- the table ---------------------------------------------------------------------------------

Method = Callable[[JudgementTable, int], Claims]


@dataclass(frozen=True)
class Row:
    """A method of the report, its rule of version 1.6.0, and how many campaigns it gets."""

    name: str
    now: Method
    before: Method
    campaigns: int = 200


METHODS = (
    Row("least squares", of_clustered, of_clustered_before),
    Row("Bradley–Terry", of_bradley_terry, of_bradley_terry_before),
    Row("TrueSkill clusters", of_clusters, of_clusters_before, 100),
    Row("full mixed model", of_full_mixed, of_full_mixed_before, 60),
)


def cells() -> Iterator[Cell]:
    for numbers in itertools.product(RATERS, ITEMS, SYSTEMS, DEPENDENCES):
        yield Cell(*numbers)


def computed(method: Row, cell: Cell, campaigns: int) -> dict[str, object]:
    """One line of the table: shares of the campaigns in which the report claims at all."""
    false, found, before = [], [], []
    for number in range(campaigns):
        equal = cell.campaign(number)
        false.append(claimed(method.now, equal, number))
        if number < campaigns // 4:
            before.append(claimed(method.before, equal, number))
            found.append(claimed(method.now, cell.campaign(number, EFFECT), number))
    shares = {
        "false": [bool(claims) for claims in false if claims is not None],
        "found": [_found(claims, cell) for claims in found if claims is not None],
        "before": [bool(claims) for claims in before if claims is not None],
    }
    return {
        "method": method.name,
        **{name: getattr(cell, name) for name in ("raters", "items", "systems", "dependence")},
        "campaigns": campaigns,
        "refused": false.count(None),
        **{name: f"{np.mean(rows):.3f}" if rows else "" for name, rows in shares.items()},
    }


def claimed(method: Method, table: JudgementTable, campaign: int) -> Claims | None:
    """What a method claims; None where the report gives a reason instead."""
    try:
        return method(table, campaign)
    except (Undefined, RankingError):
        return None


def _found(claims: Claims, cell: Cell) -> float:
    """The share of the true differences, all of which are the first system's."""
    return sum(better == "s0000" for better, _ in claims) / (cell.systems - 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", default="", help="sizes to compute, as 5x12x10,8x60x2")
    parser.add_argument("--methods", default="", help="beginnings of names, with commas")
    parser.add_argument("--dependence", choices=DEPENDENCES, help="default: all")
    parser.add_argument("--campaigns", type=int, help="instead of each method's own number")
    parser.add_argument("--out", type=Path, default=ROOT / "docs/data/false_claims.csv")
    parser.add_argument("--table", action="store_true", help="only print the table of --out")
    options = parser.parse_args()
    if options.table:
        print_table(read(options.out))
        return
    done = {key(row) for row in read(options.out)}
    wanted = [name for name in options.methods.split(",") if name]
    for method, cell in itertools.product(METHODS, cells()):
        if wanted and not method.name.startswith(tuple(wanted)):
            continue
        if options.cells and cell.size not in options.cells.split(","):
            continue
        if options.dependence not in (None, cell.dependence):
            continue
        if (method.name, cell.size, cell.dependence) not in done:
            line = computed(method, cell, options.campaigns or method.campaigns)
            add(options.out, line)
            print(*line.values(), sep="\t", flush=True)


def read(path: Path) -> list[dict[str, str]]:
    """The lines of a file of results."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def key(row: dict[str, str]) -> tuple[str, str, str]:
    return row["method"], f"{row['raters']}x{row['items']}x{row['systems']}", row["dependence"]


def print_table(rows: list[dict[str, str]]) -> None:
    """By method, raters and items: the worst cell, and what is found where it is hardest."""
    shown = "".join(f" {items} items |" for items in ITEMS)
    print(f"| method | raters |{shown} 1.6.0 |\n|{' --- |' * (len(ITEMS) + 3)}")
    for method, raters in itertools.product(dict.fromkeys(row["method"] for row in rows), RATERS):
        those = [row for row in rows if (row["method"], row["raters"]) == (method, str(raters))]
        cells = [_summary([row for row in those if row["items"] == str(n)]) for n in ITEMS]
        before = max((float(row["before"]) for row in those if row["before"]), default=0.0)
        print("|", " | ".join([method, str(raters), *cells, _share(before)]), "|")


def _summary(rows: list[dict[str, str]]) -> str:
    false = [float(row["false"]) for row in rows if row["false"]]
    hardest = [row for row in rows if row["dependence"] == HARDEST]
    found = [float(row["found"]) for row in hardest if row["found"]]
    return f"{_share(max(false))}, {_share(np.mean(found))}" if false else ""


def _share(share: float) -> str:
    return f"{share:.2f}".replace("0.", ".", 1)


def add(path: Path, line: dict[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    begins = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if begins:
            writer.writeheader()
        writer.writerow(line)


if __name__ == "__main__":
    main()
