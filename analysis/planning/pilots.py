"""Spreads from the judgements of a pilot, and predictions that allow for how small it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from analysis.errors import Undefined
from analysis.reliability.generalisability import variances
from analysis.scales.codes import distinct
from analysis.typing import Codes, Values

from .prospects import gaps_of, report_test
from .sizes import Size, Spreads, difference_error

# Possible truths of a prediction, and quantiles of the estimated errors in each.
DRAWS, COARSE = 200, (40, 12)
# Scales of what spreads may be before a pilot, in units of the residual's: the medians of
# `published.STUDIES` for tastes; and hardly a limit for how much systems differ, which is what a
# pilot is asked.
USUAL = {"rater_system": 0.25, "item_system": 0.4, "system": 1.0}
QUANTILES = (np.arange(200) + 0.5) / 200
# Sources of variance, as a G-study names them.
SOURCES = {
    "rater_system": "rater:system",
    "item_system": "item:system",
    "residual": "Residual",
    "item": "item",
    "rater_item": "rater:item",
    "system": "system",
}


def spreads_of(values: Values, systems: Codes, raters: Codes, items: Codes) -> Spreads:
    """Estimate the spreads of judgements by restricted maximum likelihood, as the G-study does.

    Where that would take too long, what raters and items have in common is left in the residual.
    That makes plans a little more careful where a screen shows all systems.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    systems, raters, items : shape (judgements,), codes

    Raises
    ------
    Undefined : fewer than two systems, raters or items; no variation; or no convergence
    """
    try:
        variance = variances(values, systems, raters, items)
    except Undefined:
        variance = variances(values, systems, raters, items, without=("rater:item",))
    return Spreads(
        **{name: float(np.sqrt(variance.get(source, 0.0))) for name, source in SOURCES.items()}
    )


@dataclass(frozen=True)
class Pilot:
    """What a pilot measured: spreads, the systems' means around 0, and how many units it had.

    `judgements` is the average number for a system.
    """

    spreads: Spreads
    means: tuple[float, ...]
    raters: int
    items: int
    judgements: float

    @property
    def error(self) -> float:
        """Variance of a system's mean against the others."""
        return _error(self, self.spreads)


@dataclass(frozen=True)
class Prediction:
    """The share of differences that a campaign will find, by a pilot.

    `low` and `high` hold nine in ten of the truths that the pilot leaves possible. `naive` takes
    the pilot's differences for the true ones, which are smaller.
    """

    found: float
    low: float
    high: float
    naive: float


def read_pilot(values: Values, systems: Codes, raters: Codes, items: Codes) -> Pilot:
    """Measure a pilot.

    Parameters
    ----------
    values, systems, raters, items : as for `spreads_of`

    Raises
    ------
    Undefined : as for `spreads_of`
    """
    spreads = spreads_of(values, systems, raters, items)
    counts = np.bincount(systems)
    judged = counts > 0
    means = np.bincount(systems, values)[judged] / counts[judged]
    return Pilot(
        spreads,
        tuple((means - means.mean()).tolist()),
        distinct(raters),
        distinct(items),
        float(counts[judged].mean()),
    )


def predicted(
    pilot: Pilot, size: Size, *, alpha: float = 0.05, draws: int = DRAWS, seed: int = 1
) -> Prediction:
    """Predict what a campaign of the pilot's systems finds, over the truths that are possible.

    The largest differences of a pilot are large also by chance, so a plan that takes them as they
    are promises too much. Each draw takes spreads that the pilot leaves possible, shrinks the
    means by the share of their spread that is error, and draws true means around them.

    Parameters
    ----------
    pilot : from `read_pilot`
    size : of the campaign, with as many systems as the pilot
    alpha : level of all claims together
    draws : number of possible truths
    seed : equal seeds give equal predictions

    Source
    ------
    Gelman (2006) for the distribution of spreads, Morris (1983) for the shrunken means, Chung et
    al. (2013) for a distribution without a peak at equal systems where there are two.
    """
    size = replace(size, systems=len(pilot.means), shown=min(size.on_a_screen, len(pilot.means)))
    if not size.claims:
        return Prediction(0.0, 0.0, 0.0, 0.0)
    found = [
        found_share(size, spreads, means, alpha) for spreads, means in possible(pilot, draws, seed)
    ]
    low, high = np.quantile(found, [0.05, 0.95])
    naive = found_share(size, pilot.spreads, np.asarray(pilot.means), alpha)
    return Prediction(float(np.mean(found)), float(low), float(high), naive)


