"""False claims and power of every claiming method in campaigns of few raters and few items.

Run: python benchmarks/false_claims.py [--cells 5x12x10] [--methods Bradley] [--campaigns N]

Every rater judges every item on one screen of up to five systems, drawn at random. Scores are
rounded to half a standard deviation of the residual, so some tie. `DEPENDENCES` says how raters and
items differ, whose work is unequal, and where half of the systems are better. `false`: the share of
campaigns in which the report would claim anything that is not true: that two equal systems differ,
or that the worse one is better; for equivalence, that two systems differ by less than the margin
of 1 SD, where they differ by 1 SD. `found`: the share of what is true that it claims, with a first
system better by 1 SD; for equivalence, with equal ones. `before`: false claims by a rule that is
wrong: that of version 1.6.0, or what the method is without ours. A quarter of the campaigns serve
for the last two. Cells in which the report makes no claim are empty.

Results are added to the file `--out` cell by cell; cells that are in it are not computed again.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from analysis import Column, JudgementTable  # noqa: E402
from analysis.errors import RankingError, Undefined  # noqa: E402
from analysis.inference import LEAST_RESAMPLED_UNITS, Units  # noqa: E402
from analysis.meta_evaluation.judges import (  # noqa: E402
    LEAST_OUTPUTS,
    alternative_annotator_test,
)
from analysis.meta_evaluation.people import People  # noqa: E402
from analysis.meta_evaluation.prediction_powered import prediction_powered  # noqa: E402
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
from analysis.report.effect_section import effect_section, equivalent_means  # noqa: E402
from analysis.report.options import ReportOptions  # noqa: E402
from analysis.report.scale_section import (  # noqa: E402
    clustered,
    full_mixed_model,
    group_means,
    ordinal_model,
)
from analysis.scales.anova import one_way  # noqa: E402
from analysis.scales.comparison import Contrast  # noqa: E402
from analysis.scales.equivalence import Estimate, equivalence  # noqa: E402
from analysis.scales.rank_tests import wilcoxon_pairs  # noqa: E402
from analysis.scales.tukey_hsd import range_tail  # noqa: E402

RATERS, ITEMS, SYSTEMS = (3, 5, 8, 12, 24), (4, 12, 60), (2, 5, 10)


class Dependence(NamedTuple):
    """SDs of strictness, of raters' tastes and of items', in SDs of the residual; and what is odd.

    `unequal`: the k-th rater judges 1/k of the items. `partial`: the first half of the systems is
    better than the others, by `EFFECT`.
    """

    strictness: float = 1.0
    rater_taste: float = 0.5
    item_taste: float = 0.0
    unequal: bool = False
    partial: bool = False


HARDEST = "tasteful raters"  # tastes of items too make errors larger than they need be
DEPENDENCES = {
    "independent": Dependence(0.0, 0.0),
    "severe": Dependence(1.0, 0.0),
    HARDEST: Dependence(),
    "tasteful raters and items": Dependence(item_taste=0.5),
    "unequal loads": Dependence(unequal=True),
    "half better": Dependence(partial=True),
}
SHOWN = 5
EFFECT, STEP, MARGIN = 1.0, 0.5, 1.0
CUTS = np.array([-2.0, -0.7, 0.7, 2.0])  # between five points
LEVEL = 0.05
SCORED_TO_JUDGED, METRIC_BIAS = 4, 0.5
# The alternative test: its allowance, a value that no rater gives, and items to measure leads on.
EPSILON, FAR, MEASURED_ITEMS = 0.1, 50.0, 400
REPLACES = ("judge", "rater")
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

    @property
    def differs(self) -> Dependence:
        return DEPENDENCES[self.dependence]

    def truth(self, effect: float) -> np.ndarray:
        """How good each system is, if the first is better by `effect`."""
        system = np.arange(self.systems)
        half = self.differs.partial * EFFECT * (system < self.systems // 2)
        return effect * (system == 0) + half

    def campaign(self, number: int, effect: float = 0.0) -> JudgementTable:
        """Simulate the judgements of one campaign."""
        return self.drawn(number, effect)[0]

    def drawn(self, number: int, effect: float = 0.0) -> tuple[JudgementTable, np.ndarray]:
        """Simulate one campaign: its judgements, and how good outputs are, shape (systems, items).

        What an output is to people on average is its system, its item, and their product.
        """
        rng = np.random.default_rng([number, self.raters, self.items, self.systems])
        shown = min(SHOWN, self.systems)
        rater, item = np.divmod(np.arange(self.raters * self.items), self.items)
        system = np.argsort(rng.random((len(rater), self.systems)))[:, :shown].ravel()
        rater, item = np.repeat(rater, shown), np.repeat(item, shown)
        value = rng.normal(size=len(rater)) + self.truth(effect)[system]
        strictness, *tastes = self.differs[:3]
        units = ((rater, self.raters), (item, self.items))
        for (codes, number_of), taste in zip(units, tastes, strict=True):
            strict = strictness * rng.normal(size=number_of)
            tasted = taste * rng.normal(size=(number_of, self.systems))
            value += strict[codes]
            value += tasted[codes, system]
        merit = self.truth(effect)[:, None] + strict + tasted.T  # of items, the last of the units
        kept = self._judged(rng)[rater, item]
        rater, item, system, value = (each[kept] for each in (rater, item, system, value))
        table = JudgementTable.from_columns(
            {
                "rater": _column(rater, "r"),
                "item": _column(item, "i"),
                "system": _column(system, "s"),
                "criterion": Column(np.zeros(len(rater), dtype=np.int32), (CRITERION,)),
                "screen": _column(rater * self.items + item, "x"),
                "value": np.round(value / STEP) * STEP,
            }
        )
        return table, merit

    def _judged(self, rng: np.random.Generator) -> np.ndarray:
        """Say which rater judges which item, shape (raters, items)."""
        if not self.differs.unequal:
            return np.ones((self.raters, self.items), dtype=bool)
        loads = np.maximum(np.rint(self.items / np.arange(1, self.raters + 1)), 1)
        place = np.argsort(rng.random((self.raters, self.items)), axis=1)
        return place < loads[:, None]


def _column(codes: np.ndarray, prefix: str) -> Column:
    names, places = np.unique(codes, return_inverse=True)
    return Column(places.astype(np.int32), tuple(f"{prefix}{name:04d}" for name in names))


@dataclass(frozen=True, eq=False)
class Scored:
    """Judgements of some items, and a metric's scores of all of them, shape (systems, items)."""

    table: JudgementTable
    scores: np.ndarray
    items: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Judged:
    """Values of outputs by rater, and those of a judge that is a machine."""

    ratings: dict[str, dict[Hashable, float]]
    judge: dict[Hashable, float]


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


