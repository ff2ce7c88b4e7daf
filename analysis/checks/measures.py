"""Measures that rules ask about a rater, computed from the answers to each kind of check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType

import numpy as np

from analysis.checks.signed_rank import signed_rank
from analysis.errors import Undefined
from analysis.reliability.intraclass import intraclass_correlation

from .measure_names import HABITS, TRACES, measures_of_kind


@dataclass(frozen=True)
class CheckAnswer:
    """One rater's answer to one check.

    `value` and `other` are what is compared: the two scores of a pair (the intact text first, the
    damaged one second; the first answer first, its repetition second).
    """

    name: str
    kind: str
    passed: bool | None = None
    value: float | None = None
    other: float | None = None


def measures_of(
    answers: Sequence[CheckAnswer],
    *,
    seconds: Sequence[float] = (),
    active_seconds: Sequence[float] = (),
    habits: Mapping[str, float | None] = MappingProxyType({}),
    checks: Iterable[tuple[str, str]] = (),
    only_growing: bool = False,
) -> dict[str, float | None]:
    """Return all measures of one rater; None where one has no value on these answers.

    Parameters
    ----------
    answers : to the checks that the rater has met
    seconds : shape (screens,), time on each screen that the rater answered
    active_seconds : the same, without the time in which the page was hidden or nothing happened
    habits : impossible times, the share of the commonest answer, agreement, and measures of traces,
        where known
    checks : (name, kind) of all checks of the campaign: those without an answer have measures too
    only_growing : leave out what needs all answers of a batch, such as tests
    """
    by_owner: dict[tuple[str, str], list[CheckAnswer]] = defaultdict(list)
    for name, kind in checks:
        by_owner[name, kind], by_owner[kind, kind] = [], []
    for answer in answers:
        by_owner[answer.name, answer.kind].append(answer)
        if answer.name != answer.kind:
            by_owner[answer.kind, answer.kind].append(answer)
    found: dict[str, float | None] = {
        "median_seconds": median(seconds) if seconds else None,
        "median_active_seconds": median(active_seconds) if active_seconds else None,
        "screens": float(len(seconds)),
    } | {name: habits.get(name) for name in HABITS}
    found |= {name: habits[name] for name in TRACES if name in habits}
    for (owner, kind), given in by_owner.items():
        computed = _counts(given) if only_growing else _of_kind(kind, given)
        found |= {f"{owner}.{measure}": computed.get(measure) for measure in measures_of_kind(kind)}
    return found


def _counts(answers: Sequence[CheckAnswer]) -> dict[str, float | None]:
    decided = [answer.passed for answer in answers if answer.passed is not None]
    failed = sum(not passed for passed in decided)
    return {
        "answered": float(len(answers)),
        "failed": float(failed),
        "failed_share": failed / len(decided) if decided else None,
    }


def _of_kind(kind: str, answers: Sequence[CheckAnswer]) -> dict[str, float | None]:
    found = _counts(answers)
    pairs = [
        (answer.value, answer.other)
        for answer in answers
        if answer.value is not None and answer.other is not None
    ]
    if kind == "corruption":
        found |= _of_corruptions(pairs)
    if kind == "repeat":
        found |= _of_repeats(pairs)
    return found


def _of_corruptions(pairs: Sequence[tuple[float, float]]) -> dict[str, float | None]:
    try:
        test = signed_rank([good for good, _ in pairs], [bad for _, bad in pairs])
    except Undefined:
        return {}
    drop = float(np.mean([good - bad for good, bad in pairs]))
    return {"paired_p": test.p, "unpaired_p": test.unpaired_p, "mean_drop": drop}


def _of_repeats(pairs: Sequence[tuple[float, float]]) -> dict[str, float | None]:
    if not pairs:
        return {}
    difference = float(np.mean([abs(first - again) for first, again in pairs]))
    return {"icc": repeat_icc(pairs), "mean_difference": difference}


def repeat_icc(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Compute ICC(2,1) of a rater's two occasions; None below three pairs or where all answers are
    equal.

    Parameters
    ----------
    pairs : the first and the second score of each repeated output

    Source
    ------
    Shrout & Fleiss (1979), case 2.
    """
    if len(pairs) < 3:
        return None
    texts = np.repeat(np.arange(len(pairs)), 2)
    occasions = np.tile([0, 1], len(pairs))
    try:
        found = intraclass_correlation(np.asarray(pairs).ravel(), texts, occasions)
    except Undefined:
        return None
    return found.single.value
