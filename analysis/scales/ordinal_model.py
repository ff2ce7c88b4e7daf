"""Ordinal mixed models: cumulative links with crossed random effects of raters and items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import OptionsError, Undefined
from analysis.inference import difference_variances
from analysis.scales.codes import renumber
from analysis.typing import Codes, Values

from .comparison import Contrast, contrasts
from .cumulative_links import LINKS, Link
from .laplace import CumulativeLinks
from .mixed_model import usable_effects

# With more, values are numbers rather than categories.
MOST_CATEGORIES = 11
# Operations of one factorisation: levels of the largest effect × the square of all others'. With
# so many, a fit takes about 30 seconds.
MOST_WORK = 3e8
# Places beyond this one are on their way to infinity.
FARTHEST = 25.0
NOT_CONVERGED = "The ordinal model did not converge: {}."


@dataclass(frozen=True)
class RandomEffect:
    """Standard deviation of one effect, in units of the link; `levels` counts its values."""

    source: str
    sd: float
    levels: int


@dataclass(frozen=True)
class OrdinalSystem:
    """A system's place (the mean of all systems is 0), and its share of each category.

    `logit` is in units of the model's link, so in probits where that is the link. The shares are
    those of new raters and items: effects are averaged over their distribution.
    """

    system: str
    logit: float
    shares: tuple[float, ...]


@dataclass(frozen=True)
class OrdinalModel:
    """A fit: P(value ≤ category j) = F(threshold j − system − effects).

    F is the logistic or, with the link `probit`, the normal distribution.
    """

    formula: str
    categories: tuple[float, ...]
    thresholds: tuple[float, ...]
    systems: tuple[OrdinalSystem, ...]
    contrasts: tuple[Contrast, ...]
    effects: tuple[RandomEffect, ...]
    log_likelihood: float
    judgements: int
    alpha: float
    link: str = "logit"  # reports of earlier versions do not say


def fit_ordinal(
    values: ArrayLike,
    systems: Codes,
    labels: Sequence[str],
    random: Mapping[str, Codes],
    *,
    alpha: float = 0.05,
    most_df: float = np.inf,
    higher_is_better: bool = True,
    link: str = "logit",
) -> OrdinalModel:
    """Fit `value ~ system + (1|a) + (1|b) + …` to the order of values by maximum likelihood.

    Parameters
    ----------
    values : shape (judgements,), at most 11 different ones; only their order counts
    systems : shape (judgements,), codes into `labels`
    labels : names of the systems; those without a judgement are left out
    random : name → shape (judgements,) codes; every effect is an independent normal intercept
    alpha : 1 − confidence of all comparisons together
    most_df : degrees of freedom of the comparisons; infinity takes the normal distribution
    higher_is_better : whether the highest place comes first
    link : `logit`, or `probit` for values that cut a normal scale into pieces

    Returns
    -------
    OrdinalModel : in units of the link from the mean of all systems, with simultaneous intervals

    Raises
    ------
    OptionsError : another link
    Undefined : one system; one, too many or unused categories; a separated system; no convergence

    Source
    ------
    McCullagh (1980); Laplace's approximation as in Christensen's `clmm` (package ordinal).
    """
    if link not in LINKS:
        raise OptionsError([f"There is no link {link!r}: {', '.join(LINKS)}."])
    values = np.asarray(values, dtype=np.float64)
    present, systems = renumber(systems)
    categories, category = np.unique(values, return_inverse=True)
    _check(categories, category, systems, names := [labels[code] for code in present])
    usable = usable_effects(values, random)
    order = sorted(usable, key=lambda name: -int(usable[name].max()))
    model = CumulativeLinks.of(LINKS[link], category, systems, [usable[name] for name in order])
    parameters, deviance, covariance = _maximise(model)
    cut, fixed = len(categories) - 1, len(categories) + len(names) - 2
    places = np.append(0.0, parameters[cut:fixed])
    thresholds, places = parameters[:cut] - places.mean(), places - places.mean()
    spread = dict(zip(order, np.abs(parameters[fixed:]).tolist(), strict=True))
    total = float(np.linalg.norm(parameters[fixed:]))
    shares = _marginal_shares(LINKS[link], thresholds, places, total)
    return OrdinalModel(
        formula=f"{link}(value ≤ j) ~ system + " + " + ".join(f"(1|{name})" for name in usable),
        categories=tuple(categories.tolist()),
        thresholds=tuple(thresholds.tolist()),
        systems=tuple(_ranked(names, places, shares, higher_is_better)),
        contrasts=contrasts(
            names, places, difference_variances(covariance), alpha=alpha,
            df=None if np.isinf(most_df) else most_df, higher_is_better=higher_is_better,
        ),
        effects=_random_effects(usable, spread),
        log_likelihood=-deviance / 2,
        judgements=len(values),
        alpha=alpha,
        link=link,
    )  # fmt: skip


def _random_effects(
    usable: Mapping[str, Codes], spread: Mapping[str, float]
) -> tuple[RandomEffect, ...]:
    return tuple(
        RandomEffect(name, spread[name], int(codes.max()) + 1) for name, codes in usable.items()
    )


def _ranked(
    names: Sequence[str], places: Values, shares: Values, higher: bool
) -> Iterator[OrdinalSystem]:
    for k in np.argsort(-places if higher else places, kind="stable"):
        yield OrdinalSystem(names[k], float(places[k]), tuple(shares[k].tolist()))


def _check(categories: Values, category: Codes, systems: Codes, names: Sequence[str]) -> None:
    """Refuse what has no finite maximum."""
    if len(names) < 2:
        raise Undefined("An ordinal model of systems needs at least two systems.")
    if len(categories) < 2:
        raise Undefined("All scores are equal, so there is no order to explain.")
    if len(categories) > MOST_CATEGORIES:
        raise Undefined(
            f"The values have {len(categories)} levels; ordinal models are for scales of at most "
            f"{MOST_CATEGORIES}."
        )
    if np.all(categories == np.round(categories)):
        between = np.setdiff1d(np.arange(categories[0], categories[-1]), categories)
        if len(between):
            raise Undefined(
                f"Nobody gave the value {between[0]:g}, so an ordinal model cannot place it."
            )
    for code, name in enumerate(names):
        own = np.unique(category[systems == code])
        if len(own) == 1 and own[0] in (0, len(categories) - 1):
            end = "lowest" if own[0] == 0 else "highest"
            raise Undefined(
                f"Separated: {name} only has the {end} value, so its place has no limit."
            )


def _check_size(model: CumulativeLinks) -> None:
    largest, others = model.levels
    if max(largest, others) * others**2 > MOST_WORK:
        raise Undefined(f"The random effects have {largest + others} levels, too many to fit.")


def _maximise(model: CumulativeLinks) -> tuple[Values, float, Values]:
    """Estimates, deviance, and the covariance of the systems' places, shape (systems, systems)."""
    _check_size(model)
    cut, fixed = model.categories - 1, model.categories + model.systems - 2
    shares = np.cumsum(np.bincount(model.category))[:-1] / len(model.category)
    start = model.link.quantile(shares)
    effects = 1 + len(model.others)
    free = np.concatenate(
        [start[:1], np.log(np.diff(start)), np.zeros(fixed - cut), np.full(effects, 0.7)]
    )
    modes = np.zeros(sum(model.levels))
    scale = float(len(model.category))

    def objective(free: Values) -> tuple[float, Values]:
        # The differences of thresholds are positive, so their logarithms are free.
        nonlocal modes
        if np.abs(free).max() > FARTHEST:
            return np.inf, np.zeros_like(free)
        value, gradient, modes = model.deviance(_ordered(free, cut), modes)
        upwards = np.cumsum(gradient[:cut][::-1])[::-1]
        steps = np.append(1.0, np.exp(free[1:cut]))
        return value / scale, np.concatenate([steps * upwards, gradient[cut:]]) / scale

    found = scipy.optimize.minimize(
        objective, free, jac=True, method="BFGS", options={"gtol": 1e-7, "maxiter": 500}
    )
    # BFGS also stops where rounding hides any further decrease, which is near enough.
    if not np.all(np.isfinite(found.jac)) or np.abs(found.jac).max() > 1e-5:
        raise Undefined(NOT_CONVERGED.format("the maximum was not found"))
    parameters = _ordered(found.x, cut)
    covariance = np.zeros((model.systems, model.systems))
    curvature, places = _curvature(model, parameters, modes)
    if np.linalg.eigvalsh(curvature)[0] <= 1e-4:
        raise Undefined(NOT_CONVERGED.format("the systems' values are separated"))
    inverse = 2 * np.linalg.inv(curvature)
    covariance[1:, 1:] = inverse[places, places]
    return parameters, float(found.fun) * scale, covariance


