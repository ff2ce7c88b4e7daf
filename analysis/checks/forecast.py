"""Forecast a rule before the campaign: the losses of each part, and rules that cannot work."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.checks.joint import (
    FEWEST_REPEATS,
    SIMULATED,
    Measured,
    Planned,
    caught_by_batch,
    measures_by_batch,
)
from analysis.checks.rater_models import CAREFUL, CARELESS, MODELS, RaterModel
from analysis.checks.rules import Comparison, Rule, alternatives
from analysis.checks.signed_rank import least_p
from analysis.translatable import gettext_noop as _
from analysis.typing import Flags


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


# Later batches change little, and a launch page cannot wait for them.
MOST_BATCHES = 10


def forecast(
    rule: Rule, checks: Sequence[Planned], *, batches: int = 1, seed: int = 0
) -> RuleForecast:
    """Forecast a rule by simulated careful and careless raters, who decide all parts at once.

    Parameters
    ----------
    rule : as `parse_rule` returns it
    checks : all checks of the campaign
    batches : how many each rater does; the rule is decided after each of the first ten
    seed : of the simulation

    Returns
    -------
    The shares of careful raters who are lost, and of careless ones who are kept. Parts that ask
    for times or habits have none, and are left out of the whole.
    """
    careful, careless = (
        _batches_of(model, [rule], checks, batches, [seed, number])
        for number, model in enumerate((CAREFUL, CARELESS))
    )
    parts = tuple(_of(part, checks, careful, careless) for part in alternatives(rule))
    return RuleForecast(parts, _of(rule, checks, careful, careless))


@dataclass(frozen=True)
class Fate:
    """What all rules together do to raters of one kind: shares of those who come.

    `paid_batches` is how many batches those who are excluded have done until then, as a mean over
    all who come.
    """

    kind: str
    turned_away: float
    excluded: float
    marked: float
    paid_batches: float

    @property
    def kept(self) -> float:
        """The share who counts, marked or not."""
        return round(1 - self.turned_away - self.excluded, 9)


def fates(
    rules: Mapping[str, Rule], checks: Sequence[Planned], *, batches: int = 1, seed: int = 0
) -> tuple[Fate, ...]:
    """Forecast what all rules of a campaign do to each kind of simulated raters.

    Parameters
    ----------
    rules : by what follows from them: `gate`, `exclude`, `flag`
    checks : all checks of the campaign
    batches : how many each rater does; the rules are decided after each of the first ten
    seed : of the simulation

    Returns
    -------
    In the order of `rater_models.MODELS`. Parts of rules that ask for times or habits catch nobody.
    """
    return tuple(
        _fate(model, rules, _batches_of(model, list(rules.values()), checks, batches, [seed, n]))
        for n, model in enumerate(MODELS)
    )


def _fate(model: RaterModel, rules: Mapping[str, Rule], batches: Sequence[Measured]) -> Fate:
    nobody = np.zeros((SIMULATED, len(batches)), dtype=np.bool_)

    def by(action: str) -> Flags:
        found = caught_by_batch(rules[action], batches) if action in rules else None
        return nobody if found is None else found

    # A gate asks for what is known before the work.
    away = by("gate")[:, 0]
    caught = by("exclude") & ~away[:, None]
    excluded = caught.any(axis=1)
    marked = by("flag").any(axis=1) & ~away & ~excluded
    paid = np.where(excluded, 1 + caught.argmax(axis=1), 0)
    return Fate(
        model.name,
        turned_away=float(away.mean()),
        excluded=float(excluded.mean()),
        marked=float(marked.mean()),
        paid_batches=float(paid.mean()),
    )


def _batches_of(
    model: RaterModel,
    rules: Sequence[Rule],
    checks: Sequence[Planned],
    batches: int,
    seed: Sequence[int],
) -> list[Measured]:
    wanted = {comparison.measure for rule in rules for comparison in rule.comparisons()}
    most = max(1, min(batches, MOST_BATCHES))
    rng = np.random.default_rng(seed)
    return measures_by_batch(checks, model, rng, batches=most, wanted=wanted)


def _of(
    rule: Rule, checks: Sequence[Planned], careful: list[Measured], careless: list[Measured]
) -> Forecast:
    lost, found = caught_by_batch(rule, careful), caught_by_batch(rule, careless)
    nothing: tuple[str, dict[str, str]] = ("", {})
    warning, values = (
        _warning(rule, checks, len(careful)) if isinstance(rule, Comparison) else nothing
    )
    if lost is None or found is None:
        return Forecast(rule.text, None, None, warning, tuple(values.items()))
    shares = float(np.mean(lost.any(axis=1))), 1 - float(np.mean(found.any(axis=1)))
    return Forecast(rule.text, *shares, warning, tuple(values.items()))


def _warning(
    part: Comparison, checks: Sequence[Planned], batches: int
) -> tuple[str, dict[str, str]]:
    """Say why a comparison cannot work with any raters, or nothing."""
    owner, _dot, measure = part.measure.rpartition(".")
    asked = [check for check in checks if owner in (check.name, check.kind)]
    answers = sum(check.answers * (1 if check.kind == "quiz" else batches) for check in asked)
    first = sum(check.answers for check in asked)
    least = least_p(first)
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
    if measure == "paired_p" and part.sign in (">", ">=") and first and least > part.bound:
        text = _(
            "With {pairs} pairs p is never below {least}, so this part excludes every rater. Ask "
            "for more pairs or use a larger level."
        )
        return text, {"pairs": str(first), "least": f"{least:.2g}"}
    return "", {}
