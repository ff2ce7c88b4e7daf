"""Everything that is said about one judge next to people, from its scores or pairwise verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.errors import Undefined
from analysis.text_metrics.score_files import MetricScores

from .judges import (
    FIRST,
    TIE,
    AgreementBeyondChance,
    AlternativeTest,
    Share,
    Verdict,
    agreement_beyond_chance,
    alternative_annotator_test,
    first_preference,
    longer_preference,
    own_preference,
    share,
    swap_consistency,
)
from .people import People

# Raters with the most judgements: pairs of raters grow with the square of their number.
MOST_RATERS = 50
BINS = 5
# Metrics that are lengths of outputs, where the scores have them.
CHARACTERS = "characters"
LENGTHS = (CHARACTERS, "tokens")

Pair = tuple[str, str, str]  # item, and two systems in alphabetical order
Output = tuple[str, str]  # system and item
Ratings = Mapping[str, Mapping[Hashable, float]]


@dataclass(frozen=True)
class CalibrationBin:
    """Pairs on which the judge is about equally sure: how often does a person agree?

    `strength` is the judge's mean difference in the bin; for verdicts, 1 is the same winner in
    every order and less is a winner in one order only. `agrees` leaves out people's ties.
    """

    strength: float
    agrees: Share
    ties: int


@dataclass(frozen=True)
class JudgeReport:
    """One judge next to people; `people_…` is the same share of people's own verdicts.

    `swap` and `first` exist for verdicts only, because scores have no order. `test` is None where
    it cannot be done, with the reason.
    """

    judge: str
    kind: str
    agreement: AgreementBeyondChance
    swap: Share
    first: Share
    longer: Share
    people_longer: Share
    own: Share
    people_own: Share
    calibration: tuple[CalibrationBin, ...]
    test: AlternativeTest | None
    test_reason: str
    raters: int
    sentences: tuple[str, ...]


def judge_report(
    people: People,
    judge: str,
    answers: Sequence[Verdict] | MetricScores,
    *,
    lengths: Mapping[tuple[str, str], float] | None = None,
    own: Sequence[str] = (),
    epsilon: float = 0.1,
    alpha: float = 0.05,
) -> JudgeReport:
    """Compare a judge with people: its pairwise verdicts, or its scores on the raters' scale.

    Verdicts are compared with those that people's values imply. Scores have no order, so there is
    nothing about positions.

    Parameters
    ----------
    people : the judgements on one criterion
    judge : its name; of scores, the metric
    answers : verdicts with the order in which outputs were shown, or scores of single outputs
    lengths : of outputs, by system and item
    own : systems that the judge's own model wrote
    epsilon : of the alternative-annotator test
    alpha : 1 − confidence
    """
    if isinstance(answers, MetricScores):
        sides = _sides_of_scores(people, judge, answers)
    else:
        sides = _sides_of_verdicts(people, answers)
    verdicts, lengths = sides.verdicts, lengths or {}
    has_order = sides.kind == "verdicts"
    nothing = Share(None, None, None, 0)
    theirs = [verdict for each in sides.said.values() for verdict in each]
    test, reason = _test(sides, epsilon, alpha)
    return JudgeReport(
        judge=judge,
        kind=sides.kind,
        agreement=agreement_beyond_chance(sides.ratings, sides.rated, metric=sides.metric),
        swap=swap_consistency(verdicts, alpha=alpha) if has_order else nothing,
        first=first_preference(verdicts, alpha=alpha) if has_order else nothing,
        longer=longer_preference(_measured(verdicts, lengths), lengths, alpha=alpha),
        people_longer=longer_preference(_measured(theirs, lengths), lengths, alpha=alpha),
        own=own_preference(verdicts, own, alpha=alpha),
        people_own=own_preference(theirs, own, alpha=alpha),
        calibration=tuple(_calibration(sides.differences, theirs, alpha)),
        test=test,
        test_reason=reason,
        raters=len(sides.said),
        sentences=tuple(_sentences(people, sides, bool(lengths), bool(own))),
    )


@dataclass(frozen=True)
class _Sides:
    """A judge and people in the same shapes.

    `ratings` and `rated` are what agreement and the alternative-annotator test compare, `verdicts`
    and `said` what preferences do; `differences` is how sure the judge is of each pair.
    """

    kind: str
    metric: str
    ratings: Ratings
    rated: Mapping[Hashable, float]
    verdicts: Sequence[Verdict]
    said: Mapping[str, Sequence[Verdict]]
    differences: Mapping[Pair, float]


def _sides_of_verdicts(people: People, verdicts: Sequence[Verdict]) -> _Sides:
    differences = _means_over_orders(verdicts)
    said = _verdicts_of(people)
    return _Sides(
        kind="verdicts",
        metric="nominal",
        ratings={
            rater: {(v.item, v.first, v.second): float(v.outcome) for v in each}
            for rater, each in said.items()
        },
        rated={pair: float(np.sign(value)) for pair, value in differences.items()},
        verdicts=verdicts,
        said=said,
        differences=differences,
    )


def _sides_of_scores(people: People, judge: str, scores: MetricScores) -> _Sides:
    aligned = scores.only(judge).aligned(people.systems, people.items).segments[0]
    values = {
        (people.systems[row], people.items[column]): float(aligned[row, column])
        for row, column in np.argwhere(~np.isnan(aligned)).tolist()
    }
    said = _verdicts_of(people)
    pairs = {(v.item, v.first, v.second) for each in said.values() for v in each}
    differences = {
        (item, a, b): values[a, item] - values[b, item]
        for item, a, b in pairs
        if (a, item) in values and (b, item) in values
    }
    return _Sides(
        kind="scores",
        metric="ordinal",
        ratings={rater: _hashed(each) for rater, each in _values_of(people).items()},
        rated=_hashed(values),
        verdicts=[
            Verdict(item, a, b, int(np.sign(value))) for (item, a, b), value in differences.items()
        ],
        said=said,
        differences=differences,
    )


def _hashed(values: Mapping[Output, float]) -> dict[Hashable, float]:
    return {output: value for output, value in values.items()}


def lengths_of(scores: MetricScores | None) -> dict[tuple[str, str], float]:
    """Return lengths of outputs by (system, item), where a metric of the scores is one.

    Parameters
    ----------
    scores : with `characters` or, failing that, `tokens`; None: no lengths
    """
    if scores is None:
        return {}
    for name in LENGTHS:
        if name in scores.metrics:
            values = scores.segments[scores.metrics.index(name)]
            return {
                (scores.systems[row], scores.items[column]): float(values[row, column])
                for row, column in np.argwhere(~np.isnan(values)).tolist()
            }
    return {}


def _test(sides: _Sides, epsilon: float, alpha: float) -> tuple[AlternativeTest | None, str]:
    try:
        found = alternative_annotator_test(
            sides.ratings,
            sides.rated,
            epsilon=epsilon,
            alpha=alpha,
            nominal=sides.metric == "nominal",
        )
    except Undefined as why:
        return None, str(why)
    return found, ""


def _measured(
    verdicts: Sequence[Verdict], lengths: Mapping[tuple[str, str], float]
) -> list[Verdict]:
    """Return the verdicts on outputs whose lengths are known."""
    return [
        each
        for each in verdicts
        if (each.first, each.item) in lengths and (each.second, each.item) in lengths
    ]


# --- pairs of outputs ----------------------------------------------------------------------------


def _means_over_orders(verdicts: Sequence[Verdict]) -> dict[Pair, float]:
    """Average the judge's verdicts on each pair over the orders: 1 if the first name wins."""
    said: dict[Pair, list[int]] = defaultdict(list)
    for each in verdicts:
        a, b = sorted((each.first, each.second))
        outcome = each.outcome if a == each.first else -each.outcome
        said[each.item, a, b].append(outcome)
    return {pair: float(np.mean(outcomes)) for pair, outcomes in said.items()}


