"""Check a screen's answers against the definition from which the screen was rendered."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from analysis.translatable import gettext_noop as _
from rankme.errors import InvalidAnswer, Problem

from .criteria import CriterionSpec
from .definition import Definition
from .instruments import Refused, Subject, Value
from .instruments.base import finite_number
from .instruments.timed import ANTICIPATION_MS

NO_REASON = _("Please say why you cannot judge this.")


@dataclass(frozen=True)
class Reading:
    """One checked value."""

    criterion: str
    position: int | None  # of the output on the screen; None for the item
    number: float | None
    text: str
    time_ms: float | None
    is_anticipated: bool = False  # given before anybody could have seen what it answers
    # Why the rater could not judge: a reason's name, or "" where none is asked for. Then there is
    # neither a number nor a text.
    cannot_judge: str | None = None


def read_answers(
    definition: Definition,
    screen: int,
    answers: object,
    *,
    outputs: int,
    texts: Sequence[str] = (),
    item_input: str,
    item_reference: str = "",
    factors: Mapping[str, Any] | None = None,
    without_words: bool = False,
) -> list[Reading]:
    """Check a screen's answers; raise `InvalidAnswer` with every problem and its place.

    Parameters
    ----------
    answers : a list of `{"criterion", "place", "value", "time_ms"}` as the browser sends it
    outputs : how many outputs the trial shows
    texts : these outputs, in the order of the screen, where an instrument reads them
    without_words : the answers are of a payload whose personal texts are kept apart from it: an
        answer without its value is an empty text
    """
    if not isinstance(answers, list):
        raise InvalidAnswer([Problem("answers", "must be a list")])
    expected = _expected(definition.questions(screen), outputs)
    given, problems = _given(answers, expected)
    readings: list[Reading] = []
    together: dict[str, list[Value]] = {}
    for (name, position), criterion in expected.items():
        answer = given.get((name, position))
        where = name if position is None else f"{name}[{position}]"
        if answer is None:
            if criterion.required:
                problems.append(Problem(where, gettext("Please answer this.")))
            continue
        output = "" if position is None or not texts else texts[position]
        try:
            time_ms = _time(answer.get("time_ms"))
            subject = Subject(item_input, item_reference, factors or {}, time_ms, output)
            if "cannot_judge" in answer:
                readings.append(_declined(answer, criterion, position, time_ms))
            elif without_words and "value" not in answer and name in definition.personal_texts:
                readings.append(Reading(name, position, None, "", time_ms))
            else:
                value, found = _judged(answer, criterion, position, subject)
                together.setdefault(name, []).append(value)
                readings += found
        except Refused as refusal:
            problems.append(Problem(where, str(refusal)))
    if not problems:
        declined = {reading.criterion for reading in readings if reading.cannot_judge is not None}
        # One answer about all outputs is given for all of them, or for none.
        asked = [
            criterion
            for criterion in definition.questions(screen)
            if criterion.name in together or criterion.name not in declined
        ]
        problems = _joint_problems(asked, together)
    if problems:
        raise InvalidAnswer(problems)
    return readings


def _given(
    answers: list[Any], expected: Container[tuple[str, int | None]]
) -> tuple[dict[tuple[str, int | None], Mapping[str, Any]], list[Problem]]:
    """The answers by criterion and position, without those that were not asked, or given before."""
    given: dict[tuple[str, int | None], Mapping[str, Any]] = {}
    problems: list[Problem] = []
    for number, answer in enumerate(answers):
        key = _key(answer)
        if key is None or key not in expected:
            problems.append(Problem(f"answers[{number}]", "this was not asked on this screen"))
        elif key in given:
            problems.append(Problem(f"answers[{number}]", "this was answered twice"))
        else:
            given[key] = answer
    return given, problems


def _judged(
    answer: Mapping[str, Any], criterion: CriterionSpec, position: int | None, subject: Subject
) -> tuple[Value, list[Reading]]:
    """Check an answer; return its value, and the readings of it and of derived criteria."""
    tool, settings, time_ms = criterion.tool, criterion.settings, subject.time_ms
    value = tool.clean(answer.get("value"), settings, subject)
    response_ms = tool.response_ms(value, subject)
    is_anticipated = response_ms is not None and response_ms < ANTICIPATION_MS
    derived = tool.derive(answer.get("value"), settings, subject)
    return value, [
        Reading(criterion.name, position, value.number, value.text, time_ms, is_anticipated),
        *(
            Reading(f"{criterion.name}_{suffix}", position, found.number, found.text, time_ms)
            for suffix, found in derived.items()
        ),
    ]


def _declined(
    answer: Mapping[str, Any], criterion: CriterionSpec, position: int | None, time_ms: float | None
) -> Reading:
    """That a rater cannot judge: there is a value or this, and never both."""
    reason = answer["cannot_judge"]
    if not criterion.cannot_judge or "value" in answer:
        raise Refused("This question needs an answer.")
    if not isinstance(reason, str) or reason not in (criterion.cannot_judge_reasons or ("",)):
        raise Refused(NO_REASON)
    return Reading(criterion.name, position, None, "", time_ms, cannot_judge=reason)


def _joint_problems(
    questions: Sequence[CriterionSpec], together: Mapping[str, Sequence[Value]]
) -> list[Problem]:
    problems = []
    for criterion in questions:
        try:
            criterion.tool.check_together(together.get(criterion.name, []), criterion.settings)
        except Refused as refusal:
            problems.append(Problem(criterion.name, str(refusal)))
    return problems


def _expected(
    questions: Sequence[CriterionSpec], outputs: int
) -> dict[tuple[str, int | None], CriterionSpec]:
    expected: dict[tuple[str, int | None], CriterionSpec] = {}
    for criterion in questions:
        positions: Sequence[int | None] = range(outputs) if criterion.about == "output" else [None]
        expected |= {(criterion.name, position): criterion for position in positions}
    return expected


def _key(answer: Any) -> tuple[str, int | None] | None:
    if not isinstance(answer, Mapping):
        return None
    name, position = answer.get("criterion"), answer.get("place")
    if not isinstance(name, str) or isinstance(position, bool):
        return None
    return (name, position) if position is None or isinstance(position, int) else None


def _time(value: Any) -> float | None:
    if value is None:
        return None
    number = finite_number(value)
    if not 0 <= number <= 86_400_000:
        raise Refused("A time must lie between 0 and one day.")
    return number
