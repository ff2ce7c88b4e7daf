"""Careful and careless raters before anybody has worked: what rules would measure about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.checks.rules import Rule
from analysis.checks.signed_rank import MOST_EXACT, exact_tail
from analysis.typing import Values

# A careful rater slips at one check in thirty or so.
SLIP = 0.03
# The drop that damage causes, in standard deviations of a careful rater's differences.
DROP = 1.0
# The consistency of a careful rater, and the least number of repetitions that show any.
CAREFUL_ICC = 0.7
FEWEST_REPEATS = 3
SIMULATED = 4_000


@dataclass(frozen=True)
class Planned:
    """One check as it is planned: how many answers each rater gives, and the chance to guess."""

    name: str
    kind: str
    answers: int
    guess: float = 0.2


def share_caught(
    rule: Rule, checks: Sequence[Planned], *, careful: bool, rng: np.random.Generator
) -> float | None:
    """The share of simulated raters whom a rule catches; None if it asks for what is not simulated.

    Parameters
    ----------
    rule : any part of a rule
    checks : all checks of the campaign
    careful : raters who slip now and then and are consistent, or raters who answer at random
    """
    measures = simulated_measures(checks, careful=careful, rng=rng)
    asked = {comparison.measure for comparison in rule.comparisons()}
    if not asked <= measures.keys():
        return None
    columns = {name: measures[name].tolist() for name in asked}
    caught = 0
    for number in range(SIMULATED):
        rater = {name: _or_none(column[number]) for name, column in columns.items()}
        caught += rule.truth(rater, is_final=True) is True
    return caught / SIMULATED


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def simulated_measures(
    checks: Sequence[Planned], *, careful: bool, rng: np.random.Generator
) -> dict[str, Values]:
    """By measure, shape (raters,): failures, shares, p of the pairs, and consistency.

    Not a number is a measure that has no value.
    """
    found: dict[str, Values] = {}
    of_kind: dict[str, list[Values]] = {}
    answers_of_kind: dict[str, int] = {}
    for check in checks:
        if not check.answers:
            continue
        drawn = _drawn(check, careful, rng)
        found |= _measures(check.name, check.kind, check.answers, drawn)
        of_kind.setdefault(check.kind, []).append(drawn)
        answers_of_kind[check.kind] = answers_of_kind.get(check.kind, 0) + check.answers
    for kind, drawn_of_kind in of_kind.items():
        together = np.concatenate(drawn_of_kind, axis=1)
        found |= _measures(kind, kind, answers_of_kind[kind], together)
    return found


def _drawn(check: Planned, careful: bool, rng: np.random.Generator) -> Values:
    """What each rater does: differences of pairs, scores given twice, or 1 for each failure."""
    size = (SIMULATED, check.answers)
    if check.kind == "corruption":
        return rng.normal(DROP if careful else 0.0, 1.0, size=size)
    if check.kind == "repeat":
        return _scores_twice(check.answers, CAREFUL_ICC if careful else 0.0, rng)
    fails = SLIP if careful else 1 - check.guess
    return (rng.random(size) < fails).astype(np.float64)


def _measures(owner: str, kind: str, answers: int, drawn: Values) -> dict[str, Values]:
    found: dict[str, Values] = {f"{owner}.answered": np.full(SIMULATED, float(answers))}
    if kind == "repeat":
        return found | {f"{owner}.icc": _icc(drawn)}
    failed = np.sum(drawn <= 0 if kind == "corruption" else drawn > 0, axis=1).astype(np.float64)
    found |= {f"{owner}.failed": failed, f"{owner}.failed_share": failed / answers}
    if kind == "corruption":
        found[f"{owner}.paired_p"] = _paired_p(drawn[:, :MOST_EXACT])
    return found


def _paired_p(differences: Values) -> Values:
    """The exact p of the signed-rank test for each rater; normal differences have no ties."""
    pairs = differences.shape[1]
    ranks = np.argsort(np.argsort(np.abs(differences), axis=1), axis=1) + 1
    sums = np.sum(np.where(differences > 0, ranks, 0), axis=1)
    all_ranks = np.arange(1, pairs + 1, dtype=np.float64)
    tails = np.array([exact_tail(all_ranks, each) for each in range(int(all_ranks.sum()) + 1)])
    found: Values = tails[sums]
    return found


def simulated_icc(pairs: int, consistency: float, rng: np.random.Generator) -> Values:
    """ICC(2,1) of raters who answer so many pages twice, by the same mean squares."""
    return _icc(_scores_twice(pairs, consistency, rng))


def _scores_twice(pairs: int, consistency: float, rng: np.random.Generator) -> Values:
    shared = rng.normal(0, np.sqrt(consistency), size=(SIMULATED, pairs, 1))
    scores: Values = shared + rng.normal(0, np.sqrt(1 - consistency), size=(SIMULATED, pairs, 2))
    return scores


def _icc(scores: Values) -> Values:
    """For each rater; not a number below three pairs, as in `measures.repeat_icc`."""
    pairs = scores.shape[1]
    if pairs < FEWEST_REPEATS:
        return np.full(len(scores), np.nan)
    grand = scores.mean(axis=(1, 2), keepdims=True)
    rows, columns = scores.mean(axis=2, keepdims=True), scores.mean(axis=1, keepdims=True)
    row_sq = 2 * np.sum((rows - grand) ** 2, axis=(1, 2)) / (pairs - 1)
    column_sq = pairs * np.sum((columns - grand) ** 2, axis=(1, 2))
    error_sq = np.sum((scores - rows - columns + grand) ** 2, axis=(1, 2)) / (pairs - 1)
    icc: Values = (row_sq - error_sq) / (row_sq + error_sq + 2 * (column_sq - error_sq) / pairs)
    return icc