def _ordered(free: Values, cut: int) -> Values:
    thresholds = np.cumsum(np.append(free[0], np.exp(free[1:cut])))
    return np.concatenate([thresholds, free[cut:]])


def _curvature(model: CumulativeLinks, parameters: Values, modes: Values) -> tuple[Values, slice]:
    """Second derivatives of the deviance without effects at zero, and the places' positions."""
    cut, fixed = model.categories - 1, model.categories + model.systems - 2
    spread = np.abs(parameters[fixed:])
    moved = [*range(fixed), *(int(fixed + place) for place in np.flatnonzero(spread > 1e-3))]
    rows = []
    for place in moved:
        step = np.zeros(len(parameters))
        step[place] = 1e-4
        above = model.deviance(parameters + step, modes)[1]
        below = model.deviance(parameters - step, modes)[1]
        rows.append((above - below)[moved] / 2e-4)
    curvature = np.array(rows)
    return (curvature + curvature.T) / 2, slice(cut, fixed)


def _marginal_shares(link: Link, thresholds: Values, places: Values, spread: float) -> Values:
    """Shares of the categories, averaged over effects with this SD; shape (systems, categories)."""
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    at = thresholds[None, :, None] - places[:, None, None] - spread * points
    below = link.below(at) @ (weights / weights.sum())
    edges = np.hstack([np.zeros((len(places), 1)), below, np.ones((len(places), 1))])
    return np.diff(edges, axis=1)
