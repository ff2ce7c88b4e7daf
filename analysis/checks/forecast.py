"""What a rule does before anybody has worked: losses of each part, and rules that cannot work."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.checks.joint import (
    CAREFUL_ICC,
    DROP,
    FEWEST_REPEATS,
    SIMULATED,
    SLIP,
    Planned,
    share_caught,
    simulated_icc,
)
from analysis.checks.power import critical_value, losses_by_failures, paired_power
from analysis.checks.rules import Comparison, Rule, alternatives
from analysis.checks.signed_rank import MOST_EXACT, exact_tail, least_p
from analysis.translatable import gettext_noop as _


@dataclass(frozen=True)
class Forecast:
    """One part of a rule; shares are None where nothing can be said before the work.

    `warning` is a sentence with {names} that `values` fills in, empty where all is well.
    """

    part: str
    careful_lost: float | None = None
    careless_kept: float | None = None
    warning: str = ""
    values: tuple[tuple[str, str], ...] = ()


def forecast(rule: Rule, checks: Sequence[Planned], *, seed: int = 0) -> tuple[Forecast, ...]:
    """Forecast each part of a rule that alone can catch a rater.

    A comparison is forecast by its own distribution where there is one. Parts that `and`, `not` or
    brackets join are decided for simulated raters, so that the dependence between checks of one
    rater is taken into account.

    Parameters
    ----------
    rule : as `parse_rule` returns it
    checks : all checks of the campaign
    seed : of the simulations of power and consistency

    Returns
    -------
    One `Forecast` for each alternative of the rule
    """
    return tuple(
        _of_comparison(part, checks, seed)
        if isinstance(part, Comparison)
        else _of_joined(part, checks, seed)
        for part in alternatives(rule)
    )


def _of_joined(part: Rule, checks: Sequence[Planned], seed: int) -> Forecast:
    careful, careless = (
        share_caught(part, checks, careful=kind, rng=np.random.default_rng([seed, kind]))
        for kind in (True, False)
    )
    if careful is None or careless is None:
        return Forecast(part.text)
    return Forecast(part.text, careful, 1 - careless)


def _of_comparison(part: Comparison, checks: Sequence[Planned], seed: int) -> Forecast:
    owner, _dot, measure = part.measure.rpartition(".")
    asked = [check for check in checks if owner in (check.name, check.kind)]
    answers = sum(check.answers for check in asked)
    make = _BY_MEASURE.get(measure)
    if make is None or not asked or part.sign not in _SIGNS[measure]:
        return Forecast(part.text)
    guess = sum(check.guess * check.answers for check in asked) / max(answers, 1)
    return make(part, answers, guess, seed)


def _failures(part: Comparison, answers: int, guess: float, seed: int) -> Forecast:
    failures = int(np.floor(part.bound)) + 1 if part.sign == ">" else int(np.ceil(part.bound))
    losses = losses_by_failures(answers, max(failures, 0), slip=SLIP, guess=guess)
    warning: str = ""
    if failures > answers:
        warning = _("Raters see only {answers} of these checks, so this part catches nobody.")
    elif failures <= 0:
        warning = _("This part excludes every rater.")
    values = (("answers", str(answers)),)
    return Forecast(part.text, losses.careful_lost, losses.careless_kept, warning, values)


def _paired(part: Comparison, answers: int, guess: float, seed: int) -> Forecast:
    pairs = min(answers, MOST_EXACT)
    if not pairs:
        return Forecast(part.text)
    alpha = part.bound
    bound = critical_value(pairs, alpha)
    if bound is None:
        values = (("pairs", str(answers)), ("least", f"{least_p(answers):.2g}"))
        warning = _(
            "With {pairs} pairs p is never below {least}, so this part excludes every rater. Ask "
            "for more pairs or use a larger level."
        )
        return Forecast(part.text, 1.0, 0.0, warning, values)
    rng = np.random.default_rng(seed)
    power = paired_power(pairs, drop=DROP, scatter=1, alpha=alpha, rng=rng, raters=SIMULATED)
    kept = exact_tail(np.arange(1, pairs + 1, dtype=np.float64), bound)
    return Forecast(part.text, 1 - power, kept)


def _consistency(part: Comparison, answers: int, guess: float, seed: int) -> Forecast:
    if answers < FEWEST_REPEATS:
        values = (("answers", str(answers)),)
        warning = _(
            "Three repetitions are needed, but raters see {answers}, so this part catches nobody."
        )
        return Forecast(part.text, 0.0, 1.0, warning, values)
    rng = np.random.default_rng(seed)
    careful = simulated_icc(answers, CAREFUL_ICC, rng)
    careless = simulated_icc(answers, 0.0, rng)
    return Forecast(
        part.text, float(np.mean(careful < part.bound)), float(np.mean(careless >= part.bound))
    )


_BY_MEASURE: dict[str, Callable[[Comparison, int, float, int], Forecast]] = {
    "failed": _failures,
    "paired_p": _paired,
    "icc": _consistency,
}
_SIGNS = {"failed": (">", ">="), "paired_p": (">", ">="), "icc": ("<", "<=")}
