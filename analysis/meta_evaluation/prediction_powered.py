"""Prediction-powered ranking: few human judgements and scores of every output, used together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.errors import Undefined
from analysis.scales.comparison import (
    Contrast,
    FixedMean,
    difference_variances,
    means_and_contrasts,
)
from analysis.typing import Codes, Values

from .people import People


@dataclass(frozen=True)
class PredictionPowered:
    """Estimates that use a metric, next to those of people alone.

    `weight` is how much of the metric's unit counts; 0 is people alone, a negative one says that
    the metric runs against people. `worth` is how many more human judgements would make people's
    intervals as narrow: an average over pairs of systems.
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
    sharper. The weight is fitted for the least variance of differences between systems. Errors are
    clustered by rater and item. *Assumes* that the judged outputs are a random part of all outputs
    of each system, and many raters and judged items.

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
    Angelopoulos et al. (2023); Angelopoulos, Duchi & Zrnic (2023), the fitted weight;
    Cameron, Gelbach & Miller (2011), two-way clusters.
    """
    fit = fit_control_variate(people, name, scores, items)
    tables = {
        use: means_and_contrasts(
            people.systems, each.means, each.spread, each.variances, alpha=alpha, df=fit.df
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
    influence = _Influence.of(people, scores, place)
    weight = influence.best_weight()
    counts = np.bincount(people.system, minlength=len(scores))
    alone = np.bincount(people.system, people.value, len(scores)) / counts
    judged = np.bincount(people.system, influence.predicted, len(scores)) / counts
    without = Estimates(alone, *influence.variances(0.0))
    powered = Estimates(
        alone + weight * (scores.mean(axis=1) - judged), *influence.variances(weight)
    )
    pairs = np.triu_indices(len(scores), 1)
    gain = float(without.variances[pairs].mean() / powered.variances[pairs].mean())
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
    judged = np.unique(people.system.astype(np.int64) * len(items) + columns)
    if len(judged) >= scores.size:
        raise Undefined("Every output was judged, so a metric adds nothing to the judgements.")
    return columns


def _freedom(people: People) -> float:
    """Kish's effective number of the scarcer clusters, less one for the mean and one for λ."""
    effective = []
    for codes in (people.rater, people.item):
        sizes = np.bincount(codes).astype(np.float64)
        effective.append(float(sizes.sum() ** 2 / (sizes**2).sum()))
    df = min(effective) - 2
    if df < 1:
        raise Undefined(
            "Estimates that use a metric need at least three raters and items of equal weight; the "
            f"effective numbers here are {effective[0]:.1f} and {effective[1]:.1f}."
        )
    return df


@dataclass(frozen=True, eq=False)
class _Influence:
    """The influence of each cluster on the estimates: `human` + weight · `metric`, per clustering.

    Shapes (clusters, systems). `predicted` is the metric's score of each judged output.
    """

    human: dict[str, Values]
    metric: dict[str, Values]
    predicted: Values

    @classmethod
    def of(cls, people: People, scores: Values, place: Codes) -> _Influence:
        systems, items = scores.shape
        predicted = scores[people.system, place]
        counts = np.bincount(people.system, minlength=systems)
        if (counts == 0).any():
            raise Undefined("A system has no judgement.")

        def centred(values: Values) -> Values:
            means = np.bincount(people.system, values, systems) / counts
            found: Values = (values - means[people.system]) / counts[people.system]
            return found

        both = np.unique(people.rater.astype(np.int64) * items + place, return_inverse=True)[1]
        ways = {"items": place, "raters": people.rater, "both": both}
        human, metric = {}, {}
        for way, codes in ways.items():
            size = items if way == "items" else int(codes.max()) + 1
            human[way] = _summed(centred(people.value), codes, people.system, (size, systems))
            metric[way] = -_summed(centred(predicted), codes, people.system, (size, systems))
        metric["items"] += (scores - scores.mean(axis=1, keepdims=True)).T / items
        return cls(human, metric, predicted)

    def best_weight(self) -> float:
        """Return the weight with the least variance of differences, from the clusters of items."""
        human, metric = (
            each - each.mean(axis=1, keepdims=True)
            for each in (self.human["items"], self.metric["items"])
        )
        spread = float((metric**2).sum())
        return -float((human * metric).sum()) / spread if spread > 0 else 0.0

    def variances(self, weight: float) -> tuple[Values, Values]:
        """Return a covariance whose diagonal holds for means, and the variances of differences.

        With few raters the two-way difference can be too small by chance; neither way alone may
        exceed it (MacKinnon, Nielsen & Webb 2021).
        """
        found = {}
        for way, human in self.human.items():
            sums = human + weight * self.metric[way]
            used = int((sums != 0).any(axis=1).sum())
            found[way] = sums.T @ sums * used / max(used - 1, 1)
        two_way = found["items"] + found["raters"] - found["both"]
        ways = (two_way, found["items"], found["raters"])
        spread = np.diag(np.max([np.diag(way) for way in ways], axis=0))
        return spread, np.max([difference_variances(way) for way in ways], axis=0)


def _summed(values: Values, codes: Codes, systems: Codes, shape: tuple[int, int]) -> Values:
    place = codes.astype(np.int64) * shape[1] + systems
    found: Values = np.bincount(place, values, minlength=shape[0] * shape[1]).astype(np.float64)
    return found.reshape(shape)
