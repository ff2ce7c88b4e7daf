"""Prediction-powered ranking: few human judgements and scores of every output, used together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.errors import Undefined
from analysis.inference import Units, clustered_variances, is_between_raters
from analysis.scales.codes import compact, cross_sums, in_use
from analysis.scales.comparison import Contrast, FixedMean, means_and_contrasts
from analysis.typing import Codes, Values

from .people import People

# With fewer, the fitted weight adds more noise than a useful metric removes.
LEAST_ITEMS = 20


@dataclass(frozen=True)
class PredictionPowered:
    """Estimates that use a metric, next to those of people alone.

    `weight` is how much of the metric's unit counts, a mean over judgements; 0 is people alone, a
    negative one says that the metric runs against people. `worth` is how many more human judgements
    would make people's intervals as narrow: an average over pairs of systems.
    """

    metric: str
    weight: float
    means: tuple[FixedMean, ...]
    contrasts: tuple[Contrast, ...]
    people_means: tuple[FixedMean, ...]
    people_contrasts: tuple[Contrast, ...]
    judgements: int
    raters: int
    judged_items: int
    items: int
    worth: float
    df: float
    alpha: float
    judged_outputs: int | None = None  # reports of earlier versions do not say


def prediction_powered(
    people: People, name: str, scores: Values, items: tuple[str, ...], *, alpha: float = 0.05
) -> PredictionPowered:
    """Estimate what people would say of all items from judgements of some and scores of all.

    The estimate is a control variate: the mean judgement, plus the weighted difference of the
    metric's mean over all of a system's outputs and over its judged ones. It is valid whatever the
    metric is worth, because an error of the metric is in both means; a good metric makes it
    sharper. The weight of each item is fitted without it, for the least variance of differences
    between systems. Errors are clustered by rater and item, or by rater and group of items.
    *Assumes* that the judged outputs are a random part of all outputs of each system.

    Parameters
    ----------
    people : judgements; their items are among `items`
    name : of the metric
    scores : shape (systems, items), in the order of the judgements' systems and of `items`,
        complete
    items : names of all items
    alpha : 1 − confidence; intervals of differences hold together

    Returns
    -------
    Means and differences with the metric, and of people alone.

    Raises
    ------
    Undefined : scores are missing, a system has no judgement, or there are too few raters or items

    Source
    ------
    Angelopoulos et al. (2023); Angelopoulos, Duchi & Zrnic (2023), the fitted weight; Zrnic &
    Candès (2024), fitting it without the judgements that it weighs; Cameron, Gelbach & Miller
    (2011), two-way clusters.
    """
    fit = fit_control_variate(people, name, scores, items)
    tables = {
        use: means_and_contrasts(
            people.systems,
            each.means,
            each.spread,
            each.variances,
            alpha=alpha,
            df=fit.df,
            pooled=False,
        )
        for use, each in (("people", fit.people), ("powered", fit.powered))
    }
    return PredictionPowered(
        metric=name,
        weight=fit.weight,
        means=tables["powered"][0],
        contrasts=tables["powered"][1],
        people_means=tables["people"][0],
        people_contrasts=tables["people"][1],
        judgements=len(people.value),
        raters=len(people.raters),
        judged_items=len(people.items),
        items=len(items),
        worth=fit.worth,
        df=fit.df,
        alpha=alpha,
        judged_outputs=len(set(zip(people.system.tolist(), people.item.tolist(), strict=True))),
    )


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means of systems, a diagonal of their variances, and the variances of differences."""

    means: Values
    spread: Values
    variances: Values


@dataclass(frozen=True, eq=False)
class ControlVariate:
    """The estimates of people alone and those that use the metric, before any interval."""

    weight: float
    people: Estimates
    powered: Estimates
    worth: float
    df: float


def fit_control_variate(
    people: People, name: str, scores: Values, items: tuple[str, ...]
) -> ControlVariate:
    """Fit the weight and the estimates of `prediction_powered`.

    Parameters
    ----------
    people : the judgements of some outputs
    name : of the metric
    scores : of all outputs, shape (systems, items)
    items : their names

    Raises
    ------
    Undefined : too few outputs have both
    """
    place = _places(people, name, scores, items)
    df = _freedom(people)
    influence = Influence.of(people, scores, place)
    weights = influence.weights()
    counts = np.bincount(people.system, minlength=len(scores))
    alone = np.bincount(people.system, people.value, len(scores)) / counts
    without = Estimates(alone, *influence.variances(np.zeros(len(weights))))
    powered = Estimates(alone + influence.correction(weights), *influence.variances(weights))
    pairs = np.triu_indices(len(scores), 1)
    gain = float(without.variances[pairs].mean() / powered.variances[pairs].mean())
    weight = float(weights.mean())
    return ControlVariate(weight, without, powered, len(people.value) * (gain - 1), df)


def _places(people: People, name: str, scores: Values, items: tuple[str, ...]) -> Codes:
    """Return the column of each judgement's item."""
    if np.isnan(scores).any():
        row, column = np.argwhere(np.isnan(scores))[0]
        raise Undefined(
            f"{name} has no score of {people.systems[row]} on item {items[column]}; estimates "
            "that use a metric need one of every output."
        )
    column_of = {item: column for column, item in enumerate(items)}
    if strange := [item for item in people.items if item not in column_of]:
        raise Undefined(f"{name} has no score of the judged item {strange[0]}.")
    columns: Codes = np.array([column_of[item] for item in people.items])[people.item]
    judged = in_use(people.system.astype(np.int64) * len(items) + columns)
    if len(judged) >= scores.size:
        raise Undefined("Every output was judged, so a metric adds nothing to the judgements.")
    return columns


