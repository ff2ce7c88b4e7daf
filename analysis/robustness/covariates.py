"""Rankings with properties of outputs, such as length, held constant: descriptions, no claims.

A property belongs to the output, and so to its system: a system that writes longer texts is not
treated more fairly where length is held constant. The effect of the property itself may be claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from analysis.errors import RankingError, Undefined
from analysis.inference import Units, adjusted_p, clustered_variances, critical_t
from analysis.ranking.bradley_terry import fit, require_estimable
from analysis.ranking.pairs import Pairs, count
from analysis.scales.clustered import Within
from analysis.scales.codes import compact, cross_sums
from analysis.typing import Codes, Values

STEPS = 60
PRECISION = 1e-9


@dataclass(frozen=True)
class Effect:
    """By how much estimates rise with one SD of a property, `sd` in the property's own unit.

    `p` and the interval are adjusted for all properties of the model.
    """

    name: str
    sd: float
    effect: float
    error: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Controlled:
    """A system's estimate and rank, as they are and with the properties held constant.

    `means` are the means of the properties over its judgements.
    """

    system: str
    plain: float
    controlled: float
    rank: int
    rank_controlled: int
    means: tuple[float, ...]


@dataclass(frozen=True)
class ControlledRanking:
    """Effects of properties, and the systems from the best down as the controlled model has them.

    Estimates are log-odds of being preferred (`unit` is `log-odds`), or values.
    """

    effects: tuple[Effect, ...]
    systems: tuple[Controlled, ...]
    unit: str
    df: float
    alpha: float


@dataclass(frozen=True, eq=False)
class Property:
    """A property of outputs in SDs, shape (judgements,), and the mean of each system as it is."""

    name: str
    values: Values
    sd: float
    means: Values

    @classmethod
    def of(cls, name: str, values: Values, systems: Codes) -> Property:
        """Standardise; refuse what is the same for all judgements."""
        sd = float(values.std())
        if not sd > 0:
            raise Undefined(f"{name} is the same for all outputs.")
        means = np.bincount(systems, values) / np.maximum(np.bincount(systems), 1)
        return cls(name, (values - values.mean()) / sd, sd, means)


@dataclass(frozen=True, eq=False)
class Estimated:
    """A fitted model: estimates of systems, effects, and the effects' errors.

    `residuals` are those of the plain model, one for each judgement or comparison.
    """

    plain: Values
    controlled: Values
    effects: Values
    errors: Values
    units: Units
    residuals: Values


def values_with_covariates(
    values: Values,
    systems: Codes,
    units: tuple[Codes, Codes],
    covariates: Values,
    *,
    blocks: Codes | None = None,
    generality: str = "both",
    counted: Units | None = None,
) -> Estimated:
    """Fit least squares of values on system, rater and covariates, with clustered errors.

    Parameters
    ----------
    values : shape (judgements,), higher is better
    systems : shape (judgements,), codes from 0 on, all in use
    units : raters and items, each of shape (judgements,)
    covariates : shape (judgements, covariates)
    blocks : shape (judgements,), parts of a rater's judgements with a level of their own
    generality : what claims about the effects are about: `raters`, `items` or `both`
    counted : the units that bear the effects, where these are not all raters and items

    Raises
    ------
    Undefined : too few raters or items; or a covariate that does not vary within raters and
        systems, or only as the others do

    Source
    ------
    Frisch & Waugh (1933); Cameron, Gelbach & Miller (2011).
    """
    raters = compact(units[0])
    blocks = raters if blocks is None else compact(blocks)
    counted = Units.of(*units, generality) if counted is None else counted
    counted.require()
    centred = values - values.mean()
    plain = Within.of(centred, systems, blocks)
    left = np.column_stack(
        [Within.of(each - each.mean(), systems, blocks).residuals for each in covariates.T]
    )
    bread = _inverse(left.T @ left)
    effects = bread @ (left.T @ plain.residuals)
    rest = plain.residuals - left @ effects
    controlled = Within.of(centred - covariates @ effects, systems, blocks)
    errors = _errors(left * rest[:, None], bread, units, counted)
    return Estimated(
        plain.coefficients, controlled.coefficients, effects, errors, counted, plain.residuals
    )


def pairs_with_covariates(
    pairs: Pairs, covariates: Values, *, generality: str = "both"
) -> Estimated:
    """Fit Bradley–Terry with the differences of covariates; a tie is half a win for each.

    Parameters
    ----------
    pairs : comparisons
    covariates : shape (comparisons, covariates), the first output's less the second's
    generality : what claims about the effects are about: `raters`, `items` or `both`

    Raises
    ------
    RankingError : systems are not comparable, or the likelihood has no maximum
    Undefined : too few raters or items, or a covariate that does not differ within comparisons

    Source
    ------
    Bradley & Terry (1952); covariates as in the style control of arenas (Chiang et al. 2024).
    """
    counted = Units.of(pairs.rater, pairs.item, generality)
    counted.require()
    counts = count(pairs)
    require_estimable(pairs.systems, counts, "half")
    plain = fit(counts, ties="half").ability
    won = 1 - pairs.outcome / 2
    residuals = won - scipy.special.expit(plain[pairs.first] - plain[pairs.second])
    if not covariates.shape[1]:
        return Estimated(plain, plain, np.zeros(0), np.zeros(0), counted, residuals)
    ability, effects, information, rest = _newton(pairs, covariates, plain)
    systems = len(pairs.systems)
    if np.linalg.eigvalsh(information)[1] < 1e-9 * np.trace(information):
        raise Undefined("A property differs only as the systems do, or as other properties do.")
    of_systems, of_effects = np.split(np.linalg.pinv(information)[systems:].T, [systems])
    moved = covariates @ of_effects
    moved += of_systems[pairs.first]
    moved -= of_systems[pairs.second]
    moved *= rest[:, None]
    errors = _errors(moved, np.eye(len(effects)), (pairs.rater, pairs.item), counted)
    return Estimated(plain, ability, effects, errors, counted, residuals)


def controlled_ranking(
    found: Estimated,
    labels: Sequence[str],
    properties: Sequence[Property],
    *,
    unit: str,
    alpha: float = 0.05,
) -> ControlledRanking:
    """Name the systems and properties of a fitted model.

    Parameters
    ----------
    found : from `values_with_covariates` or `pairs_with_covariates`
    labels : names of the systems
    properties : in the order of the model
    unit : of the estimates
    alpha : 1 − confidence of all effects together
    """
    number, df = len(found.effects), found.units.df
    width = critical_t(alpha, number, df)
    ratios = np.divide(found.effects, found.errors, out=np.zeros(number), where=found.errors > 0)
    p = adjusted_p(ratios, number, df)
    effects = tuple(
        Effect(held.name, held.sd, each, error, each - width * error, each + width * error, tail)
        for held, each, error, tail in zip(
            properties, found.effects.tolist(), found.errors.tolist(), p.tolist(), strict=True
        )
    )
    ranks, after = (
        scipy.stats.rankdata(-each, method="ordinal") for each in (found.plain, found.controlled)
    )
    systems = tuple(
        Controlled(
            labels[k],
            float(found.plain[k]),
            float(found.controlled[k]),
            int(ranks[k]),
            int(after[k]),
            tuple(float(held.means[k]) for held in properties),
        )
        for k in np.argsort(after).tolist()
    )
    return ControlledRanking(effects, systems, unit, df, alpha)


def _inverse(products: Values) -> Values:
    scale = np.sqrt(np.diag(products))
    if not np.all(scale > 0) or np.linalg.cond(products / np.outer(scale, scale)) > 1e9:
        raise Undefined("Some properties of the outputs vary only together.")
    return np.asarray(np.linalg.inv(products), dtype=np.float64)


def _errors(scores: Values, bread: Values, units: tuple[Codes, Codes], counted: Units) -> Values:
    """Standard errors of effects, clustered by what claims are about."""
    if not scores.shape[1]:
        return np.zeros(0)
    raters, items = (codes.astype(np.int64) for codes in units)
    cells = raters * (int(items.max()) + 1) + items
    ways = []
    for codes in (raters, items, cells):
        cluster = compact(codes)
        number = int(cluster.max()) + 1
        sums = np.column_stack([np.bincount(cluster, column) for column in scores.T])
        ways.append(bread @ (sums.T @ sums) @ bread * number / max(number - 1, 1))
    spread, _ = clustered_variances(ways[0], ways[1], ways[2], counted)
    return np.asarray(np.sqrt(np.maximum(spread, 0)))


def _newton(
    pairs: Pairs, covariates: Values, plain: Values
) -> tuple[Values, Values, Values, Values]:
    """Return abilities, effects, the information of both, and what is left of each comparison.

    Begin with the abilities without effects, and with none.
    """
    systems, number = len(pairs.systems), covariates.shape[1]
    won = 1 - pairs.outcome / 2
    point = np.append(plain, np.zeros(number))
    for _ in range(STEPS):
        margin = point[pairs.first] - point[pairs.second] + covariates @ point[systems:]
        chance = scipy.special.expit(margin)
        rest, weight = won - chance, chance * (1 - chance)
        of_systems = np.bincount(pairs.first, rest, systems) - np.bincount(
            pairs.second, rest, systems
        )
        slope = np.append(of_systems, covariates.T @ rest)
        information = _information(pairs, covariates, weight)
        pinned = information.copy()
        pinned[:systems, :systems] += (
            max(np.trace(information[:systems, :systems]), 1.0) / systems**2
        )
        try:
            step = np.linalg.solve(pinned, slope)
        except np.linalg.LinAlgError:
            raise Undefined(
                "A property of the outputs does not differ within comparisons."
            ) from None
        point = point + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < PRECISION:
            return point[:systems] - point[:systems].mean(), point[systems:], information, rest
    raise RankingError("Bradley–Terry with properties of the outputs did not converge.")


def _information(pairs: Pairs, covariates: Values, weight: Values) -> Values:
    systems = len(pairs.systems)
    met = cross_sums(pairs.first, pairs.second, (systems, systems), weight)
    met = met + met.T
    crossed = np.zeros((systems, covariates.shape[1]))
    for column, each in enumerate(covariates.T):
        crossed[:, column] += np.bincount(pairs.first, weight * each, minlength=systems)
        crossed[:, column] -= np.bincount(pairs.second, weight * each, minlength=systems)
    corner = covariates.T @ (covariates * weight[:, None])
    laplacian = np.diag(met.sum(axis=1)) - met
    return np.vstack([np.hstack([laplacian, crossed]), np.hstack([crossed.T, corner])])
