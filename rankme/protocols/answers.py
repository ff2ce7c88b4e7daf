"""A screen's answers, checked against the definition from which the screen was rendered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from rankme.errors import InvalidAnswer, Problem

from .criteria import CriterionSpec
from .definition import Definition
from .instruments import Refused, Subject, Value
from .instruments.base import finite_number
from .instruments.timed import ANTICIPATION_MS


@dataclass(frozen=True)
class Reading:
    """One checked value."""

    criterion: str
    position: int | None  # of the output on the screen; None for the item
    number: float | None
    text: str
    time_ms: float | None
    is_anticipated: bool = False  # given before anybody could have seen what it answers


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
) -> list[Reading]:
    """Check a screen's answers; raise `InvalidAnswer` with every problem and its place.

    Parameters
    ----------
    answers : a list of `{"criterion", "place", "value", "time_ms"}` as the browser sends it
    outputs : how many outputs the trial shows
    texts : these outputs, in the order of the screen, where an instrument reads them
    """
    if not isinstance(answers, list):
        raise InvalidAnswer([Problem("answers", "must be a list")])
    problems: list[Problem] = []
    given: dict[tuple[str, int | None], Mapping[str, Any]] = {}
    expected = _expected(definition.questions(screen), outputs)
    for number, answer in enumerate(answers):
        key = _key(answer)
        if key is None or key not in expected:
            problems.append(Problem(f"answers[{number}]", "this was not asked on this screen"))
        elif key in given:
            problems.append(Problem(f"answers[{number}]", "this was answered twice"))
        else:
            given[key] = answer
    readings = []
    together: dict[str, list[Value]] = {}
    for (name, position), criterion in expected.items():
        where = name if position is None else f"{name}[{position}]"
        answer = given.get((name, position))
        if answer is None:
            if criterion.required:
                problems.append(Problem(where, gettext("Please answer this.")))
            continue
        try:
            time_ms = _time(answer.get("time_ms"))
            output = "" if position is None or not texts else texts[position]
            subject = Subject(item_input, item_reference, factors or {}, time_ms, output)
            value = criterion.tool.clean(answer.get("value"), criterion.settings, subject)
        except Refused as refusal:
            problems.append(Problem(where, str(refusal)))
            continue
        response_ms = criterion.tool.response_ms(value, subject)
        is_anticipated = response_ms is not None and response_ms < ANTICIPATION_MS
        readings.append(Reading(name, position, value.number, value.text, time_ms, is_anticipated))
        together.setdefault(name, []).append(value)
        derived = criterion.tool.derive(answer.get("value"), criterion.settings, subject)
        readings += [
            Reading(f"{name}_{suffix}", position, found.number, found.text, time_ms)
            for suffix, found in derived.items()
        ]
    if not problems:
        problems = _joint_problems(definition.questions(screen), together)
    if problems:
        raise InvalidAnswer(problems)
    return readings


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
