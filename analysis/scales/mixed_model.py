"""Linear mixed models with crossed random effects, by restricted maximum likelihood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from analysis.errors import Undefined
from analysis.inference import difference_variances
from analysis.scales.codes import compact, renumber
from analysis.typing import Codes, Values

from .comparison import Contrast, FixedMean, means_and_contrasts
from .mixed_equations import Equations, Solution, equations
from .satterthwaite import Satterthwaite


@dataclass(frozen=True)
class VarianceComponent:
    """Variance and standard deviation of one random effect; `levels` is None for the residual."""

    source: str
    variance: float
    sd: float
    levels: int | None


@dataclass(frozen=True)
class EqualSystems:
    """The F test that all systems are equal."""

    F: float
    df: float
    df_residual: float
    p: float


@dataclass(frozen=True)
class MixedModel:
    """A fit; means and contrasts have each their own degrees of freedom."""

    formula: str
    means: tuple[FixedMean, ...]
    contrasts: tuple[Contrast, ...]
    components: tuple[VarianceComponent, ...]
    reml_deviance: float
    test: EqualSystems
    judgements: int
    alpha: float


def fit_mixed(
    values: ArrayLike,
    systems: Codes,
    labels: Sequence[str],
    random: Mapping[str, Codes],
    *,
    alpha: float = 0.05,
    most_df: float = np.inf,
    higher_is_better: bool = True,
    versions: Codes | None = None,
) -> MixedModel:
    """Fit `value ~ system + (1|a) + (1|b) + …` by restricted maximum likelihood.

    Parameters
    ----------
    values : shape (judgements,), in the criterion's own unit
    systems : shape (judgements,), codes into `labels`
    labels : names of the systems; those without a judgement are left out
    random : name → shape (judgements,) codes; every effect is an independent normal intercept
    alpha : 1 − confidence of all comparisons together
    most_df : no comparison has more degrees of freedom, whatever Satterthwaite's are
    higher_is_better : whether the largest mean comes first
    versions : shape (judgements,), codes of a second fixed factor; means are those at its average

    Returns
    -------
    MixedModel : means and differences in the unit of `values`, with simultaneous intervals

    Raises
    ------
    Undefined : fewer than two systems, no variation, too many levels, or no convergence

    Source
    ------
    Patterson & Thompson (1971); the profiled deviance of Bates, Mächler, Bolker & Walker (2015);
    degrees of freedom after Satterthwaite (1946), as Kuznetsova, Brockhoff & Christensen (2017).
    """
    values = np.asarray(values, dtype=np.float64)
    present, systems = renumber(systems)
    if len(names := [labels[code] for code in present]) < 2:
        raise Undefined("A mixed model of systems needs at least two systems.")
    usable = usable_effects(values, random)
    shift, scale = float(values.mean()), float(values.std())
    system = equations((values - shift) / scale, systems, usable, versions)
    solution = system.solve(theta := _minimise(system, len(usable)))
    covariance = scale**2 * solution.covariance
    freedom = Satterthwaite.of(system, theta, len(values) - system.fixed)
    means, pairs = means_and_contrasts(
        names, shift + scale * solution.coefficients, covariance, difference_variances(covariance),
        alpha=alpha, higher_is_better=higher_is_better,
        df=np.minimum(freedom.df(_of_means_and_differences), most_df),
    )  # fmt: skip
    return MixedModel(
        formula="value ~ system + "
        + " + ".join([*["version"][: versions is not None], *(f"(1|{name})" for name in usable)]),
        means=means,
        contrasts=pairs,
        components=_components(theta, solution, scale, usable),
        reml_deviance=solution.deviance + 2 * (len(values) - system.fixed) * float(np.log(scale)),
        test=_equal_systems(solution.coefficients, freedom, most_df),
        judgements=len(values),
        alpha=alpha,
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
    usable = usable_effects(values, random)
    scale = float(values.std())
    nothing = np.zeros(len(values), dtype=np.intp)
    system = equations((values - values.mean()) / scale, nothing, usable)
    theta = _minimise(system, len(usable))
    return _components(theta, system.solve(theta), scale, usable)


def usable_effects(values: Values, random: Mapping[str, Codes]) -> dict[str, Codes]:
    """Keep the effects with two levels or more, coded without gaps.

    Parameters
    ----------
    values : shape (judgements,)
    random : name → shape (judgements,) codes

    Raises
    ------
    Undefined : no variation, no effect, or one with as many levels as there are judgements
    """
    if not len(values) or np.all(values == values[0]):
        raise Undefined("All scores are equal, so there is no variance to divide.")
    dense = {name: compact(codes) for name, codes in random.items()}
    usable: dict[str, Codes] = {name: codes for name, codes in dense.items() if codes.max() > 0}
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


def _of_means_and_differences(covariance: Values) -> Values:
    """Variances of all differences, with those of the means on the diagonal."""
    return difference_variances(covariance) + np.diag(np.diag(covariance))


def _equal_systems(estimates: Values, freedom: Satterthwaite, most_df: float) -> EqualSystems:
    """Test that all systems have one mean (Fai & Cornelius 1996, as lmerTest's contestMD)."""
    count = len(estimates)
    contrasts = np.hstack([np.eye(count - 1), -np.ones((count - 1, 1))])
    variances, vectors = np.linalg.eigh(contrasts @ freedom.covariance @ contrasts.T)
    directions = vectors.T @ contrasts
    F = float(np.mean((directions @ estimates) ** 2 / variances))
    each = np.minimum(
        freedom.df(lambda covariance: np.sum(directions @ covariance * directions, axis=1)), most_df
    )
    df = _of_the_sum(each)
    return EqualSystems(F, float(count - 1), df, float(scipy.special.fdtrc(count - 1, df, F)))


def _of_the_sum(each: Values) -> float:
    """Degrees of freedom of F from those of its independent t."""
    if np.ptp(each) < 1e-8:
        return float(each.mean())
    if np.any(each <= 2):
        return float(min(2.0, each.min()))
    expected = float(np.sum(each / (each - 2)))
    return 2 * expected / (expected - len(each))