def of_exact(table: JudgementTable, campaign: int) -> Claims:
    """The exact tests over raters, for new raters of these items."""
    options = replace(OPTIONS, seed=campaign)
    found = effect_section(table, options, compared=None, higher_is_better=True)
    if found.tests is None:
        raise Undefined(found.undefined["rater_tests"])
    return {(row.a, row.b) if row.difference > 0 else (row.b, row.a)
            for row in found.tests.apart()}  # fmt: skip


def of_equivalence(table: JudgementTable, _: int) -> Claims:
    """Both orders of each pair that two one-sided tests call equivalent."""
    found = equivalent_means(clustered(table.value, table, OPTIONS, True), MARGIN, LEVEL)
    return _both_ways((row.a, row.b) for row in found.equivalent())


def of_ordinal(table: JudgementTable, _: int) -> Claims:
    points = _points(table)
    return _called(ordinal_model(points.value, points, OPTIONS, True).contrasts)


def of_spans(table: JudgementTable, campaign: int) -> Claims:
    """Least squares on the penalties of marked errors, of which fewer are better."""
    marked = _penalties(table, campaign)
    return _called(clustered(-marked.value, marked, OPTIONS, True).contrasts)


def of_powered(campaign: Scored, _: int) -> Claims:
    """Estimates that use a metric, where a quarter of all items were judged."""
    people = People.from_table(campaign.table)
    found = prediction_powered(people, "metric", campaign.scores, campaign.items)
    return _called(found.contrasts)


