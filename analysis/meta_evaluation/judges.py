"""Judges that are not people: are they consistent, what do they prefer, may one replace a rater?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy

from analysis.errors import Undefined
from analysis.reliability.krippendorff import krippendorff_alpha
from analysis.typing import Values

FIRST, TIE, SECOND = 1, 0, -1
LEAST_OUTPUTS = 30  # of a rater in the alternative-annotator test, as in its authors' code


@dataclass(frozen=True)
class Verdict:
    """A judge preferred one of two outputs of an item; `first` was shown first."""

    item: str
    first: str
    second: str
    outcome: int  # FIRST, TIE or SECOND


@dataclass(frozen=True)
class Share:
    """A share of `n` cases with Wilson's interval; None where there is no case."""

    value: float | None
    low: float | None
    high: float | None
    n: int


def share(hits: int, n: int, *, alpha: float = 0.05) -> Share:
    """Give a share the interval of Wilson.

    Parameters
    ----------
    hits : successes
    n : trials; 0: no share
    alpha : 1 − confidence

    Source
    ------
    Wilson (1927).
    """
    if n == 0:
        return Share(None, None, None, 0)
    z2 = float(scipy.stats.norm.isf(alpha / 2)) ** 2
    p = hits / n
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    return Share(p, max(0.0, float(centre - half)), min(1.0, float(centre + half)), n)


def swap_consistency(verdicts: Sequence[Verdict], *, alpha: float = 0.05) -> Share:
    """Estimate how often a judge repeats its verdict when the two outputs swap places.

    Parameters
    ----------
    verdicts : of a single judge; pairs that were shown in one order only do not count
    alpha : 1 − confidence

    Returns
    -------
    The share of pairs shown in both orders with the same winner, or a tie both times.
    """
    seen: dict[tuple[str, str, str], list[int]] = {}
    for each in verdicts:
        seen.setdefault((each.item, each.first, each.second), []).append(each.outcome)
    # A judge that was asked repeatedly is compared answer by answer.
    both = [
        pair
        for (item, first, second), outcomes in seen.items()
        if first < second
        for pair in zip(outcomes, seen.get((item, second, first), ()), strict=False)
    ]
    return share(sum(a == -b for a, b in both), len(both), alpha=alpha)


def first_preference(verdicts: Sequence[Verdict], *, alpha: float = 0.05) -> Share:
    """Estimate how often the output shown first wins, ties aside: one half without position
    preference.

    The order has to be random or balanced; otherwise better systems may simply come first.

    Parameters
    ----------
    verdicts : with the order in which outputs were shown
    alpha : 1 − confidence
    """
    decided = [each.outcome for each in verdicts if each.outcome != TIE]
    return share(sum(each == FIRST for each in decided), len(decided), alpha=alpha)


def longer_preference(
    verdicts: Sequence[Verdict],
    lengths: Mapping[tuple[str, str], float],
    *,
    alpha: float = 0.05,
) -> Share:
    """Estimate how often the longer output wins, ties and equal lengths aside.

    Compare it with the same share of people's verdicts: longer outputs may be better.

    Parameters
    ----------
    verdicts : of a single judge, or of people
    lengths : by system and item
    alpha : 1 − confidence
    """
    hits = n = 0
    for each in verdicts:
        difference = lengths[each.first, each.item] - lengths[each.second, each.item]
        if each.outcome != TIE and difference:
            n += 1
            hits += (difference > 0) == (each.outcome == FIRST)
    return share(hits, n, alpha=alpha)


def own_preference(
    verdicts: Sequence[Verdict], own: Sequence[str], *, alpha: float = 0.05
) -> Share:
    """Estimate how often outputs of the judge's own model beat others, ties aside.

    Compare it with the same share of people's verdicts on the same pairs.

    Parameters
    ----------
    verdicts : of a single judge, or of people
    own : systems that the judge's model wrote
    alpha : 1 − confidence
    """
    hits = n = 0
    for each in verdicts:
        mine = each.first in own
        if each.outcome != TIE and mine != (each.second in own):
            n += 1
            hits += mine == (each.outcome == FIRST)
    return share(hits, n, alpha=alpha)