def found_share(size: Size, spreads: Spreads, means: Values, alpha: float) -> float:
    """Compute the share of differences that a campaign claims in the right direction.

    Parameters
    ----------
    size, spreads : of the campaign
    means : shape (systems,), the true ones
    alpha : level of all claims together
    """
    test = report_test(size, difference_error(size, spreads), alpha=alpha, grid=COARSE)
    return float(test.signs(gaps_of(means.tolist()))[0].mean())


def possible(pilot: Pilot, draws: int, seed: int = 1) -> Iterator[tuple[Spreads, Values]]:
    """Draw spreads and true means that could have given this pilot.

    Parameters
    ----------
    pilot : from `read_pilot`
    draws : their number
    seed : equal seeds give equal draws
    """
    rng = np.random.default_rng(seed)
    systems, seen = len(pilot.means), pilot.spreads
    scatter, of_rater = seen.residual**2, pilot.judgements / pilot.raters
    of_item = pilot.judgements / pilot.items
    cells = max(systems * pilot.judgements - pilot.raters * systems - pilot.items * systems, 2)
    between = float(np.sum(np.square(pilot.means)))
    for _ in range(draws):
        residual = scatter * cells / rng.chisquare(cells)
        drawn = []
        for name, units, judged in (
            ("rater_system", pilot.raters, of_rater),
            ("item_system", pilot.items, of_item),
        ):
            df = (units - 1) * (systems - 1)
            squares = df * (getattr(seen, name) ** 2 + scatter / judged)
            prior = USUAL[name] * seen.residual
            drawn.append(_spread(squares, df, residual / judged, prior, rng))
        spreads = replace(
            seen, residual=float(np.sqrt(residual)), rater_system=drawn[0], item_system=drawn[1]
        )
        error = _error(pilot, spreads)
        true = _spread(
            between,
            systems - 1,
            error,
            USUAL["system"] * seen.residual,
            rng,
            avoids_zero=systems == 2,
        )
        true **= 2
        kept = true / (true + error)
        means = kept * np.asarray(pilot.means)
        yield spreads, means + np.sqrt(kept * error) * rng.standard_normal(systems)


def _spread(
    squares: float,
    df: int,
    error: float,
    prior: float,
    rng: np.random.Generator,
    *,
    avoids_zero: bool = False,
) -> float:
    """Draw a standard deviation that, with an error of known variance, gave this sum of squares.

    Before the pilot it has the half-Cauchy distribution of the scale `prior`. One difference cannot
    correct that, and with any chance that the spread is 0, small differences are taken for none: so
    then the density rises from 0 there, and has the same tail.
    """
    unit = np.tan(np.pi / 2 * QUANTILES)
    tried = prior * unit
    total = tried**2 + error
    log_likelihood = -(df * np.log(total) + squares / total) / 2
    if avoids_zero:
        log_likelihood += np.log(unit / np.hypot(1, unit))
    weights = np.cumsum(np.exp(log_likelihood - log_likelihood.max()))
    return float(tried[np.searchsorted(weights, weights[-1] * rng.random())])


def _error(pilot: Pilot, spreads: Spreads) -> float:
    by_raters = spreads.rater_system**2 / pilot.raters
    return by_raters + spreads.item_system**2 / pilot.items + spreads.residual**2 / pilot.judgements
