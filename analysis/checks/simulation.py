"""Four kinds of raters, simulated, and how many of each a rule catches.

All scores are on a line from 0 to 100. Texts have a quality from a normal distribution with mean 60
and standard deviation 15; damage takes 25 points from a text on average (standard deviation 15).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.checks.measures import CheckAnswer, measures_of
from analysis.checks.rules import caught_by, parse_rule
from analysis.typing import Values

QUALITY, QUALITY_SD = 60.0, 15.0
DAMAGE, DAMAGE_SD = 25.0, 15.0
WORKING_PAGES = 30


@dataclass(frozen=True)
class RaterModel:
    """How a kind of rater answers.

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


MODELS = (
    RaterModel("careful", awake=1.0),
    RaterModel("half-asleep", awake=0.5, seconds=9.0),
    RaterModel("careless", awake=0.0, seconds=4.0),
    RaterModel("scripted", awake=0.0, habit=75.0, seconds=1.5),
)
# Pages with one right answer accept a seventh of the line; known answers accept three tenths of it.
INSTRUCTED, TOLERANCE = 20.0, 7.0
KNOWN_AT_MOST = 30.0


def answers_of_model(
    model: RaterModel, pages: Mapping[str, int], rng: np.random.Generator
) -> tuple[list[CheckAnswer], list[float]]:
    """One rater's answers to so many pages of each kind of check, and seconds on every page."""
    answers = [
        answer for kind, count in pages.items() for answer in _answers(model, kind, count, rng)
    ]
    n_pages = WORKING_PAGES + sum(pages.values())
    seconds = model.seconds * np.exp(rng.normal(0, 0.5, n_pages))
    return answers, seconds.tolist()


def _answers(
    model: RaterModel, kind: str, count: int, rng: np.random.Generator
) -> list[CheckAnswer]:
    quality = rng.normal(QUALITY, QUALITY_SD, count)
    if kind == "instructed":
        values = _right(model, np.full(count, INSTRUCTED), rng)
        passed = np.abs(values - INSTRUCTED) <= TOLERANCE
        return [CheckAnswer(kind, kind, bool(outcome)) for outcome in passed]
    if kind == "known_answer":
        values = _right(model, np.full(count, KNOWN_AT_MOST / 3), rng)
        return [CheckAnswer(kind, kind, bool(outcome)) for outcome in values <= KNOWN_AT_MOST]
    if kind == "repeat":
        first, again = _scores(model, quality, rng), _scores(model, quality, rng)
        return [
            CheckAnswer(kind, kind, None, float(score), float(other))
            for score, other in zip(first, again, strict=True)
        ]
    damaged = quality - np.maximum(rng.normal(DAMAGE, DAMAGE_SD, count), 0)
    good, bad = _scores(model, quality, rng), _scores(model, damaged, rng)
    return [
        CheckAnswer(kind, kind, bool(score > other), float(score), float(other))
        for score, other in zip(good, bad, strict=True)
    ]


def _scores(model: RaterModel, quality: Values, rng: np.random.Generator) -> Values:
    """Scores of texts: read with noise, or given without reading."""
    read = np.clip(quality + rng.normal(0, model.noise, len(quality)), 0, 100)
    return np.where(rng.random(len(quality)) < model.awake, read, _unread(model, len(quality), rng))


def _right(model: RaterModel, answer: Values, rng: np.random.Generator) -> Values:
    """Answers to pages with one right answer: raters who read give it, except for slips."""
    is_given = rng.random(len(answer)) < model.awake * (1 - model.slip)
    return np.where(is_given, answer, _unread(model, len(answer), rng))


def _unread(model: RaterModel, count: int, rng: np.random.Generator) -> Values:
    if model.habit is None:
        return rng.uniform(0, 100, count)
    return model.habit + np.rint(rng.normal(0, 2, count))


def caught_shares(
    rules: Sequence[str], pages: Mapping[str, int], *, raters: int, seed: int
) -> list[dict[str, float]]:
    """For each rule, the share of each kind of rater whom it catches after these pages.

    Parameters
    ----------
    rules : as in a campaign file; all of them judge the same raters
    pages : how many pages of each kind of check a rater meets
    raters : how many of each kind are simulated
    seed : the same seed gives the same shares
    """
    parsed = [parse_rule(rule) for rule in rules]
    shares: list[dict[str, float]] = [{} for _ in rules]
    for number, model in enumerate(MODELS):
        rng = np.random.default_rng([seed, number])
        caught = np.zeros(len(rules), dtype=np.int64)
        for _rater in range(raters):
            answers, seconds = answers_of_model(model, pages, rng)
            measures = measures_of(
                answers, seconds=seconds, checks=[(kind, kind) for kind in pages]
            )
            caught += [bool(caught_by(rule, measures, is_final=True)) for rule in parsed]
        for share, count in zip(shares, caught.tolist(), strict=True):
            share[model.name] = count / raters
    return shares


# The single checks of the printed table, and when a rater fails them.
SINGLE_CHECKS: Sequence[tuple[str, str]] = (
    ("instructed", "instructed.failed >= 2"),
    ("known_answer", "known_answer.failed >= 2"),
    ("better_than", "better_than.failed_share > .3"),
    ("corruption", "corruption.paired_p > .05"),
    ("corruption", "corruption.unpaired_p > .05"),
    ("repeat", "repeat.icc < .3"),
)
# Rules on a mixture: a fifth instructed, a half damaged copies, three tenths repetitions.
RULES = (
    "instructed.failed >= 2",
    "corruption.paired_p > .05 or instructed.failed >= 2",
    "corruption.paired_p > .05 or instructed.failed >= 2 or repeat.icc < .3 or median_seconds < 5",
)


def mixture(n_checks: int) -> dict[str, int]:
    return {
        "instructed": n_checks // 5,
        "corruption": n_checks // 2,
        "repeat": n_checks - n_checks // 5 - n_checks // 2,
    }


@dataclass(frozen=True)
class SimulatedRow:
    """One rule on some pages of checks, and the share of each kind of rater that it catches."""

    pages: dict[str, int]
    rule: str
    shares: dict[str, float]


def simulated_table(*, raters: int, seed: int = 1) -> list[SimulatedRow]:
    """The table of `docs/quality.md`: single checks first, then rules, at 10 and 20 checks."""
    rows = []
    for n_checks in (10, 20):
        single = [({kind: n_checks}, (rule,)) for kind, rule in SINGLE_CHECKS]
        for pages, rules in [*single, (mixture(n_checks), RULES)]:
            shares = caught_shares(rules, pages, raters=raters, seed=seed)
            rows += [
                SimulatedRow(pages, rule, share) for rule, share in zip(rules, shares, strict=True)
            ]
    return rows