# --- may a judge replace a rater? -----------------------------------------------------------


@dataclass(frozen=True)
class AlternativeRater:
    """A judge against one rater, both compared with the other raters.

    `judge_better` and `rater_better` are shares of cases in which one is at least as close to the
    others as the other; `p` is one-sided; `rejected` after the correction for all raters.
    """

    rater: str
    judge_better: float
    rater_better: float
    p: float
    rejected: bool
    n: int


@dataclass(frozen=True)
class AlternativeTest:
    """`winning_rate` is the share of raters against whom the judge holds up, by its authors' test.

    `passes` where it is 0.5 or more by their t-test and by Tango's score test. `advantage` is the
    mean share of cases in which the judge is at least as close as the rater. `left_out` raters
    share fewer than 30 outputs with others and the judge.
    """

    winning_rate: float
    passes: bool
    advantage: float
    epsilon: float
    raters: tuple[AlternativeRater, ...]
    left_out: int = 0


def alternative_annotator_test(
    ratings: Mapping[str, Mapping[Hashable, float]],
    judge: Mapping[Hashable, float],
    *,
    epsilon: float = 0.1,
    alpha: float = 0.05,
    nominal: bool = False,
) -> AlternativeTest:
    """Test whether a judge may replace a randomly chosen rater.

    Parameters
    ----------
    ratings : by rater and output, on the judge's scale
    judge : by output
    epsilon : the advantage that people get because they cost more; .1 for crowds, .15
        for skilled raters, .2 for experts
    alpha : the false discovery rate
    nominal : the values are categories, so closeness is agreement; otherwise it is the distance
        (root mean square) from the others

    Returns
    -------
    The winning rate and the comparison with each rater.

    Raises
    ------
    Undefined : fewer than two raters rated 30 outputs that others and the judge rated too

    Source
    ------
    Calderon, Reichart & Dror (2025), with Benjamini & Yekutieli (2001). Raters with fewer than 30
    outputs are left out, as in the authors' code: a test of ranks, which they mention for fewer,
    compares medians, and a judge who answers by chance passes it. Where raters nearly always
    agree, the variance of the t-test is close to 0 by chance, so passing takes the score test of
    Tango (1998) too.
    """
    found = []
    for rater, own in ratings.items():
        wins = np.array(
            [
                _closer(own[output], judge[output], others, nominal)
                for output in own
                if output in judge
                and (others := [each[output] for name, each in ratings.items()
                                if name != rater and output in each])
            ]
        )  # fmt: skip
        if len(wins) >= LEAST_OUTPUTS:
            found.append((rater, wins))
    if len(found) < 2:
        raise Undefined(
            f"The test needs two raters or more, each with {LEAST_OUTPUTS} outputs that others and "
            "the judge rated too."
        )
    ahead = [wins[:, 1] - wins[:, 0] for _, wins in found]
    p_values = [_p_value(each, epsilon) for each in ahead]
    rejected = _benjamini_yekutieli(p_values, alpha)
    by_scores = _benjamini_yekutieli([_score_p(each, epsilon) for each in ahead], alpha)
    raters = tuple(
        AlternativeRater(
            rater, float(wins[:, 0].mean()), float(wins[:, 1].mean()), p, no, len(wins)
        )
        for (rater, wins), p, no in zip(found, p_values, rejected, strict=True)
    )
    rate = float(np.mean(rejected))
    advantage = float(np.mean([each.judge_better for each in raters]))
    passes = rate >= 0.5 and float(np.mean(by_scores)) >= 0.5
    left_out = len(ratings) - len(raters)
    return AlternativeTest(rate, passes, advantage, epsilon, raters, left_out)


