"""The likelihood of cumulative links with crossed random effects, by Laplace's approximation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.errors import Undefined
from analysis.typing import Codes, Values

from .cumulative_links import Cells, Link

MOST_NEWTON_STEPS = 100
CLOSE = 1e-9


@dataclass(frozen=True)
class CumulativeLinks:
    """P(value ≤ j) = link.below(threshold_j − system − Σ effects), effects σ times normal ones.

    The curvature of the effects is diagonal for `largest`, which is eliminated, and dense for the
    `others`, whose codes are columns of one matrix.
    """

    link: Link
    category: Codes
    system: Codes
    largest: Codes
    others: tuple[Codes, ...]
    categories: int
    systems: int

    @classmethod
    def of(
        cls, link: Link, category: Codes, system: Codes, effects: Sequence[Codes]
    ) -> CumulativeLinks:
        """Take the codes of categories, systems and effects, the largest effect first."""
        ends = np.cumsum([0, *(int(codes.max()) + 1 for codes in effects[1:])])
        return cls(
            link, category, system, effects[0],
            tuple(codes + start for codes, start in zip(effects[1:], ends, strict=False)),
            int(category.max()) + 1, int(system.max()) + 1,
        )  # fmt: skip

    @property
    def levels(self) -> tuple[int, int]:
        """Number of levels of the largest effect, and of all others."""
        return int(self.largest.max()) + 1, int(self.others[-1].max()) + 1 if self.others else 0

    def deviance(self, parameters: Values, start: Values) -> tuple[float, Values, Values]:
        """Return −2 log likelihood, its gradient, and the modes of the effects.

        Parameters
        ----------
        parameters : thresholds, systems but the first (which is at 0), and a σ for each effect
        start : modes to begin from, shape (levels of all effects,)

        Raises
        ------
        Undefined : the modes are not found

        Source
        ------
        Pinheiro & Bates (1995), eq. 2.6; Christensen (2022), clmm of the package ordinal. The
        gradient follows from the implicit function of the modes.
        """
        cut, fixed = self.categories - 1, self.categories + self.systems - 2
        thresholds, spread = parameters[:cut], parameters[fixed:]
        at_system = np.append(0.0, parameters[cut:fixed])[self.system]
        modes = self._modes(thresholds, at_system, spread, start)
        fit = _Curvature.of(self, thresholds, at_system, spread, modes)
        value = 2 * fit.penalised + fit.log_determinant
        return value, 2 * fit.gradient(self), modes

    def _modes(
        self, thresholds: Values, at_system: Values, spread: Values, start: Values
    ) -> Values:
        """Newton's steps, halved until the penalised likelihood grows."""
        fit = _Curvature.of(self, thresholds, at_system, spread, start)
        for _ in range(MOST_NEWTON_STEPS):
            slope = fit.slope(self)
            step = fit.solve(slope)
            if float(slope @ step) < CLOSE:
                return fit.modes + step
            share = 1.0
            while True:
                tried = _Curvature.of(self, thresholds, at_system, spread, fit.modes + share * step)
                if tried.penalised <= fit.penalised:
                    break
                share /= 2
                if share < CLOSE:
                    raise Undefined("The ordinal model did not converge: no modes were found.")
            fit = tried
        raise Undefined("The ordinal model did not converge: no modes were found.")


