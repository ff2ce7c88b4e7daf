"""Linear mixed models with crossed random effects, by restricted maximum likelihood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.inference import difference_variances
from analysis.typing import Codes, Values

from .comparison import Contrast, FixedMean, means_and_contrasts
from .mixed_equations import Equations, Solution, equations


@dataclass(frozen=True)
class VarianceComponent:
    """Variance and standard deviation of one random effect; `levels` is None for the residual."""

    source: str
    variance: float
    sd: float
    levels: int | None


@dataclass(frozen=True)
class MixedModel:
    """A fit; `wald` tests that all systems are equal. `df` None means the normal distribution."""

    formula: str
    means: tuple[FixedMean, ...]
    contrasts: tuple[Contrast, ...]
    components: tuple[VarianceComponent, ...]
    reml_deviance: float
    wald_chi2: float
    wald_df: int
    wald_p: float
    judgements: int
    alpha: float
    df: float | None


def fit_mixed(
    values: ArrayLike,
    systems: Codes,
    labels: Sequence[str],
    random: Mapping[str, Codes],
    *,
    alpha: float = 0.05,
    df: float | None = None,
    higher_is_better: bool = True,
) -> MixedModel:
    """Fit `value ~ system + (1|a) + (1|b) + …` by restricted maximum likelihood.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    systems : shape (judgements,), codes into `labels`
    labels : names of the systems; those without a judgement are left out
    random : name → shape (judgements,) codes; every effect is an independent normal intercept
    alpha : 1 − confidence of all comparisons together
    df : degrees of freedom of the comparisons; None takes the normal distribution
    higher_is_better : whether the largest mean comes first

    Returns
    -------
    MixedModel : means and differences in the unit of `values`, with simultaneous intervals,
        variance components, the REML deviance and a Wald test of all systems

    Raises
    ------
    Undefined : fewer than two systems, no variation, too many levels, or no convergence

    Source
    ------
    Patterson & Thompson (1971); the profiled deviance of Bates, Mächler, Bolker & Walker (2015).
    """
    values = np.asarray(values, dtype=np.float64)
    present, systems = np.unique(systems, return_inverse=True)
    if len(present) < 2:
        raise Undefined("A mixed model of systems needs at least two systems.")
    usable = _usable(values, random)
    shift, scale = float(values.mean()), float(values.std())
    system = equations((values - shift) / scale, systems, usable)
    theta = _minimise(system, len(usable))
    solution = system.solve(theta)
    names = [labels[index] for index in present]
    estimates = shift + scale * solution.coefficients
    covariance = scale**2 * solution.covariance
    means, pairs = means_and_contrasts(
        names, estimates, covariance, difference_variances(covariance),
        alpha=alpha, df=df, higher_is_better=higher_is_better,
    )  # fmt: skip
    return MixedModel(
        formula="value ~ system + " + " + ".join(f"(1|{name})" for name in usable),
        means=means,
        contrasts=pairs,
        components=_components(theta, solution, scale, usable),
        reml_deviance=solution.deviance + 2 * (len(values) - len(names)) * float(np.log(scale)),
        judgements=len(values),
        alpha=alpha,
        df=df,
        **_wald(estimates - shift, covariance),
    )


def variance_components(
    values: ArrayLike, random: Mapping[str, Codes]
) -> tuple[VarianceComponent, ...]:
    """Fit `value ~ 1 + (1|a) + …` by REML and return its variances, the residual last.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    random : name → shape (judgements,) codes; every effect is an independent normal intercept

    Returns
    -------
    tuple of VarianceComponent : in the squared unit of the values, as variance and SD

    Raises
    ------
    Undefined : values that do not vary, too many levels, or no convergence

    Source
    ------
    Patterson & Thompson (1971); Bates, Mächler, Bolker & Walker (2015).
    """
    values = np.asarray(values, dtype=np.float64)
    usable = _usable(values, random)
    scale = float(values.std())
    nothing = np.zeros(len(values), dtype=np.intp)
    system = equations((values - values.mean()) / scale, nothing, usable)
    theta = _minimise(system, len(usable))
    return _components(theta, system.solve(theta), scale, usable)


def _usable(values: Values, random: Mapping[str, Codes]) -> dict[str, Codes]:
    """Keep the effects with two levels or more, coded without gaps."""
    if not len(values) or np.all(values == values[0]):
        raise Undefined("All scores are equal, so there is no variance to divide.")
    compact = {name: np.unique(codes, return_inverse=True)[1] for name, codes in random.items()}
    usable: dict[str, Codes] = {name: codes for name, codes in compact.items() if codes.max() > 0}
    if not usable:
        raise Undefined("A mixed model needs at least two raters or two items.")
    if any(int(codes.max()) + 1 >= len(values) for codes in usable.values()):
        raise Undefined("A random effect has as many levels as there are judgements.")
    return usable


def _minimise(system: Equations, effects: int) -> Values:
    """Find the θ ≥ 0 with the smallest deviance; like lme4, from θ = 1 without derivatives."""
    found = scipy.optimize.minimize(
        lambda theta: system.deviance(np.abs(theta)),
        np.ones(effects),
        method="COBYQA",
        bounds=[(0.0, None)] * effects,
        options={"final_tr_radius": 1e-6, "initial_tr_radius": 0.5, "maxfev": 500 * effects},
    )
    if not found.success:
        raise Undefined(f"The mixed model did not converge: {found.message}")
    theta: Values = np.abs(found.x)
    return theta


def _components(
    theta: Values, solution: Solution, scale: float, random: Mapping[str, Codes]
) -> tuple[VarianceComponent, ...]:
    residual = solution.residual_variance * scale**2
    effects = [
        VarianceComponent(
            name,
            float(ratio**2 * residual),
            float(ratio * np.sqrt(residual)),
            int(random[name].max()) + 1,
        )
        for name, ratio in zip(random, theta, strict=True)
    ]
    return (*effects, VarianceComponent("Residual", residual, float(np.sqrt(residual)), None))


def _wald(estimates: Values, covariance: Values) -> dict[str, Any]:
    """Test that all systems have one mean, from the differences to the last."""
    count = len(estimates)
    contrasts = np.hstack([np.eye(count - 1), -np.ones((count - 1, 1))])
    differences = contrasts @ estimates
    statistic = float(
        differences @ np.linalg.solve(contrasts @ covariance @ contrasts.T, differences)
    )
    return {
        "wald_chi2": statistic,
        "wald_df": count - 1,
        "wald_p": float(scipy.special.chdtrc(count - 1, statistic)),
    }