def of_alternative(campaign: Judged, _: int) -> Claims:
    """Whether the judge may replace a rater, by the alternative-annotator test."""
    found = alternative_annotator_test(campaign.ratings, campaign.judge, epsilon=EPSILON)
    return {REPLACES} if found.passes else set()


def _points(table: JudgementTable) -> JudgementTable:
    """Cut values to five points."""
    return replace(table, value=1.0 + (table.value[:, None] > CUTS).sum(axis=1))


def _penalties(table: JudgementTable, campaign: int) -> JudgementTable:
    """Mark errors: the worse an output, the more of them; major ones weigh five times as much."""
    rng = np.random.default_rng([campaign, len(table)])
    errors = np.exp(-table.value / 2)
    return replace(table, value=rng.poisson(errors) + 5.0 * rng.poisson(errors / 4))


def _both_ways(pairs: Iterable[tuple[str, str]]) -> Claims:
    return {each for a, b in pairs for each in ((a, b), (b, a))}


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
    try:
        found = fit(count(pairs))
    except np.linalg.LinAlgError:
        raise RankingError("The likelihood has no maximum.") from None
    bread, by_rater, by_item, by_both = sandwich(pairs, found)
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


def of_items_alone(table: JudgementTable, _: int) -> Claims:
    """Wilcoxon's test of each pair over items, as if raters had no tastes."""
    means = group_means(table.value, table, table.item)
    ahead = np.nanmean(means, axis=0)
    place = {system: number for number, system in enumerate(table.system.labels)}
    return {(row.a, row.b) if ahead[place[row.a]] > ahead[place[row.b]] else (row.b, row.a)
            for row in wilcoxon_pairs(means, table.system.labels)
            if row.p_holm is not None and row.p_holm < LEVEL}  # fmt: skip


def of_spans_by_items(table: JudgementTable, campaign: int) -> Claims:
    marked = _penalties(table, campaign)
    return of_items_alone(replace(marked, value=-marked.value), campaign)


def of_equivalence_of_judgements(table: JudgementTable, _: int) -> Claims:
    """The same two tests by t, as if judgements were independent."""
    residual = one_way(table.value, table.system.codes, len(table.system.labels)).residual
    sizes = np.bincount(table.system.codes)
    means = np.bincount(table.system.codes, table.value) / sizes
    estimates = [
        Estimate(a, b, means[i] - means[j],
                 np.sqrt(residual.mean_sq * (1 / sizes[i] + 1 / sizes[j])), residual.df)
        for (i, a), (j, b) in itertools.combinations(enumerate(table.system.labels), 2)
    ]  # fmt: skip
    found = equivalence(estimates, MARGIN, alpha=LEVEL)
    return _both_ways((row.a, row.b) for row in found.equivalent())


def of_ordinal_by_normal(table: JudgementTable, _: int) -> Claims:
    """Normal quantiles, however few raters and items there are."""
    points = _points(table)
    return _by_tukey(ordinal_model(points.value, points, OPTIONS, True).contrasts, np.inf, points)


def of_metric_alone(campaign: Scored, _: int) -> Claims:
    """Paired t-tests of the metric's scores over items, by Bonferroni."""
    systems = campaign.table.system.labels
    pairs = list(itertools.combinations(range(len(systems)), 2))
    tests = [scipy.stats.ttest_rel(campaign.scores[a], campaign.scores[b]) for a, b in pairs]
    return {(systems[a], systems[b]) if test.statistic > 0 else (systems[b], systems[a])
            for (a, b), test in zip(pairs, tests, strict=True)
            if test.pvalue * len(pairs) < LEVEL}  # fmt: skip


def of_no_difference(campaign: Judged, _: int) -> Claims:
    """Let a judge replace raters because half of them are not found to be ahead of it."""
    found = alternative_annotator_test(campaign.ratings, campaign.judge, epsilon=EPSILON)
    ahead = np.array([each.rater_better - each.judge_better for each in found.raters])
    decided = np.array([2 - each.rater_better - each.judge_better for each in found.raters])
    n = np.array([each.n for each in found.raters])
    not_found = ahead <= scipy.stats.norm.isf(LEVEL) * np.sqrt((decided - ahead**2) / n)
    return {REPLACES} if not_found.mean() >= 0.5 else set()


