"""All measures of many simulated raters at once: what rules would find before anybody has worked.

The same numbers as `analysis.checks.measures` gives for one rater.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy

from analysis.checks.rater_models import LINE, Drawn, RaterModel, Scale, drawn_answers
from analysis.checks.rules import Comparison, Not, Rule, alternatives
from analysis.checks.signed_rank import MOST_EXACT
from analysis.typing import Flags, Values

FEWEST_REPEATS = 3
WITHOUT_PAGES = ("quiz", "figure", "time")
SIMULATED = 4_000

Measured = Mapping[str, Values]
# Those of `rules.OPERATORS`, for arrays.
_HOLDS: Mapping[str, Callable[[Values, float], Flags]] = {
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    ">": np.greater,
}


@dataclass(frozen=True)
class Planned:
    """One check as it is planned: the answers that each rater gives, and on which scale.

    `accepted` is the chance that an answer anywhere on the scale is the right one. A quiz is
    answered once, whatever the number of batches, with some `tries`.
    """

    name: str
    kind: str
    answers: int
    accepted: float = 0.2
    scale: Scale = LINE
    tries: int = 1


def simulated_measures(
    checks: Sequence[Planned], model: RaterModel, rng: np.random.Generator, raters: int = SIMULATED
) -> Measured:
    """Simulate raters of one kind, who do one batch.

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
    [found] = measures_by_batch(checks, model, rng, raters)
    return found


def measures_by_batch(
    checks: Sequence[Planned],
    model: RaterModel,
    rng: np.random.Generator,
    raters: int = SIMULATED,
    *,
    batches: int = 1,
    wanted: Collection[str] | None = None,
) -> list[Measured]:
    """Simulate raters of one kind, who do several batches with the same checks.

    Parameters
    ----------
    checks : all checks of the campaign, with their answers in one batch
    model : the kind of rater
    rng : of the draws
    raters : how many
    batches : how many each rater does
    wanted : the measures that are asked for; None: all

    Returns
    -------
    For each batch, the measures of all pages up to its end, as `simulated_measures` returns them
    """
    pages = [check for check in checks if check.answers and check.kind not in WITHOUT_PAGES]
    drawn = [
        drawn_answers(
            model,
            check.kind,
            (raters, check.answers * batches),
            rng,
            scale=check.scale,
            accepted=check.accepted,
        )
        for check in pages
    ]
    once = _quiz_measures([check for check in checks if check.kind == "quiz"], model, rng, raters)
    return [
        _measures_of(pages, [answers.first(share, batches) for answers in drawn], wanted) | once
        for share in range(1, batches + 1)
    ]


def _measures_of(
    checks: Sequence[Planned], drawn: Sequence[Drawn], wanted: Collection[str] | None
) -> dict[str, Values]:
    """The measures of each check, and of all checks of a kind together."""
    found: dict[str, Values] = {}
    of_kind: dict[str, Drawn] = {}
    for check, answers in zip(checks, drawn, strict=True):
        found |= _measures(check.name, check.kind, answers, wanted)
        before = of_kind.get(check.kind)
        of_kind[check.kind] = answers if before is None else before.joined(answers)
    for kind, answers in of_kind.items():
        found |= _measures(kind, kind, answers, wanted)
    return found


def _quiz_measures(
    quizzes: Sequence[Planned], model: RaterModel, rng: np.random.Generator, raters: int
) -> dict[str, Values]:
    """All questions are asked together until all are right or the tries are over; the last try
    counts. Raters who do not read choose again each time."""
    if not quizzes:
        return {}
    passed = np.zeros((raters, len(quizzes)))
    for _try in range(max(quiz.tries for quiz in quizzes)):
        again = passed.min(axis=1) == 0
        for number, quiz in enumerate(quizzes):
            tried = drawn_answers(model, "quiz", (raters, 1), rng, accepted=quiz.accepted).passed
            passed[again, number] = tried[again, 0]
    found: dict[str, Values] = {}
    owners = [(quiz.name, passed[:, [number]]) for number, quiz in enumerate(quizzes)]
    for owner, answers in [*owners, ("quiz", passed)]:
        found |= {f"{owner}.{name}": values for name, values in _failures(answers).items()}
    return found


def caught_by_batch(rule: Rule, batches: Sequence[Measured]) -> Flags | None:
    """Say after which batches a rule catches raters, shape (raters, batches), as `caught` does.

    Parameters
    ----------
    rule : a parsed rule
    batches : the measures up to the end of each batch
    """
    found = [caught(rule, measures) for measures in batches]
    known = [flags for flags in found if flags is not None]
    return np.stack(known, axis=1) if known else None


def caught(rule: Rule, measures: Measured) -> Flags | None:
    """Say which simulated raters a rule catches, shape (raters,); None if it asks for other
    measures.

    Of the alternatives of a rule, those that can be answered decide.

    Parameters
    ----------
    rule : a parsed rule; of its alternatives, those that can be answered decide
    measures : by name, the values of all raters, shape (raters,)
    """
    known = [
        _truth(part, measures)[0]
        for part in alternatives(rule)
        if {comparison.measure for comparison in part.comparisons()} <= measures.keys()
    ]
    return np.any(known, axis=0) if known else None


def _truth(rule: Rule, measures: Measured) -> tuple[Flags, Flags]:
    """For whom a rule is true and for whom it is false, as `Rule.truth` says of one finished
    rater; for others it is not known."""
    if isinstance(rule, Comparison):
        values = measures[rule.measure]
        holds = _HOLDS[rule.sign](values, rule.bound)
        return ~np.isnan(values) & holds, ~np.isnan(values) & ~holds
    if isinstance(rule, Not):
        is_true, is_false = _truth(rule.part, measures)
        return is_false, is_true
    parts = [_truth(part, measures) for part in rule.parts]
    trues, falses = [true for true, _ in parts], [no for _, no in parts]
    if rule.word == "or":
        return np.logical_or.reduce(trues), np.logical_and.reduce(falses)
    return np.logical_and.reduce(trues), np.logical_or.reduce(falses)


def _measures(
    owner: str, kind: str, drawn: Drawn, wanted: Collection[str] | None
) -> dict[str, Values]:
    found: dict[str, Callable[[], Values]] = {}
    difference = drawn.value - drawn.other
    if kind == "repeat":
        found["answered"] = lambda: np.full(len(drawn.passed), float(drawn.passed.shape[1]))
        found["mean_difference"] = lambda: np.mean(np.abs(difference), axis=1)
        found["icc"] = lambda: _icc_of(np.stack([drawn.value, drawn.other], axis=2))
    else:
        failures = _failures(drawn.passed)
        found |= {name: partial(np.array, values) for name, values in failures.items()}
    if kind == "corruption":
        found["paired_p"] = lambda: paired_p(difference)
        found["unpaired_p"] = lambda: unpaired_p(drawn.value, drawn.other)
        found["mean_drop"] = lambda: np.mean(difference, axis=1)
    return {
        f"{owner}.{name}": measure()
        for name, measure in found.items()
        if wanted is None or f"{owner}.{name}" in wanted
    }


def _failures(passed: Values) -> dict[str, Values]:
    raters, answers = passed.shape
    failed = np.sum(passed == 0, axis=1).astype(np.float64)
    return {
        "answered": np.full(raters, float(answers)),
        "failed": failed,
        "failed_share": failed / answers,
    }


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
