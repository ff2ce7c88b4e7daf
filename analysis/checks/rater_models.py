"""Four kinds of raters, and what they answer to checks.

Raters score on a line from 0 to 100. Texts have a quality from a normal distribution with mean 60
and standard deviation 15; damage takes 25 points from a text on average (standard deviation 15).
The points of a scale divide the line into equal parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.typing import Values

QUALITY, QUALITY_SD = 60.0, 15.0
DAMAGE, DAMAGE_SD = 25.0, 15.0


@dataclass(frozen=True)
class RaterModel:
    """The answering behaviour of a kind of rater.

    A share `awake` of the pages is answered by reading: with noise, and with slips on pages that
    have one right answer. The rest is answered without reading: anywhere on the line, or, with
    `habit`, always about at the same point.
    """

    name: str
    awake: float
    noise: float = 12.0
    slip: float = 0.03
    habit: float | None = None
    seconds: float = 20.0


CAREFUL = RaterModel("careful", awake=1.0)
CARELESS = RaterModel("careless", awake=0.0, seconds=4.0)
MODELS = (
    CAREFUL,
    RaterModel("half-asleep", awake=0.5, seconds=9.0),
    CARELESS,
    RaterModel("scripted", awake=0.0, habit=75.0, seconds=1.5),
)


@dataclass(frozen=True)
class Scale:
    """The numbers that a criterion's answers can have; without `points`, all in between."""

    low: float = 0.0
    high: float = 100.0
    points: int | None = None

    def at(self, values: Values) -> Values:
        """Return the answers for values on the line from 0 to 100."""
        shares = np.clip(values, 0, 100) / 100
        if self.points is not None:
            shares = np.minimum(shares * self.points // 1, self.points - 1) / (self.points - 1)
        found: Values = self.low + (self.high - self.low) * shares
        return found


LINE = Scale()


@dataclass(frozen=True)
class Drawn:
    """Answers to one check, each of shape (raters, answers).

    `passed` is not a number where a check has no right answer. `value` and `other` are two scores:
    of the intact and the damaged text, or the first and the second time.
    """

    passed: Values
    value: Values
    other: Values

    def first(self, share: int, of: int) -> Drawn:
        """Return the first `share` of `of` equal parts of the answers."""
        end = self.passed.shape[1] * share // of
        return Drawn(self.passed[:, :end], self.value[:, :end], self.other[:, :end])

    def joined(self, more: Drawn) -> Drawn:
        """Return the answers to both checks."""
        return Drawn(
            np.concatenate([self.passed, more.passed], axis=1),
            np.concatenate([self.value, more.value], axis=1),
            np.concatenate([self.other, more.other], axis=1),
        )


def drawn_answers(
    model: RaterModel,
    kind: str,
    size: tuple[int, int],
    rng: np.random.Generator,
    *,
    scale: Scale = LINE,
    accepted: float = 0.2,
) -> Drawn:
    """Draw what raters of a kind answer to a check.

    Parameters
    ----------
    model : the kind of rater
    kind : of the check
    size : (raters, answers)
    rng : of the draws
    scale : of the criterion
    accepted : the chance that an answer anywhere on the scale is the right one
    """
    if kind in ("repeat", "corruption", "better_than"):
        quality = rng.normal(QUALITY, QUALITY_SD, size)
        again = quality
        if kind != "repeat":
            again = quality - np.maximum(rng.normal(DAMAGE, DAMAGE_SD, size), 0)
        value, other = (scale.at(_scores(model, latent, rng)) for latent in (quality, again))
        passed = np.full(size, np.nan) if kind == "repeat" else (value > other).astype(np.float64)
        return Drawn(passed, value, other)
    is_read = rng.random(size) < model.awake * (1 - model.slip)
    is_lucky = (rng.random(size) < accepted) & (model.habit is None)
    nothing = np.full(size, np.nan)
    return Drawn((is_read | is_lucky).astype(np.float64), nothing, nothing)


def _scores(model: RaterModel, quality: Values, rng: np.random.Generator) -> Values:
    """Scores of texts on the line: read with noise, or given without reading."""
    unread = (
        rng.uniform(0, 100, quality.shape)
        if model.habit is None
        else model.habit + np.rint(rng.normal(0, 2, quality.shape))
    )
    read = quality + rng.normal(0, model.noise, quality.shape)
    return np.where(rng.random(quality.shape) < model.awake, read, unread)
