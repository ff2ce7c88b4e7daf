"""Forecast a rule before the campaign: the losses of each part, and rules that cannot work."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.checks.joint import FEWEST_REPEATS, Measured, Planned, caught, simulated_measures
from analysis.checks.rater_models import CAREFUL, CARELESS
from analysis.checks.rules import Comparison, Rule, alternatives
from analysis.checks.signed_rank import least_p
from analysis.translatable import gettext_noop as _


@dataclass(frozen=True)
class Forecast:
    """A rule or one part of it; shares are None where nothing can be said before the work.

    `warning` is a sentence with {names} that `values` fills in, empty where all is well.
    """

    part: str
    careful_lost: float | None = None
    careless_kept: float | None = None
    warning: str = ""
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class RuleForecast:
    """A forecast for each part that alone can catch a rater, and one for all of them together."""

    parts: tuple[Forecast, ...]
    whole: Forecast


def forecast(rule: Rule, checks: Sequence[Planned], *, seed: int = 0) -> RuleForecast:
    """Forecast a rule by simulated careful and careless raters, who decide all parts at once.

    Parameters
    ----------
    rule : as `parse_rule` returns it
    checks : all checks of the campaign
    seed : of the simulation

    Returns
    -------
    The shares of careful raters who are lost, and of careless ones who are kept. Parts that ask
    for times or habits have none, and are left out of the whole.
    """
    careful, careless = (
        simulated_measures(checks, model, np.random.default_rng([seed, number]))
        for number, model in enumerate((CAREFUL, CARELESS))
    )
    parts = tuple(_of(part, checks, careful, careless) for part in alternatives(rule))
    return RuleForecast(parts, _of(rule, checks, careful, careless))


def _of(rule: Rule, checks: Sequence[Planned], careful: Measured, careless: Measured) -> Forecast:
    lost, found = caught(rule, careful), caught(rule, careless)
    nothing: tuple[str, dict[str, str]] = ("", {})
    warning, values = _warning(rule, checks) if isinstance(rule, Comparison) else nothing
    if lost is None or found is None:
        return Forecast(rule.text, None, None, warning, tuple(values.items()))
    shares = float(np.mean(lost)), 1 - float(np.mean(found))
    return Forecast(rule.text, *shares, warning, tuple(values.items()))


def _warning(part: Comparison, checks: Sequence[Planned]) -> tuple[str, dict[str, str]]:
    """Say why a comparison cannot work with any raters, or nothing."""
    owner, _dot, measure = part.measure.rpartition(".")
    answers = sum(check.answers for check in checks if owner in (check.name, check.kind))
    least = least_p(answers)
    if part.always_holds:
        return _("This part excludes every rater."), {}
    if measure == "failed" and part.sign in (">", ">="):
        needed = math.floor(part.bound) + 1 if part.sign == ">" else part.bound
        if needed > answers:
            text = _("Raters see only {answers} of these checks, so this part catches nobody.")
            return text, {"answers": str(answers)}
    if measure == "icc" and answers < FEWEST_REPEATS:
        text = _(
            "Three repetitions are needed, but raters see {answers}, so this part catches nobody."
        )
        return text, {"answers": str(answers)}
    if measure == "paired_p" and part.sign in (">", ">=") and answers and least > part.bound:
        text = _(
            "With {pairs} pairs p is never below {least}, so this part excludes every rater. Ask "
            "for more pairs or use a larger level."
        )
        return text, {"pairs": str(answers), "least": f"{least:.2g}"}
    return "", {}