def _rows_by_rater(people: People) -> Iterator[tuple[str, list[int]]]:
    counts = np.bincount(people.rater, minlength=len(people.raters))
    for rater in np.argsort(-counts, kind="stable")[:MOST_RATERS].tolist():
        yield people.raters[rater], np.flatnonzero(people.rater == rater).tolist()


def _values_of(people: People) -> dict[str, dict[Output, float]]:
    """Return each rater's value of each output; several values of one output give their mean."""
    found: dict[str, dict[Output, float]] = {}
    for rater, rows in _rows_by_rater(people):
        values: dict[Output, list[float]] = defaultdict(list)
        for row in rows:
            output = people.systems[people.system[row]], people.items[people.item[row]]
            values[output].append(float(people.value[row]))
        found[rater] = {output: float(np.mean(each)) for output, each in values.items()}
    return found


def _verdicts_of(people: People) -> dict[str, list[Verdict]]:
    """Return the pairwise verdicts that each rater's values imply."""
    found: dict[str, list[Verdict]] = {}
    for rater, values in _values_of(people).items():
        by_item: dict[str, dict[str, float]] = defaultdict(dict)
        for (system, item), value in values.items():
            by_item[item][system] = value
        found[rater] = [
            Verdict(item, a, b, int(np.sign(each[a] - each[b])))
            for item, each in by_item.items()
            for a, b in combinations(sorted(each), 2)
        ]
    return {rater: each for rater, each in found.items() if each}


def _calibration(
    differences: Mapping[Pair, float], people: Sequence[Verdict], alpha: float
) -> Iterator[CalibrationBin]:
    """Compute people's agreement by the judge's certainty, without the judge's ties."""
    both = [
        (abs(d), each.outcome * np.sign(d))
        for each in people
        if (d := differences.get((each.item, each.first, each.second), 0.0))
    ]
    if not both:
        return
    strengths = np.array([strength for strength, _ in both])
    agreed = np.array([agrees for _, agrees in both])
    edges = np.unique(strengths)
    if len(edges) > BINS:
        edges = np.unique(np.quantile(strengths, np.linspace(0, 1, BINS + 1)[1:]))
    place = np.searchsorted(edges, strengths, side="left")
    for number in np.unique(place):
        inside = place == number
        decided = agreed[inside][agreed[inside] != TIE]
        hits = int((decided == FIRST).sum())
        yield CalibrationBin(
            float(strengths[inside].mean()),
            share(hits, len(decided), alpha=alpha),
            int((agreed[inside] == TIE).sum()),
        )


def _sentences(people: People, sides: _Sides, has_lengths: bool, has_own: bool) -> Iterator[str]:
    yield (
        "A judge that passes the alternative-annotator test holds up against single raters; this "
        "does not show that it is as good as several raters together, or would be on other texts."
    )
    yield "Intervals of shares take verdicts as independent, although pairs share outputs."
    if sides.kind == "scores":
        yield "Scores have no order, so nothing can be said about a preference for a position."
    if not has_lengths:
        yield (
            "Without lengths of the outputs nothing can be said about a preference for long ones: "
            "compute the metric “lengths”."
        )
    if not has_own:
        yield "No system was named as the judge's own, so its preference for itself is not known."
    if len(people.raters) > MOST_RATERS:
        yield (
            f"Compared with the {MOST_RATERS} raters who gave the most judgements, "
            f"of {len(people.raters)}."
        )
