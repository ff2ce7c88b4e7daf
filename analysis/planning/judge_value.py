"""Whether a judge's verdicts save money when people judge a part of the outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from analysis.errors import OptionsError


@dataclass(frozen=True)
class JudgeValue:
    """What a judge saves at best.

    `cost` is that of an estimate as exact as one judgement alone gives, relative to a judgement;
    `verdicts` how many outputs the judge sees for each that people judge. Where the judge does not
    pay they are 1 and 0. `least_correlation` is the one above which it pays.
    """

    pays: bool
    cost: float
    verdicts: float
    least_correlation: float


def judge_value(correlation: float, cost: float) -> JudgeValue:
    """Weigh the price of a judge's verdicts against what they tell about people's judgements.

    Means of people's judgements are corrected by the judge's verdicts on more outputs, with the
    best weight. The outputs are independent, and all raters agree but for chance: where raters'
    tastes differ, the judge saves less, because it cannot replace raters.

    Parameters
    ----------
    correlation : of verdicts and single judgements of the same outputs, from 0 to 1
    cost : of a verdict, relative to a judgement; more than 0

    Raises
    ------
    OptionsError : a correlation outside 0 to 1, or a cost that is not positive

    Source
    ------
    Angelopoulos et al. (2023) for the estimate; its variance (1 − ρ²)/n + ρ²/N times its cost
    n + γN is least at N/n = ρ/√(γ(1 − ρ²)), by the inequality of Cauchy and Schwarz.
    """
    problems = []
    if not 0 <= correlation <= 1:
        problems.append(f"The correlation is {correlation}; say 0 to 1.")
    if not (math.isfinite(cost) and cost > 0):
        problems.append(f"The cost of a verdict is {cost}; say more than 0.")
    if problems:
        raise OptionsError(problems)
    least = 2 * math.sqrt(cost) / (1 + cost) if cost < 1 else 1.0
    if correlation <= least:
        return JudgeValue(False, 1.0, 0.0, least)
    rest = math.sqrt(max(1 - correlation**2, 1e-12))
    share = math.sqrt(cost) * correlation
    return JudgeValue(True, (rest + share) ** 2, correlation / (math.sqrt(cost) * rest), least)
