"""Whether systems kept their distances between versions of a campaign, such as extensions of it.

Systems that join later are compared with the others through the systems that were judged all the
time. That holds if those kept their distances from each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.errors import Undefined
from analysis.inference import Units, adjusted_p, clustered_variances, critical_t
from analysis.ranking.bradley_terry import existing_fit, influences
from analysis.ranking.pairs import Pairs, count
from analysis.scales.clustered import Within
from analysis.scales.codes import compact, renumber
from analysis.typing import Codes, Flags, Values

LEAST_COMMON = 2


@dataclass(frozen=True)
class Shift:
    """By how much a system rose against the other common systems since the first version.

    All intervals hold together, and `p` is adjusted for all systems and versions.
    """

    system: str
    version: str
    shift: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Drift:
    """Shifts of the systems that were judged under each version; `unit` is that of the shifts."""

    versions: tuple[str, ...]
    common: tuple[str, ...]
    joined: tuple[str, ...]
    shifts: tuple[Shift, ...]
    unit: str
    alpha: float


@dataclass(frozen=True, eq=False)
class Fitted:
    """One version's estimates, and how far each rater, item, and cell of both moves them.

    `estimates` has NaN for systems that were not judged; `moved` has shape (units, systems).
    """

    estimates: Values
    moved: tuple[Values, Values, Values]
    units: Units


def drift(
    fitted: Sequence[Fitted],
    versions: Sequence[str],
    labels: Sequence[str],
    *,
    unit: str,
    alpha: float = 0.05,
) -> Drift:
    """Compare the common systems' distances in each version with those in the first.

    Errors are clustered by raters and items, some of whom may have worked under several versions. t
    has the smallest effective number of raters or items of any version, less one, as degrees of
    freedom, and Bonferroni's adjustment for all systems and versions.

    Parameters
    ----------
    fitted : by version, in their order
    versions : their names
    labels : names of the systems
    unit : of the estimates
    alpha : level of all shifts together

    Raises
    ------
    Undefined : fewer than two systems were judged under every version

    Source
    ------
    Cameron, Gelbach & Miller (2011); the rule of `analysis.inference`.
    """
    judged = np.array([~np.isnan(each.estimates) for each in fitted])
    common = np.flatnonzero(judged.all(axis=0))
    if len(common) < LEAST_COMMON:
        raise Undefined(
            "Drift between versions shows only in systems that were judged under every version, "
            f"and {'there is one' if len(common) else 'there is none'}."
        )
    tests = len(common) * (len(fitted) - 1)
    df = min(each.units.df for each in fitted)
    width = critical_t(alpha, tests, df)
    first, shifts = fitted[0], []
    for each, version in zip(fitted[1:], versions[1:], strict=True):
        change = _centred(each.estimates[common]) - _centred(first.estimates[common])
        errors = np.sqrt(_variances(each, first, common))
        ratios = np.divide(change, errors, out=np.zeros(len(common)), where=errors > 0)
        tails = adjusted_p(ratios, tests, df)
        shifts += [
            Shift(labels[k], version, *numbers)
            for k, *numbers in zip(
                common.tolist(),
                change.tolist(),
                (change - width * errors).tolist(),
                (change + width * errors).tolist(),
                tails.tolist(),
                strict=True,
            )
        ]
    return Drift(
        tuple(versions),
        tuple(labels[k] for k in common.tolist()),
        tuple(labels[k] for k in np.flatnonzero(~judged.all(axis=0)).tolist()),
        tuple(shifts),
        unit,
        alpha,
    )


def fitted_values(
    values: Values,
    systems: Codes,
    units: tuple[Codes, Codes],
    rows: Flags,
    *,
    generality: str = "both",
) -> Fitted:
    """Fit one version's values by least squares on system and rater.

    Parameters
    ----------
    values : shape (judgements,), higher is better
    systems : shape (judgements,), codes
    units : raters and items, each of shape (judgements,)
    rows : shape (judgements,), those of the version
    generality : what claims are about

    Raises
    ------
    Undefined : too few raters or items, or no estimate
    """
    counted = Units.of(units[0][rows], units[1][rows], generality)
    counted.require()
    present, codes = renumber(systems[rows])
    blocks = compact(units[0][rows])
    found = Within.of(values[rows] - values[rows].mean(), codes, blocks)
    moved = [found.influences(way[rows]) for way in _ways(*units)]
    return _fitted(found.coefficients, moved, present, (systems, units), counted)


def fitted_pairs(pairs: Pairs, rows: Flags, *, generality: str = "both") -> Fitted:
    """Fit Bradley–Terry to one version's comparisons.

    Parameters
    ----------
    pairs : of all versions
    rows : shape (comparisons,), those of the version
    generality : what claims are about

    Raises
    ------
    RankingError : the systems of the version cannot be compared
    Undefined : too few raters or items
    """
    if not rows.any():
        raise Undefined("Under one version, no rater saw two systems on one screen.")
    units = pairs.rater, pairs.item
    counted = Units.of(pairs.rater[rows], pairs.item[rows], generality)
    counted.require()
    sides = np.concatenate([pairs.first, pairs.second])
    present = np.unique(sides[np.tile(rows, 2)])
    place = np.zeros(len(pairs.systems), dtype=np.int32)
    place[present] = np.arange(len(present), dtype=np.int32)
    part = replace(
        pairs,
        systems=tuple(pairs.systems[k] for k in present),
        first=place[pairs.first[rows]],
        second=place[pairs.second[rows]],
        outcome=pairs.outcome[rows],
        screen=pairs.screen[rows],
        rater=pairs.rater[rows],
        item=pairs.item[rows],
    )
    found, _ = existing_fit(part.systems, count(part))
    moved = [influences(part, found, way[rows]) for way in _ways(*units)]
    return _fitted(found.ability, moved, present, (sides, units), counted)


def _ways(raters: Codes, items: Codes) -> tuple[Codes, Codes, Codes]:
    """Number raters, items, and the cells of both."""
    cells = raters.astype(np.int64) * (int(items.max()) + 1) + items
    return raters, items, compact(cells)


def _fitted(
    estimates: Values,
    moved: Sequence[Values],
    present: Codes,
    of_all: tuple[Codes, tuple[Codes, Codes]],
    units: Units,
) -> Fitted:
    """Place the systems and units of one version among those of all."""
    systems, ways = of_all
    number = int(systems.max()) + 1
    wide = np.full(number, np.nan)
    wide[present] = estimates
    widened = []
    for way, part in zip(_ways(*ways), moved, strict=True):
        each = np.zeros((int(way.max()) + 1, number))
        each[: len(part), present] = part
        widened.append(each)
    return Fitted(wide, (widened[0], widened[1], widened[2]), units)


def _centred(estimates: Values) -> Values:
    centred: Values = estimates - estimates.mean(axis=-1, keepdims=True)
    return centred


def _variances(one: Fitted, other: Fitted, common: Codes) -> Values:
    """Variances of the common systems' shifts, clustered by what claims are about."""
    ways = []
    for mine, its in zip(one.moved, other.moved, strict=True):
        shifts = _centred(mine[:, common]) - _centred(its[:, common])
        number = int(np.sum(np.any(shifts != 0, axis=1)))
        ways.append(shifts.T @ shifts * number / max(number - 1, 1))
    spread, _ = clustered_variances(ways[0], ways[1], ways[2], one.units)
    return spread
