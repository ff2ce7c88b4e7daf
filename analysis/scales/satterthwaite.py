"""Degrees of freedom of a mixed model's means and differences, after Satterthwaite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.typing import Values

from .mixed_equations import Equations

# Differences of the deviance are taken over this share of θ, and at least over this much.
STEP, LEAST_STEP = 0.02, 1e-3
# An effect with a relative standard deviation below this one is at zero.
ZERO = 1e-4


@dataclass(frozen=True)
class Satterthwaite:
    """How the covariance of the fixed effects moves with the estimated ratios θ.

    `slopes` are its derivatives at constant profiled variance, `uncertainty` is half of the
    covariance of θ, and `free` the degrees of freedom of the residual. The residual variance and θ
    are independent at the maximum of the profiled likelihood.
    """

    covariance: Values  # shape (systems, systems)
    slopes: Values  # shape (effects, systems, systems)
    uncertainty: Values  # shape (effects, effects)
    free: int

    @classmethod
    def of(cls, system: Equations, theta: Values, free: int) -> Satterthwaite:
        """Take differences of the deviance and of the covariance around the fit.

        Parameters
        ----------
        system : the equations that were fitted
        theta : the estimates, shape (effects,); at zero the deviance is flat, so such an effect
            adds nothing
        free : number of judgements minus number of systems

        Source
        ------
        Fai & Cornelius (1996); Kuznetsova, Brockhoff & Christensen (2017).
        """
        effects = [int(place) for place in np.flatnonzero(theta > ZERO)]
        steps = np.maximum(STEP * theta, LEAST_STEP)
        middle = system.solve(theta)
        slopes = np.empty((len(effects), *middle.covariance.shape))
        curvature = np.empty((len(effects), len(effects)))
        along = np.empty(len(effects))

        def moved(*signed: tuple[int, int]) -> Values:
            changed = theta.copy()
            for effect, sign in signed:
                changed[effect] += sign * steps[effect]
            return np.abs(changed)  # the deviance is the same on both sides of zero

        for place, effect in enumerate(effects):
            above, below = (system.solve(moved((effect, sign))) for sign in (1, -1))
            slopes[place] = (above.covariance - below.covariance) / (2 * steps[effect])
            along[place] = above.deviance + below.deviance - 2 * middle.deviance
            curvature[place, place] = along[place] / steps[effect] ** 2
            for before, other in enumerate(effects[:place]):
                both = sum(
                    [system.deviance(moved((effect, sign), (other, sign))) for sign in (1, -1)]
                )
                mixed = both - 2 * middle.deviance - along[place] - along[before]
                curvature[place, before] = mixed / (2 * steps[effect] * steps[other])
                curvature[before, place] = curvature[place, before]
        return cls(middle.covariance, slopes, _inverse(curvature), free)

    def df(self, variances_of: Callable[[Values], Values]) -> Values:
        """Return the degrees of freedom of each variance.

        Parameters
        ----------
        variances_of : makes variances, of any shape, from a covariance matrix; linear in it
        """
        variances = variances_of(self.covariance)
        slopes = np.stack([variances, *map(variances_of, self.slopes)])[1:] / variances
        parts = np.einsum("k...,kl,l...->...", slopes, self.uncertainty, slopes)
        found: Values = 1 / (parts + 1 / self.free)
        return found


def _inverse(curvature: Values) -> Values:
    """Invert in the directions in which the deviance is curved, as lmerTest does."""
    eigenvalues, vectors = np.linalg.eigh(curvature)
    curved = eigenvalues > 1e-8
    inverse: Values = (vectors[:, curved] / eigenvalues[curved]) @ vectors[:, curved].T
    return inverse