def _closer(
    own: float, judge: float, others: Sequence[float], nominal: bool
) -> tuple[float, float]:
    """Compare the distances of judge and rater to the other raters, in both directions."""
    if nominal:
        closeness = [float(np.mean([each == value for each in others])) for value in (judge, own)]
    else:
        closeness = [
            -float(np.sqrt(np.mean([(each - value) ** 2 for each in others])))
            for value in (judge, own)
        ]
    return float(closeness[0] >= closeness[1]), float(closeness[1] >= closeness[0])


def _p_value(rater_ahead: Values, epsilon: float) -> float:
    """One-sided: the rater is ahead of the judge by less than ε."""
    if np.ptp(rater_ahead) == 0:
        return 0.0 if rater_ahead[0] < epsilon else 1.0
    return float(scipy.stats.ttest_1samp(rater_ahead, epsilon, alternative="less").pvalue)


def _score_p(rater_ahead: Values, epsilon: float) -> float:
    """Test the same with the variance that there would be if the rater were ahead by just ε.

    The share of outputs on which the judge is ahead is the root of its likelihood equation.
    """
    n = len(rater_ahead)
    rater, judge = int((rater_ahead > 0).sum()), int((rater_ahead < 0).sum())
    linear = (rater + judge) * (1 - epsilon) - 2 * epsilon * (n - rater)
    share = (linear + np.sqrt(linear**2 + 8 * n * judge * epsilon * (1 - epsilon))) / (4 * n)
    variance = n * (2 * share + epsilon - epsilon**2)
    if variance <= 0:
        return 1.0
    return float(scipy.stats.norm.cdf((rater - judge - n * epsilon) / np.sqrt(variance)))


def _benjamini_yekutieli(p_values: Sequence[float], rate: float) -> list[bool]:
    """Flag the hypotheses rejected at a false discovery rate, under any dependence."""
    count = len(p_values)
    harmonic = sum(1 / place for place in range(1, count + 1))
    order = np.argsort(p_values, kind="stable")
    below = [
        place
        for place, number in enumerate(order, start=1)
        if p_values[number] <= place * rate / (count * harmonic)
    ]
    kept = set(order[: max(below, default=0)].tolist())
    return [number in kept for number in range(count)]


# --- agreement beyond chance ---------------------------------------------------------------------


@dataclass(frozen=True)
class AgreementBeyondChance:
    """Mean Krippendorff's α over pairs of raters, and over the judge with each rater.

    None where no pair has a value; `pairs` and `with_judge` are how many do.
    """

    people: float | None
    judge: float | None
    pairs: int
    with_judge: int


def agreement_beyond_chance(
    ratings: Mapping[str, Mapping[Hashable, float]],
    judge: Mapping[Hashable, float],
    *,
    metric: str = "ordinal",
) -> AgreementBeyondChance:
    """Compare how well a judge agrees with raters and how well raters agree with each other.

    Parameters
    ----------
    ratings : by rater and output, on the judge's scale
    judge : by output
    metric : `nominal`, `ordinal`, `interval` or `ratio`

    Returns
    -------
    Means of α over pairs, so that both numbers are about two raters at a time.

    Source
    ------
    Krippendorff (2011).
    """
    names = sorted(ratings)
    people = [_alpha_of_two(ratings[a], ratings[b], metric) for a, b in combinations(names, 2)]
    others = [_alpha_of_two(ratings[name], judge, metric) for name in names]
    known = [[each for each in column if each is not None] for column in (people, others)]
    means = [float(np.mean(column)) if column else None for column in known]
    return AgreementBeyondChance(means[0], means[1], len(known[0]), len(known[1]))


def _alpha_of_two(
    first: Mapping[Hashable, float], second: Mapping[Hashable, float], metric: str
) -> float | None:
    common = [output for output in first if output in second]
    if len(common) < 2:
        return None
    values = [each[output] for each in (first, second) for output in common]
    units = np.tile(np.arange(len(common)), 2)
    raters = np.repeat([0, 1], len(common))
    try:
        return krippendorff_alpha(values, units, raters, metric).value
    except Undefined:  # both say the same of every output, so nothing is beyond chance
        return None