def _by_tukey(rows: Collection[Contrast], df: float, table: JudgementTable) -> Claims:
    ratios = np.array([np.sqrt(2) * abs(row.difference) / row.se for row in rows])
    p = range_tail(ratios, len(table.system.labels), df)
    return {(row.a, row.b) for row, each in zip(rows, p, strict=True) if each < LEVEL}


# --- the table ---------------------------------------------------------------------------------

Method = Callable[[Any, int], Claims]


@dataclass(frozen=True)
class Row:
    """A method of the report, a rule that is wrong, and how many campaigns they get.

    Methods claim differences: there are none to claim in campaigns for `false`, and those of the
    first system in those for `found`. Of equivalence it is the other way round.
    """

    name: str
    now: Method
    before: Method
    campaigns: int = 200
    claims_difference: bool = True
    about_items: bool = True

    def table(self, cell: Cell, number: int, *, found: bool) -> Any:
        """What the method sees of one campaign."""
        return cell.campaign(number, self._effect(found))

    def _effect(self, found: bool) -> float:
        return EFFECT if found == self.claims_difference else 0.0

    def true(self, cell: Cell, *, found: bool) -> Claims:
        """Everything that may be claimed."""
        truth = cell.truth(self._effect(found))
        ahead = truth[:, None] - truth[None]
        holds = ahead > 0 if self.claims_difference else np.abs(ahead) < MARGIN
        np.fill_diagonal(holds, False)
        return {(f"s{a:04d}", f"s{b:04d}") for a, b in np.argwhere(holds)}


class BetweenRow(Row):
    """Campaigns in which each rater judges one system; a cell's raters are those of each system."""

    def table(self, cell: Cell, number: int, *, found: bool) -> JudgementTable:
        every = replace(cell, raters=cell.raters * cell.systems)
        table = every.campaign(number, self._effect(found))
        return table.rows(table.rater.codes % cell.systems == table.system.codes)


class MetricRow(Row):
    """Campaigns with a metric that scores every output, and prefers the systems in turn."""

    def table(self, cell: Cell, number: int, *, found: bool) -> Scored:
        whole = replace(cell, items=SCORED_TO_JUDGED * cell.items)
        table, merit = whole.drawn(number, self._effect(found))
        rng = np.random.default_rng([number, len(table)])
        prefers = METRIC_BIAS * (np.arange(cell.systems) % 2)
        scores = merit + rng.normal(size=merit.shape) + prefers[:, None]
        judged = table.rows(table.item.codes < cell.items)
        return Scored(judged, scores, tuple(f"i{item:04d}" for item in range(whole.items)))