def _freedom(people: People) -> float:
    """Degrees of freedom by the rule, less one for λ; refuses too few raters or items."""
    if is_between_raters(people.rater, people.system):
        raise Undefined(
            "Each rater judged one system; estimates that use a metric need raters who judge "
            "several."
        )
    groups = people.item if people.group is None else people.group
    units = Units.of(people.rater, groups)
    units.require()
    if units.items.lacks(LEAST_ITEMS):
        raise Undefined(
            f"Estimates that use a metric need at least {LEAST_ITEMS} judged "
            f"{'items' if people.group is None else 'groups of items'}, because the metric's "
            f"weight is fitted to them; here there are {units.items.counted()}."
        )
    return units.df - 1


@dataclass(frozen=True, eq=False)
class Influence:
    """What each judgement and each item adds to the estimates, before the metric is weighed.

    `human` and `judged` have shape (judgements,): the distance from the system's mean, and of the
    metric's score from its mean over all outputs, both over the system's number of judgements.
    `everywhere` has shape (items, systems): the same distance of every output, over the number of
    items. `ways` are the clusters of judgements, and `units` those of items.
    """

    system: Codes
    human: Values
    judged: Values
    everywhere: Values
    ways: dict[str, Codes]
    units: Codes

    @classmethod
    def of(cls, people: People, scores: Values, place: Codes) -> Influence:
        systems, items = scores.shape
        counts = np.bincount(people.system, minlength=systems)
        if (counts == 0).any():
            raise Undefined("A system has no judgement.")
        means = np.bincount(people.system, people.value, systems) / counts
        far = scores - scores.mean(axis=1, keepdims=True)
        units = _units(people, place, items)
        unit = units[place]
        both = np.unique(people.rater.astype(np.int64) * items + unit, return_inverse=True)[1]
        return cls(
            people.system,
            (people.value - means[people.system]) / counts[people.system],
            far[people.system, place] / counts[people.system],
            far.T / items * _alike(far.T, units)[:, None],
            {"items": unit, "raters": people.rater, "both": both},
            units,
        )

    def weights(self) -> Values:
        """Return the weight of each judgement, fitted without the item that it is about.

        A weight has the least variance of differences between systems over clusters of items. One
        that is fitted to the residuals it then weighs makes intervals of few items too narrow.
        """
        human = self._summed(self.human, "items")
        metric = self._summed(-self.judged, "items") + self._by_unit(self.everywhere)
        human, metric = (each - each.mean(axis=1, keepdims=True) for each in (human, metric))
        product, spread = (human * metric).sum(axis=1), (metric**2).sum(axis=1)
        rest = spread.sum() - spread
        found: Values = np.divide(
            product - product.sum(), rest, out=np.zeros(len(rest)), where=rest > 0
        )
        return found[self.ways["items"]]

    def correction(self, weights: Values) -> Values:
        """Return what the metric adds to the mean of each system."""
        systems = self.everywhere.shape[1]
        added: Values = np.bincount(self.system, -weights * self.judged, systems).astype(np.float64)
        return added

    def variances(self, weights: Values) -> tuple[Values, Values]:
        """Return a covariance whose diagonal holds for means, and the variances of differences."""
        systems = self.everywhere.shape[1]
        counts = np.bincount(self.system, minlength=systems)
        of_system = np.bincount(self.system, weights, systems) / counts
        weighed = weights * self.judged
        weighed -= (np.bincount(self.system, weighed, systems) / counts)[self.system]
        everywhere = self._by_unit(self.everywhere * of_system)
        found = {}
        for way in self.ways:
            sums = self._summed(self.human - weighed, way)
            if way == "items":
                sums += everywhere
            used = int((sums != 0).any(axis=1).sum())
            found[way] = sums.T @ sums * used / max(used - 1, 1)
        spread, variances = clustered_variances(
            found["raters"],
            found["items"],
            found["both"],
            Units.of(self.ways["raters"], self.ways["items"]),
        )
        return np.diag(spread), variances

    def _summed(self, values: Values, way: str) -> Values:
        """Sum the judgements of each cluster, shape (clusters, systems)."""
        codes = self.ways[way]
        size = int((self.units if way == "items" else codes).max()) + 1
        return cross_sums(codes, self.system, (size, self.everywhere.shape[1]), values)

    def _by_unit(self, values: Values) -> Values:
        """Sum the items of each cluster, shape (clusters, systems)."""
        sums = np.zeros((int(self.units.max()) + 1, values.shape[1]))
        np.add.at(sums, self.units, values)
        return sums


def _units(people: People, place: Codes, items: int) -> Codes:
    """Number the unit of every item: its group where judgements say it, else the item alone."""
    units = np.arange(items)
    if people.group is not None:
        units += int(people.group.max()) + 1
        units[place] = people.group
    found: Codes = compact(units)
    return found


def _alike(values: Values, units: Codes) -> Values:
    """Return what to multiply each item by, because items of one group are alike.

    Only judged items have a known group. The others count for as much more as the judged ones'
    groups have a larger variance than single items.
    """
    sizes = np.bincount(units)
    alone = sizes[units] == 1
    if alone.all():
        return np.ones(len(units))
    grouped = values[~alone] - values[~alone].mean(axis=0)
    sums = np.zeros((len(sizes), values.shape[1]))
    np.add.at(sums, units[~alone], grouped)
    effect = float((sums**2).sum() / max((grouped**2).sum(), np.finfo(float).tiny))
    return np.where(alone, np.sqrt(max(effect, 1.0)), 1.0)
