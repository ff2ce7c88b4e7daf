"""Alarms about a rater's answers and times that need no settings, with bounds that are simulated.

An alarm says that careful raters rarely look like this. It never says why, and decides nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
import scipy.special

# Fewer screens say nothing.
FEWEST_SCREENS = 10
# The bounds. `benchmarks/alarms.py` prints the rates of false alarms at them, and at others.
SAME_SHARE = 0.9
SAME_CHANCE = 2e-3
RARE, UNKNOWN = 0.2, 0.5  # the commonness of answers that others rarely give, or that are all alike
RUN_CHANCE = 1e-4
SHORTEST_RUN = 5
HASTY_SHARE = 0.1  # of the expected time
UNREAD_SHARE = 0.1  # of the time that reading takes
FEWEST_TIMES = 3  # that cannot be, or are missing

# Between raters, in SDs of their answers; and a normal distribution on a grid.
LENIENCY_SD = 0.6
NODES = np.linspace(-5, 5, 101)
WEIGHTS = np.exp(-(NODES**2) / 2) / np.exp(-(NODES**2) / 2).sum()


@dataclass(frozen=True)
class ScreenFacts:
    """One answered screen.

    `answer` is equal for screens that were answered alike: the same values at the same places.
    Screens of one `kind` ask the same questions. `reading_seconds` is the time that an average
    adult needs for the texts that are new on this screen, 0 where there is nothing to read.
    """

    answer: str
    kind: int = 0
    seconds: float | None = None
    reading_seconds: float = 0.0
    is_impossible: bool = False


@dataclass(frozen=True)
class Alarm:
    """An alarm by its name, and the number of screens and the number that it is about."""

    name: str
    screens: int
    found: float


# By kind of screen and answer: its share among the answers of raters whose answers vary.
Commonness = dict[tuple[int, str], float]

# By name: of how many careful raters at most one gets it, in any row of the table in
# `docs/quality.md` that is not marked as a different situation.
ONE_IN = {"same": 200, "run": 200, "hasty": 200, "unread": 200, "times": 200}


def alarms_of(
    screens: Sequence[ScreenFacts],
    *,
    expected_seconds: float,
    commonness: Commonness | None = None,
    in_random_order: bool = True,
) -> tuple[Alarm, ...]:
    """Find the alarms about one rater.

    Parameters
    ----------
    screens : answered by the rater, in the order of the work
    expected_seconds : that a screen is expected to take
    commonness : among other raters, see `commonness_among`; without it, rare
    in_random_order : whether chance alone put the screens in order, so that runs mean something

    Returns
    -------
    At most one alarm of each name: `same` answer throughout (its share), longest `run` of equal
    answers, `hasty` (the median time as a share of the expected one), `unread` (the median time as
    a share of the time that reading takes), `times` that are impossible or missing (their number).
    """
    same = _same(screens, commonness or {})
    run = None if same or not in_random_order else _run(screens)
    found = (same, run, _hasty(screens, expected_seconds), _unread(screens), _times(screens))
    return tuple(alarm for alarm in found if alarm is not None)


def is_uniform(screens: Sequence[ScreenFacts]) -> bool:
    """Whether a rater answers nearly all screens of each kind alike.

    Parameters
    ----------
    screens : answered by the rater
    """
    return len(screens) >= FEWEST_SCREENS and _most_alike(screens)[1] >= SAME_SHARE * len(screens)


def commonness_among(raters: Iterable[Sequence[ScreenFacts]]) -> Commonness:
    """Compute the share of each answer among those of raters whose answers vary.

    Parameters
    ----------
    raters : the screens of each

    Returns
    -------
    By kind of screen and answer. Raters who are `is_uniform` are left out: many of them would make
    their answer look common.
    """
    given: Counter[tuple[int, str]] = Counter()
    for screens in raters:
        if not is_uniform(screens):
            given.update((screen.kind, screen.answer) for screen in screens)
    sizes: Counter[int] = Counter()
    for (kind, _answer), times in given.items():
        sizes[kind] += times
    return {answer: times / sizes[answer[0]] for answer, times in given.items()}


def _most_alike(screens: Sequence[ScreenFacts]) -> tuple[dict[int, str], int]:
    """Find the commonest answer to each kind of screen, and how many screens have it."""
    answers: dict[int, Counter[str]] = {}
    for screen in screens:
        answers.setdefault(screen.kind, Counter())[screen.answer] += 1
    commonest = {kind: given.most_common(1)[0] for kind, given in answers.items()}
    return {kind: each[0] for kind, each in commonest.items()}, sum(
        each[1] for each in commonest.values()
    )


def _same(screens: Sequence[ScreenFacts], commonness: Commonness) -> Alarm | None:
    """Compare with careful raters who are more or less lenient than others."""
    if not is_uniform(screens):
        return None
    commonest, equal = _most_alike(screens)
    given = [commonness.get(answer, RARE) for answer in commonest.items()] if commonness else []
    if alike_chance(equal, len(screens), max([*given, RARE]) if given else UNKNOWN) >= SAME_CHANCE:
        return None
    return Alarm("same", len(screens), equal / len(screens))


def _run(screens: Sequence[ScreenFacts]) -> Alarm | None:
    """Test the longest run against all orders of the same answers, as the order was drawn."""
    kinds = {screen.kind for screen in screens}
    longest, chance = 0, 1.0
    for kind in kinds:
        answers = [screen.answer for screen in screens if screen.kind == kind]
        run = longest_run(answers)
        found = run_chance(answers, run) * len(kinds)
        if found < chance:
            longest, chance = run, found
    if longest < SHORTEST_RUN or chance >= RUN_CHANCE or len(screens) < FEWEST_SCREENS:
        return None
    return Alarm("run", len(screens), longest)


def _hasty(screens: Sequence[ScreenFacts], expected_seconds: float) -> Alarm | None:
    seconds = [screen.seconds for screen in screens if screen.seconds is not None]
    return _below("hasty", [each / expected_seconds for each in seconds], HASTY_SHARE)


def _unread(screens: Sequence[ScreenFacts]) -> Alarm | None:
    shares = [
        screen.seconds / screen.reading_seconds
        for screen in screens
        if screen.seconds is not None and screen.reading_seconds >= 1
    ]
    return _below("unread", shares, UNREAD_SHARE)


def _below(name: str, shares: Sequence[float], bound: float) -> Alarm | None:
    if len(shares) < FEWEST_SCREENS or (middle := median(shares)) >= bound:
        return None
    return Alarm(name, len(shares), middle)


def _times(screens: Sequence[ScreenFacts]) -> Alarm | None:
    odd = sum(screen.is_impossible or screen.seconds is None for screen in screens)
    return Alarm("times", len(screens), odd) if odd >= FEWEST_TIMES else None


# --- Chances -------------------------------------------------------------------------------------


def longest_run(answers: Iterable[str]) -> int:
    """Count the longest run of equal answers.

    Parameters
    ----------
    answers : in order
    """
    longest = length = 0
    last: str | None = None
    for answer in answers:
        length = length + 1 if answer == last else 1
        last, longest = answer, max(longest, length)
    return longest


def run_chance(answers: Sequence[str], length: int) -> float:
    """Bound the chance of a run of this length, if every order of the answers is equally likely.

    The expected number of such runs, and so never less than the chance of one. With c answers of
    a value among n, the others leave n − c + 1 gaps for them, and a given gap has `length` or more
    in C(n − length, n − c) of the C(n, c) orders.

    Parameters
    ----------
    answers : of the rater
    length : of the run
    """
    n = len(answers)
    expected = 0.0
    for count in Counter(answers).values():
        if count >= length:
            others = n - count
            ways = _log_ways(n - length, others) - _log_ways(n, others)
            expected += (others + 1) * math.exp(ways)
    return min(expected, 1.0)


def _log_ways(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def alike_chance(equal: int, screens: int, commonness: float) -> float:
    """Compute how often a careful rater gives one answer to so many screens or more.

    Raters differ: on the scale of a probit, their shares of an answer have a normal distribution
    around that of all raters.

    Parameters
    ----------
    equal : screens with the same answer
    screens : all of them
    commonness : the share of the answer among all raters
    """
    shares = scipy.special.ndtr(scipy.special.ndtri(commonness) + LENIENCY_SD * NODES)
    return float(WEIGHTS @ scipy.special.bdtrc(equal - 1, screens, np.minimum(shares, 1 - 1e-12)))