class JudgeRow(Row):
    """Campaigns in which a judge that may not replace raters is as good as such a judge can be.

    Such a judge sees outputs as a rater without strictness or tastes does, but is far off on so
    many of them that half of the raters, or one more, are ahead of it by ε or more. What raters'
    lead is without these outputs is measured on others. To be found is a judge with half a rater's
    noise who is never off.
    """

    def true(self, cell: Cell, *, found: bool) -> Claims:
        return {REPLACES} if found else set()

    def table(self, cell: Cell, number: int, *, found: bool) -> Judged:
        whole = replace(cell, items=cell.items + MEASURED_ITEMS)
        table, merit = whole.drawn(number)
        rng = np.random.default_rng([number, len(table)])
        noise = (0.5 if found else 1.0) * rng.normal(size=merit.shape)
        judge = np.round((merit + noise) / STEP) * STEP
        values = np.full((cell.raters, cell.systems, whole.items), np.nan)
        values[table.rater.codes, table.system.codes, table.item.codes] = table.value
        tested, others = np.split(values, [cell.items], axis=2)
        outputs = (~np.isnan(tested)).sum(axis=(1, 2))
        if not found:
            lead = np.sort(_lead(others, judge[:, cell.items :])[outputs >= LEAST_OUTPUTS])
            half = lead[(len(lead) - 1) // 2] if len(lead) else 0.0
            off = max((EPSILON - half) / (1 - half), 0.0)
            judge = judge + FAR * (rng.random(judge.shape) < off)
        places = list(np.ndindex(tested.shape[1:]))
        return Judged(
            {
                f"r{rater}": {
                    place: float(own[place]) for place in places if not np.isnan(own[place])
                }
                for rater, own in enumerate(tested)
            },
            {place: float(judge[place]) for place in places},
        )


def _lead(values: np.ndarray, judge: np.ndarray) -> np.ndarray:
    """How much more often each rater is closer to the others than the judge is, shape (raters,).

    `values` has shape (raters, systems, items), `judge` (systems, items).
    """
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    others = known.sum(axis=0) - known
    first, second = filled.sum(axis=0) - filled, (filled**2).sum(axis=0) - filled**2
    far = [others * x**2 - 2 * x * first + second for x in (filled, judge[None])]
    ahead = np.sign(np.round(far[1] - far[0], 9))
    compared = known & (others > 0)
    lead: np.ndarray = np.where(compared, ahead, 0).sum(axis=(1, 2)) / compared.sum(axis=(1, 2))
    return lead


METHODS = (
    Row("least squares", of_clustered, of_clustered_before),
    Row("Bradley–Terry", of_bradley_terry, of_bradley_terry_before),
    Row("TrueSkill clusters", of_clusters, of_clusters_before, 100),
    Row("full mixed model", of_full_mixed, of_full_mixed_before, 60),
    # Their claims are about these items, whose tastes are true differences.
    Row("exact tests", of_exact, of_items_alone, 100, about_items=False),
    Row("equivalence", of_equivalence, of_equivalence_of_judgements, claims_difference=False),
    Row("ordinal model", of_ordinal, of_ordinal_by_normal, 60),
    Row("marked errors", of_spans, of_spans_by_items),
    BetweenRow("between raters", of_clustered, of_items_alone, 100),
    BetweenRow("between raters, mixed", of_full_mixed, of_items_alone, 60),
    BetweenRow("between raters, ordinal", of_ordinal, of_items_alone, 60),
    MetricRow("prediction-powered", of_powered, of_metric_alone),
    JudgeRow("alternative test", of_alternative, of_no_difference),
)


def cells() -> Iterator[Cell]:
    for numbers in itertools.product(RATERS, ITEMS, SYSTEMS, DEPENDENCES):
        yield Cell(*numbers)


def computed(method: Row, cell: Cell, campaigns: int) -> dict[str, object]:
    """One line of the table: shares of the campaigns in which the report claims at all."""
    false, found, before = [], [], []
    none, some = method.true(cell, found=False), method.true(cell, found=True)
    for number in range(campaigns):
        equal = method.table(cell, number, found=False)
        false.append(claimed(method.now, equal, number))
        if number < campaigns // 4:
            before.append(claimed(method.before, equal, number))
            found.append(claimed(method.now, method.table(cell, number, found=True), number))
    shares = {
        "false": [bool(claims - none) for claims in false if claims is not None],
        "found": [len(claims & some) / len(some) for claims in found if claims is not None],
        "before": [bool(claims - none) for claims in before if claims is not None],
    }
    return {
        "method": method.name,
        **{name: getattr(cell, name) for name in ("raters", "items", "systems", "dependence")},
        "campaigns": campaigns,
        "refused": false.count(None),
        **{name: f"{np.mean(rows):.3f}" if rows else "" for name, rows in shares.items()},
    }


def claimed(method: Method, seen: Any, campaign: int) -> Claims | None:
    """What a method claims; None where the report gives a reason instead."""
    try:
        return method(seen, campaign)
    except (Undefined, RankingError):
        return None


def makes_sense(method: Row, cell: Cell) -> bool:
    """Leave out claims about other units than the cell's, and halves of two systems."""
    items_differ = cell.differs.item_taste > 0 and not method.about_items
    return not items_differ and not (cell.differs.partial and cell.systems == 2)


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
        if options.dependence not in (None, cell.dependence) or not makes_sense(method, cell):
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
    print(f"| method | raters |{shown} control |\n|{' --- |' * (len(ITEMS) + 3)}")
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