@dataclass(frozen=True)
class _Curvature:
    """The penalised likelihood at some effects, with the inverse of its curvature by blocks."""

    spread: Values
    modes: Values
    cells: Cells
    penalised: float
    diagonal: Values
    ratio: Values  # the block between the largest effect and the others, over `diagonal`
    inverse: Values  # of what is left for the others

    @classmethod
    def of(
        cls, model: CumulativeLinks, thresholds: Values, at_system: Values, spread: Values,
        modes: Values,
    ) -> _Curvature:  # fmt: skip
        first, rest = model.levels
        predictor = at_system + spread[0] * modes[model.largest]
        for sigma, codes in zip(spread[1:], model.others, strict=True):
            predictor = predictor + sigma * modes[first + codes]
        bounds = np.concatenate([[-np.inf], thresholds, [np.inf]])
        lower, upper = bounds[model.category] - predictor, bounds[model.category + 1] - predictor
        found = model.link.cells(lower, upper)
        diagonal = 1 + spread[0] ** 2 * np.bincount(model.largest, found.weight, first)
        cross, dense = np.zeros((first, rest)), np.eye(rest)
        for sigma, codes in zip(spread[1:], model.others, strict=True):
            cells = np.bincount(model.largest * rest + codes, found.weight, first * rest)
            cross += spread[0] * sigma * cells.reshape(first, rest)
            for other, columns in zip(spread[1:], model.others, strict=True):
                cells = np.bincount(codes * rest + columns, found.weight, rest * rest)
                dense += sigma * other * cells.reshape(rest, rest)
        ratio = cross / diagonal[:, None]
        return cls(
            spread, modes, found,
            float(modes @ modes / 2 - found.log_probability.sum()), diagonal, ratio,
            np.linalg.inv(dense - cross.T @ ratio),
        )  # fmt: skip

    @property
    def log_determinant(self) -> float:
        return float(np.log(self.diagonal).sum() - np.linalg.slogdet(self.inverse)[1])

    def solve(self, right: Values) -> Values:
        """The inverse of the curvature times a vector."""
        first = len(self.diagonal)
        rest = self.inverse @ (right[first:] - self.ratio.T @ right[:first])
        return np.concatenate([right[:first] / self.diagonal - self.ratio @ rest, rest])

    def summed(self, model: CumulativeLinks, weights: Values) -> Values:
        """Sums of the weights over the judgements of each level, without its σ."""
        first, rest = model.levels
        others = sum((np.bincount(codes, weights, rest) for codes in model.others), np.zeros(rest))
        return np.concatenate([np.bincount(model.largest, weights, first), others])

    def slope(self, model: CumulativeLinks) -> Values:
        """Derivative of the log joint density by the effects."""
        return self._sigmas(model) * self.summed(model, self.cells.score) - self.modes

    def _sigmas(self, model: CumulativeLinks) -> Values:
        sizes = [len(self.diagonal), *np.diff([0, *(int(c.max()) + 1 for c in model.others)])]
        return np.repeat(self.spread, sizes)

    def gradient(self, model: CumulativeLinks) -> Values:
        """Half the gradient of the deviance, by thresholds, systems and σ."""
        first = len(self.diagonal)
        cells = self.cells
        weight_by_predictor = -(cells.weight_by_upper + cells.weight_by_lower)
        columns = self._covariances(model)
        half = self.spread @ columns / 2
        sigmas = self._sigmas(model)
        moved = self.solve(sigmas * self.summed(model, half * weight_by_predictor))
        levels = [model.largest, *(first + codes for codes in model.others)]
        shift = sum(
            (s * moved[codes] for s, codes in zip(self.spread, levels, strict=True)),
            np.zeros(len(half)),
        )
        # Derivatives by each value's own upper and lower threshold, and by its predictor.
        upper = half * cells.weight_by_upper + shift * cells.score_by_upper - cells.by_upper
        lower = half * cells.weight_by_lower + shift * cells.score_by_lower - cells.by_lower
        predictor = half * weight_by_predictor - shift * cells.weight - cells.score
        by_bound = np.bincount(model.category + 1, upper, model.categories + 1)
        by_bound += np.bincount(model.category, lower, model.categories + 1)
        by_system = np.bincount(model.system, predictor, model.systems)
        by_sigma = [
            float(
                predictor @ self.modes[codes] + cells.score @ moved[codes] + cells.weight @ column
            )
            for codes, column in zip(levels, columns, strict=True)
        ]
        return np.concatenate([by_bound[1:-1], by_system[1:], by_sigma])

    def _covariances(self, model: CumulativeLinks) -> Values:
        """Covariance of each judgement's effects with their weighted sum; shape (effects, n)."""
        product = self.ratio @ self.inverse
        own = 1 / self.diagonal + np.sum(product * self.ratio, axis=1)
        columns = [self.spread[0] * own[model.largest]]
        for sigma, codes in zip(self.spread[1:], model.others, strict=True):
            between = product[model.largest, codes]
            columns[0] = columns[0] - sigma * between
            column = -self.spread[0] * between
            for other, others in zip(self.spread[1:], model.others, strict=True):
                column = column + other * self.inverse[codes, others]
            columns.append(column)
        return np.array(columns)
