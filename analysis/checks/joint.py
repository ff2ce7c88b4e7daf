"""All measures of many simulated raters at once: what rules would find before anybody has worked.

The same numbers as `analysis.checks.measures` gives for one rater.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from analysis.checks.rater_models import LINE, Drawn, RaterModel, Scale, drawn_answers
from analysis.checks.rules import Rule, alternatives
from analysis.checks.signed_rank import MOST_EXACT
from analysis.typing import Flags, Values

FEWEST_REPEATS = 3
SIMULATED = 4_000

Measured = Mapping[str, Values]


@dataclass(frozen=True)
class Planned:
    """One check as it is planned: the answers that each rater gives, and on which scale.

    `accepted` is the chance that an answer anywhere on the scale is the right one.
    """

    name: str
    kind: str
    answers: int
    accepted: float = 0.2
    scale: Scale = LINE


def simulated_measures(
    checks: Sequence[Planned], model: RaterModel, rng: np.random.Generator, raters: int = SIMULATED
) -> Measured:
    """Simulate raters of one kind.

    Parameters
    ----------
    checks : all checks of the campaign
    model : the kind of rater
    rng : of the draws
    raters : how many

    Returns
    -------
    By measure, shape (raters,): not a number is a measure that has no value
    """
    found: dict[str, Values] = {}
    of_kind: dict[str, Drawn] = {}
    for check in checks:
        if not check.answers or check.kind in ("quiz", "time"):
            continue
        size = (raters, check.answers)
        drawn = drawn_answers(
            model, check.kind, size, rng, scale=check.scale, accepted=check.accepted
        )
        found |= _measures(check.name, check.kind, drawn)
        before = of_kind.get(check.kind)
        of_kind[check.kind] = drawn if before is None else before.joined(drawn)
    for kind, drawn in of_kind.items():
        found |= _measures(kind, kind, drawn)
    return found


def caught(rule: Rule, measures: Measured) -> Flags | None:
    """Say which simulated raters a rule catches, shape (raters,); None if it asks for other
    measures.

    Of the alternatives of a rule, those that can be answered decide.

    Parameters
    ----------
    rule : a parsed rule; of its alternatives, those that can be answered decide
    measures : by name, the values of all raters, shape (raters,)
    """
    found = None
    for part in alternatives(rule):
        asked = {comparison.measure for comparison in part.comparisons()}
        if asked <= measures.keys():
            mine = _caught_by_part(part, {name: measures[name].tolist() for name in asked})
            found = mine if found is None else found | mine
    return found


def _caught_by_part(part: Rule, columns: Mapping[str, list[float]]) -> Flags:
    raters = len(next(iter(columns.values())))
    decided = (
        part.truth(
            {name: _or_none(column[number]) for name, column in columns.items()}, is_final=True
        )
        for number in range(raters)
    )
    return np.array([truth is True for truth in decided])


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _measures(owner: str, kind: str, drawn: Drawn) -> dict[str, Values]:
    raters, answers = drawn.passed.shape
    found = {"answered": np.full(raters, float(answers))}
    if kind == "repeat":
        found["mean_difference"] = np.mean(np.abs(drawn.value - drawn.other), axis=1)
        found["icc"] = _icc_of(np.stack([drawn.value, drawn.other], axis=2))
    else:
        failed = np.sum(drawn.passed == 0, axis=1).astype(np.float64)
        found |= {"failed": failed, "failed_share": failed / answers}
    if kind == "corruption":
        found["paired_p"] = paired_p(drawn.value - drawn.other)
        found["unpaired_p"] = unpaired_p(drawn.value, drawn.other)
        found["mean_drop"] = np.mean(drawn.value - drawn.other, axis=1)
    return {f"{owner}.{name}": values for name, values in found.items()}


def paired_p(differences: Values) -> Values:
    """Compute the p of `signed_rank` for each row.

    Parameters
    ----------
    differences : shape (raters, pairs), the good output's score minus the damaged one's
    """
    # Rounded, because equal answers on a scale have differences that are equal but for the last
    # digit.
    differences = np.round(differences, 9)
    ranks = np.where(differences == 0, 0.0, scipy.stats.rankdata(np.abs(differences), axis=1))
    sums = np.sum(ranks * (differences > 0), axis=1)
    if differences.shape[1] > MOST_EXACT:
        variance = np.sum(ranks**2, axis=1) / 4
        spread = np.sqrt(np.maximum(variance, 1e-12))
        p: Values = scipy.special.ndtr(-(sums - ranks.sum(axis=1) / 2) / spread)
        return np.where(variance == 0, 1.0, p)
    # The null distribution depends on the ranks alone, and many raters have the same ones.
    kinds, of_rater = np.unique(np.sort(ranks, axis=1), axis=0, return_inverse=True)
    found: Values = _exact_tails(kinds)[of_rater.ravel(), np.rint(2 * sums).astype(np.int64)]
    return found


def _exact_tails(ranks: Values) -> Values:
    """`exact_tail` for each row of ranks and every statistic: column s is for the statistic s/2."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    statistics = np.arange(doubled.sum(axis=1).max() + 1)
    ways = np.zeros((len(ranks), len(statistics)))
    ways[:, 0] = 1.0
    for rank in doubled.T:
        before = statistics - rank[:, None]
        positive = np.take_along_axis(ways, np.maximum(before, 0), axis=1)
        ways = (ways + np.where(before >= 0, positive, 0)) / 2
    tails: Values = np.minimum(np.cumsum(ways[:, ::-1], axis=1)[:, ::-1], 1.0)
    return tails


def unpaired_p(good: Values, bad: Values) -> Values:
    """Compute the p of Appraise's test for each row; see `signed_rank`.

    Parameters
    ----------
    good : shape (raters, pairs), scores of the good outputs
    bad : shape (raters, pairs), scores of the damaged ones
    """
    both = np.sort(np.round(np.concatenate([good, bad], axis=1), 9), axis=1)
    has_ties = np.any(np.diff(both, axis=1) == 0, axis=1)
    is_constant = both[:, 0] == both[:, -1]
    is_exact = ~has_ties & (good.shape[1] <= 8)
    found = np.ones(len(good))
    for chosen, method in ((is_exact, "exact"), (~is_exact & ~is_constant, "asymptotic")):
        if np.any(chosen):
            rows = (np.round(bad[chosen], 9), np.round(good[chosen], 9))
            found[chosen] = scipy.stats.mannwhitneyu(
                *rows, alternative="less", axis=1, method=method
            ).pvalue
    return found


def _icc_of(scores: Values) -> Values:
    """ICC(2,1) for each rater's scores, shape (raters, pairs, 2); not a number below three pairs,
    as in `measures.repeat_icc`."""
    pairs = scores.shape[1]
    if pairs < FEWEST_REPEATS:
        return np.full(len(scores), np.nan)
    grand = scores.mean(axis=(1, 2), keepdims=True)
    rows, columns = scores.mean(axis=2, keepdims=True), scores.mean(axis=1, keepdims=True)
    row_sq = 2 * np.sum((rows - grand) ** 2, axis=(1, 2)) / (pairs - 1)
    column_sq = pairs * np.sum((columns - grand) ** 2, axis=(1, 2))
    error_sq = np.sum((scores - rows - columns + grand) ** 2, axis=(1, 2)) / (pairs - 1)
    below = row_sq + error_sq + 2 * (column_sq - error_sq) / pairs
    is_constant = np.ptp(scores, axis=(1, 2)) == 0
    icc: Values = np.divide(
        row_sq - error_sq,
        below,
        out=np.full(len(scores), np.nan),
        where=~is_constant & (below != 0),
    )
    return icc
